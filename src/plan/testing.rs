//! Short notations of catalogs and plans, for tests.

#![expect(clippy::unwrap_used, reason = "test support: a panic fails the test")]

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{
    BuildOptions, Condition, Plan, PlanErrors, PlanJson, ReferenceSlot, Step, StepIdx,
    ValueTemplate,
    condition::{CelType, ConditionScope},
};
use narratoria_protocol::Object;
pub use narratoria_skills::testing::{catalog, script, skill};
use narratoria_skills::{Catalog, CompileBudget, PatternDialect, PatternFault, PatternSize};

pub const PLAN_ID: &str = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";

/// `b<-a,c` reads "b needs a and c". Every step runs `any/thing`.
pub fn plan_json(plan: &str) -> PlanJson {
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

pub fn build(json: PlanJson, catalog: &Catalog) -> Result<Plan, PlanErrors> {
    Plan::build(json, catalog, &BuildOptions::default())
}

/// Errors and hints as a front end prints them.
pub fn render(errors: &PlanErrors) -> String {
    let mut text = String::new();
    for error in errors.iter() {
        text.push_str(&format!("error: {error}\n"));
    }
    let mut seen = HashSet::new();
    for hint in errors.hints() {
        assert!(seen.insert(hint.clone()), "`{hint}` is repeated");
        text.push_str(&format!("hint: {hint}\n"));
    }
    if errors.left_off() > 0 {
        text.push_str(&format!("and {} more\n", errors.left_off()));
    }
    text.push_str(&format!("category: {}", errors.category().as_str()));
    text
}

/// A plan of these steps, unchecked.
pub fn plan_of(steps: Vec<Step>, parallel: bool, stop_on_failure: bool) -> Plan {
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

pub fn value_template(value: Value, slots: Vec<ReferenceSlot>) -> ValueTemplate {
    ValueTemplate { value, slots }
}

/// A condition in a plan with steps `s0`, `s1` and so on.
pub fn condition(text: &str) -> Condition {
    Condition::build(text, &NumberedSteps).unwrap()
}

struct NumberedSteps;

impl ConditionScope for NumberedSteps {
    fn step(&self, id: &str) -> Option<StepIdx> {
        id.strip_prefix('s')?.parse().ok().map(StepIdx)
    }

    fn ids(&self) -> Vec<String> {
        Vec::new()
    }

    fn output_type(&self, _: &str) -> CelType<'_> {
        CelType::UNKNOWN
    }

    fn take_pattern(&self, pattern: &str) -> Result<PatternSize, PatternFault> {
        CompileBudget::default()
            .take_pattern(pattern, PatternDialect::Plain { ignores_case: false })
    }

    fn input_type(&self) -> CelType<'_> {
        CelType::UNKNOWN
    }
}
