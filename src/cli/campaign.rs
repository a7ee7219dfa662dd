//! `narratoria campaign …`: one file for each verb.

mod list;
mod play;
pub(super) mod source;

use narratoria_engine::TurnError;

use super::{args::CampaignCommand, exit::Exit};
pub(super) use list::playtime;
pub(super) use play::free_story_name;

pub(super) async fn campaign(verb: CampaignCommand) -> Result<Exit, TurnError> {
    match verb {
        CampaignCommand::List(args) => list::list(&args),
        CampaignCommand::Play(args) => play::play(args).await,
    }
}
