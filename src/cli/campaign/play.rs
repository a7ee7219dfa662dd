//! `narratoria campaign play`: a story with a campaign, new or begun.

use narratoria_engine::TurnError;

use crate::{
    args::CampaignPlayArgs,
    exit::Exit,
    run::{self, RunEnd},
};

pub(super) async fn play(args: CampaignPlayArgs) -> Result<Exit, TurnError> {
    match run::run(args.into_run()).await? {
        RunEnd::Exit(exit) => Ok(exit),
        // Where a campaign is named, nobody is asked what to play.
        RunEnd::Page(_) => Ok(Exit::Done),
    }
}
