//! Measures the progress and the speed of a download. Pure: its caller passes the time in.

use std::{collections::VecDeque, time::Duration};

use tokio::time::Instant;

/// Shortest time between two reports.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// The speed is averaged over this time: long enough to be calm, short enough to show a change.
const WINDOW: Duration = Duration::from_secs(8);

/// A shorter time is too short for a speed.
const WINDOW_MIN: Duration = Duration::from_millis(500);

/// Most samples in the window.
const SAMPLES_MAX: usize = 128;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DownloadProgress {
    pub bytes: u64,
    pub total: u64,
    /// The speed of the last seconds; 0 while it is not known.
    pub bytes_per_second: f64,
    /// Time that the rest takes at that speed.
    pub left: Option<Duration>,
}

#[derive(Debug)]
pub(super) struct ProgressMeter {
    total: u64,
    samples: VecDeque<(Instant, u64)>,
    last_reported: Option<Instant>,
}

impl ProgressMeter {
    pub(super) fn new(total: u64) -> ProgressMeter {
        ProgressMeter { total, samples: VecDeque::new(), last_reported: None }
    }

    /// Returns a report at the beginning, at the end, and every [`REPORT_EVERY`] between.
    pub(super) fn update(&mut self, now: Instant, bytes: u64) -> Option<DownloadProgress> {
        let is_soon =
            self.last_reported.is_some_and(|last| now.duration_since(last) < REPORT_EVERY);
        if is_soon && bytes < self.total {
            return None;
        }
        self.last_reported = Some(now);
        // After a restart the old samples no longer apply.
        if self.samples.back().is_some_and(|(_, before)| *before > bytes) {
            self.samples.clear();
        }
        let is_old = |at: Instant| now.duration_since(at) > WINDOW;
        while self.samples.len() > SAMPLES_MAX
            || self.samples.get(1).is_some_and(|(at, _)| is_old(*at))
        {
            self.samples.pop_front();
        }
        self.samples.push_back((now, bytes));
        Some(self.progress(now, bytes))
    }

    /// Forgets the samples before a pause.
    pub(super) fn pause(&mut self) {
        self.samples.clear();
    }

    #[expect(clippy::cast_precision_loss, reason = "a speed needs no more than 52 bits")]
    fn progress(&self, now: Instant, bytes: u64) -> DownloadProgress {
        let first = self.samples.front().copied().unwrap_or((now, bytes));
        let elapsed = now.duration_since(first.0);
        let received = bytes.saturating_sub(first.1) as f64;
        let speed = if elapsed >= WINDOW_MIN { received / elapsed.as_secs_f64() } else { 0.0 };
        let rest = self.total.saturating_sub(bytes) as f64;
        let left = (speed >= 1.0).then(|| Duration::try_from_secs_f64(rest / speed).ok()).flatten();
        DownloadProgress { bytes, total: self.total, bytes_per_second: speed, left }
    }
}

/// `2.39 GB`: three digits in powers of a thousand, as disks and networks are sold.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub fn size_text(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1e3;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1e3;
        unit += 1;
    }
    let digits = match value {
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::{ProgressMeter, size_text};

    #[test]
    fn sizes_have_three_digits() {
        for (bytes, expect) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.00 kB"),
            (65_432, "65.4 kB"),
            (999_499, "999 kB"),
            (999_500, "1.00 MB"),
            (2_393_232_672, "2.39 GB"),
            (64 << 30, "68.7 GB"),
            (u64::MAX, "18446744 TB"),
        ] {
            assert_eq!(size_text(bytes), expect);
        }
    }

    #[test]
    fn the_speed_is_that_of_the_last_seconds() {
        let start = Instant::now();
        let mut meter = ProgressMeter::new(100_000);
        let mut reports = String::new();
        for (ms, bytes) in [
            (0, 0),
            (50, 10),
            (400, 400),
            (1_000, 1_000),
            (4_000, 4_000),
            (13_000, 5_000),
            (17_000, 9_000),
            (17_010, 100_000),
        ] {
            let at = start + Duration::from_millis(ms);
            reports += &match meter.update(at, bytes) {
                None => format!("{ms}: -\n"),
                Some(now) => {
                    format!("{ms}: {:.0} B/s, {:.1?} left\n", now.bytes_per_second, now.left)
                }
            };
        }
        insta::assert_snapshot!(reports, @"
        0: 0 B/s, None left
        50: -
        400: 0 B/s, None left
        1000: 1000 B/s, Some(99.0s) left
        4000: 1000 B/s, Some(96.0s) left
        13000: 111 B/s, Some(855.0s) left
        17000: 385 B/s, Some(236.6s) left
        17010: 7379 B/s, Some(0.0ns) left
        ");
    }

    #[test]
    fn a_restart_does_not_lower_the_speed() {
        let start = Instant::now();
        let mut meter = ProgressMeter::new(100_000);
        meter.update(start, 50_000);
        let again = meter.update(start + Duration::from_secs(2), 0).unwrap();
        assert_eq!((again.bytes_per_second, again.left), (0.0, None));
        let on = meter.update(start + Duration::from_secs(3), 10_000).unwrap();
        assert_eq!((on.bytes_per_second, on.left), (10_000.0, Some(Duration::from_secs(9))));
    }
}
