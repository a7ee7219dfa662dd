//! The program of the skill `relationship`: its scripts.

use std::process::ExitCode;

use narratoria_sdk::ScriptSet;

fn main() -> ExitCode {
    ScriptSet::of_program()
        .script("create", relationship_skill::create)
        .script("update", relationship_skill::update)
        .script("query", relationship_skill::query)
        .finish()
}
