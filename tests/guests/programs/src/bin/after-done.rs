//! Has one more thing to say after its last word.

use narratoria_guest_programs::{DONE, LOG, say};

fn main() {
    say(DONE);
    say(LOG);
}
