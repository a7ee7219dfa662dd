//! The result of one case.

use std::{collections::BTreeSet, time::Duration};

use super::{case::EvalCase, field_score::FieldScore};
use narratoria_narrator::{Fallback, PlanTokens};

/// One case, planned once.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseResult<'c> {
    pub case: &'c EvalCase,
    /// The planner that made the plan.
    pub planner: String,
    /// The planner that it replaced, when the one that was asked had no plan.
    pub fallback: Option<Fallback>,
    pub outcome: CaseOutcome,
    /// From the request to the response.
    pub took: Duration,
    /// The cost of a plan that a model made.
    pub tokens: Option<PlanTokens>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseOutcome {
    /// A plan that can run.
    Valid { skills: BTreeSet<String>, fields: FieldScore },
    /// A plan that cannot run, or no plan at all.
    Invalid {
        /// The reasons, each a sentence.
        errors: Vec<String>,
    },
}

impl CaseResult<'_> {
    /// Returns true if there is a plan that can run.
    pub fn is_valid(&self) -> bool {
        matches!(self.outcome, CaseOutcome::Valid { .. })
    }

    /// Returns true if the plan uses the right skills.
    pub fn is_right(&self) -> bool {
        match &self.outcome {
            CaseOutcome::Valid { skills, .. } => self.case.accept.contains(skills),
            CaseOutcome::Invalid { .. } => false,
        }
    }

    /// How many of the expected fields are right.
    pub fn fields(&self) -> FieldScore {
        match &self.outcome {
            CaseOutcome::Valid { fields, .. } => *fields,
            CaseOutcome::Invalid { .. } => FieldScore::without_plan(self.case),
        }
    }

    /// Returns true if the planner that was asked made the plan.
    pub fn is_own(&self) -> bool {
        self.fallback.is_none()
    }
}
