//! Writes as much as its input asks for: logs, errors, UI events, text, outputs, stderr, files. Gives up if it is told to.

use std::fs;

use narratoria_guest_programs::{dig, read_request, say, say_done};
use serde_json::{Value, json};

fn main() {
    let request = read_request();
    let input = &request["input"];
    let number = |field: &str| input[field].as_u64().unwrap_or(0) as usize;
    let event = |kind: &str, mut fields: Value| {
        fields["version"] = json!("0");
        fields["type"] = json!(kind);
        say(&fields.to_string());
    };
    let character = input["character"].as_str().unwrap_or("x");
    let text = |field: &str| character.repeat(number(field));
    // Every object counts against the values of an invocation: without them there may be as many lines as it may write.
    let with = |name: &str, mut fields: Value| {
        if number("logValues") > 0 {
            fields[name] = json!({"list": vec![0; number("logValues")]});
        }
        fields
    };
    for _ in 0..number("logs") {
        let message = text("logBytes");
        event("log", with("fields", json!({"level": "info", "message": message})));
    }
    for _ in 0..number("errors") {
        let message = text("errorBytes");
        event("error", with("details", json!({"errorCode": "E", "errorMessage": message})));
    }
    let payload = json!({"title": text("showBytes"), "list": vec![0; number("showValues")]});
    for _ in 0..number("shows") {
        event("ui_event", json!({"event": "shown", "payload": payload}));
    }
    let stderr = text("stderrBytes");
    let _ = std::io::Write::write_all(&mut std::io::stderr(), stderr.to_string().as_bytes());
    for file in input["files"].as_array().into_iter().flatten() {
        write_file(file, &event);
    }
    if number("dig") > 0 {
        let _ = dig("/assets", number("dig"), number("digBytes"));
    }
    let output = json!({"text": text("textBytes"), "list": vec![0; number("values")]});
    let ok = !input["fails"].as_bool().unwrap_or(false);
    event("done", json!({"ok": ok, "summary": text("summaryBytes"), "output": output}));
    if request.is_null() {
        say_done(false, &json!({}));
    }
}

/// `{"path", "text" or "bytes", "times", "mediaType", "then"}`; a file without a media type is not announced, and `then`
/// is written over it after that.
fn write_file(file: &Value, event: &impl Fn(&str, Value)) {
    let Some(name) = file["path"].as_str() else { return };
    let path = format!("/assets/{name}");
    let content = match (&file["text"], &file["bytes"]) {
        (Value::String(text), _) => text.as_bytes().to_vec(),
        (_, Value::Array(bytes)) => {
            bytes.iter().filter_map(Value::as_u64).map(|byte| byte as u8).collect()
        }
        _ => Vec::new(),
    };
    let times = file["times"].as_u64().unwrap_or(1) as usize;
    if let Some((folders, _)) = path.rsplit_once('/') {
        let _ = fs::create_dir_all(folders);
    }
    let _ = fs::write(&path, content.repeat(times));
    if let Some(media_type) = file["mediaType"].as_str() {
        event(
            "asset",
            json!({"assetId": name, "kind": "thing", "mediaType": media_type, "path": name}),
        );
    }
    if let Some(then) = file["then"].as_str() {
        let _ = fs::write(&path, then);
    }
}
