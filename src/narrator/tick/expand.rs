//! The plan of a tick as Plan JSON: its actions are a chain that stops at the first error (S4 §5, §12). Pure.

use serde_json::{Value, json};

use super::plan::{TickAction, TickPlan};
use narratoria_plan::{
    PlanJson,
    wire::{MetadataJson, OnFailureJson, ToolJson},
};
use narratoria_protocol::Object;

/// In `metadata`: what S4 adds to a plan.
const STORY_KEY: &str = "story";

/// Fields of the tick's plan that `metadata.story` takes over.
const STORY_FIELDS: [&str; 5] =
    ["rationale", "scene_intention", "pov_character", "target_location", "expected_outcomes"];

/// The `toolId` of an action, for references such as `$action-0.id`.
pub fn action_id(action_idx: usize) -> String {
    format!("action-{action_idx}")
}

/// S4's name of a tool as a tool path: `memory.search` is `memory/search`. A path stays as it is.
pub fn tool_path(tool: &str) -> String {
    match tool.split_once('.') {
        Some((skill, script)) if !tool.contains('/') => format!("{skill}/{script}"),
        _ => tool.to_owned(),
    }
}

/// The plan that runs the first `count` actions.
pub fn expand(plan: &TickPlan, plan_id: String, count: usize) -> PlanJson {
    let tool = |(idx, action): (usize, &TickAction)| ToolJson {
        dependencies: idx.checked_sub(1).map(action_id).into_iter().collect(),
        // The first error stops the tick, whatever the script's own manifest says.
        required: Some(true),
        is_async: Some(false),
        reason: action.reason.clone(),
        ..ToolJson::new(action_id(idx), tool_path(&action.tool), action.args.clone())
    };
    let story: Object = STORY_FIELDS
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), plan.document.get(*key)?.clone())))
        .collect();
    let extra = Object::from_iter([(STORY_KEY.to_owned(), Value::Object(story))]);
    PlanJson {
        on_failure: Some(OnFailureJson::Stop),
        metadata: MetadataJson { generation_attempt: 1, parent_plan_id: None, extra },
        ..PlanJson::new(plan_id, plan.actions.iter().take(count).enumerate().map(tool).collect())
    }
}

/// Memories that a search of the lexical planner returns.
pub(super) const SEARCH_LIMIT: u64 = 3;

/// A call of a tool, for planners that write plans in Rust.
pub(super) fn action(tool: &str, args: Value, reason: &str) -> Value {
    json!({"tool": tool, "args": args, "reason": reason})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S4 "STOP on first tool error": and the tools have S4's names.
    #[test]
    fn actions_become_a_chain_that_stops_at_the_first_error() {
        let plan = TickPlan::from_value(json!({
            "rationale": "r", "scene_intention": "s", "target_location": null, "mood": "grey",
            "actions": [
                {"tool": "character.generate", "args": {"name": "Ada"}, "reason": "someone new"},
                {"tool": "memory/search", "args": {"query": "$action-0.name"}},
            ],
        }));
        let json = expand(&plan.unwrap(), "00000000-0000-4000-8000-000000000000".to_owned(), 2);
        insta::assert_json_snapshot!(json);
    }

    #[test]
    fn a_dotted_name_is_a_tool_path() {
        for (tool, path) in [
            ("memory.search", "memory/search"),
            ("memory/search", "memory/search"),
            ("skills/a/scripts/b.wasm", "skills/a/scripts/b.wasm"),
            ("alone", "alone"),
            ("a.b.c", "a/b.c"),
        ] {
            assert_eq!(tool_path(tool), path);
        }
    }
}
