//! Has the story remember something.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(memory_skill::remember)
}
