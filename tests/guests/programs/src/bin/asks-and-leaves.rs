//! Asks two things at once, reads none of the answers, and ends well.

use narratoria_guest_programs::{ASK, DONE, say};

fn main() {
    say(ASK);
    say(ASK);
    say(DONE);
}
