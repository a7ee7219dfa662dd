//! The steps that the actions of a plan have by the rules of their triggers, for a planner that writes its own steps. Pure.

use serde_json::Value;

use super::{
    follow_ups::{build_step, is_stranger_to, names_only},
    lexical::narrates,
    matching::{SkillChoice, usable_skills},
    slot_filling::CaptureGroups,
};
use narratoria_plan::wire::ToolJson;
use narratoria_skills::{FollowUp, Skill, referenced_step};

/// Adds to a plan what the triggers have follow a step of it: a planner that writes its own steps need not know that a
/// story with a campaign goes on after each action. Only steps that refer to that step, or to one another, are added. An
/// installed package adds nothing to the steps of other skills.
pub(crate) fn add_consequences(
    mut tools: Vec<ToolJson>,
    choice: &SkillChoice<'_, '_>,
) -> Vec<ToolJson> {
    let triggers = usable_skills(choice.catalog, choice.disabled)
        .flat_map(|skill| skill.triggers.iter().map(move |trigger| (skill, trigger)));
    for (skill, trigger) in triggers.filter(|(_, trigger)| trigger.counts_in(choice.state)) {
        for (at, follow_up) in trigger.follow_ups.iter().enumerate() {
            let Some(cause) = tools.iter().rposition(|tool| tool.tool_path == follow_up.tool)
            else {
                continue;
            };
            if !may_follow(choice, skill, &follow_up.tool) {
                continue;
            }
            let rest = &trigger.follow_ups[at + 1..];
            let added = consequences(choice, &tools, (cause, &follow_up.id), (skill, rest));
            if !added.is_empty() {
                tools = insert(choice, tools, cause, added);
                break;
            }
        }
    }
    tools
}

/// Returns true if the triggers of the skill may add steps behind this one.
fn may_follow(choice: &SkillChoice<'_, '_>, skill: &Skill, cause: &str) -> bool {
    let runs = choice.catalog.resolve(cause);
    runs.is_ok_and(|(runs, _)| !is_stranger_to(skill, runs))
}

/// The steps that follow the step at `cause`, which a trigger of the skill calls `id`.
fn consequences(
    choice: &SkillChoice<'_, '_>,
    tools: &[ToolJson],
    (cause, id): (usize, &str),
    (skill, rest): (&Skill, &[FollowUp]),
) -> Vec<ToolJson> {
    let groups = CaptureGroups::none();
    let (mut ids, mut added): (Vec<String>, Vec<ToolJson>) = (vec![id.to_owned()], Vec::new());
    for follow_up in rest.iter().filter(|one| !one.after_narration && refers(one)) {
        let is_there =
            |tool: &ToolJson| tool.tool_path == follow_up.tool || tool.tool_id == follow_up.id;
        if tools.iter().any(is_there) {
            continue;
        }
        let Some(mut step) = build_step(choice, (skill, follow_up), &groups, &ids) else {
            continue;
        };
        rename(&mut step, id, &tools[cause].tool_id);
        ids.push(follow_up.id.clone());
        added.push(step);
    }
    added
}

/// Returns the plan with the steps after their cause. Narrating steps wait for them.
fn insert(
    choice: &SkillChoice<'_, '_>,
    mut tools: Vec<ToolJson>,
    cause: usize,
    added: Vec<ToolJson>,
) -> Vec<ToolJson> {
    let ids: Vec<String> = added.iter().map(|step| step.tool_id.clone()).collect();
    for tool in &mut tools[cause + 1..] {
        if narrates(choice.catalog, tool) {
            tool.dependencies.extend(ids.iter().cloned());
        }
    }
    tools.splice(cause + 1..cause + 1, added);
    tools
}

/// Returns true if the step reads the output of another one.
fn refers(follow_up: &FollowUp) -> bool {
    fn has_reference(value: &Value) -> bool {
        match value {
            Value::String(text) => referenced_step(text).is_some(),
            Value::Array(items) => items.iter().any(has_reference),
            Value::Object(fields) => fields.values().any(has_reference),
            _ => false,
        }
    }
    follow_up.input.values().any(has_reference)
        || follow_up.when.as_deref().is_some_and(|when| !names_only(when, &[]))
}

/// Has a step refer to another one by the id that it has in this plan.
fn rename(step: &mut ToolJson, from: &str, to: &str) {
    fn in_value(value: &mut Value, from: &str, to: &str) {
        match value {
            Value::String(text) if referenced_step(text) == Some(from) => {
                *text = text.replacen(from, to, 1);
            }
            Value::Array(items) => items.iter_mut().for_each(|item| in_value(item, from, to)),
            Value::Object(fields) => fields.values_mut().for_each(|one| in_value(one, from, to)),
            _ => {}
        }
    }
    if from == to {
        return;
    }
    step.input.values_mut().for_each(|value| in_value(value, from, to));
    if let Some(when) = &mut step.when {
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let whole = format!("steps.{from}");
        let mut renamed = String::new();
        let mut rest = when.as_str();
        while let Some(at) = rest.find(&whole) {
            let (before, found) = rest.split_at(at);
            let after = &found[whole.len()..];
            let is_longer = after.starts_with(is_of_name);
            renamed += before;
            renamed += &if is_longer { whole.clone() } else { format!("steps[\"{to}\"]") };
            rest = after;
        }
        *when = renamed + rest;
    }
}

#[cfg(test)]
mod tests;
