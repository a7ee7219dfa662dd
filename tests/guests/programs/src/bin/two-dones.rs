//! Writes `done` twice.

use narratoria_guest_programs::{DONE, say};

fn main() {
    say(DONE);
    say(DONE);
}
