//! The arguments of `narratoria story retry` and `edit`, which play a turn.

use clap::Args;

use super::options::{CommonArgs, InteractionArgs, PlannerArgs};

#[derive(Debug, Args)]
pub(crate) struct StoryRetryArgs {
    /// Name of the story [default: the one that was played last]
    #[arg(value_name = "NAME")]
    pub(crate) story: Option<String>,
    /// Play it with the same dice
    #[arg(long)]
    pub(crate) same: bool,
    #[command(flatten)]
    pub(crate) play: StoryPlayArgs,
}

#[derive(Debug, Args)]
pub(crate) struct StoryEditArgs {
    /// Number of the turn in the branch that is played
    #[arg(value_name = "TURN")]
    pub(crate) turn: u64,
    /// The sentence that is played in its place
    #[arg(value_name = "SENTENCE")]
    pub(crate) sentence: String,
    /// Name of the story [default: the one that was played last]
    #[arg(long, value_name = "NAME")]
    pub(crate) story: Option<String>,
    #[command(flatten)]
    pub(crate) play: StoryPlayArgs,
}

/// How a turn is played.
#[derive(Debug, Args)]
pub(crate) struct StoryPlayArgs {
    #[command(flatten)]
    pub(crate) planner: PlannerArgs,
    #[command(flatten)]
    pub(crate) people: InteractionArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
