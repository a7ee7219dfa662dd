//! Chooses the planner of the command line, and the language model that scripts may use.

#[cfg(feature = "llama")]
mod aptitude;
#[cfg(feature = "llama")]
mod model;
#[cfg(feature = "llama")]
mod model_loader;
mod planner_setup;
#[cfg(feature = "llama")]
mod server;
mod shared;
#[cfg(feature = "llama")]
mod too_slow;

use std::path::Path;

use narratoria_engine::TurnError;
#[cfg(feature = "llama")]
use narratoria_model::llm::Model;
use narratoria_narrator::{PLANNER_SCRIPT_BYTES_MAX, ScriptedPlanner, tick::ScriptedTickPlanner};

#[cfg(feature = "llama")]
pub(crate) use model::chosen_model;
pub(super) use planner_setup::{PendingModel, PlannerSetup, TickPlannerSetup};
pub(super) use shared::SharedPlanner;
#[cfg(feature = "llama")]
pub(crate) use too_slow::smaller_model_hint;

use planner_setup::{lexical, lexical_ticks};

#[cfg(feature = "llama")]
use super::meaning;
use super::{
    args::{PlannerArgs, PlannerChoice},
    error::CliError,
    files,
    settings::CliSettings,
};
use narratoria_ui::{Out, PromptStatus};

/// Returns the planner for play: it answers at once, even before its model is ready.
pub(super) fn for_play(
    settings: &CliSettings,
    args: &PlannerArgs,
    status: &PromptStatus,
    err: &mut Out,
) -> Result<PlannerSetup, TurnError> {
    // Without the model there is nothing to show.
    #[cfg(not(feature = "llama"))]
    let _ = status;
    match &args.planner {
        #[cfg(feature = "llama")]
        PlannerChoice::Auto => model::for_play(settings, args, status, err),
        _ => for_command(settings, args, err),
    }
}

/// Returns the planner for a single request. It uses a model on this machine, or none.
pub(super) fn for_command(
    settings: &CliSettings,
    args: &PlannerArgs,
    err: &mut Out,
) -> Result<PlannerSetup, TurnError> {
    // Only a model needs these two: it must be found, and that can fail.
    #[cfg(not(feature = "llama"))]
    let _ = (settings, err);
    match &args.planner {
        #[cfg(feature = "llama")]
        PlannerChoice::Auto | PlannerChoice::Llama => model::for_command(settings, args, err),
        #[cfg(not(feature = "llama"))]
        PlannerChoice::Auto => Ok(lexical(None)),
        #[cfg(not(feature = "llama"))]
        PlannerChoice::Lexical => Ok(lexical(None)),
        #[cfg(feature = "llama")]
        PlannerChoice::Lexical => Ok(lexical(meaning::script_index(settings)?)),
        PlannerChoice::Scripted(path) => {
            Ok(PlannerSetup { planner: Box::new(scripted(path)?), ..lexical(None) })
        }
    }
}

/// Returns the model that writes words outside a story, if one is on this machine.
#[cfg(feature = "llama")]
pub(super) fn model_for_words(
    settings: &CliSettings,
    args: &PlannerArgs,
    err: &mut Out,
) -> Result<Option<Model>, TurnError> {
    model::model_for_command(settings, args, "the words are made without a model", err)
}

/// Returns the planner of ticks. It uses a model on this machine, or none.
pub(super) fn for_ticks(
    settings: &CliSettings,
    args: &PlannerArgs,
    err: &mut Out,
) -> Result<TickPlannerSetup, TurnError> {
    // Only a model needs these two: it must be found, and that can fail.
    #[cfg(not(feature = "llama"))]
    let _ = (settings, err);
    match &args.planner {
        #[cfg(feature = "llama")]
        PlannerChoice::Auto | PlannerChoice::Llama => model::for_ticks(settings, args, err),
        #[cfg(not(feature = "llama"))]
        PlannerChoice::Auto => Ok(lexical_ticks()),
        PlannerChoice::Lexical => Ok(lexical_ticks()),
        PlannerChoice::Scripted(path) => {
            let bytes = files::read(path, "planner script", PLANNER_SCRIPT_BYTES_MAX)?;
            let bad = |why: String| CliError::BadScript { path: path.clone(), why };
            let scripted = ScriptedTickPlanner::parse(&bytes);
            let planner = Box::new(scripted.map_err(|error| bad(error.to_string()))?);
            Ok(TickPlannerSetup { planner, ..lexical_ticks() })
        }
    }
}

fn scripted(path: &Path) -> Result<ScriptedPlanner, CliError> {
    let bad = |why: String| CliError::BadScript { path: path.to_owned(), why };
    let bytes = files::read(path, "planner script", PLANNER_SCRIPT_BYTES_MAX)?;
    let text = String::from_utf8(bytes).map_err(|error| bad(error.to_string()))?;
    ScriptedPlanner::parse(&text).map_err(|error| bad(error.to_string()))
}
