//! Inputs that draw their values from the state.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{
    BuildOptions, Plan, PlanJson,
    testing::{PLAN_ID, catalog, render, script, skill},
};
use narratoria_protocol::Object;

/// Checks a plan of these tools in a state; `None` is a plan outside of any story.
fn check(tools: Value, state: Option<Value>) -> String {
    let mut world = skill("world", &[]);
    let act = json!({
        "type": "object",
        "properties": {
            "target": {"type": "string", "valuesFrom": "/scope"},
            "with": {"type": ["string", "null"], "valuesFrom": "/carried"}
        }
    });
    world.scripts = vec![script("act", act), script("look", json!({"type": "object"}))];
    let mut ghost = skill("ghost", &[]);
    ghost.scripts = vec![script(
        "act",
        json!({
            "type": "object",
            "properties": {"target": {"type": "string", "valuesFrom": "/ghosts"}}
        }),
    )];
    (world.capabilities, ghost.capabilities) = (vec!["deeds".to_owned()], vec!["deeds".to_owned()]);
    let catalog = catalog([world, ghost]);
    let json: PlanJson =
        serde_json::from_value(json!({"requestId": PLAN_ID, "tools": tools})).unwrap();
    let state: Option<Object> = state.map(|state| state.as_object().cloned().unwrap());
    let state_values = state.map(|state| catalog.state_values(&state));
    let options = BuildOptions { state_values, ..BuildOptions::default() };
    match Plan::build(json, &catalog, &options) {
        Err(errors) => render(&errors),
        Ok(plan) => {
            let skills = plan.steps().iter().map(|step| {
                let skills = step.candidates.iter().map(|one| one.skill.name.clone());
                format!("{} {}", step.tool_id, skills.collect::<Vec<_>>().join("|"))
            });
            skills.collect::<Vec<_>>().join(", ")
        }
    }
}

fn act(input: Value) -> Value {
    json!([{"toolId": "a", "toolPath": "world/act", "input": input}])
}

/// A plan can only name what exists.
#[test]
fn a_plan_that_names_what_is_not_there_cannot_run() {
    let state = || Some(json!({"scope": ["brass lantern", "Mira"], "carried": []}));
    assert_snapshot!(check(act(json!({"target": "Mira"})), state()), @"a world");
    assert_snapshot!(check(act(json!({"target": "lantren", "with": "sword"})), state()), @r#"
    error: tools[0] ("a").input.target: "lantren" is not in scope (`/scope`); did you mean "brass lantern"?
    error: tools[0] ("a").input.with: "sword" is not in scope: nothing is, the list at `/carried` is empty
    hint: `world/act` takes: target, with
    category: invalid_json
    "#);
    assert_snapshot!(check(act(json!({"target": "Mira"})), Some(json!({}))), @r#"
    error: tools[0] ("a").input.target: "Mira" is not in scope: the state has no list at `/scope`
    hint: `world/act` takes: target, with
    category: invalid_json
    "#);
}

#[test]
fn outside_of_a_story_a_plan_is_checked_when_it_runs() {
    assert_snapshot!(check(act(json!({"target": "Mira"})), None), @"a world");
}

#[test]
fn a_reference_is_checked_when_it_has_a_value() {
    let tools = json!([
        {"toolId": "look", "toolPath": "world/look"},
        {"toolId": "a", "toolPath": "world/act", "input": {"target": "$look.name"}},
        {"toolId": "b", "toolPath": "world/act", "forEach": ["Ulf"], "input": {"target": "$item"}}
    ]);
    assert_snapshot!(check(tools, Some(json!({}))), @"look world, a world, b world");
}

#[test]
fn a_skill_that_knows_no_such_name_is_no_candidate() {
    let tools = |target| json!([{"toolId": "a", "toolPath": "capability:deeds", "input": {"target": target}}]);
    let state = || Some(json!({"scope": ["Mira"], "ghosts": ["Mira", "Grey Lady"]}));
    assert_snapshot!(check(tools("Mira"), state()), @"a ghost|world");
    assert_snapshot!(check(tools("Grey Lady"), state()), @"a ghost");
}
