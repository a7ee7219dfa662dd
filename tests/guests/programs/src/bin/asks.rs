//! Asks the player two questions, and outputs the answers.

use std::process::ExitCode;

use narratoria_sdk::{Ctx, Done, SkillError, Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

fn ask(ctx: &mut Ctx, _: Nothing) -> Result<Done<Value>, SkillError> {
    let name = ctx.ask("Who goes there?", &["A friend", "Nobody"])?;
    let wish = ctx.ask(&format!("And what does {name} want?"), &[])?;
    Ok(Done::ok().output(json!({ "name": name, "wish": wish })))
}

fn main() -> ExitCode {
    narratoria_sdk::run(ask)
}
