//! The arguments of `narratoria story …`.

use clap::{Args, Subcommand};

use super::options::CommonArgs;

#[derive(Debug, Args)]
pub(crate) struct StoryArgs {
    #[command(subcommand)]
    pub(crate) verb: StoryCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoryCommand {
    /// Show which skills fill a story's state, and drop what cannot be read or is not wanted
    ///
    /// Without `--drop-skill` and `--drop` it drops only what cannot be read. It asks first, and copies the story before
    /// it changes anything.
    Repair(StoryRepairArgs),
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
    /// Do not ask; a pipe needs it
    #[arg(short = 'y', long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
