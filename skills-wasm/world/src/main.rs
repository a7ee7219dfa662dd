//! The program of the skill `world`: its scripts.

use std::process::ExitCode;

use narratoria_sdk::ScriptSet;
use world::{
    act::act, change::change, create::create, describe::describe, read::read, recall::recall,
    understand::understand,
};

fn main() -> ExitCode {
    ScriptSet::of_program()
        .script("create", create)
        .script("understand", understand)
        .script("read", read)
        .script("describe", describe)
        .script("recall", recall)
        .script("act", act)
        .script("change", change)
        .finish()
}
