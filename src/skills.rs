//! Row 2: skill packages. A directory (opened through cap-std) or an embedded package becomes a
//! [`Skill`] in the [`Catalog`]; what is wrong with a package becomes a [`Problem`], never a failure of
//! the others. Knows the wire; knows nothing of plans, wasmtime or stories.

mod catalog;
mod front_matter;
mod health;
mod package;
mod problem;
mod schema;

pub use catalog::{
    Catalog, Example, Grants, Origin, RetryPolicy, Script, ScriptLimits, Skill, ToolPathError,
    Trigger,
};
pub use health::{FAILURES_IN_A_ROW, Health, HealthBook, Signal, Transition};
pub use schema::{Mismatch, Schema, SchemaError};
