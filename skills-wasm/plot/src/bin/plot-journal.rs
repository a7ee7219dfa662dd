//! The script `plot/journal`.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(plot_skill::script::journal)
}
