//! `narratoria campaign new`: creates the folder of a campaign that can be played at once.

use narratoria_campaign::{CampaignStartingPoint, CampaignWriteError, create_campaign};
use narratoria_engine::{TurnError, TurnErrorKind};

use crate::{
    args::{CampaignNewArgs, CampaignTemplate},
    exit::Exit,
    print_text, settings,
};
use narratoria_ui::{Out, Tone, note, visible};

pub(super) fn new(args: &CampaignNewArgs) -> Result<Exit, TurnError> {
    let from = match args.from {
        CampaignTemplate::Minimal => CampaignStartingPoint::Minimal,
        CampaignTemplate::Full => CampaignStartingPoint::Full,
    };
    let folder = create_campaign(&args.dir, &args.name, from).map_err(write_error)?;
    // A path that the author will type needs no `./`.
    let folder = folder.strip_prefix(".").unwrap_or(&folder).display().to_string();
    let look = settings::initial_look();
    print_text(look, &format!("{}\n", visible(&folder)))?;
    let mut err = Out::stderr(look);
    note(&mut err, Tone::Hint, "next", &format!("narratoria campaign check {folder}"));
    note(&mut err, Tone::Hint, "then", &format!("narratoria campaign play {folder}"));
    Ok(Exit::Done)
}

/// Adds the exit code and a hint to the error of a campaign that cannot be written.
pub(super) fn write_error(error: CampaignWriteError) -> TurnError {
    let (kind, hint) = match &error {
        CampaignWriteError::BadName { name } if name.contains(['/', '\\']) => {
            (TurnErrorKind::BadInput, Some("`--dir FOLDER` names the folder that it goes into"))
        }
        CampaignWriteError::BadName { .. } => (TurnErrorKind::BadInput, None),
        CampaignWriteError::Taken { .. } => {
            (TurnErrorKind::BadInput, Some("take another name, or move it away"))
        }
        CampaignWriteError::NoFolder { .. } => (TurnErrorKind::NotFound, Some("make it first")),
        CampaignWriteError::Io { .. } => (TurnErrorKind::Failed, None),
    };
    let failed = TurnError::new(kind, error);
    match hint {
        Some(hint) => failed.hint(hint),
        None => failed,
    }
}
