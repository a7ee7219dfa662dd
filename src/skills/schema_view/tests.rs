use proptest::prelude::*;
use serde_json::{Value, json};

use super::{SchemaGap, SchemaPlace, SchemaType, TypeSet, place::PLACE_SCHEMAS_MAX};
use crate::Schema;

/// Gives the types at a path, or why nothing can be there. `a.b[0]` is the first item of field `b` of field `a`.
fn types_at(schema: &Value, path: &str) -> String {
    let mut found = SchemaType::of_schema(schema);
    let parts = path.split_inclusive(['.', '[', ']']).map(|part| part.trim_end_matches(['.', '[']));
    for part in parts.filter(|part| !part.is_empty()) {
        let next = match part.strip_suffix(']') {
            Some(idx) => found.item(idx.parse().unwrap()),
            None => found.field(part),
        };
        match next {
            Ok(next) => found = next,
            Err(missing) => {
                let limit = missing.items_max.map(|limit| format!(", {limit} items"));
                let fields = missing.fields.join(" ");
                return format!("no: {} {{{fields}}}{}", missing.types, limit.unwrap_or_default());
            }
        }
    }
    found.types().to_string()
}

const ANYTHING: &str = "an object or a list or a string or a number or a boolean or null";

#[track_caller]
fn check(schema: Value, paths: &[(&str, &str)]) {
    for (path, expect) in paths {
        assert_eq!(types_at(&schema, path), *expect, "`{path}` of {schema}");
    }
}

#[test]
fn type_const_and_enum_limit_the_types() {
    check(json!(true), &[("", ANYTHING), ("a", ANYTHING), ("a[3]", ANYTHING)]);
    check(json!({"type": "integer"}), &[("", "an integer")]);
    check(json!({"type": "number"}), &[("", "a number"), ("a", "no: a number {}")]);
    check(json!({"type": ["string", "null"]}), &[("", "a string or null")]);
    check(json!({"enum": [1, 2.5, "x"]}), &[("", "a string or a number")]);
    check(json!({"type": "number", "enum": [1, 2.0]}), &[("", "an integer")]);
    check(json!({"const": {"a": 1}}), &[("", "an object"), ("a", ANYTHING)]);
}

#[test]
fn listed_fields_are_all_fields_unless_the_schema_allows_more() {
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
fn an_item_has_its_own_type_or_that_of_all_items() {
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
fn a_part_is_there_if_one_alternative_allows_it() {
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
fn a_schema_that_is_not_followed_allows_anything() {
    check(json!({"$ref": "#"}), &[("a", ANYTHING)]);
    check(json!({"allOf": [{"$ref": "#"}], "properties": {"a": {}}}), &[("b", ANYTHING)]);
    let either = json!({"anyOf": vec![json!({"type": "object", "properties": {"a": {}}}); 9]});
    check(json!({"allOf": [either, either, either]}), &[("b", ANYTHING)]);
    check(json!(false), &[("a", ANYTHING)]);
    let resource = json!({"$id": "urn:x", "properties": {"b": {"$ref": "#/properties/c"}}});
    check(json!({"properties": {"a": resource}}), &[("a.z", ANYTHING)]);
}

#[test]
fn a_place_merges_what_must_hold_and_keeps_the_choices() {
    let document = json!({
        "$ref": "#/$defs/base", "oneOf": [{"type": "null"}, {"type": "object"}],
        "allOf": [{"anyOf": [{"minProperties": 1}]}, {"required": ["a"]}],
        "$defs": {"base": {"type": ["object", "null"]}},
    });
    let place = SchemaPlace::root(&document);
    assert_eq!((place.objects().len(), place.choices().len()), (4, 2));
    assert_eq!(place.gaps(), []);
    let types: Vec<String> =
        place.alternatives().unwrap().iter().map(|it| it.objects().len().to_string()).collect();
    assert_eq!(types, ["6", "6"]);
}

#[test]
fn a_part_that_is_not_read_is_a_gap() {
    let gaps = |document: Value| SchemaPlace::root(&document).gaps().to_vec();
    let unknown = |text: &str| SchemaGap::UnknownReference { reference: format!("{text:?}") };
    assert_eq!(gaps(json!(false)), [SchemaGap::AcceptsNothing]);
    assert_eq!(gaps(json!({"$ref": "#"})), [SchemaGap::SelfReference]);
    assert_eq!(gaps(json!({"$ref": "#name", "allOf": [{"$anchor": "name"}]})), [unknown("#name")]);
    assert_eq!(gaps(json!({"$ref": "#/x%20y", "x y": {}})), [unknown("#/x%20y")]);
    assert_eq!(gaps(json!({"allOf": [{"$id": "urn:x"}]})), [SchemaGap::OwnId]);
    let inside = json!({"$ref": "#/$defs/x/y", "$defs": {"x": {"$id": "urn:x", "y": {}}}});
    assert_eq!(gaps(inside), [unknown("#/$defs/x/y")]);
    assert_eq!(gaps(json!({"$id": "urn:top", "type": "null"})), []);
    let chain: serde_json::Map<String, Value> = (0..40)
        .map(|idx| (format!("d{idx}"), json!({"$ref": format!("#/$defs/d{}", idx + 1)})))
        .collect();
    assert_eq!(gaps(json!({"$defs": chain, "$ref": "#/$defs/d0"})), [SchemaGap::TooManyReferences]);
    let many = json!({"allOf": vec![json!({}); PLACE_SCHEMAS_MAX]});
    assert_eq!(gaps(many), [SchemaGap::TooManySchemas]);
}

#[test]
fn a_reference_is_followed_once_on_the_way_to_an_inner_place() {
    let document = json!({
        "$ref": "#/$defs/tree", "$defs": {"tree": {"properties": {"left": {"$ref": "#/$defs/tree"}}}}
    });
    let place = SchemaPlace::root(&document);
    let left = place.objects()[1].property("left").unwrap();
    assert_eq!(place.inner(&[left]).gaps(), [SchemaGap::SelfReference]);
}

#[test]
fn all_branches_together_end_however_often_they_refer_to_each_other() {
    let many = json!({"allOf": vec![json!({"anyOf": vec![json!({"$ref": "#"}); 30]}); 30]});
    let objects = SchemaPlace::root(&many).objects_of_all_branches();
    assert_eq!(objects.len(), PLACE_SCHEMAS_MAX);
    let either = json!({"anyOf": [{"type": "null"}, {"oneOf": [{"type": "string"}]}]});
    let objects = SchemaPlace::root(&either).objects_of_all_branches();
    let types: Vec<String> = objects.iter().map(|it| it.types().to_string()).collect();
    assert_eq!(types[1..], ["null", ANYTHING, "a string"]);
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
        Just(json!({"$ref": "#"})),
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

/// Returns true if the type admits the value and, as far as it lets a path lead, every part of the value.
fn admits(schema_type: &SchemaType<'_>, value: &Value) -> bool {
    schema_type.types().intersects(TypeSet::of_value(value))
        && match value {
            Value::Array(items) => items.iter().enumerate().all(|(idx, item)| {
                admits(&schema_type.items(), item)
                    && schema_type.item(idx).is_ok_and(|part| admits(&part, item))
            }),
            Value::Object(fields) => {
                fields.iter().all(|(name, field)| match schema_type.field(name) {
                    Ok(part) => admits(&part, field),
                    // Only a field that no schema names.
                    Err(missing) => !missing.fields.contains(name),
                })
            }
            _ => true,
        }
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 1 << 20, ..ProptestConfig::default() })]

    /// The validator is the oracle.
    #[test]
    fn a_value_that_the_validator_accepts_is_never_called_impossible(
        document in document(), value in value()
    ) {
        let Ok(schema) = Schema::build(document) else { return Ok(()) };
        prop_assume!(schema.mismatches(&value).is_empty());
        prop_assert!(admits(&SchemaType::of_schema(schema.document()), &value));
    }

    #[test]
    fn a_hole_that_could_be_filled_is_no_mismatch(
        document in document(), value in value(), hole in value()
    ) {
        let Ok(schema) = Schema::build(document) else { return Ok(()) };
        prop_assume!(schema.mismatches(&json!({"a": value, "b": hole})).is_empty());
        let found = schema.mismatches_around(&json!({"a": value, "b": "$step"}), &["/b"]);
        prop_assert!(found.is_empty(), "{found:?}");
    }
}
