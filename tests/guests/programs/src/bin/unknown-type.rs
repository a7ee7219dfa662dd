//! Misspells an event's type.

use narratoria_guest_programs::{DONE, say};

fn main() {
    say(r#"{"version":"0","type":"state_path","patch":{}}"#);
    say(DONE);
}
