//! The arguments of `narratoria campaign …`.

use clap::{Args, Subcommand};

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
    /// List the campaigns: those of the program, and those in `campaigns` of the home folder
    List(CampaignListArgs),
    /// Play a campaign in a story of its own, or go on with that story
    ///
    /// A new story keeps the campaign as it is now, so that later changes of the folder do not reach it.
    Play(CampaignPlayArgs),
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
