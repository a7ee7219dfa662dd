//! Writes short events without end.

use narratoria_guest_programs::{LOG, say};

fn main() {
    loop {
        say(LOG);
    }
}
