//! Writes one line that never ends.

use narratoria_guest_programs::write;

fn main() {
    write(br#"{"version":"0","type":"log","level":"info","message":""#);
    let piece = "and on ".repeat(1000);
    loop {
        write(piece.as_bytes());
    }
}
