//! Asks two questions at once, reads no answer, and succeeds.

use narratoria_guest_programs::{ASK, DONE, say};

fn main() {
    say(ASK);
    say(ASK);
    say(DONE);
}
