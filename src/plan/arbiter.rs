//! The arbiter (S3): chooses the skill that runs a step if several could, and judges the result of a step.
//!
//! The executor asks while a plan runs, and a planner with a model answers. Both know only this trait. Without an
//! arbiter, the executor's rule chooses, and the player judges what no rule and no model can.

use std::{
    future::{Future, ready},
    pin::Pin,
    time::Duration,
};

use serde_json::Value;

use super::{PlanStatus, StepStatus};

/// How long an arbiter may take for an answer. It is optional, and the plan's own time runs meanwhile.
pub const ARBITER_TIMEOUT: Duration = Duration::from_secs(5);

/// The name of a candidate. `None` leaves the choice to the executor's rule.
pub type ChoiceFuture = Pin<Box<dyn Future<Output = Option<String>> + Send>>;

/// True if the criterion is met. `None` leaves it to the player.
pub type JudgmentFuture = Pin<Box<dyn Future<Output = Option<bool>> + Send>>;

pub trait Arbiter: Send + Sync {
    /// Chooses the skill for a step that is about to start, perhaps for several steps at once. The executor sets the
    /// deadline.
    fn choose(&self, request: ArbitrationRequest) -> ChoiceFuture;

    /// Judges whether an output meets a criterion that has no rule. The caller sets the deadline.
    fn judge(&self, _request: CriterionRequest) -> JudgmentFuture {
        Box::pin(ready(None))
    }
}

/// A choice to make, and the plan around it (S3 "Plan in Arbiter Context").
#[derive(Debug, Clone, PartialEq)]
pub struct ArbitrationRequest {
    /// The player's sentence.
    pub task: String,
    pub status: PlanStatus,
    /// All steps of the plan, in run order.
    pub steps: Vec<ArbiterStep>,
    /// Index of the step that is about to start.
    pub current: usize,
    /// Indices of the steps that have ended, in the order in which they ended.
    pub history: Vec<usize>,
    /// The last failure of this plan, otherwise why the plan before it failed.
    pub last_error: Option<String>,
    /// The skills that are healthy and accept the input, the rule's choice first. At least two.
    pub candidates: Vec<ArbiterCandidate>,
}

/// The facts about one step that an arbiter needs.
#[derive(Debug, Clone, PartialEq)]
pub struct ArbiterStep {
    /// The plan's description, otherwise the tool path.
    pub description: String,
    pub status: StepStatus,
    pub suggested_skill: Option<String>,
    /// `<skill>@<version>`.
    pub executed_by: Option<String>,
    /// A summary of its output, why it failed, or why it was skipped.
    pub result: Option<String>,
    pub instructions: Option<String>,
    pub acceptance_criteria: Vec<String>,
}

/// A skill that could run a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArbiterCandidate {
    /// Name of the skill.
    pub skill: String,
    pub description: String,
}

/// A criterion to judge.
#[derive(Debug, Clone, PartialEq)]
pub struct CriterionRequest {
    /// The player's sentence.
    pub task: String,
    /// The step's description.
    pub step: String,
    pub criterion: String,
    pub output: Value,
}

impl ArbitrationRequest {
    /// S3 "Plan in Arbiter Context": returns the number of complete steps, and of all steps.
    pub fn progress(&self) -> (usize, usize) {
        let done = self.steps.iter().filter(|step| step.status == StepStatus::Complete).count();
        (done, self.steps.len())
    }

    /// Returns the indices of the other steps that have not started.
    pub fn remaining(&self) -> impl Iterator<Item = usize> {
        let is_open = |(index, step): &(usize, &ArbiterStep)| {
            step.status == StepStatus::Pending && *index != self.current
        };
        self.steps.iter().enumerate().filter(is_open).map(|(index, _)| index)
    }
}
