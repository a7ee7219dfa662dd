//! The program of the skill `character-portraits`: its scripts.

use std::process::ExitCode;

use narratoria_sdk::ScriptSet;

fn main() -> ExitCode {
    ScriptSet::of_program()
        .script("generate-portrait", character_portraits::generate_portrait)
        .script("lookup-portrait", character_portraits::lookup_portrait)
        .finish()
}
