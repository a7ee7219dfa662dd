//! The steps that a trigger adds to a plan after its own script. Pure.

use std::{cmp::Reverse, sync::Arc};

use serde_json::Value;

use super::{
    matching::{SkillChoice, usable_skills},
    plan_step::{self, escape_dollars, plan_step},
    slot_filling::{CaptureGroups, fill_template},
};
use narratoria_plan::wire::ToolJson;
use narratoria_protocol::{Object, token_of_key};
use narratoria_skills::{FollowUp, PackageOrigin, Script, Skill, referenced_step};

/// The prefix of a path that stands for any skill with a capability.
const CAPABILITY_PREFIX: &str = "capability:";

/// Deepest nesting of an input. The catalog accepts none that nests deeper.
const DEPTH_MAX: usize = 32;

/// The steps of a trigger, as they are found in a catalog.
pub(super) struct FollowUpSteps {
    /// The steps whose results are narrated.
    pub(super) before_narration: Vec<ToolJson>,
    pub(super) after_narration: Vec<ToolJson>,
}

/// Builds the follow-ups of a trigger whose own step has the name of its script. Leaves out a step whose script does
/// not exist, or does not accept the rest of its input, and every step that refers to it.
pub(super) fn follow_up_steps(
    choice: &SkillChoice<'_, '_>,
    asker: &Skill,
    own: &ToolJson,
    follow_ups: &[FollowUp],
    groups: &CaptureGroups,
) -> FollowUpSteps {
    let mut ids = vec![own.tool_id.clone()];
    let mut steps = FollowUpSteps { before_narration: Vec::new(), after_narration: Vec::new() };
    for follow_up in follow_ups {
        let Some(step) = build_step(choice, (asker, follow_up), groups, &ids) else { continue };
        ids.push(follow_up.id.clone());
        match follow_up.after_narration {
            true => steps.after_narration.push(step),
            false => steps.before_narration.push(step),
        }
    }
    steps
}

/// Builds a step as a trigger of a skill describes it. Returns `None` if its script does not exist or does not accept
/// the rest of its input.
pub(super) fn build_step(
    choice: &SkillChoice<'_, '_>,
    (asker, follow_up): (&Skill, &FollowUp),
    groups: &CaptureGroups,
    ids: &[String],
) -> Option<ToolJson> {
    let (skill, script, tool_path) = find_script(choice, &follow_up.tool)?;
    let is_stranger = is_stranger_to(asker, skill);
    // A script that is not offered belongs to the plans of its own skill alone: an author's changes to the world, the
    // rungs of a plot.
    if is_stranger && !script.is_offered {
        return None;
    }
    if follow_up.when.as_deref().is_some_and(|when| !names_only(when, ids)) {
        return None;
    }
    let mut input = Object::new();
    let mut holes = Vec::new();
    for (name, template) in &follow_up.input {
        let pointer = format!("/{}", token_of_key(name));
        if let Some(value) = fill(template, &pointer, (groups, ids), 1, &mut holes) {
            input.insert(name.clone(), value);
        }
    }
    if groups.is_exhausted() {
        return None;
    }
    let places: Vec<&str> = holes.iter().map(String::as_str).collect();
    let value = Value::Object(input);
    let schema = &script.input_schema;
    if !schema.mismatches_in_state(&value, &places, choice.state_values).is_empty() {
        return None;
    }
    let Value::Object(input) = value else { return None };
    let reason = Some("follows from the step before".to_owned());
    let step = plan_step(&[], skill, script, Object::new(), reason);
    Some(ToolJson {
        tool_id: follow_up.id.clone(),
        tool_path,
        input: escaped(input),
        when: follow_up.when.clone(),
        description: follow_up.description.clone(),
        required: Some(follow_up.required),
        requires_approval: follow_up.requires_approval.then_some(true),
        asked_by: is_stranger.then(|| asker.name.clone()),
        ..step
    })
}

/// Returns true if the skill that asks for a step answers for it, and not the one that runs it.
pub(super) fn is_stranger_to(asker: &Skill, runs: &Skill) -> bool {
    asker.origin != PackageOrigin::BuiltIn && asker.name != runs.name
}

/// Returns the script of a step, and the plan's path for it. If several skills have a capability, the highest priority
/// wins; the host chooses again when the plan runs.
fn find_script<'c>(
    choice: &SkillChoice<'_, 'c>,
    tool: &str,
) -> Option<(&'c Arc<Skill>, &'c Script, String)> {
    if let Some(tag) = tool.strip_prefix(CAPABILITY_PREFIX) {
        let has_tag = |skill: &&Arc<Skill>| skill.capabilities.iter().any(|other| other == tag);
        let able = usable_skills(choice.catalog, choice.disabled).filter(has_tag);
        let skill = able.min_by_key(|skill| (Reverse(skill.priority), &skill.name))?;
        return Some((skill, skill.scripts.first()?, tool.to_owned()));
    }
    let (skill, idx) = choice.catalog.resolve(tool).ok()?;
    let script = &skill.scripts[idx];
    let path = plan_step::tool_path(skill, script);
    (!choice.disabled.contains(&skill.name)).then_some((skill, script, path))
}

/// References stay, templates are filled. `None` leaves the value out.
fn fill(
    template: &Value,
    pointer: &str,
    (groups, ids): (&CaptureGroups, &[String]),
    depth: usize,
    holes: &mut Vec<String>,
) -> Option<Value> {
    if depth > DEPTH_MAX {
        return None;
    }
    match template {
        Value::String(text) => match referenced_step(text) {
            Some(step) if ids.iter().any(|id| id == step) => {
                holes.push(pointer.to_owned());
                Some(template.clone())
            }
            Some(_) => None,
            None => fill_template(text, groups),
        },
        Value::Array(items) => {
            let mut filled = Vec::new();
            for item in items {
                let pointer = format!("{pointer}/{}", filled.len());
                filled.extend(fill(item, &pointer, (groups, ids), depth + 1, holes));
            }
            Some(Value::Array(filled))
        }
        Value::Object(fields) => {
            let mut filled = Object::new();
            for (name, field) in fields {
                let key = token_of_key(name);
                let value =
                    fill(field, &format!("{pointer}/{key}"), (groups, ids), depth + 1, holes);
                if let Some(value) = value {
                    filled.insert(name.clone(), value);
                }
            }
            Some(Value::Object(filled))
        }
        other => Some(other.clone()),
    }
}

/// Doubles the dollars of texts that only look like references: a player's words refer to nothing.
fn escaped(input: Object) -> Object {
    let escape = |(name, mut value): (String, Value)| {
        escape_texts(&mut value);
        (name, value)
    };
    input.into_iter().map(escape).collect()
}

fn escape_texts(value: &mut Value) {
    match value {
        Value::String(text) if referenced_step(text).is_none() => escape_dollars(value),
        Value::Array(items) => items.iter_mut().for_each(escape_texts),
        Value::Object(fields) => fields.values_mut().for_each(escape_texts),
        _ => {}
    }
}

/// Returns true if a condition names no step but these.
pub(super) fn names_only(when: &str, ids: &[String]) -> bool {
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    when.match_indices("steps").all(|(at, word)| {
        let is_whole = !when[..at].ends_with(is_of_name) && !when[..at].ends_with('.');
        let rest = &when[at + word.len()..];
        let name = match (rest.strip_prefix('.'), rest.strip_prefix("[\"")) {
            (Some(rest), _) => rest.split(|letter| !is_of_name(letter)).next(),
            (_, Some(rest)) => rest.split('"').next(),
            _ => return true,
        };
        !is_whole || name.is_some_and(|name| ids.iter().any(|id| id == name))
    })
}

#[cfg(test)]
mod tests {
    use super::names_only;

    #[test]
    fn a_condition_names_steps_in_two_ways() {
        let ids = ["look".to_owned(), "roll-dice".to_owned()];
        let names = |when: &str| names_only(when, &ids);
        assert!(names("has(steps.look.check) && steps[\"roll-dice\"].total > 3"));
        assert!(names("state.steps.x == 1"));
        assert!(!names("steps.other.x"));
        assert!(!names("steps[\"roll\"] == null"));
    }
}
