//! Programs that break the rules, each in its own way: see `src/bin`. Some keep them, for comparison.
//!
//! They write the wire by hand: what they say must not depend on the SDK, and most of it the SDK would
//! not let them say. Those that keep or ask something as any skill would are written with it. Under
//! `expect` lies the ending that each must get.

use std::io::{BufRead, Read, Write};

use serde_json::Value;

/// A well-made end.
pub const DONE: &str = r#"{"version":"0","type":"done","ok":true}"#;

/// A well-made log line.
pub const LOG: &str = r#"{"version":"0","type":"log","level":"info","message":"still here"}"#;

/// A well-made question.
pub const ASK: &str = r#"{"version":"0","type":"ui_event","event":"ask","payload":{"question":"Who goes there?","choices":["A friend"]}}"#;

/// Writes one line to stdout, at once.
pub fn say(line: &str) {
    write(line.as_bytes());
    write(b"\n");
}

/// Writes bytes to stdout, at once. A host that does not listen is no reason to stop: that is the point
/// of most of these programs.
pub fn write(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
}

/// Ends well or badly, with this to say.
pub fn say_done(ok: bool, output: &Value) {
    say(&serde_json::json!({"version": "0", "type": "done", "ok": ok, "output": output})
        .to_string());
}

/// Everything on stdin, as JSON; null if it is something else.
pub fn read_request() -> Value {
    let mut text = String::new();
    match std::io::stdin().lock().read_to_string(&mut text) {
        Ok(_) => serde_json::from_str(&text).unwrap_or_default(),
        Err(_) => Value::Null,
    }
}

/// The next answer, if there is one.
pub fn read_answer() -> Option<String> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).ok()?;
    let line: Value = serde_json::from_str(&line).ok()?;
    Some(line["answer"].as_str()?.to_owned())
}

/// Everything on stdin, thrown away.
pub fn drain_stdin() {
    let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
}
