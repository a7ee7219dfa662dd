//! Looks at the packages, and has read anew what has changed.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::SharedLoader;
use narratoria_skills::{PackageFingerprints, load_with_policy, package_fingerprints};

/// How often somebody's packages are looked at while they think of a sentence.
const SCAN_INTERVAL: Duration = Duration::from_millis(500);

/// How long a package must stay as it is before it is read: whoever builds it writes one file after another.
const QUIET_PERIOD: Duration = Duration::from_millis(40);

/// How long is waited for that. What changes all the time is read as it is.
const QUIET_TIMEOUT: Duration = Duration::from_secs(2);

pub(super) fn spawn(shared: Arc<SharedLoader>, often: bool) -> std::io::Result<()> {
    let watch = thread::Builder::new().name("packages".to_owned());
    let look = move || {
        let looks = || while shared.scan(often) {};
        if catch_unwind(AssertUnwindSafe(looks)).is_err() {
            // A fault of ours: the skills stay what they are, and nobody waits for a look.
            let mut state = shared.lock();
            state.is_watched = false;
            state.scans_done = state.scans_requested;
            drop(state);
            shared.notify_changed();
        }
    };
    watch.spawn(look).map(drop)
}

impl SharedLoader {
    /// Looks once it is time; whether anybody may want another look.
    fn scan(self: &Arc<Self>, often: bool) -> bool {
        let Some((wish, before)) = self.await_request(often) else { return false };
        let mut prints = package_fingerprints(&self.roots);
        if prints != before {
            prints = self.await_quiet(prints);
            let loaded =
                load_with_policy(&self.roots, &|name| (self.environment)(name), &self.host_policy);
            let mut state = self.lock();
            state.queue.update(loaded, &prints, &before);
            state.fingerprints = prints;
            drop(state);
            self.spawn_workers();
        }
        let mut state = self.lock();
        state.scans_done = wish;
        let is_over = state.is_closed;
        drop(state);
        self.notify_changed();
        !is_over
    }

    /// The number of the last wish to look, and what was seen the last time. `None` at the end.
    fn await_request(&self, often: bool) -> Option<(u64, PackageFingerprints)> {
        let mut state = self.lock();
        let late = Instant::now() + SCAN_INTERVAL;
        while !state.is_closed && state.scans_requested == state.scans_done {
            if !often {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let left = late.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        (!state.is_closed).then(|| (state.scans_requested, state.fingerprints.clone()))
    }

    fn await_quiet(&self, mut prints: PackageFingerprints) -> PackageFingerprints {
        let late = Instant::now() + QUIET_TIMEOUT;
        loop {
            thread::sleep(QUIET_PERIOD);
            let now = package_fingerprints(&self.roots);
            if now == prints || Instant::now() > late {
                return now;
            }
            prints = now;
        }
    }
}
