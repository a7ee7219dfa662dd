//! The plan around a condition: which steps it may name, and the schemas of what it reads.

use serde_json::Value;

use crate::StepIdx;

/// Resolves the names in a condition's text.
pub(crate) trait ConditionScope {
    fn step(&self, id: &str) -> Option<StepIdx>;

    /// All `toolId`s, for hints.
    fn ids(&self) -> Vec<String>;

    /// The schema of the step's output, if there is one. A step with `forEach` gives a list of outputs.
    fn output_schema(&self, id: &str) -> Option<Value>;

    /// The schema of the step's own input, if there is one.
    fn input_schema(&self) -> Option<Value>;
}
