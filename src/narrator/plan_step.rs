//! Builds a step of Plan JSON from a script and its input, for every planner. Pure.

use serde_json::Value;

use narratoria_plan::wire::ToolJson;
use narratoria_protocol::Object;
use narratoria_skills::{Script, Skill};

/// A step without dependencies, with an id that none of the `others` has.
pub(super) fn plan_step(
    others: &[ToolJson],
    skill: &Skill,
    script: &Script,
    input: Object,
    reason: Option<String>,
) -> ToolJson {
    let mut escaped = input;
    escaped.values_mut().for_each(escape_dollars);
    ToolJson {
        required: Some(script.required),
        is_async: Some(script.is_async),
        reason,
        ..ToolJson::new(unique_id(others, &script.name), tool_path(skill, script), escaped)
    }
}

pub(super) fn tool_path(skill: &Skill, script: &Script) -> String {
    format!("{}/{}", skill.name, script.name)
}

/// In Plan JSON a string that begins with a single dollar is a reference; a doubled one is literal (docs/plans.md,
/// "References").
pub(super) fn escape_dollars(value: &mut Value) {
    match value {
        Value::String(text) if text.starts_with('$') => text.insert(0, '$'),
        Value::Array(items) => items.iter_mut().for_each(escape_dollars),
        Value::Object(fields) => fields.values_mut().for_each(escape_dollars),
        _ => {}
    }
}

/// The script's name, numbered from the second use on. Names and ids both have at most 64 bytes, so a numbered name is
/// cut.
fn unique_id(others: &[ToolJson], name: &str) -> String {
    let taken = |id: &str| others.iter().any(|tool| tool.tool_id == id);
    if !taken(name) {
        return name.to_owned();
    }
    let stem: String = name.chars().take(60).collect();
    (2..=others.len() + 2)
        .map(|number| format!("{stem}-{number}"))
        .find(|id| !taken(id))
        .expect("there are more numbers to try than tools")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::escape_dollars;

    #[test]
    fn a_leading_dollar_is_doubled_at_any_depth() {
        let mut value = json!({"a": "$step.b", "b": ["$$", "1 $"], "$c": {"d": "$"}});
        escape_dollars(&mut value);
        assert_eq!(value, json!({"a": "$$step.b", "b": ["$$$", "1 $"], "$c": {"d": "$$"}}));
    }
}
