//! The arguments of `narratoria mcp`.

use std::path::PathBuf;

use clap::Args;

use super::PlannerArgs;

#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Folder in which a client may name packages, campaigns and sets of sentences [default: none; it names what is installed
    /// alone]
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) planner: PlannerArgs,
    /// Folder with skill packages. They come before the built-in ones; of two with one name the first wins
    /// [repeatable]
    #[arg(long, value_name = "DIR")]
    pub(crate) skills: Vec<PathBuf>,
}
