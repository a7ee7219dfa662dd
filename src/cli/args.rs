//! The arguments as typed. The doc comments here are the `--help`; the meaning of the values is in
//! `settings.rs`.

mod campaign;
mod config;
mod doctor;
mod eval;
mod fleet;
mod mcp;
#[cfg(feature = "llama")]
mod model;
// Some options are there only with a model.
#[cfg(feature = "llama")]
#[cfg(test)]
mod option_names;
mod options;
mod package_checks;
mod plan;
mod plan_settings;
mod reference;
mod seconds;
mod serve;
mod skill;
mod story;
mod story_export;
mod story_play;
mod tick;
mod world;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub(super) use campaign::{
    CampaignArgs, CampaignCheckArgs, CampaignCommand, CampaignExportArgs, CampaignFillArgs,
    CampaignForm, CampaignImportArgs, CampaignListArgs, CampaignNewArgs, CampaignPlayArgs,
    CampaignReportFormat, CampaignTemplate,
};
pub(super) use config::{
    ConfigArgs, ConfigCommand, ConfigEditArgs, ConfigFlags, ConfigGetArgs, ConfigSetArgs,
    ConfigShowArgs, ConfigUnsetArgs,
};
pub(super) use doctor::DoctorArgs;
pub(super) use eval::EvalArgs;
pub(super) use fleet::{FleetArgs, Isolation, StepFleetArgs, WorkerArgs};
pub(super) use mcp::McpArgs;
#[cfg(feature = "llama")]
pub(super) use model::{
    FormatArgs, ModelArgs, ModelBenchArgs, ModelCommand, ModelFindArgs, ModelListArgs,
    ModelPullArgs, ModelRmArgs, ModelVerifyArgs,
};
#[cfg(feature = "telemetry")]
pub(super) use options::TelemetryArgs;
pub(super) use options::{
    CommonArgs, Format, InteractionArgs, PlannerArgs, PlannerChoice, SeedArgs,
};
#[cfg(feature = "llama")]
pub(super) use options::{ModelChoice, WordsArgs};
pub(super) use package_checks::{
    CheckFormat, PackagesArgs, ProgressForm, SkillCheckArgs, SkillTestArgs, TestFormat,
};
pub(super) use plan::{
    DocumentForm, PlanArgs, PlanCheckArgs, PlanCommand, PlanDiffArgs, PlanExportArgs, PlanListArgs,
    PlanNewArgs, PlanResumeArgs, PlanRunArgs, PlanSaveTemplateArgs, PlanShowArgs,
    PlanTemplatesArgs,
};
pub(super) use reference::{CompletionsArgs, SchemaArgs};
pub(super) use serve::{HostingArgs, ListenAddress, ServeArgs};
pub(super) use skill::{
    SkillAddScriptArgs, SkillArgs, SkillBuildArgs, SkillCommand, SkillConfigArgs, SkillDevArgs,
    SkillIndexArgs, SkillInspectArgs, SkillInstallArgs, SkillKeyCommand, SkillKeyNewArgs,
    SkillLanguage, SkillListArgs, SkillNewArgs, SkillOutdatedArgs, SkillPackArgs, SkillPushArgs,
    SkillRemoveArgs, SkillRemoveScriptArgs, SkillRunArgs, SkillSdk, SkillWith,
};
pub(super) use story::{
    StoryArgs, StoryBranchArgs, StoryCommand, StoryDeleteArgs, StoryDiffArgs, StoryGcArgs,
    StoryListArgs, StoryLogArgs, StoryMoveArgs, StoryNamedArgs, StoryRenameArgs, StoryRepairArgs,
    StoryRestoreArgs, StorySwitchArgs, StoryTurnArgs, StoryWhyArgs,
};
pub(super) use story_export::{ExportFormat, StoryExportArgs, StoryImportArgs};
pub(super) use story_play::{StoryEditArgs, StoryPlayArgs, StoryRetryArgs};
pub(super) use tick::TickArgs;
pub(super) use world::{WorldArgs, WorldCommand, WorldReadArgs, WorldWordsArgs};

/// Tells interactive stories on your own machine.
///
/// A sentence becomes a plan, the plan runs skill scripts in a sandbox, and their results become the
/// story. Nothing leaves this machine.
#[derive(Debug, Parser)]
#[command(name = "narratoria", bin_name = "narratoria", version, max_term_width = 100, after_long_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// Contents of the log; the end of the help says so once, for every command.
    #[arg(long, global = true, value_name = "LEVEL", hide = true)]
    pub(super) log_level: Option<String>,
    #[cfg(feature = "telemetry")]
    #[command(flatten)]
    pub(super) telemetry: TelemetryArgs,
    #[command(subcommand)]
    pub(super) verb: CliCommand,
}

const AFTER_HELP: &str = "\
Environment:
  NARRATORIA_HOME  where stories and compiled skills are kept
                   [default: $XDG_DATA_HOME/narratoria, else ~/.local/share/narratoria]
  NARRATORIA_LOG   what to log in `logs` of that folder, such as `debug` or `warn,narratoria=debug`;
                   also on stderr if that is no terminal; `--log-level` overrides it
  NO_COLOR         no colour, even on a colour terminal
  VISUAL, EDITOR   editor for a step under review and for `narratoria config edit`

Exit codes:
  0 done   1 the work failed   2 bad usage or bad input   3 something named does not exist
  4 refused by policy   70 a fault of the program   130 interrupted";

#[derive(Debug, Subcommand)]
pub(super) enum CliCommand {
    /// Play a story, one sentence a turn
    ///
    /// A terminal gets a line editor with history; from a pipe, every line is a turn. The story is saved: its
    /// name continues it. The next line answers a question of a step. Ctrl-C stops the turn, a second one
    /// leaves. On a terminal, `narratoria` alone plays, too.
    #[command(visible_alias = "play")]
    Run(RunArgs),
    /// Play in a browser
    ///
    /// Prints an address that opens the page, and opens it where there is a desktop. The page plays what `run` plays; the
    /// address works on this machine, for whoever has it. With `--listen` or `--host`, others open the page with the password
    /// that `--set-password` has set. Ctrl-C ends it: a turn in play is stopped, and goes on
    /// when its story is opened again.
    Serve(ServeArgs),
    /// Let a program of others play stories and use the author's tools, by the Model Context Protocol
    ///
    /// A program such as an editor or an assistant starts this and speaks MCP on its input and output. What a player grants
    /// and approves holds for it too: steps that need an approval are asked about through the program.
    Mcp(McpArgs),
    /// Do the checks of a fleet: take parts from a queue, one after the other
    ///
    /// Start one for each core. A part runs in a process of its tenant, under bubblewrap where it is there. SIGTERM gives
    /// back what is not done.
    Worker(WorkerArgs),
    /// Let the story go on by itself, one scene a tick
    ///
    /// A tick gathers what the story knows, plans the next scene, runs the plan's tools and writes the scene. The first
    /// error stops it, and the story is as it was. Files: `plans/`, `scenes/` and `errors/` in the story's folder.
    Tick(TickArgs),
    /// Make, check, run and look at plans
    Plan(PlanArgs),
    /// Make, check, install and run skills
    Skill(SkillArgs),
    /// Fetch, list, check and remove language models
    #[cfg(feature = "llama")]
    Model(ModelArgs),
    /// List, read, export and repair stories, and go back in them
    Story(StoryArgs),
    /// Play, write, check, import and export campaigns
    Campaign(CampaignArgs),
    /// Show how sentences are read, for authors
    World(WorldArgs),
    /// Measure how well a planner plans the sentences of a file; nothing runs
    ///
    /// Plans each sentence once and checks the plan as `run` would. Reports how many plans were valid and in
    /// time, how many use the right skills, how long they took and what they cost.
    Eval(EvalArgs),
    /// Read and change your settings: the file `config.toml` of the home folder
    Config(ConfigArgs),
    /// Say what is there on this machine, what is missing or wrong, and what to type
    ///
    /// Looks at the processor, memory, disk, terminal, home folder, stories, models, servers and toolchains.
    /// Changes nothing, and ends after half a minute at most. Ends with 1 if it finds a fault.
    Doctor(DoctorArgs),
    /// Print a contract: the form of manifests, plans, reports and the rest
    ///
    /// Without a name it lists the contracts. Editors take a JSON Schema as `$schema`.
    Schema(SchemaArgs),
    /// Print the completions of a shell, such as `narratoria completions bash`
    Completions(CompletionsArgs),
    /// Do the work of one tenant that the lines of stdin name, for the worker that waits
    #[command(hide = true)]
    TenantWork,
    /// Compile one component for the program that waits for it, as `sandbox::compile_for_parent` describes
    #[command(hide = true)]
    CompileComponent,
    /// Compile the built-in skills into a copy of the program that replaces it; the build does so
    #[command(hide = true)]
    EmbedCompiledSkills { program: PathBuf },
    /// Write a manual page for each command into a new or empty folder; a release does so
    #[command(hide = true)]
    ManPages {
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Load a model file for the parent process, which may end this one
    #[cfg(feature = "llama")]
    #[command(hide = true)]
    TryModel {
        /// `text` or `embeddings`
        purpose: String,
        file: PathBuf,
    },
}

/// The name of the verb that tries a model, for the parent process.
#[cfg(feature = "llama")]
pub(super) const TRY_MODEL: &str = "try-model";

/// The name of the verb that checks parts, for the parent process.
pub(super) const TENANT_WORK: &str = "tenant-work";

/// The name of the verb that compiles a component, for the parent process.
pub(super) const COMPILE_COMPONENT: &str = "compile-component";

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// Name of the story; a new one begins if there is none of that name
    /// [default: that of the campaign; without one a terminal asks what to play, and a pipe plays `default`]
    #[arg(long, value_name = "NAME")]
    pub(super) story: Option<String>,
    /// The campaign that a new story begins with: a name that `narratoria campaign list` shows, or a folder
    /// [also: `campaign` in `[story]` of config.toml, NARRATORIA_CAMPAIGN]
    #[arg(long, value_name = "NAME|FOLDER", conflicts_with = "premise")]
    pub(super) campaign: Option<String>,
    /// What a new story is about: it becomes a small world; `none` begins without one
    /// [default: on a terminal one that the seed chooses, on a pipe none; also: `premise` in `[story]` of config.toml,
    /// NARRATORIA_PREMISE]
    #[arg(long, value_name = "TEXT")]
    pub(super) premise: Option<String>,
    #[command(flatten)]
    pub(super) people: InteractionArgs,
    #[command(flatten)]
    pub(super) planner: PlannerArgs,
    #[cfg(feature = "llama")]
    #[command(flatten)]
    pub(super) words: WordsArgs,
    #[command(flatten)]
    pub(super) fleet: StepFleetArgs,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Arguments;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
