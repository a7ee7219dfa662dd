//! The planner of a program that plays several stories at once: they share one language model, which every planner that has one
//! takes from here.

use narratoria_engine::TurnError;

use super::{PlannerSetup, for_command};
#[cfg(feature = "llama")]
use super::{lexical, model};
use crate::{args::PlannerArgs, settings::CliSettings};
#[cfg(feature = "llama")]
use crate::{args::PlannerChoice, meaning};
use narratoria_ui::Out;

/// Makes a planner for each story.
pub(crate) struct SharedPlanner {
    args: PlannerArgs,
    /// The model that the stories share, if there is one or one loads.
    #[cfg(feature = "llama")]
    model: Option<model::SharedModel>,
}

impl SharedPlanner {
    /// Loads the model that the player asks for. Another one begins to load, and stories are played without it
    /// meanwhile.
    pub(crate) fn open(
        settings: &CliSettings,
        args: PlannerArgs,
        err: &mut Out,
    ) -> Result<SharedPlanner, TurnError> {
        #[cfg(not(feature = "llama"))]
        let _ = (settings, err);
        #[cfg(feature = "llama")]
        let model = match args.planner {
            PlannerChoice::Auto | PlannerChoice::Llama => model::for_stories(settings, &args, err)?,
            PlannerChoice::Lexical | PlannerChoice::Scripted(_) => None,
        };
        Ok(SharedPlanner {
            args,
            #[cfg(feature = "llama")]
            model,
        })
    }

    /// The planner of one more story. Loads no language model.
    pub(crate) fn for_story(
        &self,
        settings: &CliSettings,
        err: &mut Out,
    ) -> Result<PlannerSetup, TurnError> {
        #[cfg(feature = "llama")]
        match (&self.model, &self.args.planner) {
            (Some(shared), choice) => return shared.for_story(settings, choice),
            // A model that has come to this machine since then would be loaded once for each story.
            (None, PlannerChoice::Auto | PlannerChoice::Llama) => {
                return Ok(lexical(meaning::script_index(settings)?));
            }
            (None, PlannerChoice::Lexical | PlannerChoice::Scripted(_)) => {}
        }
        for_command(settings, &self.args, err)
    }
}
