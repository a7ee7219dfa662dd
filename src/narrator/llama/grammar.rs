//! The grammar of a compact plan: `{"steps":[…],"narrative":"…"}`, as a JSON Schema in the subset that
//! llguidance 1.9 knows.
//!
//! Each place among the steps has a schema of its own, because a step can only come after those before it. No
//! string, number or list in it is without a bound, so that a plan always ends.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{
    grammar_type::any_of_schema,
    step_syntax::{PLAN_STEPS_MAX, StepSyntax},
    tool_set::{Tool, ToolSet},
};

/// Longest narrative. It is only shown where no step narrates.
pub const NARRATIVE_CHARS_MAX: u64 = 120;

impl ToolSet {
    /// What a plan of this turn looks like, for [`Grammar::schema`](narratoria_model::llm::Grammar::schema). Only for
    /// a menu that is not empty: nothing meets the schema of an empty one.
    pub fn plan_schema(&self) -> Value {
        plan_schema(self.syntax, &self.offered_tools().collect::<Vec<_>>())
    }
}

/// Parts of a grammar that stand in several places, each compiled once: what a script takes is the same at every
/// place among the steps.
#[derive(Debug, Default)]
pub(super) struct SchemaDefinitions {
    names: HashMap<String, usize>,
    schemas: Map<String, Value>,
}

impl SchemaDefinitions {
    /// The schema, or a reference to it where that is shorter.
    pub(super) fn reference_or_inline(&mut self, schema: Value) -> Value {
        let text = schema.to_string();
        if text.len() < DEFINITION_BYTES_MIN {
            return schema;
        }
        let next = self.names.len();
        let name = *self.names.entry(text).or_insert(next);
        self.schemas.entry(name.to_string()).or_insert(schema);
        json!({"$ref": format!("#/$defs/{name}")})
    }
}

/// Shorter parts cost less than a reference.
const DEFINITION_BYTES_MIN: usize = 40;

pub(super) fn plan_schema(form: StepSyntax, items: &[&Tool]) -> Value {
    let mut shared = SchemaDefinitions::default();
    let mut step = |idx| {
        let steps = items.iter().map(|item| form.step_schema(item, idx, &mut shared));
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
