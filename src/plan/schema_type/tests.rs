use proptest::prelude::*;
use serde_json::{Value, json};

use super::{SchemaType, TypeSet};
use crate::PathPart;
use narratoria_skills::Schema;

/// `a.b[0]` reads field `a`, its field `b`, the first item of that; gives the kinds of what is there, or
/// why nothing can be.
fn look(schema: &Value, path: &str) -> String {
    let mut shape = SchemaType::of_schema(schema);
    let parts = path.split_inclusive(['.', '[', ']']).map(|part| part.trim_end_matches(['.', '[']));
    for part in parts.filter(|part| !part.is_empty()) {
        let part = match part.strip_suffix(']') {
            Some(index) => PathPart::Index(index.parse().unwrap()),
            None => PathPart::Key(part.to_owned()),
        };
        match shape.part(&part) {
            Ok(next) => shape = next,
            Err(missing) => {
                let limit = missing.items_max.map(|limit| format!(", {limit} items"));
                let fields = missing.fields.join(" ");
                return format!("no: {} {{{fields}}}{}", missing.types, limit.unwrap_or_default());
            }
        }
    }
    shape.types().to_string()
}

const ANYTHING: &str = "an object or a list or a string or a number or a boolean or null";

#[track_caller]
fn check(schema: Value, looks: &[(&str, &str)]) {
    for (path, expect) in looks {
        assert_eq!(look(&schema, path), *expect, "`{path}` of {schema}");
    }
}

#[test]
fn types_constants_and_enums_tell_the_kind() {
    check(json!(true), &[("", ANYTHING), ("a", ANYTHING), ("a[3]", ANYTHING)]);
    check(json!({"type": "integer"}), &[("", "an integer")]);
    check(json!({"type": "number"}), &[("", "a number"), ("a", "no: a number {}")]);
    check(json!({"type": ["string", "null"]}), &[("", "a string or null")]);
    check(json!({"enum": [1, 2.5, "x"]}), &[("", "a string or a number")]);
    check(json!({"type": "number", "enum": [1, 2.0]}), &[("", "an integer")]);
    check(json!({"const": {"a": 1}}), &[("", "an object"), ("a", ANYTHING)]);
}

#[test]
fn listed_fields_are_all_unless_the_schema_says_more() {
    let of = |more: Value| {
        let mut schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    check(
        of(json!({})),
        &[("a", "a string"), ("b", "no: an object {a}"), ("[0]", "no: an object {a}")],
    );
    check(of(json!({"additionalProperties": false})), &[("b", "no: an object {a}")]);
    check(of(json!({"unevaluatedProperties": false})), &[("b", "no: an object {a}")]);
    check(of(json!({"additionalProperties": true})), &[("a", "a string"), ("b", ANYTHING)]);
    check(of(json!({"additionalProperties": {"type": "null"}})), &[("b", "null")]);
    check(of(json!({"patternProperties": {"^b": {}}})), &[("b", ANYTHING), ("c", ANYTHING)]);
    check(of(json!({"then": {"properties": {"b": {}}}})), &[("b", ANYTHING)]);
    check(json!({"type": "object"}), &[("b", ANYTHING)]);
    check(json!({"properties": {"a": {}}}), &[("b", &format!("no: {ANYTHING} {{a}}"))]);
    check(json!({"properties": {"a": false}}), &[("a", &format!("no: {ANYTHING} {{a}}"))]);
    check(json!({"type": "object", "additionalProperties": false}), &[("b", "no: an object {}")]);
}

#[test]
fn items_are_told_one_by_one_and_all_together() {
    check(json!({"type": "array"}), &[("", "a list"), ("[7]", ANYTHING), ("a", "no: a list {}")]);
    check(json!({"type": "array", "items": {"type": "integer"}}), &[("[7]", "an integer")]);
    let pair = json!({"type": "array", "prefixItems": [{"type": "string"}, {}], "items": false});
    check(pair, &[("[0]", "a string"), ("[1]", ANYTHING), ("[2]", "no: a list {}, 2 items")]);
    check(
        json!({"type": "array", "maxItems": 1}),
        &[("[0]", ANYTHING), ("[1]", "no: a list {}, 1 items")],
    );
    let items = |schema: Value| SchemaType::of_schema(&schema).items().types().to_string();
    assert_eq!(items(json!({"type": "array", "items": {"type": "integer"}})), "an integer");
    assert_eq!(items(json!({"type": "array"})), ANYTHING);
    assert_eq!(items(json!({"prefixItems": [{"type": "null"}], "items": false})), ANYTHING);
    let either = json!({"type": ["array", "null"], "items": {"type": "string"}});
    assert_eq!(items(either), "a string");
}

#[test]
fn references_within_the_document_are_followed() {
    let tree = json!({
        "$ref": "#/$defs/tree",
        "$defs": {"tree": {
            "type": "object",
            "properties": {
                "left": {"$ref": "#/$defs/tree"}, "size": {"type": "integer"}, "top": {"$ref": "#"}
            }
        }}
    });
    check(
        tree,
        &[
            ("left.left.size", "an integer"),
            ("top.left.top.size", "an integer"),
            ("left.siz", "no: an object {left size top}"),
        ],
    );
    check(json!({"$ref": "#/nowhere", "properties": {"a": {}}}), &[("b", ANYTHING)]);
    check(json!({"$ref": "#name", "type": "object"}), &[("", "an object"), ("b", ANYTHING)]);
}

#[test]
fn of_alternatives_one_that_allows_it_is_enough() {
    let hit = json!({"type": "object", "properties": {"damage": {"type": "integer"}}});
    let miss = json!({"type": "object", "properties": {"why": {"type": "string"}}});
    for keyword in ["anyOf", "oneOf"] {
        check(
            json!({(keyword): [hit, miss, {"type": "null"}]}),
            &[
                ("", "an object or null"),
                ("damage", "an integer"),
                ("why", "a string"),
                ("who", "no: an object or null {damage why}"),
            ],
        );
    }
    check(
        json!({"allOf": [hit, miss]}),
        &[("damage", "an integer"), ("why", "a string"), ("who", "no: an object {damage why}")],
    );
    check(
        json!({"properties": {"a": {}}, "anyOf": [{"required": ["a"]}, {"type": "object"}]}),
        &[("a", ANYTHING), ("b", &format!("no: {ANYTHING} {{a}}"))],
    );
    check(
        json!({"type": "string", "anyOf": [{"type": "object"}, {"minLength": 1}]}),
        &[("", "a string")],
    );
}

#[test]
fn what_is_too_clever_to_follow_may_be_anything() {
    check(json!({"$ref": "#"}), &[("a", ANYTHING)]);
    check(json!({"allOf": [{"$ref": "#"}], "properties": {"a": {}}}), &[("b", ANYTHING)]);
    let either = json!({"anyOf": vec![json!({"type": "object", "properties": {"a": {}}}); 9]});
    check(json!({"allOf": [either, either, either]}), &[("b", ANYTHING)]);
    check(json!(false), &[("a", ANYTHING)]);
    let resource = json!({"$id": "urn:x", "properties": {"b": {"$ref": "#/properties/c"}}});
    check(json!({"properties": {"a": resource}}), &[("a.z", ANYTHING)]);
}

/// Schemas over the fields `a` and `b`, of every keyword that is followed and some that are not.
fn schema() -> impl Strategy<Value = Value> {
    let names = ["null", "boolean", "object", "array", "integer", "number", "string"];
    let leaf = prop_oneof![
        proptest::sample::select(names.to_vec()).prop_map(|name| json!({"type": name})),
        proptest::sample::subsequence(names.to_vec(), 1..3).prop_map(|some| json!({"type": some})),
        any::<bool>().prop_map(Value::from),
        Just(json!({"enum": [1, "x", null]})),
        Just(json!({"const": 2.5})),
        Just(json!({"$ref": "#/$defs/d"})),
        Just(json!({"required": ["a"]})),
        Just(json!({"uniqueItems": true, "minProperties": 1})),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let some = proptest::collection::vec(inner.clone(), 1..3);
        let both = (inner.clone(), inner.clone());
        prop_oneof![
            both.clone()
                .prop_map(|(a, b)| json!({"type": "object", "properties": {"a": a, "b": b}})),
            both.prop_map(|(a, all)| json!({"properties": {"a": a}, "additionalProperties": all})),
            inner.clone().prop_map(|one| json!({"type": "array", "items": one})),
            (some.clone(), inner.clone())
                .prop_map(|(first, items)| json!({"prefixItems": first, "items": items})),
            some.clone().prop_map(|some| json!({"anyOf": some})),
            some.clone().prop_map(|some| json!({"oneOf": some})),
            some.prop_map(|some| json!({"allOf": some})),
            inner.clone().prop_map(|one| json!({"not": one})),
            inner.clone().prop_map(|one| json!({"contains": one})),
            (inner.clone(), inner.clone(), inner)
                .prop_map(|(a, b, c)| json!({"if": a, "then": b, "else": c})),
        ]
    })
}

fn document() -> impl Strategy<Value = Value> {
    (schema(), schema()).prop_map(|(top, d)| json!({"$defs": {"d": d}, "allOf": [top]}))
}

fn value() -> impl Strategy<Value = Value> {
    let leaf =
        proptest::sample::select(vec![json!(1), json!(2.5), json!("x"), json!(null), json!(true)]);
    leaf.prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[ab]", inner, 0..3)
                .prop_map(|fields| fields.into_iter().collect()),
        ]
    })
}

/// Whether a shape agrees with all that a value is, as far as it lets a path lead.
fn agrees(shape: &SchemaType<'_>, value: &Value) -> bool {
    let inner: Vec<(PathPart, &Value)> = match value {
        Value::Array(items) => {
            if !items.iter().all(|item| agrees(&shape.items(), item)) {
                return false;
            }
            items.iter().enumerate().map(|(at, item)| (PathPart::Index(at), item)).collect()
        }
        Value::Object(fields) => {
            fields.iter().map(|(key, field)| (PathPart::Key(key.clone()), field)).collect()
        }
        _ => Vec::new(),
    };
    !shape.types().is_disjoint_from(TypeSet::of_value(value))
        && inner.iter().all(|(part, value)| match shape.part(part) {
            Ok(shape) => agrees(&shape, value),
            // Only a field that nobody has named.
            Err(missing) => match part {
                PathPart::Key(key) => !missing.fields.contains(key),
                PathPart::Index(_) => false,
            },
        })
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 1 << 20, ..ProptestConfig::default() })]

    #[test]
    fn a_value_that_fits_its_schema_fits_its_shape(document in document(), value in value()) {
        let Ok(schema) = Schema::build(document) else { return Ok(()) };
        prop_assume!(schema.mismatches(&value).is_empty());
        prop_assert!(agrees(&SchemaType::of_schema(schema.document()), &value));
    }

    #[test]
    fn nothing_is_told_around_a_hole_that_could_be_filled(
        document in document(), value in value(), hole in value()
    ) {
        let Ok(schema) = Schema::build(document) else { return Ok(()) };
        prop_assume!(schema.mismatches(&json!({"a": value, "b": hole})).is_empty());
        let told = schema.mismatches_around(&json!({"a": value, "b": "$step"}), &["/b"]);
        prop_assert!(told.is_empty(), "{told:?}");
    }
}
