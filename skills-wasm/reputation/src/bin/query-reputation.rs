//! The script `query-reputation`.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(reputation::query_reputation)
}
