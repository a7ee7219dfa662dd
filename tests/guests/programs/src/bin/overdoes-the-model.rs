//! Reaches a limit of the language model and exceeds it by one. Outputs the host's error, and succeeds if the limit is
//! that of the SDK. The text does not matter, and there may be no model.

use std::process::ExitCode;

use narratoria_sdk::{
    Ctx, Done, LLM_CALLS_MAX, LLM_PROMPT_BYTES_MAX, LLM_TEMPERATURE_MAX, LLM_TOKENS_MAX, Llm,
    Prose, SkillError, Value, json,
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct ModelLimit {
    /// The name of the limit.
    #[serde(default)]
    limit: String,
}

fn ask(ctx: &mut Ctx, input: ModelLimit) -> Result<Done<Value>, SkillError> {
    let mut llm = ctx.llm();
    let prose = || Prose::new("p");
    let long = |bytes: usize| Prose::new("p".repeat(bytes - 1_000)).system("s".repeat(1_000));
    let beyond = match input.limit.as_str() {
        "tokens" => {
            taken(&mut llm, prose().tokens(LLM_TOKENS_MAX))?;
            prose().tokens(LLM_TOKENS_MAX + 1)
        }
        "no-tokens" => {
            taken(&mut llm, prose().tokens(1))?;
            prose().tokens(0)
        }
        "temperature" => {
            taken(&mut llm, prose().temperature(LLM_TEMPERATURE_MAX))?;
            prose().temperature(LLM_TEMPERATURE_MAX + 0.5)
        }
        "nan" => prose().temperature(f32::NAN),
        "blank" => Prose::new(" \n"),
        "calls" => {
            (0..LLM_CALLS_MAX).try_for_each(|_| taken(&mut llm, prose()))?;
            prose()
        }
        "copies" => long(8 << 20),
        "time" => return endlessly(&mut llm, &long(3 << 20)),
        _ => {
            taken(&mut llm, long(LLM_PROMPT_BYTES_MAX))?;
            long(LLM_PROMPT_BYTES_MAX + 1)
        }
    };
    match llm.write(beyond) {
        Err(error) if error.code == SkillError::LLM_REFUSED => {
            Ok(Done::ok().output(json!({ "said": error.message })))
        }
        other => Err(SkillError::new("NO_LIMIT", format!("beyond the limit is {other:?}"))),
    }
}

/// Fails if the host refuses a request within the limit.
fn taken(llm: &mut Llm<'_>, prose: Prose) -> Result<(), SkillError> {
    match llm.write(prose) {
        Err(error) if error.code == SkillError::LLM_REFUSED => Err(error),
        _ => Ok(()),
    }
}

/// Lets the host refuse a request for ever, which is work for the host alone.
fn endlessly(llm: &mut Llm<'_>, prose: &Prose) -> Result<Done<Value>, SkillError> {
    while llm.write(prose.clone()).is_err() {}
    Err(SkillError::new("NO_LIMIT", "it was taken"))
}

fn main() -> ExitCode {
    narratoria_sdk::run(ask)
}
