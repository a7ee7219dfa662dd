//! Sets the length of a file to a terabyte without writing anything.

use std::fs::File;

use narratoria_guest_programs::say_done;
use serde_json::json;

fn main() {
    let stretched = File::create("/data/long").and_then(|file| file.set_len(1 << 40));
    say_done(false, &json!({"refused": stretched.is_err()}));
}
