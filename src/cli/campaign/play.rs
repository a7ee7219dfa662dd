//! `narratoria campaign play`: a story with a campaign, new or begun.

use narratoria_engine::TurnError;

use crate::{args::CampaignPlayArgs, exit::Exit, run};

pub(super) async fn play(args: CampaignPlayArgs) -> Result<Exit, TurnError> {
    run::run(args.into_run()).await
}
