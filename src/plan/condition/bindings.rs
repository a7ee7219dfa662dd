//! The values that the names in a step's condition stand for.

use std::collections::BTreeMap;

use serde_json::Value;

use narratoria_conditions::ConditionFacts;
use narratoria_protocol::Object;

/// The variables of a condition.
#[derive(Debug)]
pub struct ConditionBindings<'a> {
    /// `steps.<toolId>`: outputs of the steps that the condition names. A missing output is null.
    pub steps: BTreeMap<&'a str, &'a Value>,
    /// `state`: the whole story state as the step sees it.
    pub state: &'a Object,
    /// `input`: the step's own input, references filled in. The condition of a loop is evaluated before the loop
    /// begins, so parts that take `$item` or `$index` are null.
    pub input: &'a Value,
    /// `output`: the step's own output, for an acceptance criterion.
    pub output: Option<&'a Value>,
}

impl<'a> ConditionFacts<'a> for ConditionBindings<'a> {
    fn step(&self, id: &str) -> Option<&'a Value> {
        self.steps.get(id).copied()
    }

    fn state(&self) -> Option<&'a Object> {
        Some(self.state)
    }

    fn input(&self) -> Option<&'a Value> {
        Some(self.input)
    }

    fn output(&self) -> Option<&'a Value> {
        self.output
    }
}
