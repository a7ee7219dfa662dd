//! The grammar of a compact plan: `{"steps":[…],"narrative":"…"}`, as a JSON Schema in the subset that
//! llguidance 1.9 knows.
//!
//! Each place among the steps has a schema of its own, because a step can only come after those before it. No
//! string, number or list in it is without a bound, so that a plan always ends.

use serde_json::{Value, json};

use super::{
    grammar_type::any_of_schema,
    schema_definitions::SchemaDefinitions,
    step_syntax::{PLAN_STEPS_MAX, step_schema},
    tool::Tool,
};

/// Longest narrative. It is only shown where no step narrates.
pub const NARRATIVE_CHARS_MAX: u64 = 120;

pub(super) fn plan_schema(items: &[&Tool]) -> Value {
    let mut shared = SchemaDefinitions::default();
    let mut step = |idx| {
        let steps = items.iter().map(|item| step_schema(item, idx, &mut shared));
        any_of_schema(steps.collect())
    };
    let steps: Vec<Value> = (0..PLAN_STEPS_MAX).map(&mut step).collect();
    json!({
        // White space between tokens is only time lost, and a model that likes it never ends. Of the
        // escapes, those are enough that any text needs; so no control character gets in either.
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
        "$defs": shared.schemas,
    })
}
