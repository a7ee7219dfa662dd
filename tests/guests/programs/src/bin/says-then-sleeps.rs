//! Writes one log line of `input.level`, sleeps for `input.ms` milliseconds (by default an hour), then succeeds.

use std::time::Duration;

use narratoria_guest_programs::{DONE, read_request, say};

fn main() {
    let request = read_request();
    let level = request["input"]["level"].as_str().unwrap_or("info");
    say(&format!(r#"{{"version":"0","type":"log","level":"{level}","message":"waiting"}}"#));
    let ms = request["input"]["ms"].as_u64().unwrap_or(3_600_000);
    std::thread::sleep(Duration::from_millis(ms));
    say(DONE);
}
