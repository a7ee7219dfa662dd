//! Creates empty files, folders and links without end.

use std::fs;

use narratoria_guest_programs::say_done;
use serde_json::json;

fn main() {
    for n in 0_u64.. {
        let path = format!("/data/{n}");
        let made = match n % 3 {
            0 => fs::write(&path, ""),
            1 => fs::create_dir(&path),
            _ => fs::hard_link("/data/0", &path),
        };
        if made.is_err() {
            return say_done(false, &json!({"refused": path}));
        }
    }
}
