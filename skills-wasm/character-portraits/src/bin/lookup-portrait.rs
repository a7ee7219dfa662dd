//! The script `lookup-portrait`.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(character_portraits::lookup_portrait)
}
