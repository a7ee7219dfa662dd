//! Who makes the plans: the voice that was asked for, and what scripts may write with.

#[cfg(feature = "llama")]
mod model;

use std::path::Path;

use narratoria::{
    engine::TurnError,
    narrator::{LexicalVoice, Planner, SCRIPT_BYTES_MAX, ScriptedVoice},
    sandbox::TextModelSlot,
};

use super::{
    args::{PlannerArgs, Voice},
    error::CliError,
    files,
    settings::Settings,
};
use crate::ui::{Out, Status};

/// A voice, and what it speaks with.
pub(super) struct Narrator {
    pub(super) planner: Box<dyn Planner>,
    /// For scripts that may write with the model.
    pub(super) text: TextModelSlot,
    pub(super) coming: Coming,
}

/// A model that may still be on its way. Dropped, the way ends; what was fetched is kept.
#[derive(Default)]
pub(super) struct Coming {
    #[cfg(feature = "llama")]
    on_its_way: Option<model::OnItsWay>,
}

impl Coming {
    /// When it is there. Never, where none comes or where it has been there from the start.
    #[cfg(feature = "llama")]
    pub(super) fn ready(&self) -> impl Future<Output = ()> + 'static {
        let slot = self.on_its_way.as_ref().map(|on_its_way| on_its_way.slot());
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

    /// What the player should know of it and has not been told.
    pub(super) fn take_news(&self) -> Vec<String> {
        #[cfg(feature = "llama")]
        if let Some(on_its_way) = &self.on_its_way {
            return on_its_way.take_news();
        }
        Vec::new()
    }
}

/// The voice for somebody who plays: it speaks at once, whatever its model still needs.
pub(super) fn for_play(
    settings: &Settings,
    args: &PlannerArgs,
    status: &Status,
    err: &mut Out,
) -> Result<Narrator, TurnError> {
    // Only a model has anything to show.
    #[cfg(not(feature = "llama"))]
    let _ = status;
    match &args.planner {
        #[cfg(feature = "llama")]
        Voice::Auto => model::for_play(settings, args, status, err),
        _ => at_once(settings, args, err),
    }
}

/// The voice for a verb that has one thing to ask: what it needs is here, or it does without.
pub(super) fn at_once(
    settings: &Settings,
    args: &PlannerArgs,
    err: &mut Out,
) -> Result<Narrator, TurnError> {
    // Only a model has to be found, and can fail to be.
    #[cfg(not(feature = "llama"))]
    let _ = (settings, err);
    match &args.planner {
        #[cfg(feature = "llama")]
        Voice::Auto | Voice::Llama => model::at_once(settings, args, err),
        #[cfg(not(feature = "llama"))]
        Voice::Auto => Ok(lexical()),
        Voice::Lexical => Ok(lexical()),
        Voice::Scripted(path) => Ok(Narrator { planner: Box::new(scripted(path)?), ..lexical() }),
    }
}

fn lexical() -> Narrator {
    let planner = Box::new(LexicalVoice::new());
    Narrator { planner, text: TextModelSlot::default(), coming: Coming::default() }
}

fn scripted(path: &Path) -> Result<ScriptedVoice, CliError> {
    let bad = |why: String| CliError::BadScript { path: path.to_owned(), why };
    let bytes = files::read(path, "planner script", SCRIPT_BYTES_MAX)?;
    let text = String::from_utf8(bytes).map_err(|error| bad(error.to_string()))?;
    ScriptedVoice::parse(&text).map_err(|error| bad(error.to_string()))
}
