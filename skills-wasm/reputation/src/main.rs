//! The program of the skill `reputation`: its scripts.

use std::process::ExitCode;

use narratoria_sdk::ScriptSet;

fn main() -> ExitCode {
    ScriptSet::of_program()
        .script("query-reputation", reputation::query_reputation)
        .script("update-reputation", reputation::update_reputation)
        .finish()
}
