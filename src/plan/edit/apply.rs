//! Applies one edit to Plan JSON, and refuses edits that break dependencies.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{edit_error::PlanEditError, plan_edit::PlanEdit};
use crate::{BuildOptions, Plan, PlanJson, error::quote, record::VERSION_KEY};
use narratoria_protocol::nearest::nearest;
use narratoria_skills::Catalog;

/// Direct dependencies between steps.
pub(super) struct StepDependencies {
    by_step: BTreeMap<String, BTreeSet<String>>,
}

impl StepDependencies {
    /// Includes dependencies that references and conditions imply if the plan is valid; otherwise only the written
    /// ones.
    pub(super) fn of_plan(
        json: &PlanJson,
        catalog: &Catalog,
        options: &BuildOptions,
    ) -> StepDependencies {
        let mut of: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for tool in &json.tools {
            of.entry(tool.tool_id.clone()).or_default().extend(tool.dependencies.iter().cloned());
        }
        if let Ok(plan) = Plan::build(json.clone(), catalog, options) {
            for step in plan.steps() {
                let implied = step.needs.iter().map(|need| plan.step(*need).tool_id.clone());
                of.entry(step.tool_id.clone()).or_default().extend(implied);
            }
        }
        StepDependencies { by_step: of }
    }

    /// Returns the path from `step` to `need` along dependencies, without its ends. `None` if there is no path.
    fn path_between(&self, step: &str, need: &str) -> Option<Vec<String>> {
        let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
        let mut queue = VecDeque::from([step]);
        while let Some(at) = queue.pop_front() {
            for next in self.by_step.get(at).into_iter().flatten().map(String::as_str) {
                if next != step && !came_from.contains_key(next) {
                    came_from.insert(next, at);
                    queue.push_back(next);
                }
            }
        }
        let mut path = Vec::new();
        let mut at = *came_from.get(need)?;
        while at != step {
            path.push(at.to_owned());
            at = came_from.get(at)?;
        }
        path.reverse();
        Some(path)
    }

    /// Returns the steps that need `step`, in the order of the text.
    fn dependents(&self, json: &PlanJson, step: &str) -> Vec<String> {
        let needs_it =
            |id: &&String| self.by_step.get(*id).is_some_and(|needs| needs.contains(step));
        json.tools.iter().map(|tool| &tool.tool_id).filter(needs_it).cloned().collect()
    }
}

/// Returns a sentence about the change, or `None` if the diff of the two versions describes it better.
pub(super) fn apply_to_json(
    json: &mut PlanJson,
    edit: &PlanEdit,
    needs: &StepDependencies,
) -> Result<Option<String>, PlanEditError> {
    Ok(match edit {
        PlanEdit::SetInput { tool_id, input } => {
            let at = find_step(json, tool_id)?;
            json.tools[at].input.clone_from(input);
            None
        }
        PlanEdit::Describe { tool_id, description } => {
            let at = find_step(json, tool_id)?;
            json.tools[at].description.clone_from(description);
            Some(match description {
                Some(text) => format!("step `{tool_id}` is described as \"{}\"", quote(text)),
                None => format!("step `{tool_id}` is no longer described"),
            })
        }
        PlanEdit::Move { tool_id, to } => {
            let from = find_step(json, tool_id)?;
            check_position(*to, json.tools.len())?;
            check_move(json, from, *to, needs)?;
            let tool = json.tools.remove(from);
            json.tools.insert(*to, tool);
            let (from, to) = (from + 1, to + 1);
            Some(format!("step `{tool_id}` moved from place {from} to place {to}"))
        }
        PlanEdit::Skip { tool_id } => {
            let at = find_step(json, tool_id)?;
            json.tools[at].skip = true;
            Some(format!("step `{tool_id}` is skipped"))
        }
        PlanEdit::Unskip { tool_id } => {
            let at = find_step(json, tool_id)?;
            json.tools[at].skip = false;
            Some(format!("step `{tool_id}` is no longer skipped"))
        }
        PlanEdit::Add { tool, at } => {
            if find_step(json, &tool.tool_id).is_ok() {
                return Err(PlanEditError::DuplicateStepId { step: quote(&tool.tool_id) });
            }
            let at = at.unwrap_or(json.tools.len());
            check_position(at, json.tools.len() + 1)?;
            json.tools.insert(at, tool.as_ref().clone());
            let (id, path) = (quote(&tool.tool_id), quote(&tool.tool_path));
            Some(format!("step `{id}` added at place {}, it runs `{path}`", at + 1))
        }
        PlanEdit::Remove { tool_id } => {
            let at = find_step(json, tool_id)?;
            let by = needs.dependents(json, tool_id);
            if !by.is_empty() {
                return Err(PlanEditError::HasDependents { step: tool_id.clone(), by });
            }
            json.tools.remove(at);
            Some(format!("step `{tool_id}` removed"))
        }
        PlanEdit::SetDependencies { tool_id, dependencies } => {
            let at = find_step(json, tool_id)?;
            json.tools[at].dependencies.clone_from(dependencies);
            None
        }
        PlanEdit::ReplaceAll { plan } => {
            replace_all(json, plan);
            None
        }
    })
}

/// Replaces everything except the id and the lineage, which the host assigns.
fn replace_all(json: &mut PlanJson, new: &PlanJson) {
    let old = std::mem::replace(json, new.clone());
    json.request_id = old.request_id;
    json.metadata.generation_attempt = old.metadata.generation_attempt;
    json.metadata.parent_plan_id = old.metadata.parent_plan_id;
    json.metadata.extra.remove(VERSION_KEY);
    if let Some(version) = old.metadata.extra.get(VERSION_KEY) {
        json.metadata.extra.insert(VERSION_KEY.to_owned(), version.clone());
    }
}

fn find_step(json: &PlanJson, tool_id: &str) -> Result<usize, PlanEditError> {
    json.tools.iter().position(|tool| tool.tool_id == tool_id).ok_or_else(|| {
        let near = nearest(tool_id, json.tools.iter().map(|tool| &tool.tool_id));
        PlanEditError::UnknownStep { step: quote(tool_id), near }
    })
}

fn check_position(to: usize, steps: usize) -> Result<(), PlanEditError> {
    if to < steps {
        return Ok(());
    }
    Err(PlanEditError::UnknownPlace { to, steps, last: steps.saturating_sub(1) })
}

/// Checks a move. A step may move up only below the steps that it needs, and down only above the steps that need it.
fn check_move(
    json: &PlanJson,
    from: usize,
    to: usize,
    needs: &StepDependencies,
) -> Result<(), PlanEditError> {
    let step = &json.tools[from].tool_id;
    let passed = if to < from { &json.tools[to..from] } else { &json.tools[from + 1..=to] };
    for other in passed.iter().map(|tool| &tool.tool_id) {
        let (step, other_id) = (step.clone(), other.clone());
        if to < from {
            if let Some(through) = needs.path_between(&step, other) {
                return Err(PlanEditError::BeforeDependency { step, need: other_id, through });
            }
        } else if let Some(through) = needs.path_between(other, &step) {
            return Err(PlanEditError::AfterDependent { step, dependent: other_id, through });
        }
    }
    Ok(())
}
