//! References, conditions and notes in compact plans.

use rand::{SeedableRng, rngs::SmallRng};
use serde_json::{Value, json};

use super::{build, catalog, plan_request, skill, tool_set, trigger, walk::walk};
use crate::{
    PlanRequest,
    llama::{ExpandedPlan, abort_reason},
};
use narratoria_protocol::Object;
use narratoria_skills::{Catalog, Schema};

/// Dice with several outputs, a script that takes texts and numbers, and a storyteller.
fn four() -> Catalog {
    let output = json!({
        "type": "object",
        "required": ["total", "mood", "hit", "text", "rolls", "odd name"],
        "properties": {
            "total": {"type": "integer"},
            "mood": {"enum": ["calm", "wild"]},
            "hit": {"type": "boolean"},
            "text": {"type": "string"},
            "rolls": {"type": "array"},
            "odd name": {"type": "integer"},
            "sometimes": {"type": "integer"},
        },
    });
    let mut dice = skill("dice", "roll-all", &json!({"type": "object"}));
    dice.scripts[0].output_schema = Some(Schema::build(output).unwrap());
    let note = json!({
        "type": "object",
        "required": ["text", "strict"],
        "properties": {
            "text": {"type": "string", "minLength": 1, "maxLength": 40},
            "strict": {"type": "integer"},
            "level": {"type": "integer"},
            "share": {"type": "number"},
            "kind": {"enum": ["a", "b"]},
        },
    });
    let mut tell =
        skill("tell", "tale", &json!({"type": "object", "properties": {"p": {"type": "string"}}}));
    tell.triggers.push(trigger("tale", json!({"p": "{sentence}"}), true));
    catalog(vec![dice, skill("book", "note", &note), tell])
}

fn expand_with(
    catalog: &Catalog,
    failure: Option<&str>,
    text: &str,
) -> Result<ExpandedPlan, String> {
    let state = Object::new();
    let request =
        PlanRequest { last_failure: failure, ..plan_request(catalog, "I write it down", &state) };
    tool_set(catalog).expand(text, &request).map_err(|error| error.to_string())
}

/// The steps in Plan JSON, without what the host adds to every step.
fn check(steps: Value) -> String {
    let text = json!({"steps": steps, "narrative": ""}).to_string();
    let catalog = four();
    let expanded = match expand_with(&catalog, Some("it failed"), &text) {
        Ok(expanded) => expanded,
        Err(error) => return format!("error: {error}"),
    };
    let lines: Vec<String> = expanded
        .tools
        .iter()
        .map(|tool| {
            let mut step = serde_json::to_value(tool).unwrap();
            let fields = step.as_object_mut().unwrap();
            for name in ["toolPath", "required", "async"] {
                fields.remove(name);
            }
            step.to_string()
        })
        .collect();
    build(expanded, &catalog).unwrap();
    lines.join("\n")
}

/// S2 "LLM Prompt", "Skip and continue": results flow between steps, and a step says when, why and with whose consent it runs.
#[test]
fn references_and_notes_become_plan_json() {
    let roll = json!(["dice/roll-all", []]);
    let note = json!([
        "book/note", {"$": "dice/roll-all.text"}, 3, {"$": "dice/roll-all.total"}, {"$": "dice/roll-all.total"}, null, [],
        {"if": ["dice/roll-all.total", ">=", 15], "ask": true, "do": "Write it down", "why": "the roll was high"},
    ]);
    insta::assert_snapshot!(check(json!([roll, note])), @r#"
    {"toolId":"roll-all","dependencies":[],"input":{}}
    {"toolId":"note","when":"steps[\"roll-all\"].total >= 15","input":{"strict":3,"text":"$roll-all.text","level":"$roll-all.total","share":"$roll-all.total"},"dependencies":["roll-all"],"requiresApproval":true,"reason":"the roll was high","description":"Write it down"}
    "#);
    insta::assert_snapshot!(check(json!([
        roll,
        roll,
        ["tell/tale", [0], {"if": ["dice/roll-all.mood", "is", "wild"]}],
        ["tell/tale", [], {"if": ["dice/roll-all.hit", "is", false], "skip": "nobody listens"}],
    ])), @r#"
    {"toolId":"roll-all","dependencies":[],"input":{}}
    {"toolId":"roll-all-2","dependencies":[],"input":{}}
    {"toolId":"tale","when":"steps[\"roll-all-2\"].mood == \"wild\"","input":{"p":"I write it down"},"dependencies":["roll-all","roll-all-2"]}
    {"toolId":"tale-2","skip":true,"input":{"p":"I write it down"},"dependencies":["roll-all-2"],"when":"steps[\"roll-all-2\"].hit == false","reason":"nobody listens"}
    "#);
}

/// A step that is not there stands for no value, never for a plan that cannot run.
#[test]
fn a_reference_to_a_step_that_is_not_there_leaves_the_value_out() {
    insta::assert_snapshot!(check(json!([
        ["tell/tale", []],
        ["book/note", {"$": "dice/roll-all.text"}, 3, {"$": "dice/roll-all.total"}, null, "a", [0], {"if": ["dice/roll-all.total", "<", 2]}],
    ])), @r#"
    {"toolId":"tale","dependencies":[],"input":{"p":"I write it down"}}
    {"toolId":"note","dependencies":["tale"],"input":{"strict":3,"kind":"a","text":"I write it down"}}
    "#);
}

#[test]
fn what_the_grammar_does_not_allow_is_refused() {
    let roll = json!(["dice/roll-all", []]);
    let noted = |note: Value| json!([roll, ["tell/tale", [], note]]);
    let refused = [
        json!([["tell/tale", [], {"if": ["dice/roll-all.total", ">=", 1]}], roll]),
        noted(json!({"if": ["dice/roll-all.sometimes", ">=", 1]})),
        noted(json!({"if": ["dice/roll-all.odd name", ">=", 1]})),
        noted(json!({"if": ["dice/roll-all.total", "is", 1]})),
        noted(json!({"if": ["dice/roll-all.total", ">=", 10_000]})),
        noted(json!({"if": ["dice/roll-all.mood", "is", "sad"]})),
        noted(json!({"if": ["dice/roll-all.text", "is", "x"]})),
        noted(json!({"ask": false})),
        noted(json!({"do": ""})),
        noted(json!({"why": "x".repeat(61)})),
        noted(json!({"when": "true"})),
        noted(json!([])),
        json!([roll, ["book/note", "x", {"$": "dice/roll-all.total"}, null, null, null, []]]),
        json!([roll, ["book/note", {"$": "dice/roll-all.total"}, 3, null, null, null, []]]),
        json!([roll, ["book/note", "x", 3, {"$": "dice/roll-all.rolls"}, null, null, []]]),
    ];
    let errors: Vec<String> = refused.into_iter().map(check).collect();
    insta::assert_snapshot!(errors.join("\n"), @r#"
    error: step 0 of the plan: `tell/tale` has the note `{"if":["dice/roll-all.total",">=",1]}`, which cannot stand there
    error: step 1 of the plan: `tell/tale` has the note `{"if":["dice/roll-all.sometimes",">=",1]}`, which cannot stand there
    error: step 1 of the plan: `tell/tale` has the note `{"if":["dice/roll-all.odd name",">=",1]}`, which cannot stand there
    error: step 1 of the plan: `tell/tale` has the note `{"if":["dice/roll-all.total","is",1]}`, which cannot stand there
    error: step 1 of the plan: `tell/tale` has the note `{"if":["dice/roll-all.total",">=",10000]}`, which cannot stand there
    error: step 1 of the plan: `tell/tale` has the note `{"if":["dice/roll-all.mood","is","sad"]}`, which cannot stand there
    error: step 1 of the plan: `tell/tale` has the note `{"if":["dice/roll-all.text","is","x"]}`, which cannot stand there
    error: step 1 of the plan: `tell/tale` has the note `{"ask":false}`, which cannot stand there
    error: step 1 of the plan: `tell/tale` has the note `{"do":""}`, which cannot stand there
    error: step 1 of the plan: `tell/tale` has the note `{"why":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}`, which cannot stand there
    error: step 1 of the plan: `tell/tale` has the note `{"when":"true"}`, which cannot stand there
    error: step 1 of the plan: `tell/tale` has the note `[]`, which cannot stand there
    error: step 1 of the plan: `book/note` has the reference `{"$":"dice/roll-all.total"}`, which names no output that fits there
    error: step 1 of the plan: `book/note` has the reference `{"$":"dice/roll-all.total"}`, which names no output that fits there
    error: step 1 of the plan: `book/note` has the reference `{"$":"dice/roll-all.rolls"}`, which names no output that fits there
    "#);
}

/// S0 SC-001: also with references and notes, every plan that the model can write can run, and a model may give up only
/// in place of a plan that failed.
#[test]
fn every_walk_through_the_grammar_with_outputs_is_a_plan_that_can_run() {
    let catalog = four();
    let tool_set = tool_set(&catalog);
    assert_eq!(tool_set.left_out(), []);
    let mut rng = SmallRng::seed_from_u64(11);
    let state = Object::new();
    let (mut references, mut conditions, mut skips, mut aborts) = (0, 0, 0, 0);
    for nth in 0..240 {
        let is_recovery = nth % 2 == 0;
        let failure = is_recovery.then_some("it failed");
        let schema = if is_recovery { tool_set.recovery_schema() } else { tool_set.plan_schema() };
        let text = walk(&schema, &mut rng);
        let request =
            PlanRequest { last_failure: failure, ..plan_request(&catalog, "I go", &state) };
        if abort_reason(&text, &request).is_some() {
            assert!(is_recovery);
            aborts += 1;
            continue;
        }
        let expanded = tool_set.expand(&text, &request);
        let expanded = expanded.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let tools = expanded.tools.iter();
        let is_reference = |value: &Value| {
            value.as_str().is_some_and(|text| text.starts_with('$') && !text.starts_with("$$"))
        };
        references += tools.clone().filter(|tool| tool.input.values().any(is_reference)).count();
        conditions += tools.clone().filter(|tool| tool.when.is_some()).count();
        skips += tools.filter(|tool| tool.skip).count();
        build(expanded, &catalog).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
    let seen = [references, conditions, skips, aborts];
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}

/// S2 "Abort execution".
#[test]
fn a_model_gives_up_only_in_place_of_a_plan_that_failed() {
    let (catalog, state) = (four(), Object::new());
    let first = plan_request(&catalog, "I go", &state);
    let again = PlanRequest { last_failure: Some("it failed"), ..first.clone() };
    let abort = r#"{"abort":"the door is gone"}"#;
    assert_eq!(abort_reason(abort, &first), None);
    assert_eq!(abort_reason(abort, &again).as_deref(), Some("the door is gone"));
    for text in [r#"{"abort":""}"#, r#"{"abort":7}"#, r#"{"abort":"x","steps":[]}"#, "no"] {
        assert_eq!(abort_reason(text, &again), None, "{text}");
    }
}
