//! What a command of a review means for the plan, whoever gave it. Pure.

use narratoria_engine::{PlanDraft, ReviewVerdict};
use narratoria_plan::{PlanEdit, PlanJson, wire::ToolJson};
use narratoria_ui::{MoveTarget, ReviewCommand, visible_line};

/// Returns the verdict that a command gives. `None` for a command that needs an editor or only looks at the plan; an
/// error changes nothing.
pub(crate) fn verdict_of(
    draft: &PlanDraft,
    command: ReviewCommand,
) -> Result<Option<ReviewVerdict>, String> {
    let json = &draft.json;
    let edit = match command {
        ReviewCommand::Start => return Ok(Some(ReviewVerdict::Start)),
        ReviewCommand::Cancel => return Ok(Some(ReviewVerdict::Cancel)),
        ReviewCommand::Again(remark) => return Ok(Some(ReviewVerdict::Regenerate { remark })),
        ReviewCommand::Apply(finished) => *finished,
        ReviewCommand::Move { tool_id, place } => {
            PlanEdit::Move { to: index_of(json, &tool_id, &place), tool_id }
        }
        ReviewCommand::Need { tool_id, others } => need(json, tool_id, others),
        ReviewCommand::Free { tool_id, others } => free(draft, tool_id, &others)?,
        ReviewCommand::Add { tool: Some(tool), place } => {
            PlanEdit::Add { tool, at: place.map(|place| index_of(json, "", &place)) }
        }
        ReviewCommand::Add { tool: None, .. }
        | ReviewCommand::OpenEditor(_)
        | ReviewCommand::Show(_)
        | ReviewCommand::Graph
        | ReviewCommand::Help => return Ok(None),
    };
    Ok(Some(ReviewVerdict::Edit(edit)))
}

pub(super) fn tool<'a>(json: &'a PlanJson, tool_id: &str) -> Option<&'a ToolJson> {
    json.tools.iter().find(|tool| tool.tool_id == tool_id)
}

/// Returns the target index of a moved step, counted without the step itself.
pub(super) fn index_of(json: &PlanJson, moved: &str, place: &MoveTarget) -> usize {
    let others = json.tools.iter().filter(|tool| tool.tool_id != moved);
    let others: Vec<&str> = others.map(|tool| tool.tool_id.as_str()).collect();
    let at = |tool_id: &str| others.iter().position(|other| *other == tool_id);
    match place {
        MoveTarget::Before(other) => at(other).unwrap_or(0),
        MoveTarget::After(other) => at(other).map_or(others.len(), |at| at + 1),
    }
}

/// Returns the edit that adds dependencies to a step.
fn need(json: &PlanJson, tool_id: String, others: Vec<String>) -> PlanEdit {
    let mut dependencies = written_dependencies(json, &tool_id);
    for other in others {
        if !dependencies.contains(&other) {
            dependencies.push(other);
        }
    }
    PlanEdit::SetDependencies { tool_id, dependencies }
}

/// Returns the edit that removes written dependencies. A dependency that comes from a reference to the other step can
/// be removed only by another input or condition.
fn free(draft: &PlanDraft, tool_id: String, others: &[String]) -> Result<PlanEdit, String> {
    let mut dependencies = written_dependencies(&draft.json, &tool_id);
    for other in others {
        if !dependencies.contains(other) {
            let step = draft.plan.steps().iter().find(|step| step.tool_id == tool_id);
            let needs = step.map(|step| step.needs.as_slice()).unwrap_or_default();
            let is_implied = needs.iter().any(|need| draft.plan.step(*need).tool_id == *other);
            let (tool_id, other) = (visible_line(&tool_id), visible_line(other));
            return Err(match is_implied {
                true => format!(
                    "step `{tool_id}` refers to `{other}` in its input or condition: change that"
                ),
                false => format!("step `{tool_id}` does not wait for `{other}` by itself"),
            });
        }
        dependencies.retain(|dependency| dependency != other);
    }
    Ok(PlanEdit::SetDependencies { tool_id, dependencies })
}

fn written_dependencies(json: &PlanJson, tool_id: &str) -> Vec<String> {
    tool(json, tool_id).map(|tool| tool.dependencies.clone()).unwrap_or_default()
}
