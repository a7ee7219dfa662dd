//! `narratoria campaign …`: one file for each verb.

mod export;
mod folder_files;
mod import;
mod list;
mod play;
pub(super) mod source;

use narratoria_engine::TurnError;

use super::{args::CampaignCommand, exit::Exit};
pub(super) use list::playtime;
pub(super) use play::free_story_name;

pub(super) async fn campaign(verb: CampaignCommand) -> Result<Exit, TurnError> {
    match verb {
        CampaignCommand::Import(args) => import::import_files(&args),
        CampaignCommand::Export(args) => export::export_folder(&args),
        CampaignCommand::List(args) => list::list(&args),
        CampaignCommand::Play(args) => play::play(args).await,
    }
}
