//! `narratoria story …`: one file for each verb.

mod contents;
mod files;
mod list;
mod place;
mod repair;

use narratoria_engine::TurnError;

use super::{args::StoryCommand, exit::Exit};

pub(super) fn story(verb: StoryCommand) -> Result<Exit, TurnError> {
    match verb {
        StoryCommand::List(args) => list::list(args),
        StoryCommand::Undo(args) => place::undo(&args),
        StoryCommand::Redo(args) => place::redo(&args),
        StoryCommand::Log(args) => place::log(&args),
        StoryCommand::Branch(args) => place::branch(&args),
        StoryCommand::Switch(args) => place::switch(&args),
        StoryCommand::Verify(args) => files::verify(&args),
        StoryCommand::Backup(args) => files::backup(&args),
        StoryCommand::Restore(args) => files::restore(&args),
        StoryCommand::Rename(args) => files::rename(&args),
        StoryCommand::Delete(args) => files::delete(&args),
        StoryCommand::Repair(args) => repair::repair(args),
    }
}
