//! Compares `input.text` with `input.others`, each repeated `input.times` times, in as many calls as `input.calls` says,
//! and outputs the answer of each call, and the limits of the SDK.

use std::process::ExitCode;

use narratoria_sdk::{
    COMPARED_BYTES_MAX, COMPARED_TEXTS_MAX, COMPARISONS_MAX, Ctx, Done, SkillError, Value, json,
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct CompareInput {
    #[serde(default)]
    text: String,
    #[serde(default)]
    others: Vec<String>,
    #[serde(default = "one")]
    times: usize,
    #[serde(default = "one")]
    calls: usize,
}

fn one() -> usize {
    1
}

fn compare(ctx: &mut Ctx, input: CompareInput) -> Result<Done<Value>, SkillError> {
    let others: Vec<String> = std::iter::repeat_n(input.others, input.times).flatten().collect();
    let call = |_| match ctx.meaning().compare(&input.text, &others) {
        Ok(cosines) => json!(cosines),
        Err(error) => json!({ "code": error.code, "message": error.message }),
    };
    let answers: Vec<Value> = (0..input.calls).map(call).collect();
    let limits = [COMPARED_TEXTS_MAX, COMPARED_BYTES_MAX, COMPARISONS_MAX];
    Ok(Done::ok().output(json!({ "answers": answers, "limits": limits })))
}

fn main() -> ExitCode {
    narratoria_sdk::run(compare)
}
