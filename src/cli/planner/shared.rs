//! The planner of a program that plays several stories at once: they share one language model.

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
    model: Option<model::LoadingModel>,
}

impl SharedPlanner {
    /// Begins to load the model, if there is one; stories are played without it meanwhile.
    pub(crate) fn open(
        settings: &CliSettings,
        args: PlannerArgs,
    ) -> Result<SharedPlanner, TurnError> {
        #[cfg(not(feature = "llama"))]
        let _ = settings;
        #[cfg(feature = "llama")]
        let model = match args.planner {
            PlannerChoice::Auto => model::for_stories(settings, &args)?,
            _ => None,
        };
        Ok(SharedPlanner {
            args,
            #[cfg(feature = "llama")]
            model,
        })
    }

    /// The planner of one more story.
    pub(crate) fn for_story(
        &self,
        settings: &CliSettings,
        err: &mut Out,
    ) -> Result<PlannerSetup, TurnError> {
        #[cfg(feature = "llama")]
        if let Some(shared) = &self.model {
            return shared.for_story(settings);
        }
        for_command(settings, &self.args, err)
    }
}
