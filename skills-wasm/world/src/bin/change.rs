//! The program of `world/change`.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(world::script::change::change)
}
