//! Reads all its input and says the least that is allowed.

use narratoria_guest_programs::{DONE, drain_stdin, say};

fn main() {
    drain_stdin();
    say(DONE);
}
