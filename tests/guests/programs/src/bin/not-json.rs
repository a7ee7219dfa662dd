//! Prints text for people instead of JSON.

use narratoria_guest_programs::{DONE, say};

fn main() {
    say("You rolled a 7!");
    say(DONE);
}
