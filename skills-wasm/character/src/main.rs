//! The program of the skill `character`: its only script.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(character_skill::generate)
}
