//! Writes very many small values: two bytes each for the guest, a hundred for the host.

use narratoria_guest_programs::{DONE, say};

/// Values of one line, which stays far below the limit of bytes.
const VALUES: usize = 50_000;

fn main() {
    let many = vec!["0"; VALUES].join(",");
    for n in 0..5 {
        say(&format!(r#"{{"version":"0","type":"state_patch","patch":{{"many{n}":[{many}]}}}}"#));
    }
    say(DONE);
}
