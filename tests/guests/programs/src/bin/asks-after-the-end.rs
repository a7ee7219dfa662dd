//! Reads stdin to its end, and again, then asks, reads the answer and the end after it, without the SDK.

use narratoria_guest_programs::{ASK, drain_stdin, read_answer, read_request, say, say_done};
use serde_json::json;

fn main() {
    let request = read_request();
    let before = read_answer();
    say(ASK);
    let answer = read_answer();
    drain_stdin();
    let after = read_answer();
    say_done(
        request["operation"] == "run",
        &json!({"before": before, "answer": answer, "after": after}),
    );
}
