//! The plan of a story's first turn: a premise or a campaign becomes a world, and the narration opens it. Every planner
//! begins there.

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

/// A step that begins the plot of a campaign.
struct PlotStep {
    id: &'static str,
    tool: &'static str,
    /// The name of its one input.
    input: &'static str,
    /// The part of the output of `advance` that is the input, and without which the step has nothing to do; none for
    /// `advance` itself, whose input is true.
    of_advance: Option<&'static str>,
}

/// The steps that begin the plot of a campaign, after its world.
const BEGIN_PLOT: [PlotStep; 4] = [
    PlotStep { id: "advance", tool: "plot/advance", input: "begin", of_advance: None },
    PlotStep { id: "change", tool: "world/change", input: "changes", of_advance: Some("changes") },
    PlotStep {
        id: "reputation",
        tool: "reputation/update-reputation",
        input: "changes",
        of_advance: Some("reputation"),
    },
    PlotStep {
        id: "perception",
        tool: "npc-perception/update-perception",
        input: "changes",
        of_advance: Some("feelings"),
    },
];

/// The script that offers what the player can choose.
const CHOICES: &str = "player-choices/generate-choices";

/// Returns the plan, without an id: the host gives it one. Returns `None` if no skill can make a world.
pub fn opening_plan(catalog: &Catalog, premise: &str) -> Option<PlanJson> {
    let create = create_step(catalog, json!({"premise": premise}))?;
    Some(told(catalog, premise, vec![create]))
}

/// Returns the plan of a story that has a campaign. `title` is the name of the turn. Returns `None` if no skill can
/// make a world of a campaign.
pub fn campaign_opening_plan(catalog: &Catalog, title: &str) -> Option<PlanJson> {
    let mut tools = vec![create_step(catalog, json!({"campaign": true}))?];
    for PlotStep { id, tool, input: name, of_advance } in BEGIN_PLOT {
        let Ok((skill, idx)) = catalog.resolve(tool) else { continue };
        if of_advance.is_some() && !tools.iter().any(|step| step.tool_id == "advance") {
            continue;
        }
        let value = of_advance.map_or(json!(true), |part| json!(format!("$advance.{part}")));
        let input = Object::from_iter([(name.to_owned(), value)]);
        let when = of_advance.map(|part| format!("size(steps.advance.{part}) > 0"));
        let reason = Some("a campaign begins its plot".to_owned());
        let step = plan_step(&[], skill, &skill.scripts[idx], Object::new(), reason);
        let dependencies = tools.last().map(|step| step.tool_id.clone()).into_iter().collect();
        tools.push(ToolJson { tool_id: id.to_owned(), input, when, dependencies, ..step });
    }
    let mut plan = told(catalog, title, tools);
    plan.tools.extend(choices_step(catalog, &plan.tools));
    Some(plan)
}

/// The step that offers the choices of the first storylet, after it is told. Returns `None` if no plot begins, or no script
/// offers choices.
fn choices_step(catalog: &Catalog, tools: &[ToolJson]) -> Option<ToolJson> {
    let (skill, idx) = catalog.resolve(CHOICES).ok()?;
    tools.iter().find(|step| step.tool_id == "advance")?;
    let reason = Some("a campaign offers its first choices".to_owned());
    let step = plan_step(tools, skill, &skill.scripts[idx], Object::new(), reason);
    Some(ToolJson {
        when: Some("size(steps.advance.offered) > 0".to_owned()),
        dependencies: tools.last().map(|step| step.tool_id.clone()).into_iter().collect(),
        ..step
    })
}

/// Returns the step that makes the world. Returns `None` if no script accepts this input.
fn create_step(catalog: &Catalog, mut input: Value) -> Option<ToolJson> {
    let (skill, idx) = catalog.resolve(CREATE).ok()?;
    let script = &skill.scripts[idx];
    if !script.input_schema.mismatches(&input).is_empty() {
        return None;
    }
    escape_dollars(&mut input);
    let Value::Object(input) = input else { return None };
    let reason = Some("a new story begins with a world".to_owned());
    let step = plan_step(&[], skill, script, Object::new(), reason);
    Some(ToolJson { input, required: Some(true), ..step })
}

/// The plan of these steps with a narration of all of them.
fn told(catalog: &Catalog, sentence: &str, mut tools: Vec<ToolJson>) -> PlanJson {
    if let Some((skill, script, input)) = narrator(catalog, sentence) {
        let reason = Some("opens the story".to_owned());
        let dependencies = tools.iter().map(|step| step.tool_id.clone()).collect();
        let tell = plan_step(&tools, skill, script, input, reason);
        tools.push(ToolJson { required: Some(true), dependencies, ..tell });
    }
    PlanJson::new(String::new(), tools)
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
