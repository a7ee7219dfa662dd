//! Writes Latin-1.

use narratoria_guest_programs::{DONE, say, write};

fn main() {
    write(b"{\"version\":\"0\",\"type\":\"log\",\"level\":\"info\",\"message\":\"caf\xe9\"}\n");
    say(DONE);
}
