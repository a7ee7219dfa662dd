//! "Did you mean" for the fields of a closed schema. Pure.

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use narratoria_protocol::nearest::nearest;

/// Most misspelt fields for which one message names the field that was meant.
const FIELDS_MEANT_MAX: usize = 3;

/// Longest name that is compared, and most known names: an untrusted schema may have thousands.
const NAME_BYTES_MAX: usize = 64;
const KNOWN_MAX: usize = 256;

/// `; did you mean …?` if the error is about unknown fields and known ones are near; else empty.
pub(super) fn fields_meant(schema: &Value, error: &ValidationError<'_>) -> String {
    let ValidationErrorKind::AdditionalProperties { unexpected } = error.kind() else {
        return String::new();
    };
    let closed = error.schema_path().as_str();
    let closed = closed.rsplit_once('/').and_then(|(object, _)| schema.pointer(object));
    let known = closed.and_then(|object| object.get("properties")?.as_object());
    let known = known.into_iter().flatten().map(|(name, _)| name.as_str());
    let known: Vec<&str> =
        known.filter(|name| name.len() <= NAME_BYTES_MAX).take(KNOWN_MAX).collect();
    let misspelt = unexpected.iter().filter(|name| name.len() <= NAME_BYTES_MAX);
    let meant: Vec<String> = misspelt
        .take(FIELDS_MEANT_MAX)
        .filter_map(|field| Some((field, nearest(field, &known)?)))
        .map(|(field, near)| match unexpected.len() {
            1 => format!("`{near}`"),
            _ => format!("`{near}` for `{field}`"),
        })
        .collect();
    match meant.is_empty() {
        true => String::new(),
        false => format!("; did you mean {}?", meant.join(" and ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Schema;

    #[track_caller]
    fn check(instance: Value, expect: &str) {
        let schema = json!({
            "properties": {
                "phrases": {"type": "array"}, "patterns": true,
                "inner": {"$ref": "#/$defs/inner"}, "list": {"items": {"$ref": "#/$defs/inner"}}
            },
            "additionalProperties": false,
            "$defs": {"inner": {"properties": {"timeout": true}, "additionalProperties": false}}
        });
        let found = Schema::build(schema).unwrap().mismatches(&instance);
        let found: Vec<String> =
            found.iter().map(|it| format!("{}: {}", it.pointer, it.what)).collect();
        assert_eq!(found.join("\n"), expect);
    }

    #[test]
    fn a_misspelt_field_names_the_one_that_is_meant_at_any_depth() {
        check(
            json!({"phrase": []}),
            ": Additional properties are not allowed ('phrase' was unexpected); did you mean `phrases`?",
        );
        check(
            json!({"list": [{"timeot": 1}]}),
            "/list/0: Additional properties are not allowed ('timeot' was unexpected); did you mean `timeout`?",
        );
        check(
            json!({"phrase": 1, "pattern": 2, "elsewhere": 3}),
            ": Additional properties are not allowed ('phrase', 'pattern', 'elsewhere' were unexpected); did you mean `phrases` for `phrase` and `patterns` for `pattern`?",
        );
        check(
            json!({"quite-another": 1}),
            ": Additional properties are not allowed ('quite-another' was unexpected)",
        );
    }
}
