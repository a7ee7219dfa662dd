//! The `narratoria` command with its language model, under another name: the other tests run one without.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_cli::main().into()
}
