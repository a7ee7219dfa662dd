//! The arguments as typed. The doc comments here are the `--help`; what the values mean is
//! `settings.rs`'s business.

mod eval;
#[cfg(feature = "llama")]
mod model;
mod plan;
mod skill;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(super) use eval::EvalArgs;
#[cfg(feature = "llama")]
pub(super) use model::{
    FormatArgs, ModelArgs, ModelCommand, ModelListArgs, ModelPullArgs, ModelRmArgs,
    ModelVerifyArgs, OfflineArgs,
};
pub(super) use plan::{
    DocumentForm, PlanArgs, PlanCheckArgs, PlanCommand, PlanDiffArgs, PlanExportArgs, PlanListArgs,
    PlanNewArgs, PlanResumeArgs, PlanRunArgs, PlanSaveTemplateArgs, PlanShowArgs,
    PlanTemplatesArgs,
};

pub(super) use skill::{
    CheckFormat, PackagesArgs, SkillArgs, SkillBuildArgs, SkillCheckArgs, SkillCommand,
    SkillConfigArgs, SkillInspectArgs, SkillInstallArgs, SkillLanguage, SkillListArgs,
    SkillNewArgs, SkillPackArgs, SkillRemoveArgs, SkillRunArgs, SkillTestArgs,
};

/// Tells interactive stories on your own machine.
///
/// A sentence becomes a plan, the plan runs skill scripts in a sandbox, and their results become the
/// story. Nothing leaves this machine.
#[derive(Debug, Parser)]
#[command(name = "narratoria", version, max_term_width = 100, after_long_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(super) verb: CliCommand,
}

const AFTER_HELP: &str = "\
Environment:
  NARRATORIA_HOME  where stories and compiled skills are kept
                   [default: $XDG_DATA_HOME/narratoria, else ~/.local/share/narratoria]
  NARRATORIA_LOG   what to log on stderr, such as `info` or `narratoria=debug` [default: warn]
  NO_COLOR         no colour, even on a colour terminal
  VISUAL, EDITOR   editor for a step under review

Exit codes:
  0 done   1 the work failed   2 bad usage or bad input   3 something named does not exist
  4 refused by policy   70 a fault of the program   130 interrupted";

#[derive(Debug, Subcommand)]
pub(super) enum CliCommand {
    /// Play a story, one sentence a turn
    ///
    /// A terminal gets a line editor with history; from a pipe, every line is a turn. The story is saved: its
    /// name continues it. The next line answers a question of a step. Ctrl-C stops the turn, a second one
    /// leaves.
    Run(RunArgs),
    /// Make, check, run and look at plans
    Plan(PlanArgs),
    /// List skills and run their scripts
    Skill(SkillArgs),
    /// Fetch, list, check and remove language models
    #[cfg(feature = "llama")]
    Model(ModelArgs),
    /// Measure how well a planner plans the sentences of a file; nothing runs
    ///
    /// Plans each sentence once and checks the plan as `run` would. Reports how many plans were valid and in
    /// time, how many use the right skills, how long they took and what they cost.
    Eval(EvalArgs),
    /// Compile one component for the program that waits for it, as `sandbox::compile_for_parent` describes
    #[command(hide = true)]
    CompileComponent,
}

/// The name of the verb that compiles a component, for the parent process.
pub(super) const COMPILE_COMPONENT: &str = "compile-component";

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// Name of the story; a new one begins if there is none of that name
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(super) story: String,
    #[command(flatten)]
    pub(super) people: InteractionArgs,
    #[command(flatten)]
    pub(super) planner: PlannerArgs,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(super) struct CommonArgs {
    /// Folder with skill packages. They come before the built-in ones; of two with one name the first wins
    /// [repeatable]
    #[arg(long, value_name = "DIR")]
    pub(super) skills: Vec<PathBuf>,
    /// Format of stdout
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(super) format: Format,
}

#[derive(Debug, Args)]
pub(super) struct PlannerArgs {
    #[arg(long, help = PLANNER_HELP, value_name = "PLANNER", default_value = "auto", value_parser = PlannerChoice::parse)]
    pub(super) planner: PlannerChoice,
    #[cfg(feature = "llama")]
    #[command(flatten)]
    pub(super) model: ModelChoice,
    #[command(flatten)]
    pub(super) seed: SeedArgs,
}

/// The model, and whether it may be fetched.
#[cfg(feature = "llama")]
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ModelChoice {
    /// Which model: `owner/repo/file.gguf`, the short name of a known one, or a path [default: the one of
    /// `config.toml`, else phi-3.5-mini]
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<String>,
    #[command(flatten)]
    pub(super) offline: OfflineArgs,
}

/// How a plan gets its approvals.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct InteractionArgs {
    /// Look at each plan before it runs: change, skip, add or remove steps, ask for another
    #[arg(long)]
    pub(super) review: bool,
    /// Approve every step that asks for it; otherwise a terminal asks the player, and a pipe approves none
    #[arg(long)]
    pub(super) yes: bool,
}

#[derive(Debug, Args)]
pub(super) struct SeedArgs {
    /// Seed of all chance; one seed tells one story, to the byte [default: drawn]
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
}

#[cfg(feature = "llama")]
const PLANNERS: &str = "`auto`, `llama`, `lexical` or `scripted:FILE`";
#[cfg(not(feature = "llama"))]
const PLANNERS: &str = "`auto`, `lexical` or `scripted:FILE`";

#[cfg(feature = "llama")]
const PLANNER_HELP: &str =
    "The planner: `auto`, `llama`, `lexical` or `scripted:FILE` with prepared plans";
#[cfg(not(feature = "llama"))]
const PLANNER_HELP: &str = "The planner: `auto`, `lexical` or `scripted:FILE` with prepared plans";

/// Format of stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Plain,
    /// For programs
    Json,
}

/// The planner to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PlannerChoice {
    /// The best that is there.
    Auto,
    /// A language model.
    #[cfg(feature = "llama")]
    Llama,
    /// Without a model.
    Lexical,
    /// Prepared plans from a file.
    Scripted(PathBuf),
}

impl PlannerChoice {
    fn parse(text: &str) -> Result<PlannerChoice, String> {
        match text.split_once(':') {
            None if text == "auto" => Ok(PlannerChoice::Auto),
            #[cfg(feature = "llama")]
            None if text == "llama" => Ok(PlannerChoice::Llama),
            None if text == "lexical" => Ok(PlannerChoice::Lexical),
            Some(("scripted", file)) if !file.is_empty() => {
                Ok(PlannerChoice::Scripted(file.into()))
            }
            _ => Err(format!("it must be {PLANNERS}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{Arguments, PlannerChoice};

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_planner_is_one_of_three() {
        assert_eq!(PlannerChoice::parse("auto"), Ok(PlannerChoice::Auto));
        assert_eq!(
            PlannerChoice::parse("scripted:a:b.json"),
            Ok(PlannerChoice::Scripted("a:b.json".into()))
        );
        for wrong in ["", "Lexical", "scripted", "scripted:", "llama:x"] {
            assert!(PlannerChoice::parse(wrong).is_err(), "{wrong}");
        }
    }
}
