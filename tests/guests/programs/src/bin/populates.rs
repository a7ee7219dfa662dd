//! Makes the people, places, loops and memories of `input.make`, and outputs how many it made and the first refusal.

use std::process::ExitCode;

use narratoria_sdk::{Ctx, Done, SkillError, Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct PopulateInput {
    #[serde(default)]
    make: Vec<EntityBatch>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct EntityBatch {
    kind: String,
    count: usize,
    /// The number in the first name.
    #[serde(default)]
    from: usize,
    /// The length of each description.
    #[serde(default)]
    bytes: usize,
    #[serde(default)]
    pinned: bool,
}

fn make(ctx: &mut Ctx, batch: &EntityBatch, number: usize) -> Result<Value, SkillError> {
    let EntityBatch { kind, bytes, pinned, .. } = batch;
    let name = format!("The {kind} {number}");
    let description = format!("{name}{}", "x".repeat(*bytes));
    match kind.as_str() {
        "memory" => ctx.memories().remember(&json!({"summary": description, "pinned": pinned})),
        "loop" => {
            ctx.entities().create(kind, &json!({"description": description, "category": "mystery"}))
        }
        _ => ctx.entities().create(kind, &json!({"name": name, "description": description})),
    }
}

fn populate(ctx: &mut Ctx, input: PopulateInput) -> Result<Done<Value>, SkillError> {
    let (mut made, mut refused) = (0, None);
    for batch in &input.make {
        for number in batch.from..batch.from + batch.count {
            match make(ctx, batch, number) {
                Ok(_) => made += 1,
                Err(why) => refused = refused.or(Some(why.to_string())),
            }
        }
    }
    Ok(Done::ok().output(json!({ "made": made, "refused": refused })))
}

fn main() -> ExitCode {
    narratoria_sdk::run(populate)
}
