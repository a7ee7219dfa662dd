//! The grammar of a compact plan, `{"steps":[…],"narrative":"…"}`: a JSON Schema in the subset that llguidance 1.9 knows.
//!
//! Each step index has a schema of its own, because a step can depend on earlier steps only. Every string, number and
//! list has a bound, so that a plan always ends.

use serde_json::{Value, json};

use super::{
    grammar_type::any_of_schema,
    schema_definitions::SchemaDefinitions,
    step_syntax::{PLAN_STEPS_MAX, step_schema},
    tool::Tool,
};

/// Longest narrative. The player sees it only if no step narrates.
const NARRATIVE_CHARS_MAX: u64 = 120;

pub(super) fn plan_schema(tools: &[&Tool]) -> Value {
    let mut definitions = SchemaDefinitions::default();
    let mut step = |idx| {
        let steps = tools.iter().map(|tool| step_schema(tool, idx, &mut definitions));
        any_of_schema(steps.collect())
    };
    let steps: Vec<Value> = (0..PLAN_STEPS_MAX).map(&mut step).collect();
    json!({
        // White space between tokens costs time, and some models write it without end. These escapes suffice for
        // every text, and without others no control character gets in.
        "x-guidance": {
            "whitespace_flexible": false,
            "item_separator": ",",
            "key_separator": ":",
            "json_allowed_escapes": "n\\\"",
        },
        "type": "object",
        "properties": {
            "steps": {
                "type": "array",
                "prefixItems": steps,
                "items": false,
                "minItems": 1,
                "maxItems": PLAN_STEPS_MAX,
            },
            "narrative": {"type": "string", "maxLength": NARRATIVE_CHARS_MAX},
        },
        "required": ["steps", "narrative"],
        "additionalProperties": false,
        "$defs": definitions.schemas,
    })
}
