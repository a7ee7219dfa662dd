//! The plan of a story's first turn: a premise becomes a world, and the narration opens it. Every planner begins there.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    plan_step::{escape_dollars, plan_step},
    slot_filling::fill_input,
};
use narratoria_plan::{PlanJson, wire::ToolJson};
use narratoria_protocol::Object;
use narratoria_skills::{Catalog, Script, Skill, StateValueLists};

/// The script that makes a world of a premise.
const CREATE: &str = "world/create";

/// The plan, under an id that the host replaces. None where no skill can make a world.
pub fn opening_plan(catalog: &Catalog, premise: &str) -> Option<PlanJson> {
    let (skill, idx) = catalog.resolve(CREATE).ok()?;
    let mut input = Value::Object(Object::from_iter([("premise".to_owned(), json!(premise))]));
    if !skill.scripts[idx].input_schema.mismatches(&input).is_empty() {
        return None;
    }
    escape_dollars(&mut input);
    let Value::Object(input) = input else { return None };
    let step =
        |others: &[ToolJson], skill: &Skill, script: &Script, input, reason: &str| ToolJson {
            required: Some(true),
            ..plan_step(others, skill, script, input, Some(reason.to_owned()))
        };
    let reason = "a new story begins with a world";
    let create = ToolJson { input, ..step(&[], skill, &skill.scripts[idx], Object::new(), reason) };
    let mut tools = vec![create];
    if let Some((skill, script, input)) = narrator(catalog, premise) {
        let mut tell = step(&tools, skill, script, input, "opens the story");
        tell.dependencies.push(tools[0].tool_id.clone());
        tools.push(tell);
    }
    Some(PlanJson::new("00000000-0000-4000-8000-000000000000".to_owned(), tools))
}

/// The narrating script of highest priority that takes the premise.
fn narrator<'c>(
    catalog: &'c Catalog,
    premise: &str,
) -> Option<(&'c Arc<Skill>, &'c Script, Object)> {
    let filled = catalog.iter().filter_map(|skill| {
        let mut triggers = skill.triggers.iter().filter(|trigger| trigger.fallback);
        triggers.find_map(|trigger| {
            let script = skill.script(&trigger.script)?;
            let input = fill_input(trigger, script, premise, &StateValueLists::default())?;
            Some((skill, script, input))
        })
    });
    filled.max_by_key(|(skill, ..)| skill.priority)
}
