//! The source of a turn's plans, and their reviewer.

use super::{Reviewer, plan_draft::PlanStart};

pub(crate) struct PlanSource<'a> {
    /// A plan that exists before the turn: from a file, or from the journal of a turn that was cut short.
    pub(crate) first: Option<PlanStart>,
    /// True if the planner may be asked for others.
    pub(crate) can_replan: bool,
    pub(crate) reviewer: Option<&'a mut dyn Reviewer>,
    /// Drafts that the reviewer has sent back in this turn.
    pub(crate) regenerations: u32,
}
