//! Lists the relationships of a character.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(relationship_skill::query)
}
