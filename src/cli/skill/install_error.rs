//! What an error of the folder of packages means for the player.

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_skills::InstallError;

/// Classifies the error and adds hints.
pub(super) fn install_error(error: InstallError) -> TurnError {
    let (kind, hint) = match &error {
        InstallError::NotNewer { .. } | InstallError::PathOccupied { .. } => {
            (TurnErrorKind::Refused, Some("`--force` replaces it"))
        }
        InstallError::SettingsMissing(_) => (
            TurnErrorKind::Refused,
            Some(
                "`--set NAME=VALUE` sets a setting and installs it; `--force` installs it as it is",
            ),
        ),
        InstallError::WrongArchiveDigest { .. } | InstallError::Signature(_) => {
            (TurnErrorKind::Refused, None)
        }
        InstallError::UnreadableOrigin { .. } => {
            (TurnErrorKind::Refused, Some("`--force` replaces the package whoever signed it"))
        }
        InstallError::UnreadableKeys { .. } => (
            TurnErrorKind::Refused,
            Some("without that file, each key counts as seen for the first time"),
        ),
        InstallError::NotInstalled { .. } => (
            TurnErrorKind::NotFound,
            Some("`narratoria skill list` shows where each one comes from"),
        ),
        _ => (TurnErrorKind::BadInput, None),
    };
    let error = TurnError::new(kind, error);
    hint.into_iter().fold(error, |error, hint| error.hint(hint))
}
