//! The arguments of `narratoria model …`.

use clap::{Args, Subcommand};

use super::options::{Format, OfflineArgs};

#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    #[command(subcommand)]
    pub(crate) verb: ModelCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelCommand {
    /// Fetch a model, or resume an earlier download
    ///
    /// The file gets its name only after its size and SHA-256 match those that the hub lists. A model that is
    /// here is not fetched again.
    #[command(after_long_help = PULL_HELP)]
    Pull(ModelPullArgs),
    /// List the models that are here, and those that have a short name
    List(ModelListArgs),
    /// Find models that are there already: on servers of this machine, and in folders of other programs
    ///
    /// Each is shown as `--model` takes it. A server that has a model loaded is asked one short question, which shows
    /// whether it writes under a schema, as plans need it. Files are used where they lie; nothing is written or loaded.
    Find(ModelFindArgs),
    /// Measure how fast a model is on this machine, and say what to expect of it
    ///
    /// It reads and writes a text, and answers questions as the planner asks them. `model list` shows the result from then
    /// on. Other work on the machine makes it slower.
    Bench(ModelBenchArgs),
    /// Read models and compare them with the record of their download
    Verify(ModelVerifyArgs),
    /// Remove a model, a half download too
    Rm(ModelRmArgs),
}

const PULL_HELP: &str = "\
Environment:
  NARRATORIA_OFFLINE  when set (and not 0), nothing is fetched
  HF_ENDPOINT         another hub, or a mirror
  HF_TOKEN            who you are there, for what is not public";

/// How a model is named.
const NAME_HELP: &str = "`owner/repo/file.gguf`, or a short name that `model list` shows";

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct FormatArgs {
    /// Format of stdout
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct ModelPullArgs {
    #[arg(help = NAME_HELP.to_owned() + " [default: the one in use]")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) offline: OfflineArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ModelListArgs {
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ModelFindArgs {
    /// Port of this machine where a server may be [repeatable; default: 8080, 11434, 1234, 8000]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Vec<u16>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ModelBenchArgs {
    /// Which model: `owner/repo/file.gguf`, the short name of a known one, a path, or `http://HOST:PORT/NAME` for one on a
    /// server [default: the one in use]
    #[arg(value_name = "MODEL")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) offline: OfflineArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ModelVerifyArgs {
    #[arg(value_name = "NAME", help = NAME_HELP.to_owned() + " [default: all that are here]")]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ModelRmArgs {
    #[arg(value_name = "NAME", required = true, help = NAME_HELP)]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}
