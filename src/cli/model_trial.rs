//! Has this program try a model file in a process of its own before it loads the file. `try-model` is that process.

use std::{env, path::Path, process};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_model::llm::{ModelLoadError, ModelPurpose, ModelTrial, try_for_parent};

use super::{Exit, args::TRY_MODEL, settings::CliSettings};

/// Returns `None` if the file of this program cannot be found. Models are then loaded untried.
pub(super) fn of(settings: &CliSettings) -> Option<ModelTrial> {
    match env::current_exe() {
        Ok(program) => {
            let verdicts = settings.home().ok().map(|home| home.model_trials());
            Some(ModelTrial::new(program, TRY_MODEL, verdicts))
        }
        Err(error) => {
            tracing::warn!("models are loaded untried: {error}");
            None
        }
    }
}

/// Returns an error if a process ends over the file.
pub(super) fn check(
    settings: &CliSettings,
    path: &Path,
    purpose: ModelPurpose,
) -> Result<(), ModelLoadError> {
    of(settings).map_or(Ok(()), |trial| trial.check(path, purpose))
}

/// Loads the file for the parent process, and ends with it.
pub(super) fn try_model(purpose: &str, file: &Path) -> Result<Exit, TurnError> {
    let Some(purpose) = ModelPurpose::parse(purpose) else {
        let error = format!("`{purpose}` is no purpose of a model");
        return Err(TurnError::new(TurnErrorKind::Failed, error));
    };
    let gone = || process::exit(Exit::Interrupted.code());
    try_for_parent(file, purpose, gone)
        .map(|()| Exit::Done)
        .map_err(|error| TurnError::new(TurnErrorKind::Failed, error))
}
