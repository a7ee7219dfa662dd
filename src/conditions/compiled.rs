//! A condition that was checked once and is answered again and again.

use serde::{Deserialize, Serialize};

use crate::{
    ConditionFacts, ConditionNode,
    eval::ConditionEvaluator,
    meter::{CONDITION_COST_MAX, CelError},
    value::CelValue,
};

/// The version of the form in which nodes are kept. A document with conditions names it, and readers refuse any other.
/// 1: the first.
pub const CONDITION_FORM: u32 = 1;

/// A condition with the text that its author wrote.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompiledCondition {
    /// As its author wrote it.
    pub text: String,
    /// As it is evaluated.
    pub node: ConditionNode,
}

impl CompiledCondition {
    /// Returns true or false. The error is a sentence that says why there is no answer.
    pub fn holds<'a>(&'a self, facts: &'a dyn ConditionFacts<'a>) -> Result<bool, String> {
        answer(&self.node, facts)
    }
}

/// Evaluates a condition within [`CONDITION_COST_MAX`] and without copying facts. If it has no answer, the error is a
/// sentence without its end.
pub fn answer<'a>(
    node: &'a ConditionNode,
    facts: &'a dyn ConditionFacts<'a>,
) -> Result<bool, String> {
    match ConditionEvaluator::new(facts).value(node) {
        Ok(CelValue::Bool(answer)) => Ok(answer),
        Ok(other) => Err(format!("it gives {}, not true or false", other.type_name())),
        Err(CelError::NoValue(what)) => Err(what.into_owned()),
        Err(CelError::CostExceeded) => {
            Err(format!("it looks at too much (more than {CONDITION_COST_MAX} values)"))
        }
    }
}
