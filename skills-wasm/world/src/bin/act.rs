//! The script `world/act`.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(world::script::act::act)
}
