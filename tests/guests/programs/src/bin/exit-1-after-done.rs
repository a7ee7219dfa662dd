//! Claims success and exits with a failure.

use narratoria_guest_programs::{DONE, say};

fn main() {
    say(DONE);
    std::process::exit(1);
}
