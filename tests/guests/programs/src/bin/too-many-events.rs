//! Says a little, but far too often.

use narratoria_guest_programs::{LOG, say};

fn main() {
    loop {
        say(LOG);
    }
}
