//! Subschemas that a grammar repeats, each defined once.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

/// A shorter subschema costs less than a reference.
const DEFINITION_BYTES_MIN: usize = 40;

/// Each definition is compiled once, although the input of a script is the same for every step index.
#[derive(Debug, Default)]
pub(super) struct SchemaDefinitions {
    names: HashMap<String, usize>,
    pub(super) schemas: Map<String, Value>,
}

impl SchemaDefinitions {
    /// Returns the schema, or a reference to its definition if that is shorter.
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
