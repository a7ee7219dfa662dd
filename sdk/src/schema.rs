//! JSON Schemas (2020-12) from Rust types.

use schemars::{JsonSchema, generate::SchemaSettings};

use crate::Value;

/// The schema of the JSON that `T` is read from, complete in itself.
pub fn input_schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize().with(inline);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// The schema of the JSON that `T` is written as; `None` if `T` describes no object, as `()` and [`Value`].
pub fn output_schema<T: JsonSchema>() -> Option<Value> {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(inline);
    let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    (schema.get("type") == Some(&Value::from("object"))).then_some(schema)
}

/// Without references: they save little in schemas of this size, and planners read a schema from top to bottom.
fn inline(settings: &mut SchemaSettings) {
    settings.inline_subschemas = true;
}
