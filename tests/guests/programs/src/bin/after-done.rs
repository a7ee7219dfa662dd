//! Writes one more event after `done`.

use narratoria_guest_programs::{DONE, LOG, say};

fn main() {
    say(DONE);
    say(LOG);
}
