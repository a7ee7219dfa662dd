//! Conditions of steps (`when`): CEL over the facts that are known when a step could start (docs/plans.md,
//! "Conditions").
//!
//! The `cel` crate parses the text; this module checks names and types, and `narratoria-conditions` evaluates the
//! condition on the JSON itself under a cost limit. An interpreter without a limit could run forever on a few nested
//! `map`s. Tests compare the answers with the crate's own interpreter. A campaign's conditions are checked by the same
//! rules over the names of its [`ConditionVocabulary`].
//!
//! # Differences from CEL
//!
//! - The value of a number decides whether it is whole, not its spelling: `15` and `15.0` in JSON are both an `int`.
//! - Arithmetic may mix whole numbers and others, as comparisons do: `3 * 1.5` is `4.5`.
//! - The check refuses types that JSON lacks (`bytes`, `uint`, timestamps, types as values, protocol buffers).
//! - The pattern of `matches` must be a literal: the check compiles it once.

mod bindings;
mod cel_type;
mod check;
mod known_names;
mod names;
mod pattern;
mod scope;
mod sides;
mod syntax;
#[cfg(test)]
mod tests;
mod vocabulary;

pub use bindings::ConditionBindings;
pub(crate) use cel_type::CelType;
pub(crate) use scope::ConditionScope;
pub use vocabulary::{ConditionVariable, ConditionVocabulary, VariableKind};

use crate::{StepIdx, error::quote};
use check::ConditionChecker;
use narratoria_conditions::ConditionNode;

/// A checked condition.
#[derive(Debug, Clone)]
pub struct Condition {
    text: String,
    root: ConditionNode,
    steps: Vec<StepIdx>,
    reads_state: bool,
}

/// A condition that has no answer at run time. People and planners read this text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the condition `{condition}` has no answer: {what}")]
pub struct ConditionError {
    /// The condition's text, clipped.
    pub condition: String,
    pub what: String,
}

impl Condition {
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Steps whose output the condition reads, ascending.
    pub fn steps(&self) -> &[StepIdx] {
        &self.steps
    }

    /// Returns true if the condition reads the state. Otherwise the caller need not prepare the state.
    pub fn reads_state(&self) -> bool {
        self.reads_state
    }

    /// Parses and checks a condition, and numbers steps as `scope` does. Reports every error, one sentence each. Never
    /// panics, whatever the text.
    pub(super) fn build(text: &str, scope: &dyn ConditionScope) -> Result<Condition, Vec<String>> {
        let expression = syntax::parse(text).map_err(|what| vec![what])?;
        let (root, found) = ConditionChecker::new(scope).check(&expression)?;
        let steps = found.steps.into_iter().collect();
        Ok(Condition { text: text.to_owned(), root, steps, reads_state: found.reads_state })
    }

    /// Renumbers the steps: `place_of[old]` is the new index.
    pub(super) fn renumber_steps(&mut self, place_of: &[usize]) {
        for step in &mut self.steps {
            *step = StepIdx(place_of[step.0]);
        }
        self.steps.sort_unstable();
    }

    /// Evaluates the condition, within a cost limit and without copying facts.
    pub fn holds(&self, bindings: &ConditionBindings<'_>) -> Result<bool, ConditionError> {
        narratoria_conditions::answer(&self.root, bindings)
            .map_err(|what| ConditionError { condition: quote(&self.text), what })
    }
}
