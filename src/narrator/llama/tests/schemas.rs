//! Random input schemas, with every keyword that a grammar can enforce and many that it cannot.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// An object with a few properties, some required, that may refer to two definitions.
pub(super) fn input_schema() -> impl Strategy<Value = Value> {
    let properties = prop::collection::vec((place(), any::<bool>()), 0..5);
    let definitions = (place(), place());
    let extras = prop_oneof![
        8 => Just(json!({})),
        1 => Just(json!({"additionalProperties": false})),
        1 => Just(json!({"minProperties": 1})),
        1 => Just(json!({"maxProperties": 2})),
        1 => Just(json!({"patternProperties": {"^x": {"type": "null"}}})),
        1 => tagged(),
    ];
    (properties, definitions, extras).prop_map(|(properties, (a, b), extras)| {
        let mut root = object(properties);
        root["$defs"] = json!({"a": a, "b": b});
        for (word, value) in extras.as_object().unwrap() {
            root[word] = value.clone();
        }
        root
    })
}

/// Branches that a tag tells apart.
fn tagged() -> impl Strategy<Value = Value> {
    (place(), place(), any::<bool>()).prop_map(|(a, b, is_exclusive)| {
        let branch = |tag: &str, place: Value| {
            json!({
                "properties": {"kind": {"const": tag}, "of": place},
                "required": ["kind", "of"],
            })
        };
        json!({ if is_exclusive { "oneOf" } else { "anyOf" }: [branch("a", a), branch("b", b)] })
    })
}

fn object(properties: Vec<(Value, bool)>) -> Value {
    let required: Vec<String> = (0..properties.len())
        .filter(|idx| properties[*idx].1)
        .map(|idx| format!("p{idx}"))
        .collect();
    let named = properties.into_iter().enumerate().map(|(idx, (it, _))| (format!("p{idx}"), it));
    json!({"type": "object", "properties": named.collect::<Map<_, _>>(), "required": required})
}

fn place() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![4 => text(), 4 => number(), 2 => words(), 2 => other(), 1 => nasty()];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let many = || prop::collection::vec(inner.clone(), 1..3);
        let fields = prop::collection::vec((inner.clone(), any::<bool>()), 0..3);
        prop_oneof![
            3 => fields.prop_map(object),
            3 => (inner.clone(), 0..4_u64, prop::option::of(0..12_u64)).prop_map(|(it, min, max)| {
                let mut list = json!({"type": "array", "items": it, "minItems": min});
                if let Some(max) = max {
                    list["maxItems"] = json!(max);
                }
                list
            }),
            1 => (many(), inner.clone()).prop_map(|(first, rest)| {
                json!({"type": "array", "prefixItems": first, "items": rest, "uniqueItems": true})
            }),
            2 => many().prop_map(|all| json!({"anyOf": all})),
            2 => many().prop_map(|all| json!({"oneOf": all})),
            2 => many().prop_map(|all| json!({"allOf": all})),
        ]
    })
}

fn text() -> impl Strategy<Value = Value> {
    let patterns = [
        "^[a-z]{2,5}$",
        "x",
        "^\\d+(\\.\\d{1,2})?$",
        "^[^\"\\\\]*$",
        "a|b+c",
        "^.\\s.$",
        "^(?!x)",
        "\\w@\\w",
        "^é+$",
    ];
    let formats = ["date", "uuid", "email", "date-time", "time", "ipv4", "hostname", "uri", "odd"];
    prop_oneof![
        4 => (0..4_u64, 0..200_u64).prop_map(|(min, max)| {
            json!({"type": "string", "minLength": min, "maxLength": max})
        }),
        2 => Just(json!({"type": "string"})),
        1 => Just(json!({"type": ["string", "null"], "default": null})),
        2 => (prop::sample::select(patterns.to_vec()), 1..20_u64).prop_map(|(pattern, max)| {
            json!({"type": "string", "pattern": pattern, "maxLength": max})
        }),
        1 => prop::sample::select(formats.to_vec()).prop_map(|format| {
            json!({"type": "string", "format": format})
        }),
        1 => Just(json!({"maxLength": 3, "minimum": 2.5})),
    ]
}

fn number() -> impl Strategy<Value = Value> {
    let ends = prop_oneof![
        (-30_i64..30).prop_map(|at| json!(at)),
        (-300_i32..300).prop_map(|at| json!(f64::from(at) / 64.0)),
        Just(json!(1e300)),
        Just(json!(-9_007_199_254_740_993_i64)),
        Just(json!(u64::MAX)),
        Just(json!(0.005)),
    ];
    let words = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
    let bounds = prop::collection::vec((prop::sample::select(words.to_vec()), ends), 0..3);
    let steps = [json!(1), json!(3), json!(7.0), json!(0.5), json!(0.1), json!(997)];
    let step = prop::option::weighted(0.3, prop::sample::select(steps.to_vec()));
    (bounds, step, any::<bool>()).prop_map(|(bounds, step, is_whole)| {
        let mut number = json!({"type": if is_whole { "integer" } else { "number" }});
        for (word, at) in bounds {
            number[word] = at;
        }
        if let Some(step) = step {
            number["multipleOf"] = step;
        }
        number
    })
}

fn words() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        json!("north"),
        json!("a \"quoted\" \\ word"),
        json!("two\nlines"),
        json!("\u{1}"),
        json!("tab\t"),
        json!("$step.x"),
        json!("🗝️"),
        json!(null),
        json!(true),
        json!(5),
        json!(5.0),
        json!(-0.0),
        json!(1e-7),
        json!(1e300),
        json!(9_007_199_254_740_993_i64),
        json!([1, "x"]),
        json!({"a": {"b": null}}),
    ]);
    prop_oneof![
        3 => prop::collection::vec(word.clone(), 1..4).prop_map(|words| json!({"enum": words})),
        1 => word.prop_map(|word| json!({"const": word})),
        1 => Just(json!({"enum": ["a", "bb", 3, null], "type": "string", "minLength": 2})),
    ]
}

fn other() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!({"type": "boolean"}),
        json!({"type": "null"}),
        json!({"type": ["integer", "null", "boolean"]}),
        json!({"$ref": "#/$defs/a"}),
        json!({"$ref": "#/$defs/b", "description": "beside"}),
        json!(true),
        json!({}),
        json!({"properties": {"x": {"type": "integer"}}, "required": ["x", "y"]}),
        json!({"type": "object", "additionalProperties": {"type": "string"}, "required": ["k"]}),
        json!({"type": "array"}),
    ])
}

fn nasty() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!(false),
        json!({"$ref": "#"}),
        json!({"not": {"type": "string"}}),
        json!({"if": {"type": "string"}, "then": {"const": "x"}}),
        json!({"type": "array", "contains": {"const": 1}}),
        json!({"type": "array", "uniqueItems": true, "minItems": 2}),
        json!({"type": "object", "propertyNames": {"maxLength": 2}, "required": ["k"]}),
        json!({"type": "object", "minProperties": 3}),
        json!({"type": "string", "minLength": 500}),
        json!({"type": "string", "pattern": "^(?=a)a"}),
        json!({"type": "object", "unevaluatedProperties": false}),
        json!({"$id": "urn:x", "type": "string"}),
        json!({"type": "integer", "minimum": 3, "maximum": 1}),
    ])
}
