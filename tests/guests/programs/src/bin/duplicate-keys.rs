//! Says two things at once: of two readers one takes the first `ok` and one the last.

use narratoria_guest_programs::say;

fn main() {
    say(r#"{"version":"0","type":"done","ok":false,"ok":true}"#);
}
