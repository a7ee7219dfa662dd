//! Creates a location.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(location_skill::generate)
}
