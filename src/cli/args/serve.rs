//! The arguments of `narratoria serve`.

use std::path::PathBuf;

use clap::Args;

use super::{Format, PlannerArgs};

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Port to listen on; 0 takes one that is free
    #[arg(long, value_name = "PORT", default_value_t = PORT)]
    pub(crate) port: u16,
    /// Do not open the browser
    #[arg(long)]
    pub(crate) no_open: bool,
    #[command(flatten)]
    pub(crate) planner: PlannerArgs,
    /// Folder with skill packages. They come before the built-in ones; of two with one name the first wins
    /// [repeatable]
    #[arg(long, value_name = "DIR")]
    pub(crate) skills: Vec<PathBuf>,
    /// Format of the address on stdout
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
}

/// No service is known to use it.
const PORT: u16 = 7433;
