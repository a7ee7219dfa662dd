//! The arguments of `narratoria campaign …`.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Subcommand, ValueEnum, builder::RangedU64ValueParser};
use narratoria_campaign::{WALK_TURNS_MAX, WALKS_MAX, WalkOptions};

#[cfg(feature = "llama")]
use super::options::{ModelChoice, SeedArgs, WordsArgs};
use super::{
    RunArgs, StepFleetArgs,
    options::{CommonArgs, Format, InteractionArgs, PlannerArgs, PlannerChoice},
    seconds::parse_seconds,
};

#[derive(Debug, Args)]
pub(crate) struct CampaignArgs {
    #[command(subcommand)]
    pub(crate) verb: CampaignCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CampaignCommand {
    /// Make the folder of a new campaign: a place, a person and a choice that can be played at once
    New(CampaignNewArgs),
    /// Say everything that is wrong with a campaign, and play it by chance to find more
    Check(CampaignCheckArgs),
    /// Write what a campaign lacks, as the program would make it, into files of their own
    ///
    /// The names of these files have `_generated` in them. No file that is there changes. A language model writes their words
    /// if one is on this machine; where it has no usable words, those of the building blocks stay.
    Fill(CampaignFillArgs),
    /// Import files of other programs: character cards, world books, chats, Twine and ink stories
    ///
    /// A card is PNG, JSON or CHARX; a world book is JSON; a chat is JSONL; Twine stories are Twee 3. The files become parts of
    /// a campaign, and the originals lie in its folder `cards`. Nothing that is there is overwritten. What has no place in a
    /// campaign is listed.
    Import(CampaignImportArgs),
    /// Write a campaign as a file for other programs: a character card, a world book, a chat or Twee
    ///
    /// What was imported comes out as it went in, with what you have changed since.
    Export(CampaignExportArgs),
    /// List the campaigns: those of the program, and those in `campaigns` of the home folder
    List(CampaignListArgs),
    /// Play a campaign in a story of its own, or go on with that story
    ///
    /// A new story keeps the campaign as it is now, so that later changes of the folder do not reach it.
    Play(Box<CampaignPlayArgs>),
}

#[derive(Debug, Args)]
pub(crate) struct CampaignNewArgs {
    /// Name of the folder: letters (a-z), digits and hyphens
    pub(crate) name: String,
    /// What the folder has in it
    #[arg(long, value_enum, default_value_t = CampaignTemplate::Minimal)]
    pub(crate) from: CampaignTemplate,
    /// Folder to make it in
    #[arg(long, default_value = ".")]
    pub(crate) dir: PathBuf,
}

/// What a new campaign begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CampaignTemplate {
    /// Two places, a person, a thing and a choice
    Minimal,
    /// An example of every file and every field
    Full,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct CampaignCheckArgs {
    /// Name of a campaign that `list` shows, or a folder
    #[arg(value_name = "NAME|FOLDER")]
    pub(crate) campaign: String,
    /// How many random walks are played; 0 looks at the files alone
    #[arg(
        long,
        value_name = "N",
        default_value_t = WalkOptions::default().walks,
        value_parser = up_to(0, WALKS_MAX)
    )]
    pub(crate) walks: usize,
    /// The longest walk, in turns
    #[arg(
        long,
        value_name = "N",
        default_value_t = WalkOptions::default().turns,
        value_parser = up_to(1, WALK_TURNS_MAX)
    )]
    pub(crate) turns: usize,
    /// Time for the whole check; walks for which there is none are left out, and counted
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
    pub(crate) time_budget: Duration,
    /// Seed of the walks, and of what is made where the campaign says nothing [default: 1, and that follows from the premise]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Fail on warnings too, and on what walks find
    #[arg(long)]
    pub(crate) strict: bool,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = CampaignReportFormat::Text)]
    pub(crate) format: CampaignReportFormat,
    /// File for the report, instead of stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

fn up_to(least: u64, most: usize) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(least..=most as u64)
}

/// The format of what a check finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CampaignReportFormat {
    /// For people
    #[value(alias = "plain")]
    Text,
    /// For programs
    Json,
    /// A page with a map, for a browser
    Html,
}

/// Longest time for the words of a model, in milliseconds: an hour.
const FILL_TIME_MS_MAX: u64 = 3_600_000;

#[derive(Debug, Args)]
pub(crate) struct CampaignFillArgs {
    /// Folder of the campaign
    pub(crate) folder: PathBuf,
    /// Seed of what is made [default: follows from the premise]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    #[arg(long, help = FILL_PLANNER_HELP, value_name = "PLANNER", default_value = "auto", value_parser = PlannerChoice::parse)]
    pub(crate) planner: PlannerChoice,
    #[cfg(feature = "llama")]
    #[command(flatten)]
    pub(crate) model: ModelChoice,
    /// Time for the words of a model; then those of the building blocks stay
    #[arg(
        long,
        value_name = "MS",
        default_value_t = 300_000,
        value_parser = RangedU64ValueParser::<u64>::new().range(1..=FILL_TIME_MS_MAX)
    )]
    pub(crate) time_ms: u64,
}

#[cfg(feature = "llama")]
const FILL_PLANNER_HELP: &str = "Who writes the words: `auto`, `llama`, `lexical` for the building blocks, or `scripted:FILE` with prepared answers";
#[cfg(not(feature = "llama"))]
const FILL_PLANNER_HELP: &str = "Who writes the words: `auto`, `lexical` for the building blocks, or `scripted:FILE` with prepared answers";

#[cfg(feature = "llama")]
impl CampaignFillArgs {
    /// The same for a command that looks for a model.
    pub(crate) fn planner_args(&self) -> PlannerArgs {
        let (planner, model) = (self.planner.clone(), self.model.clone());
        PlannerArgs { planner, model, seed: SeedArgs { seed: self.seed } }
    }
}

#[derive(Debug, Args)]
pub(crate) struct CampaignImportArgs {
    /// Cards, books, chats and stories; of a folder, its Twee files
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Folder of the campaign: a new one, or one that gets more [default: a new folder, named after the first file]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) to: Option<PathBuf>,
    /// Name of the player, where texts say `{{user}}` [default: that of the campaign, else `you`]
    #[arg(long, value_name = "NAME")]
    pub(crate) player: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CampaignExportArgs {
    /// Folder of the campaign
    pub(crate) folder: PathBuf,
    /// Form of the file
    #[arg(long = "as", value_enum, value_name = "FORM")]
    pub(crate) form: CampaignForm,
    /// Which person, book, chat or story, if there are several
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// File to write [default: named after what it holds]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CampaignForm {
    /// A character card as JSON
    Card,
    /// A character card in its picture
    Png,
    /// A character card with its files in an archive
    Charx,
    /// A world book
    Book,
    /// A chat
    Chat,
    /// A story of passages, Twee 3
    Twee,
}

#[derive(Debug, Args)]
pub(crate) struct CampaignListArgs {
    /// Format of stdout
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct CampaignPlayArgs {
    /// Name of a campaign that `list` shows, or a folder
    #[arg(value_name = "NAME|FOLDER")]
    pub(crate) campaign: String,
    /// Name of the story [default: that of the campaign]
    #[arg(long, value_name = "NAME")]
    pub(crate) story: Option<String>,
    #[command(flatten)]
    pub(crate) people: InteractionArgs,
    #[command(flatten)]
    pub(crate) planner: PlannerArgs,
    #[cfg(feature = "llama")]
    #[command(flatten)]
    pub(crate) words: WordsArgs,
    #[command(flatten)]
    pub(crate) fleet: StepFleetArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

impl CampaignPlayArgs {
    /// The same as `narratoria run --campaign`.
    pub(crate) fn into_run(self) -> RunArgs {
        RunArgs {
            story: self.story,
            campaign: Some(self.campaign),
            premise: None,
            people: self.people,
            planner: self.planner,
            #[cfg(feature = "llama")]
            words: self.words,
            fleet: self.fleet,
            common: self.common,
        }
    }
}
