//! The names that a model may use if the state lists the values.

use rand::{RngExt, SeedableRng, rngs::SmallRng};
use serde_json::{Value, json};

use super::{PLAN_ID, catalog, plan_request, skill, tool_set, walk::walk};
use crate::llama::ToolSet;
use narratoria_plan::{BuildOptions, Plan, PlanJson};
use narratoria_protocol::Object;
use narratoria_skills::Catalog;

/// A world whose only script draws what it acts on from the state.
fn world() -> Catalog {
    let input = json!({
        "type": "object",
        "required": ["action", "target"],
        "properties": {
            "action": {"enum": ["take", "drop"]},
            "target": {"type": "string", "valuesFrom": "/world/scope/targets"},
            "with": {"type": ["string", "null"], "valuesFrom": "/world/scope/carried"},
            "also": {"type": "array", "items": {"type": "string", "valuesFrom": "/world/scope/targets"}},
            "actions": {"type": "array", "referenceOnly": true}
        }
    });
    let look = json!({"type": "object", "properties": {"x": {"type": "boolean"}}});
    catalog(vec![skill("world", "act", &input), skill("tell", "tale", &look)])
}

fn scope(targets: &[String], carried: &[String]) -> Object {
    let state = json!({"world": {"scope": {"targets": targets, "carried": carried}}});
    state.as_object().cloned().unwrap()
}

fn plan_of(
    tool_set: &ToolSet,
    catalog: &Catalog,
    state: &Object,
    text: &str,
) -> Result<Plan, String> {
    let request = plan_request(catalog, "take it", state);
    let expanded = tool_set.expand(text, &request).map_err(|error| error.to_string())?;
    let json = PlanJson {
        narrative: expanded.narrative,
        parallel: true,
        ..PlanJson::new(PLAN_ID.to_owned(), expanded.tools)
    };
    let state_values = Some(catalog.state_values(state));
    let options = BuildOptions { state_values, ..BuildOptions::default() };
    Plan::build(json, catalog, &options).map_err(|errors| errors.to_string())
}

/// The names that a plan gives to its steps.
fn names(plan: &Plan) -> Vec<String> {
    let mut names = Vec::new();
    for step in plan.steps() {
        let input = step.input.value();
        let one = [&input["target"], &input["with"]];
        let also = input["also"].as_array().into_iter().flatten();
        names.extend(one.into_iter().chain(also).filter_map(Value::as_str).map(str::to_owned));
    }
    names
}

/// A model can only name what exists. `SCOPE_PLANS` says how many plans are made.
#[test]
fn no_plan_names_what_is_not_in_scope() {
    let plans = std::env::var("SCOPE_PLANS").map_or(60, |text| text.parse().unwrap());
    let catalog = world();
    let base = tool_set(&catalog);
    assert_eq!(base.left_out(), []);
    let mut rng = SmallRng::seed_from_u64(16);
    let words =
        ["lamp", "brass \"key\"", "Mira", "çedilla", "$gold", "a\\b", "the old, old door", "猫"];
    let (mut made, mut named) = (0, 0);
    while made < plans {
        let mut some = || -> Vec<String> {
            let count = rng.random_range(0..4);
            (0..count).map(|_| words[rng.random_range(0..words.len())].to_owned()).collect()
        };
        let (targets, carried) = (some(), some());
        let state = scope(&targets, &carried);
        let tool_set = base.in_state(&catalog.state_values(&state));
        assert_eq!(tool_set.paths().count(), if targets.is_empty() { 1 } else { 2 });
        let schema = tool_set.plan_schema();
        for _ in 0..5 {
            let text = walk(&schema, &mut rng);
            let plan = plan_of(&tool_set, &catalog, &state, &text);
            let plan = plan.unwrap_or_else(|error| panic!("{error}\n{text}"));
            for name in names(&plan) {
                let name =
                    name.strip_prefix('$').filter(|name| name.starts_with('$')).unwrap_or(&name);
                assert!(targets.iter().chain(&carried).any(|one| one == name), "{name}\n{text}");
                named += 1;
            }
            made += 1;
        }
    }
    assert!(named > plans / 2, "{named} names in {made} plans");
}

/// The prompt and its stored beginning do not change when the scope does; the grammar does.
#[test]
fn the_scope_stands_at_the_end_of_the_story_and_in_the_grammar() {
    let catalog = world();
    let base = tool_set(&catalog);
    let of = |targets: &[String]| {
        let state = scope(targets, &[]);
        let tool_set = base.in_state(&catalog.state_values(&state));
        let request = plan_request(&catalog, "take it", &state);
        let prompt = crate::llama::prompt(&request, &tool_set, &|text| text.len() / 4, 3_000);
        let [system, user] = &prompt.chat.messages[..] else { panic!("two messages") };
        let text = |parts: &[narratoria_model::llm::MessagePart]| -> String {
            parts.iter().map(|part| part.text.as_str()).collect()
        };
        (text(&system.parts), text(&user.parts), tool_set.plan_schema().to_string())
    };
    let (first, second) = (of(&["lamp".to_owned()]), of(&["Mira".to_owned(), "rope".to_owned()]));
    assert_eq!(first.0, second.0, "the part that is stored on disk");
    assert!(first.0.contains("target: a name from /world/scope/targets"), "{}", first.0);
    assert!(!first.0.contains("actions?"), "what only a reference gives is not shown");
    let lines = "> /world/scope/targets has now: \"Mira\"|\"rope\"\n> /world/scope/carried has now: nothing\n";
    assert!(second.1.contains(lines), "{}", second.1);
    assert!(first.2.contains("lamp") && !first.2.contains("Mira"));
    assert!(second.2.contains("Mira") && !second.2.contains("lamp"));
}

/// If the state lists the values, only steps narrate: a sentence of the plan's own could name anything.
#[test]
fn where_the_state_has_names_a_plan_tells_no_sentence_of_its_own() {
    let catalog = world();
    let base = tool_set(&catalog);
    let text = r#"{"steps":[["tell/tale",null,[]]],"narrative":"Gandalf nods."}"#;
    let narrative = |state: &Object| {
        let tool_set = base.in_state(&catalog.state_values(state));
        let longest = tool_set.plan_schema()["properties"]["narrative"]["maxLength"].clone();
        let plan = plan_of(&tool_set, &catalog, state, text).unwrap();
        (longest, plan.narrative().map(str::to_owned))
    };
    assert_eq!(narrative(&Object::new()), (json!(120), Some("Gandalf nods.".to_owned())));
    assert_eq!(narrative(&scope(&[], &[])), (json!(0), None));
    assert_eq!(narrative(&scope(&["lamp".to_owned()], &[])), (json!(0), None));
}
