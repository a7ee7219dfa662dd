//! Makes a hundred requests, even if they fail, and outputs how often it got each result.

use std::{collections::BTreeMap, process::ExitCode};

use narratoria_sdk::{Ctx, Done, SkillError, Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Where {
    #[serde(default = "here")]
    url: String,
}

fn here() -> String {
    "http://127.0.0.1:9/".to_owned()
}

fn flood(ctx: &mut Ctx, input: Where) -> Result<Done<Value>, SkillError> {
    let mut results: BTreeMap<String, u32> = BTreeMap::new();
    for _ in 0..100 {
        let one = match ctx.http().get(&input.url) {
            Ok(answer) => answer.status.to_string(),
            Err(error) => error.message,
        };
        *results.entry(one).or_default() += 1;
    }
    Ok(Done::ok().output(json!(results)))
}

fn main() -> ExitCode {
    narratoria_sdk::run(flood)
}
