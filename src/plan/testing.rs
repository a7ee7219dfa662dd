//! Catalogs and plans for tests, in a few words.

use std::{collections::HashSet, sync::Arc, time::Duration};

use serde_json::{Value, json};

use super::{
    BuildOptions, Condition, ConditionScope, Hole, Plan, PlanErrors, PlanJson, Step, StepIdx,
    ValueTemplate,
};
use crate::{
    protocol::Object,
    skills::{Catalog, Grants, Origin, RetryPolicy, Schema, Script, ScriptLimits, Skill},
};

pub(crate) const PLAN_ID: &str = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";

/// A skill called `name` whose scripts accept any input.
pub(crate) fn skill(name: &str, scripts: &[&str]) -> Skill {
    Skill {
        name: name.to_owned(),
        display_name: name.to_owned(),
        description: String::new(),
        version: semver::Version::new(1, 2, 3),
        author: None,
        license: None,
        prompt: String::new(),
        capabilities: Vec::new(),
        priority: 50,
        retry: RetryPolicy { retries_max: 0, backoff: Duration::from_millis(100) },
        triggers: Vec::new(),
        examples: Vec::new(),
        scripts: scripts.iter().map(|name| script(name, json!({"type": "object"}))).collect(),
        config: Object::new(),
        secrets: Vec::new(),
        origin: Origin::BuiltIn,
    }
}

pub(crate) fn script(name: &str, input_schema: Value) -> Script {
    Script {
        name: name.to_owned(),
        path: format!("scripts/{name}.wasm"),
        description: String::new(),
        input_schema: Schema::build(input_schema).unwrap(),
        output_schema: None,
        timeout: Duration::from_secs(30),
        required: true,
        is_async: false,
        requires_approval: false,
        reads: Vec::new(),
        limits: ScriptLimits { fuel: 1, memory_bytes: 1, stdout_bytes: 1 },
        grants: Grants::default(),
        component: Arc::from([]),
    }
}

pub(crate) fn catalog(skills: impl IntoIterator<Item = Skill>) -> Catalog {
    let mut catalog = Catalog::default();
    for skill in skills {
        catalog.insert(skill);
    }
    catalog
}

/// `b<-a,c` reads "b needs a and c"; every step runs `any/thing`.
pub(crate) fn plan_json(plan: &str) -> PlanJson {
    let tools: Vec<Value> = plan
        .split_whitespace()
        .map(|step| {
            let (id, needs) = step.split_once("<-").unwrap_or((step, ""));
            let needs: Vec<&str> = needs.split(',').filter(|need| !need.is_empty()).collect();
            json!({"toolId": id, "toolPath": "any/thing", "dependencies": needs})
        })
        .collect();
    serde_json::from_value(json!({"requestId": PLAN_ID, "tools": tools})).unwrap()
}

pub(crate) fn build(json: PlanJson, catalog: &Catalog) -> Result<Plan, PlanErrors> {
    Plan::build(json, catalog, &BuildOptions::default())
}

/// Errors and hints as a front end would print them.
pub(crate) fn render(errors: &PlanErrors) -> String {
    let mut text = String::new();
    for error in errors.iter() {
        text.push_str(&format!("error: {error}\n"));
    }
    let mut seen = HashSet::new();
    for hint in errors.hints() {
        assert!(seen.insert(hint.clone()), "`{hint}` is told twice");
        text.push_str(&format!("hint: {hint}\n"));
    }
    if errors.left_off() > 0 {
        text.push_str(&format!("and {} more\n", errors.left_off()));
    }
    text.push_str(&format!("category: {}", errors.category().as_str()));
    text
}

/// A plan of these steps as they are; nothing is checked.
pub(crate) fn plan_of(steps: Vec<Step>, parallel: bool, stop_on_failure: bool) -> Plan {
    Plan {
        id: PLAN_ID.to_owned(),
        narrative: None,
        steps,
        parallel,
        stop_on_failure,
        disabled_skills: Vec::new(),
        attempt: 1,
        parent_plan_id: None,
        metadata: Object::new(),
    }
}

pub(crate) fn template(value: Value, holes: Vec<Hole>) -> ValueTemplate {
    ValueTemplate { value, holes }
}

/// A condition in a plan whose steps are called `s0`, `s1` and so on.
pub(crate) fn condition(text: &str) -> Condition {
    Condition::build(text, &Numbered).unwrap()
}

struct Numbered;

impl ConditionScope for Numbered {
    fn step(&self, id: &str) -> Option<StepIdx> {
        id.strip_prefix('s')?.parse().ok().map(StepIdx)
    }

    fn ids(&self) -> Vec<String> {
        Vec::new()
    }

    fn output_schema(&self, _: &str) -> Option<Value> {
        None
    }

    fn input_schema(&self) -> Option<Value> {
        None
    }
}
