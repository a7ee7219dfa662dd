//! What a server counts of its hosted stories, in the text form of Prometheus.

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Upper bounds of the times in which a change is stored, in milliseconds.
const BOUNDS_MS: [u64; 7] = [1, 2, 5, 10, 50, 500, 5_000];

/// Counts since the server has started.
#[derive(Debug, Default)]
pub(crate) struct HostingCounts {
    /// Changes by the time that storing them took; the last has no bound.
    stored: [AtomicU64; BOUNDS_MS.len() + 1],
    stored_us: AtomicU64,
    pub(crate) refused: AtomicU64,
    /// Answers that were lost and asked for.
    pub(crate) unknown: AtomicU64,
    pub(crate) taken: AtomicU64,
    pub(crate) lost: AtomicU64,
    pub(crate) rebuilt: AtomicU64,
    /// Logs that had lost their end.
    pub(crate) lost_ends: AtomicU64,
}

pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl HostingCounts {
    pub(crate) fn count_stored(&self, time: Duration) {
        let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let place = BOUNDS_MS.iter().position(|bound| ms < *bound).unwrap_or(BOUNDS_MS.len());
        count(&self.stored[place]);
        let us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.stored_us.fetch_add(us, Ordering::Relaxed);
    }

    pub(crate) fn render(&self) -> String {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let mut text = "# TYPE narratoria_change_stored_seconds histogram\n".to_owned();
        let mut sum = 0;
        for (at, count) in self.stored.iter().enumerate() {
            sum += read(count);
            let bound = BOUNDS_MS.get(at).map_or("+Inf".to_owned(), |ms| {
                Duration::from_millis(*ms).as_secs_f64().to_string()
            });
            // A string takes everything.
            let _ =
                writeln!(text, "narratoria_change_stored_seconds_bucket{{le=\"{bound}\"}} {sum}");
        }
        let seconds = Duration::from_micros(read(&self.stored_us)).as_secs_f64();
        let _ = writeln!(text, "narratoria_change_stored_seconds_sum {seconds}");
        let _ = writeln!(text, "narratoria_change_stored_seconds_count {sum}");
        for (name, count) in [
            ("changes_refused", &self.refused),
            ("answers_lost", &self.unknown),
            ("leases_taken", &self.taken),
            ("leases_lost", &self.lost),
            ("copies_rebuilt", &self.rebuilt),
            ("log_ends_lost", &self.lost_ends),
        ] {
            let _ = writeln!(text, "# TYPE narratoria_{name}_total counter");
            let _ = writeln!(text, "narratoria_{name}_total {}", read(count));
        }
        text
    }
}
