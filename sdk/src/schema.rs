//! JSON Schemas (2020-12) from Rust types.

use schemars::{JsonSchema, generate::SchemaSettings};

use crate::Value;

/// The schema of what `T` is read from, complete in itself.
pub fn input_schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize().with(inline);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// The schema of what `T` is written as; `None` where `T` says nothing about an object, as `()` and
/// [`Value`] do.
pub fn output_schema<T: JsonSchema>() -> Option<Value> {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(inline);
    let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    (schema.get("type") == Some(&Value::from("object"))).then_some(schema)
}

/// References save nothing in schemas of this size, and planners read a schema from top to bottom.
fn inline(settings: &mut SchemaSettings) {
    settings.inline_subschemas = true;
}
