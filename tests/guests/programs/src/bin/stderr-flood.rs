//! Writes to stderr without end.

use std::io::Write;

fn main() {
    let piece = "and another thing\n".repeat(500);
    loop {
        let _ = std::io::stderr().write_all(piece.as_bytes());
    }
}
