//! A plan with the planner that made it.

use narratoria_narrator::{
    Fallback,
    tick::{TickPlan, TickPlanError, TickProposal, TickResponse},
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

    /// Returns the warnings for people about the plan.
    pub(super) fn warnings(&self) -> Vec<String> {
        let by = &self.planner;
        let instead = self.fallback.iter().map(|Fallback { planner, why, .. }| {
            format!("`{planner}` made no plan, so `{by}` made it: {why}")
        });
        instead.chain(self.plan.warnings()).collect()
    }
}
