//! Nests two thousand arrays in a log line's fields.

use narratoria_guest_programs::{DONE, say};

/// Enough to overflow the stack of a parser that recurses carelessly.
const LEVELS: usize = 2000;

fn main() {
    let deep = format!("{}{}", "[".repeat(LEVELS), "]".repeat(LEVELS));
    say(&format!(
        r#"{{"version":"0","type":"log","level":"info","message":"deep","fields":{{"deep":{deep}}}}}"#
    ));
    say(DONE);
}
