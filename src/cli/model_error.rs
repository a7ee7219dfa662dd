//! Names of models as they are typed, and the errors of their files, as errors of a command.

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_model::files::{FileError, ModelName, PullError};

/// A name as it is typed.
pub(crate) fn model_name(text: &str) -> Result<ModelName, TurnError> {
    ModelName::parse(text).map_err(|error| {
        let hint = error.hint();
        let failed = TurnError::new(TurnErrorKind::BadInput, error);
        hint.into_iter().fold(failed, TurnError::hint)
    })
}

/// Classifies a failed download by its cause.
pub(crate) fn pull_error(error: PullError) -> TurnError {
    let kind = match &error {
        PullError::NoRepo { .. } | PullError::NoFile { .. } => TurnErrorKind::NotFound,
        PullError::Unauthorised { .. } | PullError::Forbidden { .. } => TurnErrorKind::Refused,
        PullError::BadEndpoint { .. }
        | PullError::BadToken
        | PullError::TooLarge { .. }
        | PullError::NoDigest { .. } => TurnErrorKind::BadInput,
        PullError::NoClient { .. } => TurnErrorKind::Internal,
        PullError::File(error) => file_kind(error),
        PullError::Offline { .. }
        | PullError::Unavailable { .. }
        | PullError::BadAnswer { .. }
        | PullError::NotAHub { .. }
        | PullError::Broken { .. }
        | PullError::NoSpace { .. }
        | PullError::WrongSize { .. }
        | PullError::WrongDigest { .. }
        | PullError::NotGguf { .. } => TurnErrorKind::Failed,
    };
    let hint = error.hint();
    let failed = TurnError::new(kind, error);
    hint.into_iter().fold(failed, TurnError::hint)
}

pub(crate) fn file_error(error: FileError) -> TurnError {
    let (kind, hint) = (file_kind(&error), error.hint());
    let failed = TurnError::new(kind, error);
    hint.into_iter().fold(failed, TurnError::hint)
}

fn file_kind(error: &FileError) -> TurnErrorKind {
    match error {
        FileError::NotHere { .. } => TurnErrorKind::NotFound,
        FileError::Busy { .. } | FileError::Cancelled => TurnErrorKind::Failed,
        FileError::Io { .. } => TurnErrorKind::Internal,
    }
}
