//! The arguments of `narratoria story …`.

use clap::{Args, Subcommand};

use super::{
    options::{CommonArgs, Format},
    story_export::{StoryExportArgs, StoryImportArgs},
    story_play::{StoryEditArgs, StoryRetryArgs},
};

#[derive(Debug, Args)]
pub(crate) struct StoryArgs {
    #[command(subcommand)]
    pub(crate) verb: StoryCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoryCommand {
    /// List the stories: turns, when each was played last, size
    ///
    /// The one that was played last comes first. A story that cannot be read is listed with its reason.
    List(StoryListArgs),
    /// Take back the last turns: text, state, memories, skills' data, plans and assets
    ///
    /// They are kept: `redo` brings them back until another turn is played, and `branch` gives any of them a name.
    Undo(StoryMoveArgs),
    /// Bring back turns that were taken back
    Redo(StoryMoveArgs),
    /// Play the last turn once more, with other dice or with the same
    ///
    /// The turn stays in the tree, and `redo` after an `undo` of the new one does not lead to it: `log --all` shows its
    /// id, and `branch` gives it a name.
    Retry(StoryRetryArgs),
    /// Play another sentence in the place of a turn; that turn and those after it stay in the tree
    Edit(StoryEditArgs),
    /// Show the turns of a story
    Log(StoryLogArgs),
    /// Tell in a few sentences why a turn went as it did; `--full` shows planner, plan, steps and changes
    Why(StoryWhyArgs),
    /// Show a turn as the player read it
    Show(StoryTurnArgs),
    /// Show what differs between the story after two turns: texts, state, skills' data
    Diff(StoryDiffArgs),
    /// List what the story remembers, each with the turn that it comes from
    Memory(StoryNamedArgs),
    /// List the branches, or give a turn a name
    Branch(StoryBranchArgs),
    /// Play another branch from now on
    Switch(StorySwitchArgs),
    /// Write a story as text, as a page, as a book, or as lines without loss
    Export(StoryExportArgs),
    /// Make a story of the lines that `export` has written
    Import(StoryImportArgs),
    /// Remove files that no turn of any branch lists
    Gc(StoryGcArgs),
    /// Check the whole story; changes nothing
    Verify(StoryNamedArgs),
    /// Copy the story's database into a file beside it
    Backup(StoryNamedArgs),
    /// Put a copy in the place of a story's database; what is there now is kept
    Restore(StoryRestoreArgs),
    /// Give a story another name
    Rename(StoryRenameArgs),
    /// Move a story to the trash, the folder `trash` beside the stories
    Delete(StoryDeleteArgs),
    /// Show which skills fill a story's state, and drop what cannot be read or is not wanted
    ///
    /// Without `--drop-skill` and `--drop` it drops only what cannot be read. It asks first, and copies the story before
    /// it changes anything.
    Repair(StoryRepairArgs),
}

#[derive(Debug, Args)]
pub(crate) struct StoryListArgs {
    /// Format of stdout
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
}

/// A story that is there.
#[derive(Debug, Args)]
pub(crate) struct StoryNamedArgs {
    /// Name of the story [default: the one that was played last]
    #[arg(value_name = "NAME")]
    pub(crate) story: Option<String>,
    /// Format of stdout
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct StoryTurnArgs {
    /// Its number in the branch that is played, or `id:N` with an id of `story log --all` [default: the last turn]
    #[arg(value_name = "TURN")]
    pub(crate) turn: Option<String>,
    /// Name of the story [default: the one that was played last]
    #[arg(long, value_name = "NAME")]
    pub(crate) story: Option<String>,
    /// Format of stdout
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
}

/// A turn that is explained.
#[derive(Debug, Args)]
pub(crate) struct StoryWhyArgs {
    #[command(flatten)]
    pub(crate) of: StoryTurnArgs,
    /// Show the whole trace: planner, what it read, plan, steps, changes
    #[arg(long)]
    pub(crate) full: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StoryDiffArgs {
    /// A turn: its number in the branch that is played, 0 for the beginning, or `id:N`
    #[arg(value_name = "TURN")]
    pub(crate) from: String,
    /// The turn to compare it with
    #[arg(value_name = "TURN")]
    pub(crate) to: String,
    /// Name of the story [default: the one that was played last]
    #[arg(long, value_name = "NAME")]
    pub(crate) story: Option<String>,
    /// Format of stdout
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct StoryMoveArgs {
    #[command(flatten)]
    pub(crate) of: StoryNamedArgs,
    /// How many turns
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) turns: u64,
}

#[derive(Debug, Args)]
pub(crate) struct StoryLogArgs {
    #[command(flatten)]
    pub(crate) of: StoryNamedArgs,
    /// Show the turns of all branches, and those that were taken back
    #[arg(long)]
    pub(crate) all: bool,
    /// How many turns, the last ones
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
}

/// A story that is there, for a verb whose argument is something else.
#[derive(Debug, Args)]
pub(crate) struct StoryOptionArgs {
    /// Name of the story [default: the one that was played last]
    #[arg(long, value_name = "NAME")]
    pub(crate) story: Option<String>,
    /// Format of stdout
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct StoryBranchArgs {
    /// Name for a turn; without it the branches are listed
    #[arg(value_name = "BRANCH")]
    pub(crate) branch: Option<String>,
    /// The turn to name: its number in the branch that is played, or `id:N` with an id of `story log --all`
    #[arg(long, value_name = "TURN", requires = "branch")]
    pub(crate) at: Option<String>,
    /// Take the name away; the turns stay
    #[arg(long, requires = "branch", conflicts_with = "at")]
    pub(crate) delete: bool,
    #[command(flatten)]
    pub(crate) of: StoryOptionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct StorySwitchArgs {
    /// Name of the branch
    #[arg(value_name = "BRANCH")]
    pub(crate) branch: String,
    #[command(flatten)]
    pub(crate) of: StoryOptionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct StoryRestoreArgs {
    /// Name of the story
    #[arg(value_name = "NAME")]
    pub(crate) story: String,
    /// A copy of its database, such as `story.backup-1.db`
    #[arg(value_name = "FILE")]
    pub(crate) file: std::path::PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct StoryRenameArgs {
    /// Name of the story
    #[arg(value_name = "NAME")]
    pub(crate) story: String,
    /// Its new name
    #[arg(value_name = "NEW")]
    pub(crate) new: String,
}

#[derive(Debug, Args)]
pub(crate) struct StoryDeleteArgs {
    /// Name of the story
    #[arg(value_name = "NAME")]
    pub(crate) story: String,
    /// Do not ask; a pipe needs it
    #[arg(short = 'y', long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StoryRepairArgs {
    /// Name of the story
    #[arg(value_name = "NAME", default_value = "default")]
    pub(crate) story: String,
    /// Drop what this skill has left: its parts of the state, its store and the texts that it remembered [repeatable]
    #[arg(long = "drop-skill", value_name = "SKILL")]
    pub(crate) drop_skills: Vec<String>,
    /// Drop this part of the state, a JSON pointer such as `/world/doors` [repeatable]
    #[arg(long = "drop", value_name = "POINTER")]
    pub(crate) drop_parts: Vec<String>,
    /// Forget the files of turns that are missing or were changed
    #[arg(long)]
    pub(crate) forget_files: bool,
    /// Take the turns as they are that are not as they were stored
    #[arg(long)]
    pub(crate) accept_turns: bool,
    /// Do not ask; a pipe needs it
    #[arg(short = 'y', long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct StoryGcArgs {
    #[command(flatten)]
    pub(crate) of: StoryNamedArgs,
    /// Do not ask; a pipe needs it
    #[arg(short = 'y', long)]
    pub(crate) yes: bool,
}
