//! Handles valid input, and misbehaves when `input.n` is no whole number from 0 to 9: its name as a script says how.
//! Refuses bytes that are no request.

use std::{hint::black_box, io::Read, process};

use narratoria_guest_programs::{say, say_done};
use serde_json::{Value, json};

fn main() {
    let mut bytes = Vec::new();
    let _ = std::io::stdin().lock().read_to_end(&mut bytes);
    let request: Value = match serde_json::from_slice(&bytes) {
        Ok(request @ Value::Object(_)) => request,
        _ => return refuse("INVALID_REQUEST", "that is no request"),
    };
    match request.get("operation").map_or(Some("run"), Value::as_str) {
        Some("run") => {}
        Some("describe") => return say_done(true, &json!({"inputSchema": schema()})),
        _ => return refuse("UNKNOWN_OPERATION", "nobody knows that operation"),
    }
    let script = request["tool"].as_str().unwrap_or_default();
    match request["input"]["n"].as_u64().filter(|n| *n <= 9) {
        Some(n) if script == "stamps" => {
            say_done(true, &json!({"n": n, "counted": counts_until_a_timer()}));
        }
        Some(n) => say_done(true, &json!({ "n": n })),
        None => caught(script),
    }
}

/// How long something takes is all that differs between two runs.
#[cfg(target_os = "wasi")]
fn counts_until_a_timer() -> Vec<u64> {
    let count = |_| {
        let timer = wasip2::clocks::monotonic_clock::subscribe_duration(2_000_000);
        let mut count = 0;
        while !timer.ready() {
            count += 1;
        }
        count
    };
    (0..3).map(count).collect()
}

#[cfg(not(target_os = "wasi"))]
fn counts_until_a_timer() -> Vec<u64> {
    Vec::new()
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["n"],
        "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 9}},
    })
}

fn caught(script: &str) {
    match script {
        "traps" => process::abort(),
        "hangs" => loop {
            black_box(script);
        },
        "exits" => {
            refuse("INVALID_INPUT", "n is wrong");
            process::exit(1);
        }
        "babbles" => say("n is wrong!"),
        "grows" => {
            let mut all = Vec::new();
            loop {
                all.push(vec![1_u8; 1 << 20]);
                black_box(&all);
            }
        }
        "shrugs" => say_done(false, &json!({})),
        "believes" => say_done(true, &json!({"n": 0})),
        _ => refuse("INVALID_INPUT", "n is wrong"),
    }
}

fn refuse(code: &str, message: &str) {
    let error =
        json!({"version": "0", "type": "error", "errorCode": code, "errorMessage": message});
    say(&error.to_string());
    say_done(false, &json!({}));
}
