//! The script `update-perception`.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(npc_perception::update_perception)
}
