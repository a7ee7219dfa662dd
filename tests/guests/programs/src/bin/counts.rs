//! Counts in its skill's store how often it ran.

use std::process::ExitCode;

use narratoria_sdk::{Ctx, Done, SkillError, Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

fn count(ctx: &mut Ctx, _: Nothing) -> Result<Done<Value>, SkillError> {
    let mut store = ctx.store();
    let count = store.get::<u64>("count")?.unwrap_or(0) + 1;
    store.set("count", count)?;
    Ok(Done::ok().output(json!({ "count": count })))
}

fn main() -> ExitCode {
    narratoria_sdk::run(count)
}
