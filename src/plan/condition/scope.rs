//! The plan around a condition: which steps it may name, and the types of what it reads.

use super::cel_type::CelType;
use crate::StepIdx;
use narratoria_skills::{PatternFault, PatternSize};

/// Resolves the names in a condition's text.
pub(crate) trait ConditionScope {
    fn step(&self, id: &str) -> Option<StepIdx>;

    /// All `toolId`s, for hints.
    fn ids(&self) -> Vec<String>;

    /// The type of the step's output. A step with `forEach` gives a list of outputs.
    fn output_type(&self, id: &str) -> CelType<'_>;

    /// The type of the step's own input.
    fn input_type(&self) -> CelType<'_>;

    /// The type of the step's own output, which only an acceptance criterion may read. A criterion reads nothing but
    /// `output` and `input`.
    fn own_output_type(&self) -> Option<CelType<'_>> {
        None
    }

    /// The type of a variable of its own name, which only a campaign has.
    fn variable(&self, _name: &str) -> Option<CelType<'_>> {
        None
    }

    /// All variables of their own names, for hints; none where conditions read a plan.
    fn variables(&self) -> Option<Vec<String>> {
        None
    }

    /// Measures the pattern of a `matches` before it is compiled, and takes it from what the plan has left.
    fn take_pattern(&self, pattern: &str) -> Result<PatternSize, PatternFault>;
}
