//! Makes links of both kinds in its own folder. Says `ok` only if it got none.

use std::fs;

use narratoria_guest_programs::{drain_stdin, link, say_done};
use serde_json::json;

fn main() {
    drain_stdin();
    let made = fs::write("/data/file", "x").is_ok();
    let soft = link("file", "/data", "soft").is_ok();
    let hard = fs::hard_link("/data/file", "/data/hard").is_ok();
    say_done(made && !soft && !hard, &json!({"soft": soft, "hard": hard}));
}
