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

pub use build::{BuildOptions, STEPS_MAX};
pub use condition::{
    CONDITION_BYTES_MAX, CONDITION_COST_MAX, CONDITION_DEPTH_MAX, Condition, ConditionBindings,
    ConditionError,
};
pub use diff::{DIFF_CHANGES_MAX, FieldChange, PlanDiff, StepChange, StepMove, StepPosition, diff};
pub use edit::{PlanEdit, PlanEditError, PlanRevision, apply_edit};
pub use error::quote;
pub use error::{FailureCategory, PLAN_ERRORS_MAX, PlanError, PlanErrors};
pub use model::{Candidate, FOR_EACH_ITEMS_DEFAULT, FOR_EACH_ITEMS_MAX, ForEach, Plan, Step};
pub use parse::{PLAN_BYTES_MAX, PLAN_JSON_SCHEMA, parse};
pub use record::VERSION_KEY;
pub use record::{PlanRecord, PlanRecordError, PlanStatus, StepRecord, StepStatus};
pub use reference::{
    PathPart, REFERENCE_BYTES_MAX, REFERENCE_PARTS_MAX, Reference, ReferenceCheckError,
    ReferenceError, ReferenceScope, ReferenceSlot, ReferenceSource, ValueTemplate,
};
pub use step_id::StepIdx;
pub use template::{
    PLAN_TEMPLATE_JSON_SCHEMA, ParameterType, PlaceholderError, PlanTemplate, PlanTemplateError,
    TEMPLATE_BYTES_MAX, TEMPLATE_NAME_BYTES_MAX, TEMPLATE_PARAMETERS_MAX, TEMPLATE_VALUE_BYTES_MAX,
    TemplateParameter, check_template_name,
};
pub use wire::{PlanJson, same_definition};
