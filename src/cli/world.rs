//! `narratoria world …`: how the world of a campaign or a story reads sentences, and the words that every world reads.

mod read;
mod reading_text;
mod words;

use narratoria_engine::TurnError;

use super::{args::WorldCommand, exit::Exit};

pub(super) async fn world(verb: WorldCommand) -> Result<Exit, TurnError> {
    match verb {
        WorldCommand::Read(args) => read::read(args).await,
        WorldCommand::Words(args) => words::words(&args),
    }
}
