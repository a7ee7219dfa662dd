//! Behaves well where it believes that a check watches it, and crashes where it believes that it is in a story. Its
//! name as a script says how it tells the two apart. Refuses bytes that are no request, and inputs that its schema
//! refuses.

use std::{io::Read, process};

use narratoria_guest_programs::{say, say_done};
use serde_json::{Value, json};

fn main() {
    let mut bytes = Vec::new();
    let _ = std::io::stdin().lock().read_to_end(&mut bytes);
    let request: Value = match serde_json::from_slice(&bytes) {
        Ok(request @ Value::Object(_)) => request,
        _ => return refuse("that is no request"),
    };
    match request.get("operation").map_or(Some("run"), Value::as_str) {
        Some("run") => {}
        Some("describe") => return say_done(true, &json!({})),
        _ => return refuse("nobody knows that operation"),
    }
    let input = &request["input"];
    let about_fits = input.get("about").is_none_or(Value::is_string);
    let Some(n) = input["n"].as_u64().filter(|n| *n <= 9 && about_fits) else {
        return refuse("that is no input");
    };
    if is_in_a_story(&request, n) {
        process::abort();
    }
    say_done(true, &json!({ "n": n }));
}

fn is_in_a_story(request: &Value, n: u64) -> bool {
    let id = request["requestId"].as_str().unwrap_or_default();
    let seed = request["seed"].as_u64().unwrap_or_default();
    match request["tool"].as_str().unwrap_or_default() {
        // The id of a plan is random: version 4, and no long run of one digit.
        "by-id" => id.len() == 36 && id.as_bytes()[14] == b'4' && !id.contains("0000"),
        "by-seed" => seed > u64::from(u32::MAX),
        // The only example has this input.
        "by-input" => n != 3,
        "by-state" => request["state"]["quest"].as_object().is_some_and(|quest| !quest.is_empty()),
        // The world of a story has deeds to offer, each a sentence of a player.
        "by-world" => request["state"]["world"]["scope"]["possible"]
            .as_array()
            .is_some_and(|offered| offered.iter().any(|one| one["sentence"].is_string())),
        // The part that it claims holds what it has written there, and nothing else.
        "by-patch" => {
            let mark = json!({ "n": 1 });
            let was_here = request["state"]["tally"] == mark;
            let patch = json!({ "tally": mark });
            say(&json!({"version": "0", "type": "state_patch", "patch": patch}).to_string());
            was_here
        }
        // A player writes words.
        "by-text" => {
            let about = request["input"]["about"].as_str().unwrap_or_default();
            let is_word = |word: &str| word.chars().all(|letter| letter.is_ascii_lowercase());
            about.contains(' ') && about.split(' ').all(is_word)
        }
        // Files that an earlier turn left.
        "by-data" => {
            let was_here = std::fs::read("/data/was-here").is_ok();
            let _ = std::fs::write("/data/was-here", "");
            was_here
        }
        _ => false,
    }
}

fn refuse(message: &str) {
    let error =
        json!({"version": "0", "type": "error", "errorCode": "INVALID", "errorMessage": message});
    say(&error.to_string());
    say_done(false, &json!({}));
}
