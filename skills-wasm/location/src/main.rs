//! The program of the skill `location`: its only script.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(location_skill::generate)
}
