//! Sends a patch without the patch.

use narratoria_guest_programs::{DONE, say};

fn main() {
    say(r#"{"version":"0","type":"state_patch"}"#);
    say(DONE);
}
