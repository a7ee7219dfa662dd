//! Puts terminal control sequences and invisible characters into every text that a person may see.

use std::io::Write;

use narratoria_guest_programs::{drain_stdin, say, say_done};
use serde_json::json;

/// Clears the screen, sets the title, colours text, reverses the direction, and hides characters.
const STEERED: &str =
    "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}a\u{200b}b\u{e0041}\u{7f}\u{8}\rz";

fn main() {
    drain_stdin();
    let _ = writeln!(std::io::stderr(), "{STEERED}");
    let say_event = |event: serde_json::Value| say(&event.to_string());
    for level in ["debug", "info", "warn", "error"] {
        say_event(json!({"version": "0", "type": "log", "level": level, "message": STEERED,
            "fields": {"progress": 50, STEERED: STEERED}}));
    }
    say_event(
        json!({"version": "0", "type": "state_patch", "patch": {STEERED: {STEERED: STEERED}}}),
    );
    say_event(json!({"version": "0", "type": "asset", "assetId": STEERED, "kind": STEERED,
        "mediaType": STEERED, "path": STEERED, "metadata": {STEERED: STEERED}}));
    say_event(json!({"version": "0", "type": "ui_event", "event": "narrative_choice",
        "payload": {"choices": [STEERED, {"id": STEERED, "label": STEERED}]}}));
    say_event(
        json!({"version": "0", "type": "ui_event", "event": STEERED, "payload": {STEERED: STEERED}}),
    );
    say_event(
        json!({"version": "0", "type": "error", "errorCode": STEERED, "errorMessage": STEERED,
        "details": {STEERED: STEERED}}),
    );
    say_done(true, &json!({"text": STEERED, STEERED: STEERED}));
}
