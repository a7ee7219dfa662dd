//! `narratoria story …`: one file for each verb.

mod contents;
mod repair;

use narratoria_engine::TurnError;

use super::{args::StoryCommand, exit::Exit};

pub(super) fn story(verb: StoryCommand) -> Result<Exit, TurnError> {
    match verb {
        StoryCommand::Repair(args) => repair::repair(args),
    }
}
