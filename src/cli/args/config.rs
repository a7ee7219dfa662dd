//! The arguments of `narratoria config …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::options::Format;
#[cfg(feature = "llama")]
use super::options::WordsArgs;
use crate::plan_settings::PlanSettings;

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) verb: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the value that a setting has for the next command
    Get(ConfigGetArgs),
    /// Write a setting into the file; its comments and its order stay
    Set(ConfigSetArgs),
    /// Take a setting out of the file, so that its default holds
    Unset(ConfigUnsetArgs),
    /// Open the file in your editor, and check it before it takes the place of the old one
    ///
    /// A text that is wrong is kept as a draft, and the file stays as it was.
    Edit(ConfigEditArgs),
    /// Print where the file is or would be
    Path,
    /// Print every setting with its value
    Show(ConfigShowArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ConfigGetArgs {
    /// Which setting, such as `plan.slots`; `narratoria config show` lists them
    #[arg(value_name = "KEY")]
    pub(crate) key: String,
    /// Format of stdout
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigSetArgs {
    /// Which setting, such as `plan.slots`; `narratoria config show` lists them
    #[arg(value_name = "KEY")]
    pub(crate) key: String,
    /// Its value; several are a list
    #[arg(value_name = "VALUE", required = true, allow_negative_numbers = true)]
    pub(crate) values: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigUnsetArgs {
    /// Which setting, such as `plan.slots`; `narratoria config show` lists them
    #[arg(value_name = "KEY")]
    pub(crate) key: String,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigEditArgs {
    /// A draft to go on with, in place of the file
    #[arg(long, value_name = "FILE")]
    pub(crate) draft: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigShowArgs {
    /// Show where each value comes from: default, file, environment or flag
    #[arg(long)]
    pub(crate) origin: bool,
    /// Format of stdout
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) flags: ConfigFlags,
}

/// Flags of the commands that play: the values are those that such a command would have with them.
#[derive(Debug, Args)]
pub(crate) struct ConfigFlags {
    /// The campaign of a new story, as `narratoria run --campaign` takes it
    #[arg(long, value_name = "NAME|FOLDER")]
    pub(crate) campaign: Option<String>,
    /// What a new story is about, as `narratoria run --premise` takes it
    #[arg(long, value_name = "TEXT")]
    pub(crate) premise: Option<String>,
    /// Which model, as `narratoria run --model` takes it
    #[cfg(feature = "llama")]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    #[cfg(feature = "llama")]
    #[command(flatten)]
    pub(crate) words: WordsArgs,
    #[command(flatten)]
    pub(crate) settings: PlanSettings,
}
