//! What a person changes in a plan before it runs: each edit makes a new version, checked whole.

mod apply;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    BuildOptions, Plan, PlanErrors, PlanJson, ReferenceSource, Step, diff, parse,
    record::VERSION_KEY, wire::ToolJson,
};
use narratoria_protocol::Object;
use narratoria_skills::Catalog;

/// One change. As JSON `{"edit": "move", "toolId": "look", "to": 0}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "edit",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum PlanEdit {
    /// Another input, whole.
    SetInput {
        /// Of which step.
        tool_id: String,
        /// What it gets.
        input: Object,
    },
    /// Another description, or none.
    Describe {
        /// Of which step.
        tool_id: String,
        /// For people.
        description: Option<String>,
    },
    /// Another place among the steps.
    Move {
        /// Which step.
        tool_id: String,
        /// Its index in `tools` afterwards.
        to: usize,
    },
    /// The step stays in the plan, but will not run.
    Skip {
        /// Which step.
        tool_id: String,
    },
    /// It will run after all.
    Unskip {
        /// Which step.
        tool_id: String,
    },
    /// One more step.
    Add {
        /// The step.
        tool: Box<ToolJson>,
        /// Its index in `tools`; at the end by default.
        #[serde(default)]
        at: Option<usize>,
    },
    /// One step less.
    Remove {
        /// Which step.
        tool_id: String,
    },
    /// Another text, whole. Its id and lineage are not taken from it.
    ReplaceAll {
        /// The text.
        plan: Box<PlanJson>,
    },
}

/// A new version.
#[derive(Debug, Clone)]
pub struct PlanRevision {
    /// Its text, with its own `requestId`, its parent's in `metadata.parentPlanId`, and `metadata.version`.
    pub json: PlanJson,
    /// The same, checked.
    pub plan: Plan,
    /// What is different, for the record's `changes`.
    pub changes: String,
}

/// Why there is no new version. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanEditError {
    /// No step has that id.
    #[error("there is no step `{step}` in the plan")]
    UnknownStep {
        /// As given.
        step: String,
        /// The nearest id, if one is near.
        near: Option<String>,
    },
    /// No such place.
    #[error("there is no place {to} among {steps} steps, the first is 0 and the last is {last}")]
    UnknownPlace {
        /// As given.
        to: usize,
        /// How many steps there are.
        steps: usize,
        /// The last place.
        last: usize,
    },
    /// It would come before what it waits for.
    #[error("step `{step}` cannot come before step `{need}`, {}", needed_how(step, .through))]
    BeforeDependency {
        /// The step.
        step: String,
        /// What it needs.
        need: String,
        /// The steps between, if it needs it only because of others.
        through: Vec<String>,
    },
    /// It would come after what waits for it.
    #[error("step `{step}` cannot come after step `{dependent}`, {}", needs_how(step, .through))]
    AfterDependent {
        /// The step.
        step: String,
        /// What needs it.
        dependent: String,
        /// The steps between, if it is needed only because of others.
        through: Vec<String>,
    },
    /// Others would be left without what they wait for.
    #[error("step `{step}` cannot be removed, `{}` {}", by.join("`, `"), if by.len() == 1 { "needs it" } else { "need it" })]
    HasDependents {
        /// The step.
        step: String,
        /// Who needs it.
        by: Vec<String>,
    },
    /// The id is taken.
    #[error("there is a step `{step}` in the plan already")]
    DuplicateStepId {
        /// The id.
        step: String,
    },
    /// A part of what a skipped step gives is wanted, and it gives nothing.
    #[error("step `{step}` cannot be skipped, `{reader}` takes `{reference}` from it")]
    SkippedStepIsRead {
        /// The step.
        step: String,
        /// Who reads.
        reader: String,
        /// What.
        reference: String,
    },
    /// The plan says that already.
    #[error("the plan is no different after this edit")]
    NoChange,
    /// The edit could be made, but what comes of it is no valid plan.
    #[error("the edited plan would not be valid:\n{0}")]
    InvalidPlan(PlanErrors),
}

impl PlanEditError {
    /// The ways out.
    pub fn hints(&self) -> Vec<String> {
        match self {
            PlanEditError::UnknownStep { near: Some(near), .. } => {
                vec![format!("did you mean `{near}`?")]
            }
            PlanEditError::HasDependents { step, .. } => {
                vec![format!("skip it instead, or remove what needs `{step}` first")]
            }
            PlanEditError::BeforeDependency { .. } | PlanEditError::AfterDependent { .. } => {
                vec!["take the dependency out first, if it is not meant".to_owned()]
            }
            PlanEditError::SkippedStepIsRead { reader, .. } => {
                vec![format!("skip `{reader}` first, or give it another input")]
            }
            PlanEditError::DuplicateStepId { .. } => {
                vec!["give the new step another `toolId`".to_owned()]
            }
            PlanEditError::InvalidPlan(errors) => errors.hints(),
            _ => Vec::new(),
        }
    }
}

/// Makes the edit in a copy, and checks everything again. `new_id` is the new version's `requestId`.
pub fn apply_edit(
    json: &PlanJson,
    edit: &PlanEdit,
    catalog: &Catalog,
    options: &BuildOptions,
    new_id: String,
) -> Result<PlanRevision, PlanEditError> {
    let needs = apply::StepDependencies::of_plan(json, catalog, options);
    let mut edited = json.clone();
    let changes = apply::apply_to_json(&mut edited, edit, &needs)?;
    if edited == *json {
        return Err(PlanEditError::NoChange);
    }
    let changes = changes.unwrap_or_else(|| diff(json, &edited).sentence());
    let version = json.metadata.extra.get(VERSION_KEY).and_then(Value::as_u64).unwrap_or(1);
    edited.metadata.extra.insert(VERSION_KEY.to_owned(), json!(version.saturating_add(1)));
    edited.metadata.parent_plan_id = Some(json.request_id.clone());
    edited.metadata.generation_attempt = json.metadata.generation_attempt;
    edited.request_id = new_id;
    // Through the text, so that an edit cannot make what a planner could not have written.
    let text = serde_json::to_vec(&edited).expect("a plan has text keys and finite numbers");
    let edited = parse(&text).map_err(PlanEditError::InvalidPlan)?;
    let plan = Plan::build(edited.clone(), catalog, options).map_err(PlanEditError::InvalidPlan)?;
    check_skipped_outputs_unread(&plan)?;
    Ok(PlanRevision { json: edited, plan, changes })
}

/// A whole skipped step is null to its readers; a part of it is a failure that can be foreseen.
fn check_skipped_outputs_unread(plan: &Plan) -> Result<(), PlanEditError> {
    let will_run = |step: &&Step| !step.skip && step.when.is_none();
    for reader in plan.steps().iter().filter(will_run) {
        let items = reader.for_each.iter().flat_map(|each| each.items.slots());
        for hole in reader.input.slots().iter().chain(items) {
            let ReferenceSource::Step(from) = hole.reference.source else { continue };
            let from = plan.step(from);
            if from.skip && !hole.reference.path.is_empty() {
                return Err(PlanEditError::SkippedStepIsRead {
                    step: from.tool_id.clone(),
                    reader: reader.tool_id.clone(),
                    reference: hole.reference.text.clone(),
                });
            }
        }
    }
    Ok(())
}

fn needed_how(step: &str, through: &[String]) -> String {
    match through {
        [] => "which it needs".to_owned(),
        through => format!("which `{step}` needs through `{}`", through.join("`, `")),
    }
}

fn needs_how(step: &str, through: &[String]) -> String {
    match through {
        [] => "which needs it".to_owned(),
        through => format!("which needs `{step}` through `{}`", through.join("`, `")),
    }
}
