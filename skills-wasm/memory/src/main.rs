//! The program of the skill `memory`: its scripts.

use std::process::ExitCode;

use narratoria_sdk::ScriptSet;

fn main() -> ExitCode {
    ScriptSet::of_program()
        .script("remember", memory_skill::remember)
        .script("search", memory_skill::search)
        .script("pin", memory_skill::pin)
        .script("forget", memory_skill::forget)
        .finish()
}
