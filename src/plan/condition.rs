//! Conditions of steps (`when`): CEL over what is known when a step could start (DESIGN §4.1).
//!
//! The `cel` crate reads the text; names and types are checked here, and answers are worked out here,
//! on the JSON itself and on a meter: an interpreter without one could be made to run for ever by a few
//! nested `map`s. Tests hold the answers against the crate's own interpreter.
//!
//! # What differs from CEL
//!
//! - A number is whole or not by its value, not by its spelling: `15` and `15.0` in JSON are both an `int`.
//! - Arithmetic may mix whole numbers and others, as comparisons do: `3 * 1.5` is `4.5`.
//! - What is not JSON (`bytes`, `uint`, timestamps, types as values, protocol buffers) is refused, and so
//!   is a pattern of `matches` that is not written out: it is compiled once, when the plan is checked.

mod cel_type;
mod check;
mod eval;
mod functions;
mod names;
mod node;
mod syntax;
#[cfg(test)]
mod tests;
mod value;

use std::collections::BTreeMap;

use serde_json::Value;

use super::{StepIdx, error::quote};
use check::ConditionChecker;
use eval::{CelError, ConditionEvaluator};
use narratoria_protocol::Object;
use node::ConditionNode;
use value::CelValue;

/// Longest condition. What is longer is a script's business, and the parser's time grows with it.
pub const CONDITION_BYTES_MAX: usize = 1_000;

/// How deep a condition may nest. Reading and answering both recurse; people stop at three or four.
pub const CONDITION_DEPTH_MAX: usize = 48;

/// What answering may cost: one for each part of the condition that is visited, each value that is compared
/// and each 16 bytes of text. A loop over ten thousand values fits, and the ceiling is reached within
/// a fraction of a second.
pub const CONDITION_COST_MAX: u64 = 1_000_000;

/// A checked condition.
#[derive(Debug, Clone)]
pub struct Condition {
    text: String,
    root: ConditionNode,
    steps: Vec<StepIdx>,
    reads_state: bool,
}

/// What a condition's text may name.
pub(super) trait ConditionScope {
    /// The step of this `toolId`.
    fn step(&self, id: &str) -> Option<StepIdx>;

    /// All `toolId`s, for hints.
    fn ids(&self) -> Vec<String>;

    /// What the step's output is known to meet: of a step with `forEach` a list of outputs.
    fn output_schema(&self, id: &str) -> Option<Value>;

    /// What the step's own input is known to meet.
    fn input_schema(&self) -> Option<Value>;
}

/// What a condition may look at.
#[derive(Debug)]
pub struct ConditionBindings<'a> {
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
        self.reads_state
    }

    /// Reads and checks a condition. Steps are numbered as `scope` numbers them; says everything that is
    /// wrong, a sentence each. Never panics, whatever the text.
    pub(super) fn build(text: &str, scope: &dyn ConditionScope) -> Result<Condition, Vec<String>> {
        let expression = syntax::parse(text).map_err(|what| vec![what])?;
        let (root, found) = ConditionChecker::new(scope).check(&expression)?;
        let steps = found.steps.into_iter().collect();
        Ok(Condition { text: text.to_owned(), root, steps, reads_state: found.reads_state })
    }

    /// Renumbers the steps: `place_of[old]` is the new number.
    pub(super) fn renumber_steps(&mut self, place_of: &[usize]) {
        for step in &mut self.steps {
            *step = StepIdx(place_of[step.0]);
        }
        self.steps.sort_unstable();
    }

    /// Answers it. Takes no more time than [`CONDITION_COST_MAX`] allows, and copies no fact.
    pub fn holds(&self, facts: &ConditionBindings<'_>) -> Result<bool, ConditionError> {
        let what = match ConditionEvaluator::new(facts).value(&self.root) {
            Ok(CelValue::Bool(answer)) => return Ok(answer),
            Ok(other) => format!("it gives {}, not true or false", other.type_name()),
            Err(CelError::NoValue(what)) => what,
            Err(CelError::CostExceeded) => {
                format!("it looks at too much (more than {CONDITION_COST_MAX} values)")
            }
        };
        Err(ConditionError { condition: quote(&self.text), what })
    }
}
