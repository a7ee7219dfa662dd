//! Never reads what it was sent, which is allowed, however long that is.

use narratoria_guest_programs::{DONE, say};

fn main() {
    say(DONE);
}
