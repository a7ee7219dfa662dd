//! Runs the memory operations of `input.do`, a list of `["remember", text, tags]` and `["recall", query, tags, max]`,
//! and outputs their results. With `input.fail` it then fails.

use std::process::ExitCode;

use narratoria_sdk::{Ctx, Done, SkillError, Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct MemoryInput {
    #[serde(default, rename = "do")]
    operations: Vec<MemoryOperation>,
    #[serde(default)]
    fail: bool,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "the first word is for people, the number of elements selects the variant"
)]
enum MemoryOperation {
    Remember(String, String, Vec<String>),
    Recall(String, String, Vec<String>, u32),
}

fn run(ctx: &mut Ctx, input: MemoryInput) -> Result<Done<Value>, SkillError> {
    let mut memory = ctx.memory();
    let mut answers = Vec::new();
    for operation in &input.operations {
        let answer = match operation {
            MemoryOperation::Remember(_, text, tags) => {
                let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
                memory.remember(text, &tags).map(|()| json!("remembered"))
            }
            MemoryOperation::Recall(_, query, tags, max) => {
                let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
                memory.recall_tagged(query, &tags, *max).map(|found| {
                    let shown = |one: &narratoria_sdk::MemoryText| match one.tags.as_slice() {
                        [] => one.text.clone(),
                        tags => format!("{} ({})", one.text, tags.join(", ")),
                    };
                    json!(found.iter().map(shown).collect::<Vec<_>>())
                })
            }
        };
        answers.push(answer.unwrap_or_else(|error| json!(error.to_string())));
    }
    if input.fail {
        return Err(SkillError::new("TOLD_TO", "told to fail"));
    }
    Ok(Done::ok().output(json!({ "answers": answers })))
}

fn main() -> ExitCode {
    narratoria_sdk::run(run)
}
