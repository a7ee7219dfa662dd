//! Puts a NUL into a line, where C would end the text.

use narratoria_guest_programs::{DONE, say, write};

fn main() {
    write(b"{\"version\":\"0\",\"type\":\"log\",\"level\":\"info\",\"message\":\"one\0two\"}\n");
    say(DONE);
}
