//! Opens a file, removes its name, and goes on writing to it without end.

use std::{
    fs::{self, File},
    io::Write,
};

use narratoria_guest_programs::{drain_stdin, say_done};
use serde_json::json;

fn main() {
    drain_stdin();
    let written = File::create("/data/gone").and_then(|mut file| {
        fs::remove_file("/data/gone")?;
        loop {
            file.write_all(&[b'x'; 64 << 10])?;
        }
    });
    let written: Result<(), _> = written;
    say_done(false, &json!({"refused": written.is_err()}));
}
