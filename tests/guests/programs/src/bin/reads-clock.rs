//! Reads the wall clock once and the monotonic clock twice, and outputs the times.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use narratoria_guest_programs::{drain_stdin, say_done};
use serde_json::json;

fn main() {
    let first = Instant::now();
    drain_stdin();
    let unix_ms = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map(|since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
        .unwrap_or_default();
    let second = Instant::now();
    let between_ns = u64::try_from((second - first).as_nanos()).unwrap_or(u64::MAX);
    say_done(true, &json!({"unixMs": unix_ms, "betweenNs": between_ns}));
}
