//! Writes a number that no double can hold.

use narratoria_guest_programs::{DONE, say};

fn main() {
    say(r#"{"version":"0","type":"state_patch","patch":{"gold":1e999}}"#);
    say(DONE);
}
