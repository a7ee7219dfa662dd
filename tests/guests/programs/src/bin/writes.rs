//! Requests each text of `input.texts` from the model in turn, after a log line with its number, and outputs the texts.
//! With `input.keep` it stores the last one; with `input.spin` it then spins for ever.

use std::process::ExitCode;

use narratoria_sdk::{Ctx, Done, Prose, SkillError, Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct WriteInput {
    #[serde(default)]
    texts: Vec<Text>,
    #[serde(default)]
    keep: bool,
    #[serde(default)]
    spin: bool,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Text {
    prompt: String,
    #[serde(default)]
    system: Option<String>,
    #[serde(default)]
    tokens: Option<u32>,
    #[serde(default)]
    temperature: Option<f32>,
    #[serde(default)]
    aloud: bool,
}

fn write(ctx: &mut Ctx, input: WriteInput) -> Result<Done<Value>, SkillError> {
    let mut answers = Vec::new();
    for (n, text) in input.texts.into_iter().enumerate() {
        ctx.info(&format!("text {n}"));
        let mut prose = Prose::new(text.prompt);
        prose.system = text.system;
        prose.aloud = text.aloud;
        prose.tokens_max = text.tokens.unwrap_or(prose.tokens_max);
        prose.temperature = text.temperature.unwrap_or(prose.temperature);
        answers.push(match ctx.llm().write(prose) {
            Ok(written) if written.is_complete => json!(written.text),
            Ok(written) => json!({ "cut": written.text }),
            Err(error) => json!({ "error": error.to_string() }),
        });
    }
    ctx.info("written");
    if input.keep {
        ctx.store().set("last", answers.last())?;
    }
    if input.spin {
        loop {
            std::hint::spin_loop();
        }
    }
    Ok(Done::ok().output(json!({ "answers": answers })))
}

fn main() -> ExitCode {
    narratoria_sdk::run(write)
}
