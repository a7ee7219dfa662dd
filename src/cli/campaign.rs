//! `narratoria campaign …`: one file for each verb.

mod check;
mod cover;
mod export;
mod fill;
mod folder_files;
mod import;
mod list;
mod new;
mod play;
pub(super) mod source;
mod story_name;
pub(super) mod word_writer;
pub(super) mod words;

use narratoria_engine::TurnError;

use super::{args::CampaignCommand, exit::Exit};
pub(super) use cover::{CampaignCover, cover};
pub(super) use import::{RefusedImport, import_to_home};
pub(super) use list::{campaigns_document, playtime};
pub(super) use story_name::free_story_name;

pub(super) async fn campaign(verb: CampaignCommand) -> Result<Exit, TurnError> {
    match verb {
        CampaignCommand::New(args) => new::new(&args),
        CampaignCommand::Check(args) => check::check(args).await,
        CampaignCommand::Fill(args) => fill::fill(&args).await,
        CampaignCommand::Import(args) => import::import_files(&args),
        CampaignCommand::Export(args) => export::export_folder(&args),
        CampaignCommand::List(args) => list::list(&args),
        CampaignCommand::Play(args) => play::play(*args).await,
    }
}
