//! Stops in the middle of a line and exits with success.

use narratoria_guest_programs::write;

fn main() {
    write(br#"{"version":"0","type":"do"#);
}
