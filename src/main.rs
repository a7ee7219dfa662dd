//! The `narratoria` command: arguments in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_cli::main().into()
}
