//! Never reads its stdin, which is allowed, however long the request is.

use narratoria_guest_programs::{DONE, say};

fn main() {
    say(DONE);
}
