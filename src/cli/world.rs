//! `narratoria world …`: how the world of a campaign or a story reads sentences.

mod read;
mod reading_text;

use narratoria_engine::TurnError;

use super::{args::WorldCommand, exit::Exit};

pub(super) async fn world(verb: WorldCommand) -> Result<Exit, TurnError> {
    match verb {
        WorldCommand::Read(args) => read::read(args).await,
    }
}
