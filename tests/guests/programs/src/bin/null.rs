//! Reads all its input and writes only `done`.

use narratoria_guest_programs::{DONE, drain_stdin, say};

fn main() {
    drain_stdin();
    say(DONE);
}
