//! Fails the first `input.unlucky` times. It counts in its data folder, because nothing else outlives a failed attempt;
//! without one every time is the first.

use std::fs;

use narratoria_guest_programs::{read_request, say, say_done};
use serde_json::json;

fn main() {
    let unlucky = read_request()["input"]["unlucky"].as_u64().unwrap_or(1);
    let before = fs::read_to_string("/data/tries").unwrap_or_default().len() as u64;
    let _ = fs::write("/data/tries", "x".repeat(before as usize + 1));
    if before >= unlucky {
        return say_done(true, &json!({"tries": before + 1}));
    }
    let error = json!({"version": "0", "type": "error", "errorCode": "NO_LUCK",
        "errorMessage": format!("no luck at try {}", before + 1)});
    say(&error.to_string());
    say_done(false, &json!({}));
}
