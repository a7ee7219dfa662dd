//! The script `{{script}}`. {{description}}

use std::process::ExitCode;

use narratoria_sdk::{Ctx, Done, SkillError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The script needs no input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {}

/// A part of the narration.
#[derive(Serialize, JsonSchema)]
struct Output {
    /// A sentence or two.
    text: String,
}

fn main() -> ExitCode {
    narratoria_sdk::run(answer)
}

{{body}}
#[cfg(test)]
mod tests {
    use narratoria_sdk::{json, testing};

    use super::*;

    #[test]
    fn the_schema_files_are_those_of_the_types() {
        testing::check_schemas::<Input, Output>("schemas", "{{script}}");
    }

    #[test]
    fn the_examples_are_true() {
        testing::check_examples(answer, "examples", "{{script}}");
    }

{{test}}}
