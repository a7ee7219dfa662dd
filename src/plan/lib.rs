//! Plans: a plan's text becomes a [`Plan`] that can run, or a list of everything wrong with it. Pure:
//! knows the wire and the catalog; knows nothing of wasmtime, timers or stories.

mod arbiter;
mod build;
mod condition;
mod criterion;
mod diff;
mod edit;
mod error;
mod estimate;
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

pub use arbiter::{
    ARBITER_TIMEOUT, Arbiter, ArbiterCandidate, ArbiterStep, ArbitrationRequest, ChoiceFuture,
    CriterionRequest, JudgmentFuture,
};
pub use build::{BuildOptions, PLAN_CHECK_STEPS_MAX, STEPS_MAX};
pub use condition::{
    Condition, ConditionBindings, ConditionError, ConditionVariable, ConditionVocabulary,
    VariableKind,
};
pub use criterion::{
    Criterion, CriterionJson, CriterionJudge, CriterionRule, CriterionVerdict, RuledCriterionJson,
};
pub use diff::{FieldChange, PlanDiff, StepChange, StepMove, StepPosition, diff};
pub use edit::{PlanEdit, PlanEditError, PlanRevision, apply_edit};
pub use error::{FailureCategory, PlanError, PlanErrors, quote, script_of_file};
pub use estimate::{DurationEstimate, ESTIMATE_RUNS_MAX, ScriptTimes};
pub use model::{Candidate, FOR_EACH_ITEMS_DEFAULT, ForEach, Plan, Step};
pub use parse::{PLAN_BYTES_MAX, parse, parse_document};
pub use record::{
    CONTEXT_KEY, CriterionJudgment, PlanContext, PlanRecord, PlanRecordError, PlanStatus,
    StepRecord, StepStatus, TASK_KEY, VERSION_KEY,
};
pub use reference::{
    EmbeddedReference, FILLED_INPUT_BYTES_MAX, FillBudget, PathPart, REFERENCE_BYTES_MAX,
    Reference, ReferenceCheckError, ReferenceError, ReferenceScope, ReferenceSlot, ReferenceSource,
    ValueTemplate, embedded_references,
};
pub use step_id::StepIdx;
pub use template::{
    ParameterType, PlaceholderError, PlanTemplate, PlanTemplateError, TEMPLATE_BYTES_MAX,
    TemplateParameter, check_template_name,
};
pub use wire::{PlanJson, same_definition};
