//! The requests that the triggers of a package send: what the lexical planner makes of their phrases, follow-ups among
//! them. An author knows such a request only from play.

use std::time::Duration;

use narratoria_narrator::{LexicalPlanner, PlanRequest};
use narratoria_protocol::{Object, pointer_tokens};
use narratoria_skills::{
    Catalog, Script, Skill, Trigger, referenced_step, schema_view::SchemaKeywords,
};
use serde_json::{Value, json};

use super::ordinary::{OrdinaryCall, drawn, fresh_call};
use crate::{HarnessCall, chance::RequestChance};

/// Phrases of a trigger that are sent.
const PHRASES_MAX: usize = 2;
/// Most requests for one script.
const TRIGGERED_MAX: usize = 32;

/// The requests for a script that come of a phrase. A reference to an earlier step has a value that fits in its place.
pub(super) fn triggered_calls(
    skill: &Skill,
    script: &Script,
    chance: &mut RequestChance,
) -> Vec<OrdinaryCall> {
    let mut catalog = Catalog::default();
    catalog.insert(skill.without_components());
    let own_path = format!("{}/{}", skill.name, script.name);
    let mut calls = Vec::new();
    for trigger in &skill.triggers {
        let state = state_of(trigger);
        for phrase in trigger.phrases.iter().take(PHRASES_MAX) {
            for planned in planned_inputs(&catalog, &state, phrase, &own_path) {
                let input = without_references(planned, script, chance);
                if !script.input_schema.mismatches(&Value::Object(input.clone())).is_empty() {
                    continue;
                }
                calls.push(OrdinaryCall {
                    what: format!("the sentence `{phrase}` of a trigger"),
                    call: HarnessCall { input, state: state.clone(), ..fresh_call(chance) },
                    is_in_story_state: true,
                });
            }
        }
    }
    calls.truncate(TRIGGERED_MAX);
    calls
}

/// A state in which the trigger counts.
fn state_of(trigger: &Trigger) -> Object {
    let pointer = trigger.if_state.as_deref().unwrap_or_default();
    let Some(keys) = pointer_tokens(pointer) else { return Object::new() };
    let state = keys.into_iter().rev().fold(json!({}), |inner, key| json!({ key: inner }));
    state.as_object().cloned().unwrap_or_default()
}

/// The inputs of the steps that run this script.
fn planned_inputs(
    catalog: &Catalog,
    state: &Object,
    sentence: &str,
    own_path: &str,
) -> Vec<Object> {
    let request = PlanRequest::first(sentence, catalog, state, String::new(), Duration::MAX);
    let plan = LexicalPlanner::new().plan(&request);
    let steps = plan.into_iter().flat_map(|plan| plan.tools);
    steps.filter(|step| step.tool_path == own_path).map(|step| step.input).collect()
}

fn without_references(mut input: Object, script: &Script, chance: &mut RequestChance) -> Object {
    let document = script.input_schema.document();
    for (name, value) in &mut input {
        if value.as_str().is_some_and(|text| referenced_step(text).is_some()) {
            let part = SchemaKeywords::of(document).and_then(|keywords| keywords.property(name));
            *value = drawn(part.unwrap_or(&Value::Null), chance, 1);
        }
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;
    use narratoria_skills::{FollowUp, Schema, testing::skill};

    fn sent(skill: &Skill, script: usize) -> Vec<(String, Object)> {
        let calls = triggered_calls(skill, &skill.scripts[script], &mut RequestChance::of(7, ""));
        calls.into_iter().map(|sent| (sent.what, sent.call.input)).collect()
    }

    fn object(value: Value) -> Object {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn the_input_of_a_trigger_and_of_its_follow_up_is_sent() {
        let mut made = skill("oracle", &["ask", "tell"]);
        let schema = json!({"type": "object", "properties": {"tone": {"enum": ["grim"]}}});
        made.scripts[1].input_schema = Schema::build(schema).unwrap();
        made.triggers.push(Trigger {
            script: "ask".to_owned(),
            phrases: ["ask the oracle", "consult the oracle", "third"].map(str::to_owned).to_vec(),
            input: object(json!({"about": "{sentence}"})),
            if_state: Some("/plot/now".to_owned()),
            follow_ups: vec![FollowUp {
                id: "then".to_owned(),
                tool: "oracle/tell".to_owned(),
                input: object(json!({"tone": "$ask.tone"})),
                ..FollowUp::default()
            }],
            ..Trigger::default()
        });
        let phrase = |text: &str| format!("the sentence `{text}` of a trigger");
        let asked = |text: &str| (phrase(text), object(json!({"about": text})));
        assert_eq!(sent(&made, 0), [asked("ask the oracle"), asked("consult the oracle")]);
        let told = |text: &str| (phrase(text), object(json!({"tone": "grim"})));
        assert_eq!(sent(&made, 1), [told("ask the oracle"), told("consult the oracle")]);
    }
}
