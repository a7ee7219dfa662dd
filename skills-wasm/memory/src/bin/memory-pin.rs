//! Pins a memory, or takes the pin away.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(memory_skill::pin)
}
