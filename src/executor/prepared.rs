//! A step that is ready for its first attempt, and the candidates that may run it.

use std::sync::Arc;

use serde_json::Value;

use crate::{ExecutedBy, Failure, arbiter::candidate_order};
use narratoria_plan::Step;
use narratoria_protocol::Object;
use narratoria_skills::{Health, HealthTracker};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RankedCandidate {
    /// Index into the step's candidates.
    pub(crate) candidate: usize,
    /// The health at the start of the plan.
    pub(crate) health: Health,
}

/// A candidate (index into the step's candidates) whose script does not accept the input, and the reason.
pub(crate) type MismatchedCandidate = (usize, Failure);

#[derive(Debug)]
pub(crate) struct PreparedStep {
    /// The filled input, one for each item; `None` if the input contains no references.
    pub(crate) inputs: Option<Vec<Object>>,
    /// How many items a loop has.
    pub(crate) items: Option<usize>,
    /// The first one runs the step; the others may take over.
    pub(crate) candidates: Vec<RankedCandidate>,
    /// Candidates whose scripts do not accept this input.
    pub(crate) mismatched: Vec<MismatchedCandidate>,
    /// The first candidate, once the arbitration has ended.
    pub(crate) executed_by: Option<Arc<ExecutedBy>>,
    /// Retries of the first candidate for the current item.
    pub(crate) candidate_attempts: u32,
    /// Attempts for the current item.
    pub(crate) attempt: u32,
    /// Outputs of the finished items.
    pub(crate) outputs: Vec<Value>,
    /// The last summary of the finished items.
    pub(crate) summary: Option<String>,
}

impl PreparedStep {
    /// Index of the current item.
    pub(crate) fn item(&self) -> Option<usize> {
        self.items.map(|_| self.outputs.len())
    }

    /// The script's input for the current item.
    pub(crate) fn input(&self, step: &Step) -> Object {
        match &self.inputs {
            Some(inputs) => inputs.get(self.outputs.len()).cloned(),
            None => step.input.value().as_object().cloned(),
        }
        .unwrap_or_default()
    }

    /// Returns the input as a person sees it before the step starts: for a loop an array of all inputs.
    pub(crate) fn approval_input(&self, step: &Step) -> Value {
        match (&self.inputs, self.items) {
            (Some(inputs), None) => inputs.first().cloned().map_or(Value::Null, Value::Object),
            (Some(inputs), Some(_)) => inputs.iter().cloned().map(Value::Object).collect(),
            (None, None) => step.input.value().clone(),
            (None, Some(items)) => Value::Array(vec![step.input.value().clone(); items]),
        }
    }
}

/// Returns the candidates of a step in the order in which they are tried. The run reads their health only once, at
/// its start, so that the order does not depend on timing.
pub(crate) fn rank_candidates(step: &Step, health: &HealthTracker) -> Vec<RankedCandidate> {
    let ranked = |candidate: usize| {
        let health = health.health(&step.candidates[candidate].skill.name);
        RankedCandidate { candidate, health }
    };
    candidate_order(step, health).into_iter().map(ranked).collect()
}
