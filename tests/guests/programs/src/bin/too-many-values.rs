//! Writes very many very small values: two bytes each for it, a hundred for the host.

use narratoria_guest_programs::{DONE, say};

/// Of one line, which is far below its limit.
const VALUES: usize = 50_000;

fn main() {
    let many = vec!["0"; VALUES].join(",");
    for n in 0..5 {
        say(&format!(r#"{{"version":"0","type":"state_patch","patch":{{"many{n}":[{many}]}}}}"#));
    }
    say(DONE);
}
