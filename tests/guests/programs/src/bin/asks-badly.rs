//! Writes `ask` events that are not questions, to which the host sends no answer.

use narratoria_guest_programs::{drain_stdin, read_answer, say, say_done};
use serde_json::json;

fn main() {
    drain_stdin();
    for payload in [
        json!(null),
        json!("Who?"),
        json!({"question": 7}),
        json!({"question": "Who?", "choices": "you"}),
    ] {
        let event = json!({"version": "0", "type": "ui_event", "event": "ask", "payload": payload});
        say(&event.to_string());
    }
    let answer = read_answer();
    say_done(answer.is_none(), &json!({"answer": answer}));
}
