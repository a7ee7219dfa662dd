//! Works, and exits without `done`.

use narratoria_guest_programs::{LOG, say};

fn main() {
    say(LOG);
}
