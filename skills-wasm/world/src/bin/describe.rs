//! The script `world/describe`.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(world::script::describe::describe)
}
