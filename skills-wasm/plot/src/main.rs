//! The program of the skill `plot`: its scripts.

use std::process::ExitCode;

use narratoria_sdk::ScriptSet;

fn main() -> ExitCode {
    ScriptSet::of_program()
        .script("open", plot_skill::loops::open)
        .script("resolve", plot_skill::loops::resolve)
        .script("list", plot_skill::loops::list)
        .script("advance", plot_skill::script::advance)
        .script("choose", plot_skill::script::choose)
        .script("hint", plot_skill::script::hint)
        .script("journal", plot_skill::script::journal)
        .finish()
}
