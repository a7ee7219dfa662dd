//! Tries to read and write files. Outputs the result of each path, and succeeds only if the host refused all.

use std::fs;

use narratoria_guest_programs::{drain_stdin, say_done};
use serde_json::{Map, Value};

fn main() {
    drain_stdin();
    let mut found = Map::new();
    for path in ["/etc/passwd", "..", "/", "."] {
        let got = match fs::read(path).or_else(|_| list(path)) {
            Ok(bytes) => format!("{} bytes", bytes.len()),
            Err(_) => "refused".to_owned(),
        };
        found.insert(path.to_owned(), got.into());
    }
    let written = match fs::write("left-behind.txt", "x") {
        Ok(()) => "written",
        Err(_) => "refused",
    };
    found.insert("left-behind.txt".to_owned(), written.into());
    let ok = found.values().all(|got| got == "refused");
    say_done(ok, &Value::Object(found));
}

fn list(path: &str) -> std::io::Result<Vec<u8>> {
    let names = fs::read_dir(path)?.flatten().map(|entry| entry.file_name());
    Ok(names.flat_map(|name| name.to_string_lossy().into_owned().into_bytes()).collect())
}
