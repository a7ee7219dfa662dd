//! Runs the store operations of `input.do`, a list of `["get" | "set" | "delete" | "list", key, value]`, and outputs
//! their results. With `input.fail` it then fails.

use std::process::ExitCode;

use narratoria_sdk::{Ctx, Done, SkillError, Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct StoreInput {
    #[serde(default, rename = "do")]
    operations: Vec<(String, String, Value)>,
    #[serde(default)]
    fail: bool,
}

fn keep(ctx: &mut Ctx, input: StoreInput) -> Result<Done<Value>, SkillError> {
    let mut store = ctx.store();
    let mut answers = Vec::new();
    for (operation, key, value) in &input.operations {
        let answer = match operation.as_str() {
            "get" => store.get::<Value>(key).map(|value| json!(value)),
            "set" => store.set(key, value).map(|()| json!("set")),
            "delete" => store.delete(key).map(|()| json!("deleted")),
            _ => store.list(key).map(|keys| json!(keys)),
        };
        answers.push(answer.unwrap_or_else(|error| json!(error.to_string())));
    }
    if input.fail {
        return Err(SkillError::new("TOLD_TO", "told to fail"));
    }
    Ok(Done::ok().output(json!({ "answers": answers })))
}

fn main() -> ExitCode {
    narratoria_sdk::run(keep)
}
