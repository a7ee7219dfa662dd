//! What models with random weights name where the state says what there is.

use std::time::Duration;

use narratoria_narrator::{
    PlanRequest, PlannerDecision,
    llama::{LlamaPlanner, ModelSlot},
    request_answer,
};
use narratoria_plan::{
    BuildOptions, Plan,
    testing::{catalog, script, skill},
};
use narratoria_protocol::Object;
use serde_json::{Value, json};

use crate::narrator::{models, number};

/// No plan of a model names a thing that is not there. `SCOPE_PLANS` says how many plans are made.
#[test]
fn whatever_a_model_writes_names_only_what_is_there() {
    let plans = number("SCOPE_PLANS", 40);
    let input = json!({
        "type": "object",
        "required": ["action", "target"],
        "properties": {
            "action": {"enum": ["take", "drop", "give"]},
            "target": {"type": "string", "valuesFrom": "/world/scope/targets"},
            "with": {"type": ["string", "null"], "valuesFrom": "/world/scope/carried"}
        }
    });
    let mut world = skill("world", &[]);
    world.scripts = vec![script("act", input)];
    let catalog = catalog([world, skill("teller", &["narrate"])]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let things = ["brass lantern", "Mira", "iron door", "rope", "the old map"];
    let mut named = 0;
    for seed in 0..plans {
        let at = |nth: u64| things[usize::try_from((seed + nth) % 5).unwrap()];
        let (targets, carried) = ([at(0), at(2)], [at(1)]);
        let state = json!({"world": {"scope": {"targets": targets, "carried": carried}}});
        let state: Object = state.as_object().cloned().unwrap();
        let model = &models()[usize::try_from(seed).unwrap() % models().len()];
        let mut planner = LlamaPlanner::new(ModelSlot::ready(model.clone()));
        let sentence = format!("I take sword number {seed}");
        let request = PlanRequest {
            seed,
            ..PlanRequest::first(
                &sentence,
                &catalog,
                &state,
                "00000000-0000-4000-8000-000000000000".to_owned(),
                Duration::from_secs(60),
            )
        };
        let answer = match runtime.block_on(request_answer(&mut planner, request)) {
            Ok(answer) => answer,
            // A model that spells every word may not come to an end, and then it names nothing.
            Err(no_plan) => {
                assert!(no_plan.fallback.why.contains("longer than"), "{no_plan:?}");
                continue;
            }
        };
        let PlannerDecision::Plan(json) = answer.decision else { continue };
        let state_values = Some(catalog.state_values(&state));
        let options = BuildOptions { state_values, ..BuildOptions::default() };
        let plan = Plan::build(json, &catalog, &options).unwrap_or_else(|error| panic!("{error}"));
        for step in plan.steps() {
            for field in ["target", "with"] {
                if let Value::String(name) = &step.input.value()[field] {
                    assert!(targets.iter().chain(&carried).any(|one| one == name), "{name}");
                    named += 1;
                }
            }
        }
    }
    assert!(named > 0, "no plan names anything");
}
