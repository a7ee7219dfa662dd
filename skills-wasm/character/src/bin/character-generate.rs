//! Creates a character.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(character_skill::generate)
}
