//! The grammar of a compact plan, `{"steps":[…],"narrative":"…"}`: a JSON Schema in the subset that llguidance 1.9 knows.
//! In place of a plan that failed, `{"abort":"…"}` is possible as well.
//!
//! Each step index has a schema of its own, because a step can depend on earlier steps only. Every string, number and
//! list has a bound, so that a plan always ends.

use serde_json::{Value, json};

use super::{
    grammar_type::any_of_schema,
    schema_definitions::SchemaDefinitions,
    step_syntax::{PLAN_STEPS_MAX, StepPlace, step_schema},
    tool::Tool,
    tool_outputs::OutputField,
};

/// Longest narrative. The player sees it only if no step narrates.
const NARRATIVE_CHARS_MAX: u64 = 120;

/// Longest reason for giving up.
pub(super) const ABORT_CHARS_MAX: u64 = 120;

/// The field with the reason for giving up.
pub(super) const ABORT: &str = "abort";

/// The parts that a plan may have beside its steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlanShape {
    /// It replaces a failed plan, and may give up.
    pub(super) is_recovery: bool,
    /// It may tell a sentence of its own.
    pub(super) has_narrative: bool,
}

pub(super) fn plan_schema(tools: &[&Tool], shape: PlanShape) -> Value {
    let PlanShape { is_recovery, has_narrative } = shape;
    let mut definitions = SchemaDefinitions::default();
    let outputs: Vec<&OutputField> = tools.iter().flat_map(|tool| &tool.outputs).collect();
    let mut step = |idx| {
        let place = StepPlace { idx, is_recovery };
        let steps = tools.iter().map(|tool| step_schema(tool, place, &outputs, &mut definitions));
        any_of_schema(steps.collect())
    };
    let steps: Vec<Value> = (0..PLAN_STEPS_MAX).map(&mut step).collect();
    let narrative_chars_max = if has_narrative { NARRATIVE_CHARS_MAX } else { 0 };
    let plan = json!({
        "type": "object",
        "properties": {
            "steps": {
                "type": "array",
                "prefixItems": steps,
                "items": false,
                "minItems": 1,
                "maxItems": PLAN_STEPS_MAX,
            },
            "narrative": {"type": "string", "maxLength": narrative_chars_max},
        },
        "required": ["steps", "narrative"],
        "additionalProperties": false,
    });
    let abort = json!({
        "type": "object",
        "properties": {
            ABORT: {"type": "string", "minLength": 1, "maxLength": ABORT_CHARS_MAX},
        },
        "required": [ABORT],
        "additionalProperties": false,
    });
    let mut schema = json!({
        "$defs": definitions.schemas,
    });
    match (is_recovery, plan) {
        (true, plan) => schema["anyOf"] = json!([plan, abort]),
        (false, Value::Object(plan)) => {
            for (keyword, value) in plan {
                schema[keyword] = value;
            }
        }
        (false, _) => {}
    }
    schema
}
