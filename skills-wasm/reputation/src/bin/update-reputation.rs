//! The script `update-reputation`.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(reputation::update_reputation)
}
