//! The script `world/create`.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(world::script::create::create)
}
