//! Fails as the contract says: an `error` event with `input.code` and `input.message`, then `done` with `ok: false`.

use narratoria_guest_programs::{read_request, say, say_done};
use serde_json::json;

fn main() {
    let input = &read_request()["input"];
    let code = input["code"].as_str().unwrap_or("ON_PURPOSE");
    let message = input["message"].as_str().unwrap_or("it failed on purpose");
    let error =
        json!({"version": "0", "type": "error", "errorCode": code, "errorMessage": message});
    say(&error.to_string());
    say_done(false, &json!({}));
}
