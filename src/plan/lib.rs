//! Row 3: a plan's text becomes a [`Plan`] that can run, or a list of everything wrong with it. Pure:
//! knows the wire and the catalog; knows nothing of wasmtime, timers or stories.

mod build;
mod condition;
mod diff;
mod edit;
mod error;
mod graph;
mod model;
mod parse;
mod record;
mod reference;
mod step_id;
mod template;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod tool_path;
pub mod wire;

pub use build::{BuildOptions, PLAN_CHECK_STEPS_MAX, STEPS_MAX};
pub use condition::{Condition, ConditionBindings, ConditionError};
pub use diff::{FieldChange, PlanDiff, StepChange, StepMove, StepPosition, diff};
pub use edit::{PlanEdit, PlanEditError, PlanRevision, apply_edit};
pub use error::{FailureCategory, PlanError, PlanErrors, quote};
pub use model::{Candidate, FOR_EACH_ITEMS_DEFAULT, ForEach, Plan, Step};
pub use parse::{PLAN_BYTES_MAX, parse, parse_document};
pub use record::{PlanRecord, PlanRecordError, PlanStatus, StepRecord, StepStatus, VERSION_KEY};
pub use reference::{
    PathPart, REFERENCE_BYTES_MAX, Reference, ReferenceCheckError, ReferenceError, ReferenceScope,
    ReferenceSlot, ReferenceSource, ValueTemplate,
};
pub use step_id::StepIdx;
pub use template::{
    ParameterType, PlaceholderError, PlanTemplate, PlanTemplateError, TEMPLATE_BYTES_MAX,
    TemplateParameter, check_template_name,
};
pub use wire::{PlanJson, same_definition};
