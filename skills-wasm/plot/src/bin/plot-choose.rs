//! The script `plot/choose`.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(plot_skill::script::choose)
}
