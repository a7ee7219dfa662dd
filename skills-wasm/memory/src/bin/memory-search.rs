//! Finds what the story remembers.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(memory_skill::search)
}
