//! Untrusted schemas and patterns cost a bounded amount of work: the host refuses one that is too large before it
//! compiles it, and counts the work of checking a value.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use narratoria_skills::{
    FilesInMemory, PackageHandle, PackageRoot, PlayerSide, SCHEMA_PARTS_MAX, Schema,
    VALIDATION_STEPS_MAX, limit_steps, load,
};

fn check(document: &Value) -> String {
    match Schema::build(document.clone()) {
        Ok(schema) => format!("{} parts", schema.parts()),
        Err(error) => error.reason,
    }
}

/// How a schema names another one of the same document.
#[derive(Debug, Clone, Copy)]
enum Spelling {
    Pointer,
    Percent,
    OldName,
    PropertyNamedDefinitions,
    PropertyNamedDefs,
    Anchor,
    DynamicAnchor,
    WholeUri,
}

impl Spelling {
    const ALL: [Spelling; 8] = [
        Spelling::Pointer,
        Spelling::Percent,
        Spelling::OldName,
        Spelling::PropertyNamedDefinitions,
        Spelling::PropertyNamedDefs,
        Spelling::Anchor,
        Spelling::DynamicAnchor,
        Spelling::WholeUri,
    ];

    fn refer(self, name: &str) -> Value {
        match self {
            Spelling::Pointer => json!({"$ref": format!("#/$defs/{name}")}),
            Spelling::Percent => json!({"$ref": format!("#/%24defs/{name}")}),
            Spelling::OldName => json!({"$ref": format!("#/definitions/{name}")}),
            Spelling::PropertyNamedDefinitions => {
                json!({"$ref": format!("#/properties/definitions/properties/{name}")})
            }
            Spelling::PropertyNamedDefs => {
                json!({"$ref": format!("#/properties/$defs/properties/{name}")})
            }
            Spelling::Anchor => json!({"$ref": format!("#{name}")}),
            Spelling::DynamicAnchor => json!({"$dynamicRef": format!("#{name}")}),
            Spelling::WholeUri => {
                json!({"$ref": format!("https://example.com/a.json#/$defs/{name}")})
            }
        }
    }

    /// A document of these schemas that begins with `first`.
    fn document(self, schemas: Vec<(String, Value)>, first: &str) -> Value {
        let named = schemas.into_iter().map(|(name, mut schema)| {
            match self {
                Spelling::Anchor => schema["$anchor"] = json!(name),
                Spelling::DynamicAnchor => schema["$dynamicAnchor"] = json!(name),
                _ => {}
            }
            (name, schema)
        });
        let schemas: Map<String, Value> = named.collect();
        let begin = self.refer(first);
        match self {
            Spelling::OldName => json!({"definitions": schemas, "allOf": [begin]}),
            Spelling::PropertyNamedDefinitions => {
                json!({"properties": {"definitions": {"properties": schemas}}, "allOf": [begin]})
            }
            Spelling::PropertyNamedDefs => {
                json!({"properties": {"$defs": {"properties": schemas}}, "allOf": [begin]})
            }
            Spelling::WholeUri => {
                json!({"$id": "https://example.com/a.json", "$defs": schemas, "allOf": [begin]})
            }
            _ => json!({"$defs": schemas, "allOf": [begin]}),
        }
    }
}

/// Returns a schema that refers to `d1` `branches` times, which refers to `d2` as often, and so on.
fn multiplying(spelling: Spelling, keyword: &str, levels: usize, branches: usize) -> Value {
    let mut schemas = Vec::new();
    for level in 0..levels {
        let next = spelling.refer(&format!("d{}", level + 1));
        let inner = match keyword {
            "dependentSchemas" => {
                let names = (0..branches).map(|branch| (format!("p{branch}"), next.clone()));
                json!(names.collect::<Map<String, Value>>())
            }
            _ => json!(vec![next; branches]),
        };
        schemas.push((format!("d{level}"), json!({ (keyword): inner })));
    }
    schemas.push((format!("d{levels}"), json!({"type": "object"})));
    spelling.document(schemas, "d0")
}

#[test]
fn work_that_doubles_at_every_step_is_refused_however_references_are_spelled() {
    for spelling in Spelling::ALL {
        let small = multiplying(spelling, "allOf", 5, 2);
        assert!(check(&small).ends_with(" parts"), "{spelling:?}: {}", check(&small));
        let large = multiplying(spelling, "allOf", 20, 2);
        let expected = format!("has more than {SCHEMA_PARTS_MAX} parts, its references followed");
        assert_eq!(check(&large), expected, "{spelling:?}");
    }
}

#[test]
fn a_long_chain_of_references_is_refused() {
    let chain = multiplying(Spelling::Pointer, "allOf", 40, 1);
    assert_eq!(check(&chain), "chains more than 32 references");
}

#[test]
fn every_reference_to_every_other_schema_is_refused() {
    for keyword in ["allOf", "anyOf"] {
        let schemas = (0..12).map(|at| {
            let all: Vec<Value> =
                (0..12).map(|to| Spelling::Pointer.refer(&format!("d{to}"))).collect();
            (format!("d{at}"), json!({(keyword): all, "unevaluatedProperties": false}))
        });
        let document = Spelling::Pointer.document(schemas.collect(), "d0");
        assert_eq!(check(&document), "has more than 10000 parts, its references followed");
    }
}

#[test]
fn long_names_count_because_every_path_repeats_them() {
    let long = "n".repeat(100_000);
    let fields: Map<String, Value> = (0..100).map(|at| (format!("f{at}"), json!(true))).collect();
    let document = json!({"properties": {long: {"properties": fields}}});
    assert_eq!(check(&document), "has more than 10000 parts, its references followed");
}

#[test]
fn a_part_of_an_older_dialect_is_refused() {
    let document = json!({"properties": {"a": {
        "$id": "x.json", "$schema": "http://json-schema.org/draft-07/schema#", "type": "string"
    }}});
    assert_eq!(
        check(&document),
        "has a part of another dialect than https://json-schema.org/draft/2020-12/schema"
    );
    assert!(check(&json!({"properties": {"$schema": {"type": "string"}}})).ends_with("parts"));
}

/// The validator would compile what such parts refer to again for each way that leads there.
#[test]
fn a_part_with_an_id_of_its_own_is_refused_wherever_a_check_comes_to_it() {
    let part = || json!({"$id": "x/", "properties": {"y": {"$ref": "../#"}}});
    let schemas = [
        json!({"properties": {"a": part()}}),
        json!({"items": {"anyOf": [{"additionalProperties": part()}]}}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": part()}}),
        json!({"$id": "https://example.com/", "$defs": {"a": part()}, "items": {"$ref": "x/"}}),
        json!({"not": {"if": true, "then": part()}}),
    ];
    for schema in schemas {
        let found = check(&schema);
        assert!(found.starts_with("has a part with an `$id` of its own;"), "{found}: {schema}");
    }
    // Twenty such parts that refer to each other: the validator would work for hours.
    let parts = (0..20).map(|n| {
        let other = |step: usize| json!({"$ref": format!("../x{}/", (n * step + 1) % 20)});
        let fields = json!({"y": other(7), "z": other(3), "w": {"$ref": "../#"}});
        (format!("p{n}"), json!({"$id": format!("x{n}/"), "properties": fields}))
    });
    let fields: Map<String, Value> =
        (0..20).map(|n| (format!("q{n}"), json!({"$ref": format!("x{n}/")}))).collect();
    let schema = json!({"$id": "http://a.example/b/", "properties": fields,
        "$defs": parts.collect::<Map<String, Value>>()});
    assert!(check(&schema).starts_with("has a part with an `$id` of its own"));
    // A field may have that name, and the schema itself may have an id.
    let named = json!({"$id": "https://example.com/", "properties": {"$id": {"type": "string"}}});
    assert!(check(&named).ends_with(" parts"), "{}", check(&named));
}

#[test]
fn patterns_are_summed() {
    let fields: Map<String, Value> = (0..60)
        .map(|at| (format!("f{at}"), json!({"pattern": format!("[a-z]{{1000}}{at}")})))
        .collect();
    assert_eq!(
        check(&json!({ "properties": fields })),
        "all patterns here together are larger than 1048576 bytes"
    );
    assert_eq!(
        check(&json!({"pattern": "[a-z]{1000}{1000}"})),
        "the compiled pattern is larger than 262144 bytes"
    );
    assert_eq!(
        check(&json!({"pattern": "(?=[a-z]{1000}{1000})"})),
        "the compiled pattern is larger than 262144 bytes"
    );
}

/// One level of looking around costs the square of a text, and each more level another factor.
#[test]
fn assertions_do_not_nest() {
    let refused = "looks around within what it looks around for; that costs too much on a long text: one level is allowed";
    for pattern in ["^(?:(?=(?:(?=x*y)x)*y)x)*y$", "(?=a(?!b))", "(?<!(?<=a)b)c"] {
        assert_eq!(check(&json!({ "pattern": pattern })), refused, "{pattern}");
    }
    for pattern in ["(?=a)(?!b)", "(?=[(?=])a", "(?=\\(?=)a", "(?:(?=a)a)*"] {
        assert!(check(&json!({ "pattern": pattern })).ends_with(" parts"), "{pattern}");
    }
}

/// A value that makes most schemas below work: it nests, and every level has the same fields.
fn value(depth: usize, width: usize) -> Value {
    let leaf = json!({"p0": 1, "p1": 2, "a": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"});
    (0..depth)
        .fold(leaf, |inner, _| json!({"p0": inner, "p1": [vec![1; width]], "a": "a".repeat(width)}))
}

/// Schemas that are small and make a validator work: they refer to themselves, explain a failure branch by branch, or
/// ask what others have evaluated.
fn demanding() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"$ref": "#"})),
        Just(json!({"$dynamicRef": "#m"})),
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({"type": "string"})),
        Just(json!({"pattern": "^(a|a|b\\1?)*(?=c)$"})),
        Just(json!({"pattern": "^(a|aa)+$"})),
        Just(json!({"const": {"a": [1, 2, 3]}})),
        Just(json!({"enum": [[1, 1], {"p0": 1}, "x"]})),
        Just(json!({"uniqueItems": true, "type": ["array", "object"]})),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let several = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            (prop::sample::select(vec!["allOf", "anyOf", "oneOf"]), several.clone())
                .prop_map(|(keyword, all)| json!({ (keyword): all })),
            several.clone().prop_map(|all| json!({"allOf": all, "unevaluatedProperties": false})),
            several.prop_map(
                |all| json!({"anyOf": all, "unevaluatedProperties": {"$ref": "#"}, "unevaluatedItems": false})
            ),
            (
                prop::sample::select(vec![
                    "not",
                    "items",
                    "contains",
                    "additionalProperties",
                    "propertyNames",
                ]),
                inner.clone()
            )
                .prop_map(|(keyword, one)| json!({ (keyword): one })),
            (inner.clone(), inner.clone()).prop_map(
                |(one, other)| json!({"properties": {"p0": one}, "patternProperties": {"^p": other}})
            ),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(one, two, three)| json!({"if": one, "then": two, "else": three})),
            inner.prop_map(|one| json!({"dependentSchemas": {"p0": one}})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever a package's schema is, checking ends: within the steps, or with a mismatch that names them.
    #[test]
    fn checking_any_value_against_any_schema_ends(
        schema in demanding(), depth in 0..40_usize, width in 0..60_usize,
    ) {
        let mut document = json!({"$dynamicAnchor": "m", "allOf": [schema]});
        document["type"] = json!(["object", "array", "string", "integer"]);
        if let Ok(schema) = Schema::build(document) {
            let value = value(depth, width);
            let mismatches = schema.mismatches(&value);
            prop_assert!(mismatches.len() <= 16);
            prop_assert_eq!(&mismatches, &schema.mismatches(&value), "another run, another count");
        }
    }

    /// The static measure holds for every spelling and every keyword: what it accepts has been followed to its end.
    #[test]
    fn no_spelling_of_a_reference_escapes_the_measure(
        spelling in prop::sample::select(Spelling::ALL.to_vec()),
        keyword in prop::sample::select(vec!["allOf", "anyOf", "oneOf", "dependentSchemas"]),
        levels in 1..16_usize,
        branches in 2..5_usize,
    ) {
        let document = multiplying(spelling, keyword, levels, branches);
        let work = branches.saturating_pow(levels as u32);
        match Schema::build(document) {
            Ok(schema) => prop_assert!(schema.parts() >= work, "{} parts for {work}", schema.parts()),
            Err(error) => {
                prop_assert!(error.reason.ends_with("references followed"), "{}", error.reason);
                prop_assert!(work * 8 > SCHEMA_PARTS_MAX / 16, "{work}");
            }
        }
    }
}

/// Each schema is a page long and would keep a validator busy for minutes or for ever.
#[test]
fn a_check_that_would_take_for_ever_ends_with_a_sentence() {
    let twice = |keyword: &str| json!({(keyword): [{"$ref": "#"}, {"$ref": "#"}]});
    let families = [
        json!({"properties": {"p0": {"anyOf": [twice("anyOf"), twice("oneOf")]}}, "required": ["z"]}),
        json!({"additionalProperties": twice("oneOf"), "minProperties": 9}),
        json!({"properties": {"p0": twice("anyOf")}, "unevaluatedProperties": twice("anyOf"), "minProperties": 9}),
        json!({"properties": {"p0": {"not": {"not": twice("anyOf")}}, "p1": {"$ref": "#"}}, "minProperties": 9}),
        json!({"if": {"properties": {"p0": {"$ref": "#"}}}, "then": {"properties": {"p0": {"$ref": "#"}}},
               "else": {"properties": {"p0": twice("anyOf")}}, "minProperties": 9}),
    ];
    for document in families {
        let schema = Schema::build(document.clone()).unwrap();
        let deep = value(60, 1);
        let found = schema.mismatches(&deep);
        let ended = schema.steps_to_check(&deep).is_some();
        let said = found.iter().any(|one| one.what.starts_with("costs more than 20000000 steps"));
        assert!(ended || said, "{document}: {found:?}");
    }
}

#[test]
fn ordinary_schemas_are_far_below_the_limits() {
    let contract: Value =
        serde_json::from_str(include_str!("../../contracts/plan-json.schema.json")).unwrap();
    let schema = Schema::build(contract).unwrap();
    assert!(schema.parts() * 4 < SCHEMA_PARTS_MAX, "{}", schema.parts());
    let step = |at: usize| {
        json!({"toolId": format!("step-{at}"), "toolPath": "dice-roller/roll-dice",
               "input": {"formula": "1d20"}, "dependencies": [], "retryPolicy": {"maxRetries": 3}})
    };
    let plan = json!({"tools": (0..100).map(step).collect::<Vec<_>>(), "parallel": true});
    let steps = schema.steps_to_check(&plan).unwrap();
    assert!(steps * 20 < VALIDATION_STEPS_MAX, "{steps}");
}

/// Schemas nest within schemas as deep as they may, at every level of a deep value.
#[test]
fn deep_schemas_on_deep_values_never_overflow_the_stack() {
    for (nested, depth) in [(1, 60), (20, 1), (40, 60), (110, 60), (120, 60)] {
        let inner = (0..nested).fold(json!({"properties": {"a": {"$ref": "#"}}}), |inner, at| {
            let keyword = ["allOf", "anyOf", "oneOf"][at % 3];
            json!({ (keyword): [inner] })
        });
        let value = (0..depth).fold(json!({"a": 1}), |inner, _| json!({ "a": inner }));
        let wrong = json!({"allOf": [inner, {"type": "object"}], "required": ["a"]});
        let schema = Schema::build(wrong).unwrap();
        let found = schema.mismatches(&value);
        assert!(!found.is_empty(), "{nested} within {depth}");
    }
    let too_deep = (0..300).fold(json!({}), |inner, _| json!({"not": inner}));
    assert_eq!(check(&too_deep), "nests deeper than 256 levels, its references followed");
}

/// A good package with these triggers and this schema of its input.
fn package(name: &str, triggers: Value, schema: &Value) -> FilesInMemory {
    let manifest = json!({
        "name": name, "description": "d", "version": "1.0.0", "triggers": triggers,
        "scripts": [
            {"name": "act", "path": "scripts/act.wasm", "description": "d", "inputSchema": "in.json"}
        ],
    });
    [
        ("skill.json", manifest.to_string().into_bytes()),
        ("prompt.md", b"p".to_vec()),
        ("in.json", schema.to_string().into_bytes()),
        ("scripts/act.wasm", b"\0asm\x0d\0\x01\0".to_vec()),
    ]
    .map(|(path, content)| (path.to_owned(), content))
    .into()
}

#[track_caller]
fn check_package(triggers: Value, schema: &Value, expect: &str) {
    let handle = PackageHandle::in_memory("greedy", package("greedy", triggers, schema));
    let found = match handle.load(&PlayerSide::none()) {
        Ok(_) => "it loads".to_owned(),
        Err(problems) => problems[0].to_string(),
    };
    assert_eq!(found, expect);
}

fn patterns(unit: &str, count: usize) -> Value {
    let texts: Vec<String> = (0..count).map(|at| format!("{unit}{at}")).collect();
    let triggers = texts.chunks(64).map(|texts| json!({"script": "act", "patterns": texts}));
    json!(triggers.collect::<Vec<_>>())
}

#[test]
fn the_patterns_of_a_package_have_a_sum() {
    let object = json!({"type": "object"});
    check_package(patterns("go to (?<place>\\w+) ", 20), &object, "it loads");
    check_package(
        patterns("(\\w+) ", 60),
        &object,
        "package `greedy`: skill.json: /triggers/0/patterns/56: all patterns here together are larger than 1048576 bytes",
    );
    check_package(
        patterns("[a-c]{90}", 200),
        &object,
        "package `greedy`: skill.json: /triggers/2/patterns/0: all patterns here together are larger than 1048576 bytes",
    );
    check_package(
        json!([{"script": "act", "patterns": ["\\w{1000}{1000}"]}]),
        &object,
        "package `greedy`: skill.json: /triggers/0/patterns/0: the compiled pattern is larger than 262144 bytes",
    );
    let phrases: Vec<Value> = (0..64)
        .map(|_| json!({"script": "act", "phrases": vec!["word ".repeat(20); 20]}))
        .collect();
    check_package(
        json!(phrases),
        &object,
        "package `greedy`: skill.json: /triggers: the triggers of the package have more than 65536 bytes of text",
    );
}

#[test]
fn a_package_beyond_the_sums_of_all_packages_is_left_out_and_the_rest_loads() {
    let folder = tempfile::tempdir().unwrap();
    let wide: Map<String, Value> =
        (0..4_500).map(|at| (format!("f{at}"), json!({"type": "string"}))).collect();
    let wide = json!({"type": "object", "properties": wide});
    let object = json!({"type": "object"});
    for at in 0..12 {
        let name = format!("skill-{at:02}");
        let (triggers, schema) = match at {
            0..=8 => (patterns("(\\w+) ", 27), &wide),
            _ => (json!([]), &object),
        };
        for (path, content) in package(&name, triggers, schema) {
            let path = folder.path().join(&name).join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
    }
    let report = load(&[PackageRoot::Folder(folder.path().to_owned())]);
    let loaded: Vec<&str> = report.catalog.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!(
        loaded,
        [
            "skill-00", "skill-01", "skill-02", "skill-03", "skill-04", "skill-09", "skill-10",
            "skill-11"
        ]
    );
    let left_out: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    assert_eq!(left_out.len(), 4, "{left_out:?}");
    for problem in left_out {
        assert!(problem.contains("with the packages before this one there are"), "{problem}");
        assert!(problem.contains("the limit is 50000; remove one of them"), "{problem}");
    }
}

#[test]
fn checks_of_one_task_share_their_steps() {
    let schema = Schema::build(json!({"items": {"type": "string"}})).unwrap();
    let value = json!(vec!["a"; 1_000]);
    let steps = schema.steps_to_check(&value).unwrap();
    let checks = limit_steps(steps * 5 + 1, || {
        (0..20).filter(|_| schema.mismatches(&value).is_empty()).count()
    });
    assert_eq!(checks, 5);
    assert_eq!(schema.mismatches(&value), [], "the task is over");
}
