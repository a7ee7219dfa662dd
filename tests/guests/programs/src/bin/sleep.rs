//! Sleeps for `input.ms` milliseconds.

use std::time::Duration;

use narratoria_guest_programs::{DONE, read_request, say};

fn main() {
    let ms = read_request()["input"]["ms"].as_u64().unwrap_or_default();
    std::thread::sleep(Duration::from_millis(ms));
    say(DONE);
}
