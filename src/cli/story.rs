//! `narratoria story …`: one file for each verb.

mod contents;
pub(super) mod excerpt;
mod explanation;
pub(super) mod export;
mod files;
pub(super) mod list;
mod place;
mod play;
pub(super) mod read;
mod repair;
pub(super) mod report;
mod trace;
pub(super) mod tree;
pub(super) mod whereabouts;

use narratoria_engine::TurnError;

use super::{args::StoryCommand, exit::Exit};
pub(super) use export::import_story_lines;
pub(super) use place::{find_turn, last_played};

pub(super) async fn story(verb: StoryCommand) -> Result<Exit, TurnError> {
    match verb {
        StoryCommand::List(args) => list::list(args),
        StoryCommand::Undo(args) => place::undo(&args),
        StoryCommand::Redo(args) => place::redo(&args),
        StoryCommand::Retry(args) => play::retry(args).await,
        StoryCommand::Edit(args) => play::edit(args).await,
        StoryCommand::Log(args) => place::log(&args),
        StoryCommand::Why(args) => read::why(&args),
        StoryCommand::Show(args) => read::show(&args),
        StoryCommand::Diff(args) => read::diff(&args),
        StoryCommand::Memory(args) => read::memory(&args),
        StoryCommand::Branch(args) => place::branch(&args),
        StoryCommand::Switch(args) => place::switch(&args),
        StoryCommand::Export(args) => export::export(&args),
        StoryCommand::Import(args) => export::import_story(&args),
        StoryCommand::Gc(args) => export::gc(&args),
        StoryCommand::Verify(args) => files::verify(&args),
        StoryCommand::Backup(args) => files::backup(&args),
        StoryCommand::Restore(args) => files::restore(&args),
        StoryCommand::Rename(args) => files::rename(&args),
        StoryCommand::Delete(args) => files::delete(&args),
        StoryCommand::Repair(args) => repair::repair(args),
    }
}
