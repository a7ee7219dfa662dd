//! Opens a loop.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(plot_skill::loops::open)
}
