//! Works and leaves without its last word.

use narratoria_guest_programs::{LOG, say};

fn main() {
    say(LOG);
}
