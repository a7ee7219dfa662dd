//! Creates a relationship.

use std::process::ExitCode;

fn main() -> ExitCode {
    narratoria_sdk::run(relationship_skill::create)
}
