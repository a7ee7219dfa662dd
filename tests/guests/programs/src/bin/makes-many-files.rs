//! Creates empty files and folders without end, and moves some.

use std::fs;

use narratoria_guest_programs::say_done;
use serde_json::json;

fn main() {
    for n in 0_u64.. {
        let path = format!("/data/{n}");
        let made = match n % 3 {
            0 => fs::write(&path, ""),
            1 => fs::create_dir(&path),
            _ => fs::rename("/data/0", &path).and_then(|()| fs::write("/data/0", "")),
        };
        if made.is_err() {
            return say_done(false, &json!({"refused": path}));
        }
    }
}
