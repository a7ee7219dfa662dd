//! Packages whose texts would steer a terminal, or hide what they say.

use serde_json::{Value, json};

use crate::strangers::package::{Stranger, Verdict};

/// A title of the window, the clipboard, an empty screen, text that runs backwards, and letters without a width.
const STEERING: &str =
    "\u{1b}]0;owned\u{7}\u{1b}]52;c;aGk=\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{200b}\r\u{8}\u{e0041}";

fn says(events: &[Value]) -> Value {
    let say = |event: &Value| {
        let mut line = event.clone();
        line["version"] = json!("0");
        json!(["say", line.to_string(), 1])
    };
    events.iter().map(say).collect()
}

pub(crate) fn all() -> Vec<Stranger> {
    let case = |name: &str, orders: Value| {
        Stranger::new(format!("a script whose {name} steers a terminal"), Verdict::Loads)
            .orders(orders)
    };
    vec![
        Stranger::new("a package whose every text steers a terminal", Verdict::Harmless)
            .manifest(json!({
                "displayName": STEERING, "description": STEERING, "author": STEERING, "license": STEERING,
                "triggers": [{"script": "act", "phrases": [format!("stranger {STEERING}")]}],
            }))
            .schema(json!({"title": STEERING, "description": STEERING,
                "properties": {STEERING: {"enum": [STEERING], "description": STEERING}}}))
            .file("SKILL.md", format!("---\nname: stranger\ndescription: A.\n---\n{STEERING}\n")),
        Stranger::new("a manifest whose faults steer a terminal", Verdict::Refused).manifest(
            json!({"version": STEERING, "capabilities": [STEERING], STEERING: STEERING}),
        ),
        Stranger::new("settings whose names steer a terminal", Verdict::Refused).file(
            "config-schema.json",
            json!({"type": "object", "properties": {STEERING: {"type": "string"}}}).to_string(),
        ),
        case("log", says(&[json!({"type": "log", "level": "warn", "message": STEERING, "fields": {STEERING: STEERING}})])),
        case("failure", says(&[
            json!({"type": "error", "errorCode": STEERING, "errorMessage": STEERING, "details": {STEERING: 1}}),
            json!({"type": "done", "ok": false, "summary": STEERING}),
        ])),
        case("narration", says(&[json!({"type": "done", "ok": true, "output": {"text": STEERING, "narration": STEERING}})])),
        case("messages to the screen", {
            let payload = json!({"text": STEERING, "message": STEERING, "title": STEERING, "formula": STEERING,
                "question": STEERING, "choices": [STEERING, {"label": STEERING, "prompt": STEERING}],
                "fraction": 0.5, "total": STEERING, "dice": [{"sides": STEERING, "value": STEERING}]});
            let events = ["toast", "progress", "narrative_choice", "dice_roll", "ask", STEERING];
            let event = |event: &&str| json!({"type": "ui_event", "event": event, "payload": payload});
            says(&events.iter().map(event).collect::<Vec<_>>())
        }),
        case("names of files", json!([
            ["write", format!("/assets/{STEERING}.txt"), "hi", 1],
            ["asset", format!("{STEERING}.txt"), "text/plain"],
            ["write", format!("/data/{STEERING}"), "hi", 1],
        ])),
        case("state", json!([["patch", {STEERING: {STEERING: STEERING}}]])),
    ]
}
