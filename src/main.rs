//! The `narratoria` command: arguments in, exit code out.

mod cli;
mod ui;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main().into()
}
