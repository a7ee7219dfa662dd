//! Watches the packages and reads them again when they have changed.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::shared::SharedLoader;
use narratoria_skills::PackageFingerprints;

/// How often the packages are scanned while the player thinks.
const SCAN_INTERVAL: Duration = Duration::from_millis(500);

/// How long a package must not change before it is read, because a build writes one file after another.
const QUIET_PERIOD: Duration = Duration::from_millis(40);

/// The longest wait for a quiet period. A package that never stops changing is read as it is.
const QUIET_TIMEOUT: Duration = Duration::from_secs(2);

pub(super) fn spawn(shared: Arc<SharedLoader>, often: bool) -> std::io::Result<()> {
    let watch = thread::Builder::new().name("packages".to_owned());
    let scan = move || {
        let scans = || while shared.scan(often) {};
        if catch_unwind(AssertUnwindSafe(scans)).is_err() {
            // A fault of this program: the skills stay as they are, and nothing waits for another scan.
            let mut state = shared.lock();
            state.is_watched = false;
            state.scans_done = state.scans_requested;
            drop(state);
            shared.notify_changed();
        }
    };
    watch.spawn(scan).map(drop)
}

impl SharedLoader {
    /// Waits for the next request, or for the interval if `often`, and scans once. Returns false if the loader is
    /// dropped.
    fn scan(self: &Arc<Self>, often: bool) -> bool {
        let Some((request, before)) = self.await_request(often) else { return false };
        let mut prints = self.fingerprints();
        if prints != before {
            prints = self.await_quiet(prints);
            let report = self.read_packages();
            let mut state = self.lock();
            state.queue.update(report, &prints, &before);
            state.fingerprints = prints;
            drop(state);
            self.spawn_workers();
        }
        let mut state = self.lock();
        state.scans_done = request;
        let is_closed = state.is_closed;
        drop(state);
        self.notify_changed();
        !is_closed
    }

    /// The number of the last request, and the fingerprints of the last scan; `None` when the loader is dropped.
    fn await_request(&self, often: bool) -> Option<(u64, PackageFingerprints)> {
        let mut state = self.lock();
        let deadline = Instant::now() + SCAN_INTERVAL;
        while !state.is_closed && state.scans_requested == state.scans_done {
            if !often {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        (!state.is_closed).then(|| (state.scans_requested, state.fingerprints.clone()))
    }

    fn await_quiet(&self, mut prints: PackageFingerprints) -> PackageFingerprints {
        let deadline = Instant::now() + QUIET_TIMEOUT;
        loop {
            thread::sleep(QUIET_PERIOD);
            let now = self.fingerprints();
            if now == prints || Instant::now() > deadline {
                return now;
            }
            prints = now;
        }
    }
}
