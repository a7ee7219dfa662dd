//! The arguments of `narratoria plan …`.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use super::options::{CommonArgs, InteractionArgs, PlannerArgs, SeedArgs};

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(subcommand)]
    pub(crate) verb: PlanCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PlanCommand {
    /// Make a plan of a sentence or of a template and print it; nothing runs
    New(PlanNewArgs),
    /// Say everything that is wrong with a plan; nothing runs
    Check(PlanCheckArgs),
    /// Run a plan and print the result of each step
    Run(PlanRunArgs),
    /// List the plans of a story, the newest first
    List(PlanListArgs),
    /// Show a plan of a story and its results
    Show(PlanShowArgs),
    /// Show the differences between two plans
    Diff(PlanDiffArgs),
    /// Print a plan of a story with its record and its result
    Export(PlanExportArgs),
    /// Go on with a plan that was cut short, without repeating a finished step
    Resume(PlanResumeArgs),
    /// Keep a plan as a template with parameters
    SaveTemplate(PlanSaveTemplateArgs),
    /// List the saved templates
    Templates(PlanTemplatesArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PlanNewArgs {
    /// The player's sentence; with `--template`, its parameters as KEY=VALUE
    #[arg(value_name = "SENTENCE|KEY=VALUE")]
    pub(crate) words: Vec<String>,
    /// Fill a template of `plan save-template` instead of asking a planner
    #[arg(long, value_name = "NAME")]
    pub(crate) template: Option<String>,
    /// Plan the next turn of this story, from its state and its last turns; the story stays as it is
    #[arg(long, value_name = "NAME", conflicts_with = "template")]
    pub(crate) story: Option<String>,
    #[command(flatten)]
    pub(crate) planner: PlannerArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PlanCheckArgs {
    /// File with a plan in JSON or YAML, `-` for stdin
    pub(crate) file: PathBuf,
    /// Check names against the state of this story, such as things that are in sight
    #[arg(long, value_name = "NAME")]
    pub(crate) story: Option<String>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PlanRunArgs {
    /// File with a plan in JSON or YAML, `-` for stdin
    pub(crate) file: PathBuf,
    /// Run it as a turn of this story; without one nothing is saved
    #[arg(long, value_name = "NAME")]
    pub(crate) story: Option<String>,
    #[command(flatten)]
    pub(crate) people: InteractionArgs,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Which story a verb looks at. It must exist.
#[derive(Debug, Args)]
pub(crate) struct ExistingStoryArgs {
    /// Name of the story
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) story: String,
}

#[derive(Debug, Args)]
pub(crate) struct PlanListArgs {
    /// Most plans to list
    #[arg(long, value_name = "N", default_value = "20")]
    pub(crate) limit: NonZeroUsize,
    /// List the plans of turns that were undone or belong to another branch, too
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) of: ExistingStoryArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PlanShowArgs {
    /// Its number as `plan list` shows it, or the beginning of its id; or the path of a record
    pub(crate) plan: String,
    /// Show what the scripts of each step wrote into their log, too
    #[arg(long)]
    pub(crate) logs: bool,
    #[command(flatten)]
    pub(crate) of: ExistingStoryArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PlanDiffArgs {
    /// The older one: a number or an id of a plan in the story, or a file with a plan
    #[arg(value_name = "A")]
    pub(crate) old: String,
    /// The newer one
    #[arg(value_name = "B")]
    pub(crate) new: String,
    #[command(flatten)]
    pub(crate) of: ExistingStoryArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PlanExportArgs {
    /// Its number as `plan list` shows it, or the beginning of its id
    pub(crate) plan: String,
    /// The form of the document
    #[arg(long = "as", value_enum, value_name = "FORM", default_value_t = DocumentForm::Json)]
    pub(crate) form: DocumentForm,
    /// Only the plan, to be run again
    #[arg(long)]
    pub(crate) plan_only: bool,
    #[command(flatten)]
    pub(crate) of: ExistingStoryArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// The form of an exported document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DocumentForm {
    /// JSON
    Json,
    /// YAML
    Yaml,
}

#[derive(Debug, Args)]
pub(crate) struct PlanResumeArgs {
    /// Forget the plan instead; the story stays as it was before it
    #[arg(long)]
    pub(crate) drop: bool,
    #[command(flatten)]
    pub(crate) of: ExistingStoryArgs,
    #[command(flatten)]
    pub(crate) people: InteractionArgs,
    #[command(flatten)]
    pub(crate) planner: PlannerArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PlanSaveTemplateArgs {
    /// Name of the template: small letters, digits and hyphens
    pub(crate) name: String,
    /// File with a plan in JSON or YAML, `-` for stdin; with `--story` a plan's number or the beginning of its id
    pub(crate) plan: String,
    /// Take the plan from this story
    #[arg(long, value_name = "NAME")]
    pub(crate) story: Option<String>,
    /// Make each occurrence of VALUE a parameter; VALUE is JSON, or else a text [repeatable]
    #[arg(long = "param", value_name = "KEY=VALUE")]
    pub(crate) parameters: Vec<String>,
    /// Purpose of the template
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Replace a template of the same name
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PlanTemplatesArgs {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
