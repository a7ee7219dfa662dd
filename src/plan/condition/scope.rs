//! The plan around a condition: the steps that it may name, and the types of the values that it reads.

use super::cel_type::CelType;
use crate::StepIdx;
use narratoria_skills::{PatternFault, PatternSize};

/// Resolves the names in a condition's text.
pub(crate) trait ConditionScope {
    fn step(&self, id: &str) -> Option<StepIdx>;

    /// Returns all `toolId`s, for hints.
    fn ids(&self) -> Vec<String>;

    /// Returns the type of the step's output. A step with `forEach` gives a list of outputs.
    fn output_type(&self, id: &str) -> CelType<'_>;

    /// Returns the type of the step's own input.
    fn input_type(&self) -> CelType<'_>;

    /// Returns the type of the step's own output, which only an acceptance criterion may read. A criterion reads
    /// nothing but
    /// `output` and `input`.
    fn own_output_type(&self) -> Option<CelType<'_>> {
        None
    }

    /// Returns the type of a variable, which only a campaign has.
    fn variable(&self, _name: &str) -> Option<CelType<'_>> {
        None
    }

    /// Returns all variables, for hints; `None` if conditions read a plan.
    fn variables(&self) -> Option<Vec<String>> {
        None
    }

    /// Measures the pattern of a `matches` before it is compiled, and takes its cost from the plan's budget.
    fn take_pattern(&self, pattern: &str) -> Result<PatternSize, PatternFault>;
}
