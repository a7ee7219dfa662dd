//! Looks at the packages, and has read anew what has changed.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::Shared;
use crate::skills::{Footprints, footprints, load_within};

/// How often somebody's packages are looked at while they think of a sentence.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// How long a package must stay as it is before it is read: whoever builds it writes one file after another.
const QUIET: Duration = Duration::from_millis(40);

/// How long is waited for that. What changes all the time is read as it is.
const QUIET_WITHIN: Duration = Duration::from_secs(2);

pub(super) fn spawn(shared: Arc<Shared>, often: bool) -> std::io::Result<()> {
    let watch = thread::Builder::new().name("packages".to_owned());
    let look = move || {
        let looks = || while shared.look(often) {};
        if catch_unwind(AssertUnwindSafe(looks)).is_err() {
            // A fault of ours: the skills stay what they are, and nobody waits for a look.
            let mut state = shared.lock();
            state.is_watched = false;
            state.looks_done = state.looks_wanted;
            drop(state);
            shared.stir();
        }
    };
    watch.spawn(look).map(drop)
}

impl Shared {
    /// Looks once it is time; whether anybody may want another look.
    fn look(self: &Arc<Self>, often: bool) -> bool {
        let Some((wish, before)) = self.await_wish(often) else { return false };
        let mut prints = footprints(&self.roots);
        if prints != before {
            prints = self.when_quiet(prints);
            let loaded = load_within(&self.roots, &|name| (self.environment)(name), &self.ceilings);
            let mut state = self.lock();
            state.shelf.expect(loaded, &prints, &before);
            state.prints = prints;
            drop(state);
            self.hire();
        }
        let mut state = self.lock();
        state.looks_done = wish;
        let is_over = state.is_over;
        drop(state);
        self.stir();
        !is_over
    }

    /// The number of the last wish to look, and what was seen the last time. `None` at the end.
    fn await_wish(&self, often: bool) -> Option<(u64, Footprints)> {
        let mut state = self.lock();
        let late = Instant::now() + LOOK_EVERY;
        while !state.is_over && state.looks_wanted == state.looks_done {
            if !often {
                state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let left = late.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.moved.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        (!state.is_over).then(|| (state.looks_wanted, state.prints.clone()))
    }

    fn when_quiet(&self, mut prints: Footprints) -> Footprints {
        let late = Instant::now() + QUIET_WITHIN;
        loop {
            thread::sleep(QUIET);
            let now = footprints(&self.roots);
            if now == prints || Instant::now() > late {
                return now;
            }
            prints = now;
        }
    }
}
