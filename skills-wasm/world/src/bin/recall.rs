//! The script `world/recall`.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(world::script::recall::recall)
}
