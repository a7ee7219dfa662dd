//! Gives back what it was sent: a log line, `input.patch` as a patch, and the request's parts as output.

use narratoria_guest_programs::{LOG, read_request, say, say_done};
use serde_json::json;

fn main() {
    let request = read_request();
    say(LOG);
    let patch = &request["input"]["patch"];
    if patch.is_object() {
        say(&json!({"version": "0", "type": "state_patch", "patch": patch}).to_string());
    }
    let output = json!({
        "input": request["input"],
        "inputs": request["inputs"],
        "state": request["state"],
        "seed": request["seed"],
    });
    say_done(true, &output);
}
