//! Conditions of steps (`when`): CEL over what is known when a step could start (DESIGN §4.1).

use std::collections::BTreeMap;

use serde_json::Value;

use super::StepIdx;
use crate::protocol::Object;

/// A checked condition.
#[derive(Debug, Clone)]
pub struct Condition {
    text: String,
    steps: Vec<StepIdx>,
}

/// What a condition may look at.
#[derive(Debug)]
pub struct Facts<'a> {
    /// `steps.<toolId>`: outputs of the steps that the condition names; null where there is none.
    pub steps: BTreeMap<&'a str, &'a Value>,
    /// `state`: the story's state as the step sees it, all of it.
    pub state: &'a Object,
    /// `input`: the step's own, references filled in. Within a loop, `item` and `index` are not known yet:
    /// what takes them is null.
    pub input: &'a Value,
}

/// A condition that could not be answered. The text is what people and planners read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the condition `{condition}` has no answer: {what}")]
pub struct ConditionError {
    /// As written, cut short.
    pub condition: String,
    /// Why not.
    pub what: String,
}

impl Condition {
    /// As written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Steps that it looks at, ascending.
    pub fn steps(&self) -> &[StepIdx] {
        &self.steps
    }

    /// Whether it looks at the state; then the state has to be made for it.
    pub fn reads_state(&self) -> bool {
        self.text.contains("state")
    }

    /// Answers it.
    pub fn holds(&self, facts: &Facts<'_>) -> Result<bool, ConditionError> {
        let _ = facts;
        let (condition, what) = (self.text.clone(), "no evaluator".to_owned());
        Err(ConditionError { condition, what })
    }
}
