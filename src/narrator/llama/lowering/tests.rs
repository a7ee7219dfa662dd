//! Lowers schemas and shows the types as the prompt does.

use serde_json::{Value, json};

use super::lower_schema;
use crate::llama::notation::type_notation;

fn show(schema: &Value) -> String {
    lower_schema(schema)
        .map_or_else(|error| format!("- {error}"), |lowered| type_notation(&lowered))
}

/// The type of each schema, one on a line.
fn check(schemas: &[Value]) -> String {
    schemas.iter().map(show).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_number_has_bounds() {
    insta::assert_snapshot!(check(&[
        json!({"type": "integer"}),
        json!({"type": "integer", "minimum": 5000, "format": "uint32"}),
        json!({"type": "integer", "maximum": -20000}),
        json!({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 3.5}),
        json!({"type": "integer", "minimum": 1, "multipleOf": 500}),
        json!({"type": "integer", "multipleOf": 7}),
        json!({"type": "integer", "minimum": 1, "maximum": 6, "multipleOf": 7}),
        json!({"type": "integer", "minimum": u64::MAX}),
        json!({"type": "number"}),
        json!({"type": "number", "minimum": 0.29, "exclusiveMaximum": 0.57}),
        json!({"type": "number", "minimum": 0.571, "maximum": 0.579}),
        json!({"type": "number", "exclusiveMinimum": 0, "maximum": 1e300}),
        json!({"type": "number", "multipleOf": 0.25, "minimum": 0, "maximum": 5}),
        json!({"type": "number", "multipleOf": 0.1}),
    ]), @"
    -9999..9999
    5000..14999
    -29999..-20000
    1..3
    500|1000|1500|2000|2500|3000|3500|4000|4500|5000|5500|6000|…
    -9996..9996 in steps of 7
    - accepts no number that can be written
    - accepts no number that can be written
    -9999.0..9999.0
    0.29..0.56
    - accepts no number that can be written
    0.01..90071992547409.0
    0..5
    - has the `multipleOf` 0.1
    ");
}

#[test]
fn constraints_that_hold_together_are_merged() {
    insta::assert_snapshot!(check(&[
        json!({"allOf": [{"type": ["string", "null"], "maxLength": 9}, {"minLength": 3, "type": "string"}]}),
        json!({"enum": ["a", "b", "ccc", 4], "allOf": [{"enum": ["b", "ccc", 4]}, {"type": "string", "maxLength": 2}]}),
        json!({"$ref": "#/$defs/n", "maximum": 5, "$defs": {"n": {"type": "integer", "minimum": 1}}}),
        json!({"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"],
            "allOf": [{"properties": {"x": {"minimum": 0}, "y": {"type": "boolean"}}, "additionalProperties": {"maximum": 9}}]}),
        json!({"type": "array", "items": {"type": "boolean"}, "allOf": [{"prefixItems": [true, {"const": false}], "maxItems": 3}]}),
        json!({"anyOf": [{"minimum": 1}, {"maximum": -1}], "type": "integer", "maximum": 9, "minimum": -9}),
    ]), @r#"
    text of 3-9
    "b"
    1..5
    {x:0..9999,y?:true|false}
    [true|false,false,true|false…]×0-3
    1..9|-9..-1
    "#);
}

#[test]
fn a_one_of_is_offered_if_its_branches_cannot_overlap() {
    insta::assert_snapshot!(check(&[
        json!({"oneOf": [{"const": "a", "description": "first"}, {"const": "b"}]}),
        json!({"oneOf": [{"type": "string", "maxLength": 4}, {"type": "null"}]}),
        json!({"oneOf": [{"type": "integer"}, {"type": "number"}]}),
        json!({"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "go"}, "to": {"type": "string"}}, "required": ["kind", "to"]},
            {"type": "object", "properties": {"kind": {"const": "stay"}}, "required": ["kind"]},
        ]}),
        json!({"oneOf": [
            {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"], "additionalProperties": false},
            {"type": "object", "properties": {"by": {"type": "string"}}, "required": ["by"], "additionalProperties": false},
        ]}),
        json!({"oneOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}], "$defs": {"a": {"const": 1}, "b": {"const": 1.0}}}),
    ]), @r#"
    "a"|"b"
    text up to 4|null
    - has a `oneOf` whose branches overlap
    {kind:"go",to:text up to 160}|{kind:"stay"}
    {to:text up to 160}|{by:text up to 160}
    - has a `oneOf` whose branches overlap
    "#);
}

#[test]
fn a_part_that_no_grammar_enforces_is_left_out_if_it_is_optional() {
    insta::assert_snapshot!(check(&[
        json!({"type": "object", "properties": {"x": {"not": {}}, "y": {"type": "boolean"}}}),
        json!({"type": "object", "properties": {"x": {"properties": {"z": {"if": true}}, "required": ["z"]}}, "required": ["x"]}),
        json!({"anyOf": [{"type": "string", "pattern": "(?=a)"}, {"type": "null"}]}),
        json!({"type": "string", "pattern": "(?=a)"}),
        json!({"type": "string", "format": "iri"}),
        json!({"type": "array", "items": false, "minItems": 1}),
        json!({"type": "array", "items": {"type": "null"}, "minItems": 9}),
        json!({"type": "array", "items": {"type": "null"}, "minItems": 2, "uniqueItems": true}),
        json!({"type": "object", "patternProperties": {}}),
        json!({"type": "object", "properties": {"a": true, "b": true, "c": true}, "maxProperties": 2, "minProperties": 1}),
        json!({"type": "string", "minLength": 161}),
        json!(false),
        json!({"$ref": "https://example.org/x"}),
        json!({"type": "object", "properties": {"x": {"$anchor": "x"}, "y": {"$ref": "#x"}}, "required": ["y"]}),
    ]), @r##"
    {y?:true|false}
    - `x.z` has `if`, which a grammar cannot be held to
    null
    - has the `pattern` "(?=a)", too clever to hold to
    - has the `format` "iri"
    - `items` accepts no value
    - has at least 9 items
    - has `uniqueItems`, which a grammar cannot be held to
    - has `patternProperties`, which a grammar cannot be held to
    {a:text up to 160|-9999.0..9999.0|true|false,b?:text up to 160|-9999.0..9999.0|true|false}
    - has at least 161 characters
    - accepts no value
    - refers to "https://example.org/x", which is no place of the same schema
    - `y` refers to "#x", which is no place of the same schema
    "##);
}

#[test]
fn lowering_a_schema_that_refers_to_itself_ends() {
    let tree = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "left": {"$ref": "#/$defs/tree"}, "right": {"$ref": "#"}},
        "$defs": {"tree": {"type": "object", "properties": {"next": {"$ref": "#/$defs/tree"}, "x": {"type": "null"}}}},
    });
    insta::assert_snapshot!(show(&tree), @"{name?:text up to 160,left?:{x?:null}}");
    insta::assert_snapshot!(show(&json!({"$ref": "#"})), @"- refers to itself");
    let mut deep = json!({"type": "boolean"});
    for _ in 0..9 {
        deep = json!({"type": "object", "properties": {"x": deep}, "required": ["x"]});
    }
    insta::assert_snapshot!(show(&deep), @"- `x.x.x.x.x.x.x` nests deeper than 6 levels");
    let branches = json!({"anyOf": vec![json!({"minLength": 1}); 8]});
    let many = json!({"allOf": vec![branches; 5], "type": "string"});
    insta::assert_snapshot!(show(&many), @"text up to 160");
}
