//! A plan with the planner that made it.

use narratoria_narrator::{Fallback, tick::TickPlan};

/// A plan, and where it comes from.
pub(super) struct PlannedTick {
    pub(super) plan: TickPlan,
    pub(super) planner: String,
    pub(super) fallback: Option<Fallback>,
}

impl PlannedTick {
    /// What people should know about it.
    pub(super) fn warnings(&self) -> Vec<String> {
        let by = &self.planner;
        let instead = self.fallback.iter().map(|Fallback { planner, why, .. }| {
            format!("`{planner}` made no plan, so `{by}` made it: {why}")
        });
        instead.chain(self.plan.warnings()).collect()
    }
}
