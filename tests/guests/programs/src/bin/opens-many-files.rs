//! Opens one file after another and closes none.

use std::fs::File;

use narratoria_guest_programs::say_done;
use serde_json::json;

fn main() {
    let mut open = Vec::new();
    loop {
        match File::create("/data/file") {
            Ok(file) => open.push(file),
            Err(error) => return say_done(false, &json!({"refused": error.to_string()})),
        }
    }
}
