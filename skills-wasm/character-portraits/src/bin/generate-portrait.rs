//! The script `generate-portrait`.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(character_portraits::generate_portrait)
}
