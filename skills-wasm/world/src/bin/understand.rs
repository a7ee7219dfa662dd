//! The script `world/understand`.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(world::script::understand::understand)
}
