//! Reports progress, asks whether to go on, and reports that it is done.

use narratoria_guest_programs::{ASK, drain_stdin, read_answer, say, say_done};
use serde_json::json;

fn main() {
    drain_stdin();
    progress(0, "sharpening");
    progress(40, "carving");
    say(ASK);
    let answer = read_answer();
    progress(100, "polished");
    say_done(true, &json!({"answer": answer}));
}

fn progress(progress: u32, message: &str) {
    let log = json!({
        "version": "0", "type": "log", "level": "info", "message": message,
        "fields": {"progress": progress},
    });
    say(&log.to_string());
}
