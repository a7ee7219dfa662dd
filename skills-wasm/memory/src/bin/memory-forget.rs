//! Forgets a memory.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(memory_skill::forget)
}
