//! Does what its input says, so that a test can be a table of misdeeds. `input.do` is a list of
//! `["say", LINE, TIMES]`, `["patch", PATCH]`, `["write", PATH, TEXT, TIMES]`, `["nest", FOLDER, LEVELS]`,
//! `["asset", PATH, MEDIA TYPE]`, `["fail", CODE]` and `["spin"]`. Each character of TEXT is one byte. The output is the whole
//! request.

use std::{
    fs,
    io::{BufRead, Write},
};

use narratoria_guest_programs::{say, say_done};
use serde_json::{Value, json};

fn write_file(path: &str, text: &str, times: u64) -> std::io::Result<()> {
    let bytes: Vec<u8> = text.chars().map(|c| c as u8).collect();
    let mut file = fs::File::create(path)?;
    (0..times).try_for_each(|_| file.write_all(&bytes))
}

/// Goes down by one relative folder at a time, so that the path of the last is longer than the system can name.
fn nest(folder: &str, levels: u64) -> std::io::Result<()> {
    let name = "n".repeat(200);
    std::env::set_current_dir(folder)?;
    for _ in 0..levels {
        fs::create_dir(&name)?;
        std::env::set_current_dir(&name)?;
    }
    Ok(())
}

fn obey(order: &Value) {
    let text = |idx: usize| order[idx].as_str().unwrap_or_default();
    let number = |idx: usize| order[idx].as_u64().unwrap_or(1);
    match text(0) {
        "say" => (0..number(2)).for_each(|_| say(text(1))),
        "patch" => say(&json!({"version": "0", "type": "state_patch", "patch": order[1]}).to_string()),
        "write" => drop(write_file(text(1), text(2), number(3))),
        "nest" => drop(nest(text(1), number(2))),
        "asset" => say(&json!({"version": "0", "type": "asset", "assetId": text(1), "kind": "picture",
            "path": text(1), "mediaType": text(2)})
        .to_string()),
        "fail" => say(&json!({"version": "0", "type": "error", "errorCode": text(1), "errorMessage": text(1)})
            .to_string()),
        "spin" => loop {
            std::hint::spin_loop();
        },
        _ => {}
    }
}

fn main() {
    let mut line = String::new();
    if std::io::stdin().lock().read_line(&mut line).is_err() {
        return;
    }
    let request: Value = serde_json::from_str(&line).unwrap_or_default();
    let orders = request["input"]["do"].as_array().cloned().unwrap_or_default();
    orders.iter().for_each(obey);
    say_done(!orders.iter().any(|order| order[0] == "fail"), &request);
}
