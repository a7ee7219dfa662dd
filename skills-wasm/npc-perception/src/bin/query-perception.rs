//! The script `query-perception`.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(npc_perception::query_perception)
}
