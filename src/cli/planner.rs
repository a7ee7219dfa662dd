//! Chooses the planner of the command line, and the language model that scripts may use.

#[cfg(feature = "llama")]
mod model;

use std::path::Path;

use narratoria_engine::TurnError;
use narratoria_narrator::{LexicalPlanner, PLANNER_SCRIPT_BYTES_MAX, Planner, ScriptedPlanner};
use narratoria_sandbox::TextModelSlot;

use super::{
    args::{PlannerArgs, PlannerChoice},
    error::CliError,
    files,
    settings::CliSettings,
};
use crate::ui::{Out, PromptStatus};

/// A planner with its language model.
pub(super) struct PlannerSetup {
    pub(super) planner: Box<dyn Planner>,
    /// For scripts that may write with the model.
    pub(super) text: TextModelSlot,
    pub(super) pending_model: PendingModel,
}

/// A model that may still be on its way. Dropped, the way ends; what was fetched is kept.
#[derive(Default)]
pub(super) struct PendingModel {
    #[cfg(feature = "llama")]
    loader: Option<model::ModelLoader>,
}

impl PendingModel {
    /// When it is there. Never, where none comes or where it has been there from the start.
    #[cfg(feature = "llama")]
    pub(super) fn ready(&self) -> impl Future<Output = ()> + 'static {
        let slot = self.loader.as_ref().map(|on_its_way| on_its_way.slot());
        async move {
            let is_there = match slot {
                Some(slot) => slot.wait().await.is_ok(),
                None => false,
            };
            if !is_there {
                std::future::pending().await
            }
        }
    }

    /// Never.
    #[cfg(not(feature = "llama"))]
    pub(super) fn ready(&self) -> std::future::Pending<()> {
        std::future::pending()
    }

    /// News for the player that is not shown yet.
    pub(super) fn take_news(&self) -> Vec<String> {
        #[cfg(feature = "llama")]
        if let Some(on_its_way) = &self.loader {
            return on_its_way.take_news();
        }
        Vec::new()
    }
}

/// Returns the planner for play: it answers at once, even before its model is ready.
pub(super) fn for_play(
    settings: &CliSettings,
    args: &PlannerArgs,
    status: &PromptStatus,
    err: &mut Out,
) -> Result<PlannerSetup, TurnError> {
    // Only a model has anything to show.
    #[cfg(not(feature = "llama"))]
    let _ = status;
    match &args.planner {
        #[cfg(feature = "llama")]
        PlannerChoice::Auto => model::for_play(settings, args, status, err),
        _ => for_command(settings, args, err),
    }
}

/// Returns the planner for a single request: it uses a model that is here, or none.
pub(super) fn for_command(
    settings: &CliSettings,
    args: &PlannerArgs,
    err: &mut Out,
) -> Result<PlannerSetup, TurnError> {
    // Only a model has to be found, and can fail to be.
    #[cfg(not(feature = "llama"))]
    let _ = (settings, err);
    match &args.planner {
        #[cfg(feature = "llama")]
        PlannerChoice::Auto | PlannerChoice::Llama => model::for_command(settings, args, err),
        #[cfg(not(feature = "llama"))]
        PlannerChoice::Auto => Ok(lexical()),
        PlannerChoice::Lexical => Ok(lexical()),
        PlannerChoice::Scripted(path) => {
            Ok(PlannerSetup { planner: Box::new(scripted(path)?), ..lexical() })
        }
    }
}

fn lexical() -> PlannerSetup {
    let planner = Box::new(LexicalPlanner::new());
    PlannerSetup { planner, text: TextModelSlot::default(), pending_model: PendingModel::default() }
}

fn scripted(path: &Path) -> Result<ScriptedPlanner, CliError> {
    let bad = |why: String| CliError::BadScript { path: path.to_owned(), why };
    let bytes = files::read(path, "planner script", PLANNER_SCRIPT_BYTES_MAX)?;
    let text = String::from_utf8(bytes).map_err(|error| bad(error.to_string()))?;
    ScriptedPlanner::parse(&text).map_err(|error| bad(error.to_string()))
}
