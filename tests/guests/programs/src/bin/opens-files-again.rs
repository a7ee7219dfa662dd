//! Opens files and lists folders many times, and closes each, which is allowed.

use std::{fs, io::Read};

use narratoria_guest_programs::{drain_stdin, say_done};
use serde_json::json;

fn main() {
    drain_stdin();
    let again = || -> std::io::Result<u64> {
        fs::write("/data/file", "once upon a time")?;
        let mut bytes = 0;
        for _ in 0..300 {
            let mut text = String::new();
            fs::File::open("/data/file")?.read_to_string(&mut text)?;
            bytes += text.len() as u64 + fs::read_dir("/data")?.count() as u64;
        }
        Ok(bytes)
    };
    match again() {
        Ok(bytes) => say_done(true, &json!({"bytes": bytes})),
        Err(error) => say_done(false, &json!({"refused": error.to_string()})),
    }
}
