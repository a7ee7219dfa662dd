//! Asks, and then sleeps for as many milliseconds as the answer says.

use std::time::Duration;

use narratoria_guest_programs::{ASK, DONE, drain_stdin, read_answer, say};

fn main() {
    drain_stdin();
    say(ASK);
    let ms = read_answer().and_then(|answer| answer.parse().ok()).unwrap_or(0);
    std::thread::sleep(Duration::from_millis(ms));
    say(DONE);
}
