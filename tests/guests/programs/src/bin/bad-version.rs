//! Writes events of a future version.

use narratoria_guest_programs::{DONE, say};

fn main() {
    say(r#"{"version":"9","type":"log","level":"info","message":"hello"}"#);
    say(DONE);
}
