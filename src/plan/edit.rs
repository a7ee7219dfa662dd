//! Edits that a person makes in a plan before it runs. Each edit makes a new version, which is checked as a whole.

mod apply;
mod edit_error;
mod plan_edit;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

pub use edit_error::PlanEditError;
pub use plan_edit::PlanEdit;

use super::{
    BuildOptions, Plan, PlanJson, ReferenceSource, Step, diff, parse, record::VERSION_KEY,
};
use narratoria_skills::Catalog;

/// The version that an edit makes.
#[derive(Debug, Clone)]
pub struct PlanRevision {
    /// Has its own `requestId`, the parent's id in `metadata.parentPlanId`, and `metadata.version`.
    pub json: PlanJson,
    /// The built form of `json`.
    pub plan: Plan,
    /// One sentence for the record's `changes`.
    pub changes: String,
}

/// Edits a copy, and checks everything again. `new_id` is the new version's `requestId`.
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
    // The text is parsed again, so that an edit makes nothing that a planner could not have written.
    let text = serde_json::to_vec(&edited).expect("a plan has text keys and finite numbers");
    let edited = parse(&text).map_err(PlanEditError::InvalidPlan)?;
    let plan = Plan::build(edited.clone(), catalog, options).map_err(PlanEditError::InvalidPlan)?;
    check_skipped_outputs_unread(&plan)?;
    Ok(PlanRevision { json: edited, plan, changes })
}

/// Refuses references to a part of a skipped step, which would certainly fail. A reference to a whole skipped step
/// gives null.
fn check_skipped_outputs_unread(plan: &Plan) -> Result<(), PlanEditError> {
    let will_run = |step: &&Step| !step.skip && step.when.is_none();
    for reader in plan.steps().iter().filter(will_run) {
        let items = reader.for_each.iter().flat_map(|each| each.items.slots());
        for slot in reader.input.slots().iter().chain(items) {
            let ReferenceSource::Step(from) = slot.reference.source else { continue };
            let from = plan.step(from);
            if from.skip && !slot.reference.path.is_empty() {
                return Err(PlanEditError::SkippedStepIsRead {
                    step: from.tool_id.clone(),
                    reader: reader.tool_id.clone(),
                    reference: slot.reference.text.clone(),
                });
            }
        }
    }
    Ok(())
}
