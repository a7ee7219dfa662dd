//! A plan with the planner that made it.

use narratoria_narrator::{
    Fallback,
    tick::{TickPlan, TickPlanError, TickProposal, TickResponse, TickStory},
};

use super::progress::{StageProgress, TickStop};

/// A plan with its origin.
pub(super) struct PlannedTick {
    pub(super) plan: TickPlan,
    pub(super) planner: String,
    pub(super) fallback: Option<Fallback>,
}

impl PlannedTick {
    /// Checks the answer of a planner.
    pub(super) fn check(
        response: TickResponse,
        pov: Option<&str>,
        progress: &mut StageProgress,
    ) -> Result<PlannedTick, TickStop> {
        let TickResponse { planner, proposal, fallback } = response;
        let parsed = match proposal {
            TickProposal::Plan(plan) => Ok(plan),
            TickProposal::Text(text) => TickPlan::parse(&text),
        };
        let mut plan = parsed.map_err(|error| {
            if let TickPlanError::Invalid { document, .. } = &error {
                progress.plan = Some((**document).clone());
            }
            TickStop::Fault(Box::new(progress.fault(error.kind(), error.to_string())))
        })?;
        if let Some(pov) = pov {
            plan.pov_character = Some(pov.to_owned());
            plan.document.insert("pov_character".to_owned(), pov.into());
        }
        progress.plan = Some(plan.document.clone().into());
        Ok(PlannedTick { plan, planner, fallback })
    }

    /// Returns the warnings for people about the plan for a story.
    pub(super) fn warnings(&self, story: &TickStory) -> Vec<String> {
        let by = &self.planner;
        let instead = self.fallback.iter().map(|Fallback { planner, why, .. }| {
            format!("`{planner}` made no plan, so `{by}` made it: {why}")
        });
        instead.chain(self.plan.warnings()).chain(unknown_names(&self.plan, story)).collect()
    }
}

/// Returns a warning for each name that the story does not have. The scene then has what the story itself would choose.
fn unknown_names(plan: &TickPlan, story: &TickStory) -> Vec<String> {
    let pov = plan.pov_character.as_deref().filter(|id| story.character(id).is_none());
    let pov =
        pov.map(|id| format!("`pov_character` is `{id}`, and the story has no such character"));
    let place = plan.target_location.as_deref().filter(|id| story.location(id).is_none());
    let place =
        place.map(|id| format!("`target_location` is `{id}`, and the story has no such place"));
    pov.into_iter().chain(place).collect()
}
