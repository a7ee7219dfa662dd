//! Packages whose schemas, patterns and texts cost more than their size says.

use serde_json::{Map, Value, json};

use crate::strangers::package::{Stranger, Verdict};

/// Definitions of which each asks the next twice, under `key`.
fn doubling(key: &str, reference: &str, levels: usize) -> Map<String, Value> {
    let mut definitions = Map::new();
    for level in 0..levels {
        let next = json!({"$ref": format!("{reference}/d{}", level + 1)});
        definitions.insert(format!("d{level}"), json!({"allOf": [next.clone(), next]}));
    }
    definitions.insert(format!("d{levels}"), json!({"type": "object"}));
    let mut schema = Map::new();
    schema.insert(key.to_owned(), Value::Object(definitions));
    schema.insert("$ref".to_owned(), json!(format!("{reference}/d0")));
    schema
}

fn nested(keyword: &str, levels: usize) -> Value {
    (0..levels).fold(json!({"type": "object"}), |inner, _| json!({keyword: [inner.clone(), inner]}))
}

fn deep_input(levels: usize) -> Value {
    (0..levels).fold(json!(["say", "{}", 1]), |inner, _| json!([inner]))
}

/// A schema that refers to itself from many places, on an input that nests.
fn looping(times: usize, keyword: &str) -> Value {
    json!({"$defs": {"t": {keyword: vec![json!({"items": {"$ref": "#/$defs/t"}}); times]}},
        "properties": {"do": {"$ref": "#/$defs/t"}}})
}

/// Documents within a document, each of which refers to two others and to the whole.
fn ids() -> Value {
    let part = |n: usize| {
        let other = |step: usize| json!({"$ref": format!("../x{}/", (n * step + 1) % 20)});
        let fields = json!({"y": other(7), "z": other(3), "w": {"$ref": "../#"}});
        (format!("p{n}"), json!({"$id": format!("x{n}/"), "properties": fields}))
    };
    let fields: Map<String, Value> =
        (0..20).map(|n| (format!("q{n}"), json!({"$ref": format!("x{n}/")}))).collect();
    json!({"$id": "http://a.example/b/", "properties": fields,
        "$defs": (0..20).map(part).collect::<Map<String, Value>>()})
}

fn case(name: &str, schema: Value) -> Stranger {
    Stranger::new(format!("a schema {name}"), Verdict::Harmless)
        .schema(schema)
        .orders(json!([deep_input(24)]))
}

/// Schemas whose cost is in their references.
pub(crate) fn documents() -> Vec<Stranger> {
    vec![
        case("has twenty parts with ids that refer to each other", ids()),
        case("asks for every format at once", {
            let formats =
                ["regex", "uri-template", "idn-hostname", "idn-email", "iri", "duration", "ipv6"];
            let all: Vec<Value> = formats.iter().map(|format| json!({"format": format})).collect();
            json!({"properties": {"do": {"items": {"items": {"allOf": all}}}}})
        })
        .orders(json!([["say", "(a.b-{".repeat(30_000), 0], ["say", "ü\"@".repeat(30_000), 0]])),
    ]
}

pub(crate) fn schemas() -> Vec<Stranger> {
    vec![
        case("doubles its work in $defs", Value::Object(doubling("$defs", "#/$defs", 24))),
        case(
            "doubles its work in definitions",
            Value::Object(doubling("definitions", "#/definitions", 24)),
        ),
        case("doubles its work through %24defs", {
            Value::Object(doubling("$defs", "#/%24defs", 24))
        }),
        case("doubles its work under a property named definitions", {
            let mut schema = doubling("definitions", "#/properties/definitions", 24);
            let inner = schema.remove("definitions").unwrap();
            schema.insert("properties".to_owned(), json!({"definitions": inner}));
            Value::Object(schema)
        }),
        case("doubles its work under a keyword that does not exist", {
            Value::Object(doubling("x-parts", "#/x-parts", 24))
        }),
        case("doubles its work with an $id", {
            let mut schema = doubling("$defs", "urn:stranger#/$defs", 24);
            schema.insert("$id".to_owned(), json!("urn:stranger"));
            Value::Object(schema)
        }),
        case("nests anyOf twelve times", nested("anyOf", 12)),
        case("nests oneOf twelve times", nested("oneOf", 12)),
        case("refers to itself from eight branches", looping(8, "anyOf")),
        case("refers to itself from all of eight", looping(8, "allOf")),
        case("refers to itself dynamically", {
            json!({"$dynamicAnchor": "t", "properties": {"do": {"items":
                {"anyOf": vec![json!({"$dynamicRef": "#t"}); 12], "items": {"$dynamicRef": "#t"}}}}})
        }),
        case("evaluates what is left at every level", {
            (0..14).fold(json!({"type": "array"}), |inner, _| {
                json!({"anyOf": [{"properties": {"do": inner}}, {"not": {"required": ["do"]}}],
                    "unevaluatedProperties": false})
            })
        }),
        case("compares every item with every other", {
            json!({"properties": {"do": {"uniqueItems": true, "items": {"uniqueItems": true}}}})
        })
        .orders(json!(vec![json!(["say", "{}", 1]); 4_000])),
        case("lists ten thousand words", {
            json!({"properties": {"do": {"items": {"enum": (0..10_000).map(|n| format!("word {n}")).collect::<Vec<_>>()}}}})
        }),
        case("requires a number that no double can hold", json!({}))
            .file("schemas/act.json", r#"{"type":"object","minProperties":1e999}"#),
        case("divides by next to nothing", {
            json!({"properties": {"do": {"items": {"multipleOf": 1e-308}}}})
        }),
        case("refers to the net", json!({"$ref": "https://a.example/schema.json"})),
        case("refers to a file of the player", json!({"$ref": "file:///etc/passwd"})),
        case("refers to itself and nothing else", json!({"$ref": "#"})),
        case("refers in a circle", {
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}})
        }),
    ]
}

pub(crate) fn patterns() -> Vec<Stranger> {
    let triggers = |name: &str, patterns: Vec<String>| {
        let trigger = json!([{"script": "act", "patterns": patterns}]);
        Stranger::new(format!("a trigger {name}"), Verdict::Harmless)
            .manifest(json!({"triggers": trigger}))
    };
    let schemas = |name: &str, schema: Value| {
        Stranger::new(format!("a pattern of a schema {name}"), Verdict::Harmless)
            .schema(schema)
            .orders(json!([["say", "a".repeat(60_000), 1]]))
    };
    let large = r"\w{90}\d{90}".to_owned();
    vec![
        triggers("counts to ninety in classes of letters, sixteen times", vec![large.clone(); 16]),
        Stranger::new("sixty-four triggers count to ninety", Verdict::Harmless).manifest(json!({
            "triggers": vec![json!({"script": "act", "patterns": vec![large; 16]}); 64]})),
        triggers("repeats a repetition", vec![r"(\pL{1000}){1000}".to_owned()]),
        triggers("nests two hundred groups", vec!["(".repeat(200) + &")".repeat(200)]),
        triggers("backtracks in other engines", vec!["(a|aa)+$".to_owned(), "(a*)*b".to_owned()]),
        triggers("catches everything", vec![".*".to_owned(), "(?s).".to_owned(), String::new()]),
        schemas(
            "backtracks",
            json!({"properties": {"do": {"items": {"items": {
            "pattern": "^(a|aa)+(?=b)$"}}}}}),
        ),
        schemas("looks behind and refers back", {
            json!({"properties": {"do": {"items": {"items": {"pattern": r"^(a+)+\1(?<=a)$"}}}}})
        }),
        schemas("is large, and there are two thousand", {
            let properties: Map<String, Value> = (0..2_000)
                .map(|n| (format!("p{n}"), json!({"pattern": format!(r"^\w{{40}}{n}$")})))
                .collect();
            json!({"properties": properties})
        }),
        schemas("is large, for names of properties", {
            let patterns: Map<String, Value> =
                (0..500).map(|n| (format!(r"^\pL{{60}}{n}$"), json!(true))).collect();
            json!({"patternProperties": patterns})
        }),
    ]
}

pub(crate) fn texts() -> Vec<Stranger> {
    let front = |name: &str, yaml: String| {
        Stranger::new(format!("a SKILL.md {name}"), Verdict::Harmless).file(
            "SKILL.md",
            format!("---\nname: stranger\ndescription: A stranger.\n{yaml}\n---\nA stranger.\n"),
        )
    };
    let laughs: String = (1..12)
        .map(|n| format!("  a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(",")))
        .collect();
    vec![
        front("laughs a billion times", format!("metadata:\n  a0: &a0 [ha, ha]\n{laughs}")),
        front(
            "nests ten thousand lists",
            format!("metadata: {}{}", "[".repeat(10_000), "]".repeat(10_000)),
        ),
        front("refers to itself", "metadata: &a\n  x: *a".to_owned()),
        front(
            "makes objects of other languages",
            "metadata: !!python/object/apply:os.system [id]".to_owned(),
        ),
        front("merges itself three times in each of sixty keys", {
            let merges: String = (0..60).map(|n| format!("b{n}:\n  <<: [*a, *a, *a]\n")).collect();
            format!("a: &a {{x: 1}}\n{merges}")
        }),
        front("has a megabyte of front matter", format!("license: {}", "x".repeat(1 << 20))),
        front("never ends its front matter", "x: |\n".to_owned() + &"  y\n".repeat(100_000))
            .file("SKILL.md", "---\nname: stranger\n".to_owned() + &"# no end\n".repeat(100_000)),
        Stranger::new("a prompt of four megabytes", Verdict::Harmless).file(
            "SKILL.md",
            format!("---\nname: stranger\ndescription: A.\n---\n{}", "go on\n".repeat(700_000)),
        ),
        Stranger::new("a manifest with ten thousand unknown fields", Verdict::Refused).manifest(
            Value::Object(
                (0..10_000).map(|n| (format!("field-{n}"), json!("x".repeat(30)))).collect(),
            ),
        ),
        Stranger::new("a manifest with one unknown field of a hundred kilobytes", Verdict::Refused)
            .manifest(json!({"x".repeat(100_000): 1})),
        Stranger::new("a manifest that nests a hundred thousand lists", Verdict::Refused)
            .file("skill.json", "[".repeat(100_000) + &"]".repeat(100_000)),
        Stranger::new("a manifest of eight megabytes of white space", Verdict::Refused)
            .file("skill.json", " ".repeat(8 << 20) + "{}"),
    ]
}
