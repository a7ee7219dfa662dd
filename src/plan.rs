//! Row 3: a plan's text becomes a [`Plan`] that can run, or a list of everything wrong with it. Pure:
//! knows the wire and the catalog; knows nothing of wasmtime, timers or stories.

mod build;
mod condition;
mod error;
mod graph;
mod model;
mod parse;
mod reference;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod tool_path;
pub mod wire;

pub use build::{BuildOptions, STEPS_MAX};
pub use condition::{Condition, ConditionError, Facts};
pub(crate) use error::quote;
pub use error::{FailureCategory, PLAN_ERRORS_MAX, PlanError, PlanErrors};
pub use model::{
    Candidate, FOR_EACH_ITEMS_DEFAULT, FOR_EACH_ITEMS_MAX, ForEach, Plan, Step, StepIdx,
};
pub use parse::{PLAN_BYTES_MAX, PLAN_JSON_SCHEMA, parse};
pub use reference::{Hole, PathPart, Reference, ReferenceError, Scope, Source, ValueTemplate};
pub use wire::PlanJson;
