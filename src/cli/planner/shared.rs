//! The planner of a program that plays several stories at once: they share one language model, which every planner that has one
//! takes from here.

use narratoria_engine::TurnError;

#[cfg(feature = "llama")]
use super::model;
use super::{PlannerSetup, for_command};
#[cfg(feature = "llama")]
use crate::args::PlannerChoice;
use crate::{args::PlannerArgs, settings::CliSettings};
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
        // A model that comes to this machine later would be loaded once for each story.
        #[cfg(feature = "llama")]
        let args = match (&model, &args.planner) {
            (None, PlannerChoice::Auto) => PlannerArgs::lexical(args.seed),
            _ => args,
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
        if let Some(shared) = &self.model {
            return shared.for_story(settings, &self.args.planner);
        }
        for_command(settings, &self.args, err)
    }
}
