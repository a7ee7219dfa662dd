//! The requests that the triggers of a package send: what the lexical planner makes of their phrases, follow-ups among
//! them. An author knows such a request only from play.

use std::time::Duration;

use narratoria_narrator::{LexicalPlanner, PlanRequest, unfit_input};
use narratoria_protocol::{Object, object_with};
use narratoria_skills::{
    Catalog, Script, Skill, StateValueLists, referenced_step, schema_view::SchemaKeywords,
};
use serde_json::{Value, json};

use super::{
    finding::{FindingCollector, FindingLocation},
    ordinary::{OrdinaryCall, drawn, fresh_call},
    rules,
};
use crate::{HarnessCall, chance::RequestChance};

/// Phrases of a trigger that are sent.
const PHRASES_MAX: usize = 2;
/// Most requests for one script.
const TRIGGERED_MAX: usize = 32;

/// Reports triggers whose own sentences fill nothing that the script accepts: each phrase, and each sentence of an example.
/// A trigger that needs the names of a state is left to the run.
pub(super) fn check_inputs(skill: &Skill, findings: &mut FindingCollector<'_>) {
    for (idx, trigger) in skill.triggers.iter().enumerate() {
        let script = skill.script(&trigger.script);
        let draws_names = script.is_none_or(|it| it.input_schema.value_pointers().next().is_some());
        if draws_names || trigger.fallback {
            continue;
        }
        let own = skill.examples.iter().filter(|example| example.script == trigger.script);
        let sentences = trigger.phrases.iter().chain(own.filter_map(|it| it.sentence.as_ref()));
        let values = StateValueLists::default();
        let why = |sentence: &String| {
            let why = unfit_input(skill, trigger, sentence, &values);
            why.map(|why| (sentence.clone(), why))
        };
        let faults: Option<Vec<_>> = sentences.map(why).collect();
        let Some((sentence, why)) = faults.and_then(|faults| faults.into_iter().next()) else {
            continue;
        };
        let what = format!(
            "`{sentence}` starts `{}` with an input that its schema refuses, and no sentence does better: {why}",
            trigger.script
        );
        let place = FindingLocation::field("skill.json", format!("/triggers/{idx}/input"));
        findings.add(&rules::MANIFEST_TRIGGER_INPUT, place, what);
    }
}

/// The inputs that the lexical planner gives a package's scripts for the phrases of its triggers.
pub(super) struct TriggeredInputs {
    inputs: Vec<TriggeredInput>,
}

struct TriggeredInput {
    phrase: String,
    /// A state in which the trigger counts.
    state: Object,
    /// Name of the script.
    script: String,
    input: Object,
}

impl TriggeredInputs {
    pub(super) fn of(skill: &Skill) -> TriggeredInputs {
        let mut catalog = Catalog::default();
        catalog.insert(skill.clone());
        let mut inputs = Vec::new();
        for trigger in &skill.triggers {
            let state = trigger.if_state.as_ref().map(|pointer| object_with(pointer, json!({})));
            let state = state.unwrap_or_default();
            for phrase in trigger.phrases.iter().take(PHRASES_MAX) {
                let request =
                    PlanRequest::first(phrase, &catalog, &state, String::new(), Duration::MAX);
                let plan = LexicalPlanner::new().plan(&request);
                for step in plan.into_iter().flat_map(|plan| plan.tools) {
                    let own = step.tool_path.strip_prefix(&skill.name);
                    let Some(script) = own.and_then(|path| path.strip_prefix('/')) else {
                        continue;
                    };
                    let (phrase, state) = (phrase.clone(), state.clone());
                    let script = script.to_owned();
                    inputs.push(TriggeredInput { phrase, state, script, input: step.input });
                }
            }
        }
        TriggeredInputs { inputs }
    }

    /// The requests for one script. A reference to an earlier step has a value that fits in its place.
    pub(super) fn calls(&self, script: &Script, chance: &mut RequestChance) -> Vec<OrdinaryCall> {
        let own = self.inputs.iter().filter(|triggered| triggered.script == script.name);
        let mut calls = Vec::new();
        for TriggeredInput { phrase, state, input, .. } in own {
            let input = without_references(input.clone(), script, chance);
            if !script.input_schema.mismatches(&Value::Object(input.clone())).is_empty() {
                continue;
            }
            calls.push(OrdinaryCall {
                what: format!("the sentence `{phrase}` of a trigger"),
                call: HarnessCall { input, state: state.clone(), ..fresh_call(chance) },
                is_in_story_state: true,
            });
        }
        calls.truncate(TRIGGERED_MAX);
        calls
    }
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
    use narratoria_skills::{FollowUp, Schema, Trigger, testing::skill};

    fn sent(skill: &Skill, script: usize) -> Vec<(String, Object)> {
        let inputs = TriggeredInputs::of(skill);
        let calls = inputs.calls(&skill.scripts[script], &mut RequestChance::of(7, ""));
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
