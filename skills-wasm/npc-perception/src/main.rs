//! The program of the skill `npc-perception`: its scripts.

use std::process::ExitCode;

use narratoria_sdk::ScriptSet;

fn main() -> ExitCode {
    ScriptSet::of_program()
        .script("query-perception", npc_perception::query_perception)
        .script("update-perception", npc_perception::update_perception)
        .finish()
}
