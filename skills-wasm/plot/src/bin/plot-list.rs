//! Lists the loops.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(plot_skill::loops::list)
}
