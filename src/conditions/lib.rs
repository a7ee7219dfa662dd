//! Answers checked conditions (CEL) over JSON, under a cost limit. Knows neither the text of a condition nor
//! the meaning of its names: `plan` parses and checks conditions, and the caller brings the facts. Small, because
//! skills in the sandbox answer the conditions of campaigns with it.

mod compiled;
mod cost;
mod eval;
mod facts;
mod form;
mod functions;
mod meter;
mod node;
#[cfg(test)]
mod tests;
mod value;

pub use compiled::{CONDITION_FORM, CompiledCondition, answer};
pub use cost::{FactBound, cost_bound};
pub use facts::ConditionFacts;
pub use functions::usage_example;
pub use meter::CONDITION_COST_MAX;
pub use node::{
    CelFunction, CelOperator, Comprehension, ComprehensionKind, ConditionNode, TextPattern,
    is_identifier,
};
