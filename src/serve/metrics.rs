//! What the server counts, in the text form of Prometheus.

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Upper bounds of the times of requests, in milliseconds.
const BOUNDS_MS: [u64; 8] = [1, 5, 20, 50, 100, 500, 2_000, 10_000];

/// Counts since the server has started.
#[derive(Debug, Default)]
pub(crate) struct ServeMetrics {
    /// By the first digit of the status, from 1.
    requests: [AtomicU64; 5],
    /// Requests by their time; the last has no bound.
    times: [AtomicU64; BOUNDS_MS.len() + 1],
    time_us: AtomicU64,
    lines: [AtomicU64; 3],
}

/// What became of a line.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LineFate {
    Accepted,
    /// It was there before.
    Known,
    Refused,
}

impl ServeMetrics {
    pub(crate) fn count_request(&self, status: u16, time: Duration) {
        let class = usize::from(status / 100).clamp(1, 5) - 1;
        self.requests[class].fetch_add(1, Ordering::Relaxed);
        let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let place = BOUNDS_MS.iter().position(|bound| ms < *bound).unwrap_or(BOUNDS_MS.len());
        self.times[place].fetch_add(1, Ordering::Relaxed);
        let us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.time_us.fetch_add(us, Ordering::Relaxed);
    }

    pub(crate) fn count_line(&self, fate: LineFate) {
        self.lines[fate as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn render(&self, plays: usize) -> String {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let mut text = String::new();
        let mut line = |line: String| {
            // A string takes everything.
            let _ = writeln!(text, "{line}");
        };
        line("# TYPE narratoria_requests_total counter".to_owned());
        for (at, count) in self.requests.iter().enumerate() {
            line(format!("narratoria_requests_total{{status=\"{}xx\"}} {}", at + 1, read(count)));
        }
        line("# TYPE narratoria_request_seconds histogram".to_owned());
        let mut sum = 0;
        for (at, count) in self.times.iter().enumerate() {
            sum += read(count);
            let bound = BOUNDS_MS.get(at);
            let bound = bound.map_or("+Inf".to_owned(), |ms| {
                Duration::from_millis(*ms).as_secs_f64().to_string()
            });
            line(format!("narratoria_request_seconds_bucket{{le=\"{bound}\"}} {sum}"));
        }
        let seconds = Duration::from_micros(read(&self.time_us)).as_secs_f64();
        line(format!("narratoria_request_seconds_sum {seconds}"));
        line(format!("narratoria_request_seconds_count {sum}"));
        line("# TYPE narratoria_lines_total counter".to_owned());
        for (fate, count) in ["accepted", "known", "refused"].iter().zip(&self.lines) {
            line(format!("narratoria_lines_total{{fate=\"{fate}\"}} {}", read(count)));
        }
        line("# TYPE narratoria_plays gauge".to_owned());
        line(format!("narratoria_plays {plays}"));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_lines_are_counted_by_what_became_of_them() {
        let metrics = ServeMetrics::default();
        metrics.count_request(204, Duration::from_micros(500));
        metrics.count_request(404, Duration::from_secs(60));
        metrics.count_line(LineFate::Refused);
        let text = metrics.render(3);
        for line in [
            "narratoria_requests_total{status=\"2xx\"} 1",
            "narratoria_requests_total{status=\"4xx\"} 1",
            "narratoria_request_seconds_bucket{le=\"0.001\"} 1",
            "narratoria_request_seconds_bucket{le=\"10\"} 1",
            "narratoria_request_seconds_bucket{le=\"+Inf\"} 2",
            "narratoria_request_seconds_sum 60.0005",
            "narratoria_lines_total{fate=\"refused\"} 1",
            "narratoria_plays 3",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
