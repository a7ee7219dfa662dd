//! Requests `input.url`, by default an address on this machine where nobody listens, with `input.method` and `input.bytes` bytes of content,
//! or `input.times` times without content. Outputs the last response.

use std::process::ExitCode;

use narratoria_sdk::{Ctx, Done, HttpRequest, SkillError, Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Fetch {
    #[serde(default = "here")]
    url: String,
    #[serde(default = "get")]
    method: String,
    #[serde(default)]
    bytes: usize,
    #[serde(default = "once")]
    times: u32,
}

fn here() -> String {
    "http://127.0.0.1:9/nobody".to_owned()
}

fn get() -> String {
    "GET".to_owned()
}

fn once() -> u32 {
    1
}

fn fetch(ctx: &mut Ctx, input: Fetch) -> Result<Done<Value>, SkillError> {
    let mut request = HttpRequest::new(&input.method, &input.url);
    if input.bytes > 0 {
        request = request.body("text/plain", "x".repeat(input.bytes));
    }
    for _ in 1..input.times {
        ctx.http().send(request.clone())?;
    }
    let answer = ctx.http().send(request)?;
    let text = String::from_utf8_lossy(&answer.body[..answer.body.len().min(200)]).into_owned();
    let output = json!({
        "status": answer.status,
        "kind": answer.header("content-type"),
        "bytes": answer.body.len(),
        "text": text,
    });
    Ok(Done::ok().output(output))
}

fn main() -> ExitCode {
    narratoria_sdk::run(fetch)
}
