//! Clocks that do not show the real time, so that a script cannot behave differently tomorrow.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use wasmtime_wasi::{HostMonotonicClock, HostWallClock};

/// Always shows the Unix epoch.
pub(crate) struct StoppedClock;

impl HostWallClock for StoppedClock {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// Advances by one microsecond at each reading, so that a loop that waits for time to pass ends, and ends the same
/// way every time. Sleeping takes real time and counts against the time limit.
#[derive(Default)]
pub(crate) struct CountingClock {
    reads: AtomicU64,
}

const TICK_NS: u64 = 1_000;

impl HostMonotonicClock for CountingClock {
    fn resolution(&self) -> u64 {
        TICK_NS
    }

    fn now(&self) -> u64 {
        self.reads.fetch_add(1, Ordering::Relaxed) * TICK_NS
    }
}
