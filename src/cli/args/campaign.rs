//! The arguments of `narratoria campaign …`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{
    RunArgs,
    options::{CommonArgs, Format, InteractionArgs, PlannerArgs},
};

#[derive(Debug, Args)]
pub(crate) struct CampaignArgs {
    #[command(subcommand)]
    pub(crate) verb: CampaignCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CampaignCommand {
    /// Bring in what you own: character cards, world books, chats, Twine and ink stories
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
    Play(CampaignPlayArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CampaignImportArgs {
    /// Cards, books, chats and stories
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
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

impl CampaignPlayArgs {
    /// The same as `narratoria run --campaign`.
    pub(crate) fn into_run(self) -> RunArgs {
        let CampaignPlayArgs { campaign, story, people, planner, common } = self;
        let (campaign, premise) = (Some(campaign), None);
        RunArgs { story, campaign, premise, people, planner, common }
    }
}
