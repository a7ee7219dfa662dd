//! Asks without end.

use narratoria_guest_programs::{ASK, read_answer, say};

fn main() {
    loop {
        say(ASK);
        read_answer();
    }
}
