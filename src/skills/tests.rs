//! Whole packages as strings: some load, and the others get an exact message.

use proptest::prelude::*;

use super::{EmbeddedPackage, PackageRoot, load};

const MANIFEST: &str = r#"{
    "name": "dice", "description": "Rolls dice.", "version": "1.2.0",
    "triggers": [{"script": "roll", "phrases": ["roll"], "patterns": ["(?<n>\\d+)d"], "input": {"count": "{n|1}"}}],
    "scripts": [{"name": "roll", "path": "scripts/roll.wasm", "description": "Rolls.", "inputSchema": "schemas/in.json"}]
}"#;
const SCHEMA: &str = r#"{"type": "object", "properties": {"count": {"type": "integer"}}}"#;
const PROMPT: &str = "---\nname: dice\ndescription: Rolls dice.\n---\nRoll when luck decides.\n";
const COMPONENT: &str = "\0asm\r\0\u{1}\0";

/// A good package in the folder `dice`, with some files changed; empty text takes a file away.
fn package(changes: &[(&str, &str)]) -> EmbeddedPackage {
    let good = [
        ("skill.json", MANIFEST),
        ("SKILL.md", PROMPT),
        ("schemas/in.json", SCHEMA),
        ("scripts/roll.wasm", COMPONENT),
    ];
    let mut files: Vec<(&str, &str)> = good
        .into_iter()
        .filter(|(name, _)| !changes.iter().any(|(changed, _)| changed == name))
        .collect();
    files.extend(changes.iter().filter(|(_, text)| !text.is_empty()));
    let leaked: Vec<(&'static str, &'static [u8])> = files
        .into_iter()
        .map(|(name, text)| (&*name.to_owned().leak(), text.as_bytes().to_vec().leak() as &_))
        .collect();
    ("dice", leaked.leak())
}

/// Loads packages: the catalog and the problems as text.
fn outcome(packages: Vec<EmbeddedPackage>) -> String {
    let loaded = load(&[PackageRoot::BuiltIn(packages.leak())]);
    let mut lines: Vec<String> = loaded
        .catalog
        .iter()
        .map(|skill| format!("loaded {} {}", skill.name, skill.version))
        .collect();
    lines.extend(loaded.problems.iter().map(|problem| problem.to_string()));
    lines.join("\n")
}

/// Loads the good package with some files changed.
fn check(changes: &[(&str, &str)]) -> String {
    outcome(vec![package(changes)])
}

/// The good manifest with one piece of text replaced.
fn manifest(old: &str, new: &str) -> String {
    assert!(MANIFEST.contains(old), "{old}");
    check(&[("skill.json", &MANIFEST.replace(old, new))])
}

#[test]
fn a_good_package_loads_with_all_its_parts() {
    insta::assert_snapshot!(check(&[]), @"loaded dice 1.2.0");
    insta::assert_snapshot!(check(&[("SKILL.md", ""), ("prompt.md", "Roll.")]), @"loaded dice 1.2.0");
    let example =
        r#"{"script": "roll", "sentence": "roll twice", "input": {"count": 2}, "expect": {}}"#;
    let loaded =
        load(&[PackageRoot::BuiltIn(vec![package(&[("examples/twice.json", example)])].leak())]);
    let skill = loaded.catalog.get("dice").unwrap();
    assert_eq!(skill.prompt, "Roll when luck decides.");
    assert_eq!(skill.examples[0].sentence.as_deref(), Some("roll twice"));
    assert_eq!(skill.display_name, "dice");
    insta::assert_debug_snapshot!(skill, @r#"
    Skill {
        name: "dice",
        version: 1.2.0,
        origin: BuiltIn,
        scripts: [
            Script {
                name: "roll",
                path: "scripts/roll.wasm",
                component: 8 bytes,
                ..
            },
        ],
        config: {},
        ..
    }
    "#);
}

#[test]
fn the_manifest_is_held_to_its_contract() {
    insta::assert_snapshot!(check(&[("skill.json", "")]), @"package `dice`: skill.json: there is no such file in the package");
    insta::assert_snapshot!(check(&[("skill.json", "{\n  \"name\": }")]), @"package `dice`: skill.json: is not JSON: expected value at line 2 column 11");
    insta::assert_snapshot!(check(&[("skill.json", "[]")]), @r#"package `dice`: skill.json: [] is not of type "object""#);
    insta::assert_snapshot!(manifest("\"Rolls.\"", "\"Rolls.\", \"timeout\": 5, \"retries\": 1"), @"
    package `dice`: skill.json: /scripts/0/timeout: 5 is less than the minimum of 1000
    package `dice`: skill.json: /scripts/0: Additional properties are not allowed ('retries' was unexpected)
    ");
    insta::assert_snapshot!(manifest("\"version\": \"1.2.0\",", ""), @r#"package `dice`: skill.json: "version" is a required property"#);
    insta::assert_snapshot!(manifest("1.2.0", "1.2.0-.."), @"package `dice`: skill.json: /version: `1.2.0-..` is not a version: empty identifier segment in pre-release identifier");
    insta::assert_snapshot!(manifest("\"name\": \"dice\"", "\"name\": \"cards\""), @"package `dice`: skill.json: /name: `cards` must equal the folder `dice`");
    insta::assert_snapshot!(manifest("scripts/roll.wasm", "scripts/../../roll.wasm"), @r#"package `dice`: skill.json: /scripts/0/path: must be the path of a component, such as scripts/tell.wasm; it is "scripts/../../roll.wasm""#);
    insta::assert_snapshot!(manifest("schemas/in.json", "/etc/passwd"), @r#"package `dice`: skill.json: /scripts/0/inputSchema: must be a path inside the package of letters, digits, `_`, `-` and `.`, such as schemas/tell.input.json; it is "/etc/passwd""#);
}

#[test]
fn the_files_that_the_manifest_names_must_exist_and_fit() {
    insta::assert_snapshot!(check(&[("scripts/roll.wasm", ""), ("schemas/in.json", "")]), @"
    package `dice`: scripts/roll.wasm: there is no such file in the package
    package `dice`: schemas/in.json: there is no such file in the package
    ");
    insta::assert_snapshot!(check(&[("scripts/roll.wasm", "\0asm\u{1}\0\0\0")]), @"package `dice`: scripts/roll.wasm: is a core wasm module, a script must be a component (target wasm32-wasip2)");
    insta::assert_snapshot!(check(&[("schemas/in.json", "{\"type\": \"objekt\"}")]), @r#"package `dice`: schemas/in.json: not a usable JSON Schema (2020-12): /type: "objekt" is not valid under any of the schemas listed in the 'anyOf' keyword"#);
    insta::assert_snapshot!(check(&[("schemas/in.json", "{\"type\": \"string\"}")]), @r#"package `dice`: schemas/in.json: an input is an object, so the schema must say `"type": "object"`"#);
    insta::assert_snapshot!(check(&[("schemas/in.json", "{\"$ref\": \"https://example.com/x\"}")]), @"package `dice`: schemas/in.json: not a usable JSON Schema (2020-12): Resource 'https://example.com/x' is not present in a registry and retrieving it failed: Retrieval is disabled, cannot fetch https://example.com/x");
    insta::assert_snapshot!(check(&[("schemas/in.json", "{\"$ref\": \"file:///etc/passwd\"}")]), @"package `dice`: schemas/in.json: not a usable JSON Schema (2020-12): Resource 'file:///etc/passwd' is not present in a registry and retrieving it failed: Retrieval is disabled, cannot fetch file:///etc/passwd");
    insta::assert_snapshot!(check(&[("SKILL.md", "")]), @"package `dice`: has neither `SKILL.md` nor `prompt.md`, one of them must hold its prompt");
    insta::assert_snapshot!(check(&[("SKILL.md", "# Dice")]), @"package `dice`: SKILL.md: must open with a line `---` and the front matter");
    let twice = r#"}, {"name": "roll", "path": "scripts/roll.wasm", "description": "d", "inputSchema": "schemas/in.json"}]"#;
    insta::assert_snapshot!(manifest("}]\n}", &format!("{twice}\n}}")), @"package `dice`: skill.json: /scripts/1/name: `roll` is the name of two scripts");
}

#[test]
fn the_steps_that_follow_a_trigger_refer_only_to_earlier_ones() {
    let then = |then: &str| {
        manifest("{\"script\": \"roll\"", &format!("{{\"then\": [{then}], \"script\": \"roll\""))
    };
    insta::assert_snapshot!(then(r#"{"id": "next", "tool": "world/act", "input": {"x": {"y": ["$roll.total", "{n}", "$5"]}}}"#), @"loaded dice 1.2.0");
    insta::assert_snapshot!(then(r#"{"id": "roll", "tool": "world/act"}, {"id": "b", "tool": "world/act", "input": {"x": "$c.y", "z": "{m}"}}"#), @r#"
    package `dice`: skill.json: /triggers/0/then/0/id: `roll` is the id of an earlier step
    package `dice`: skill.json: /triggers/0/then/1/input/x: `$c.y` refers to no earlier step; there are: roll, roll
    package `dice`: skill.json: /triggers/0/then/1/input/z: `{m}` is no named group of this trigger's patterns
    "#);
    insta::assert_snapshot!(then(r#"{"id": "b", "tool": "act", "when": ""}"#), @r#"
    package `dice`: skill.json: /triggers/0/then/0/tool: must be a script, such as dice-roller/roll-dice, or capability: and a tag; it is "act"
    package `dice`: skill.json: /triggers/0/then/0/when: "" is shorter than 1 character
    "#);
    insta::assert_snapshot!(manifest("{\"script\": \"roll\"", "{\"ifState\": \"world\", \"script\": \"roll\""), @r#"package `dice`: skill.json: /triggers/0/ifState: must be a JSON pointer, such as /world/doors; it is "world""#);
}

#[test]
fn a_schema_draws_values_only_from_what_the_script_reads() {
    let schema = r#"{"type": "object", "properties": {"x": {"type": "string", "valuesFrom": "/world/scope"}}}"#;
    insta::assert_snapshot!(check(&[("schemas/in.json", schema)]), @r#"package `dice`: schemas/in.json: draws values from `/world/scope`, which the script `roll` does not read: add it to its `reads`"#);
}

#[test]
fn triggers_must_be_able_to_fire_and_to_fill() {
    insta::assert_snapshot!(manifest("{\"script\": \"roll\"", "{\"script\": \"rol\""), @"package `dice`: skill.json: /triggers/0/script: there is no script `rol` in `/scripts`");
    insta::assert_snapshot!(manifest("(?<n>\\\\d+)d", "(?<n>\\\\d+"), @"
    package `dice`: skill.json: /triggers/0/patterns/0: is not a pattern: unclosed group
    package `dice`: skill.json: /triggers/0/input/count: `{n}` is no named group of this trigger's patterns
    ");
    insta::assert_snapshot!(manifest("(?<n>\\\\d+)d", "(?<n>\\\\w{1000}{1000})"), @"
    package `dice`: skill.json: /triggers/0/patterns/0: the compiled pattern is larger than 262144 bytes
    package `dice`: skill.json: /triggers/0/input/count: `{n}` is no named group of this trigger's patterns
    ");
    insta::assert_snapshot!(manifest("{n|1}", "{count|1}"), @"package `dice`: skill.json: /triggers/0/input/count: `{count}` is no named group of this trigger's patterns");
    insta::assert_snapshot!(manifest("{n|1}", "{n"), @"package `dice`: skill.json: /triggers/0/input/count: `{` is never closed; `{{` stands for a brace");
    insta::assert_snapshot!(manifest("[\"roll\"]", "[\"!!\"]"), @"package `dice`: skill.json: /triggers/0/phrases/0: `!!` has no word that could match");
}

#[test]
fn examples_are_tests_and_must_fit_too() {
    insta::assert_snapshot!(check(&[("examples/a.json", "{}")]), @r#"
    package `dice`: examples/a.json: "script" is a required property
    package `dice`: examples/a.json: "input" is a required property
    package `dice`: examples/a.json: "expect" is a required property
    "#);
    insta::assert_snapshot!(check(&[(
        "examples/a.json",
        r#"{"script": "rol", "input": {}, "expect": {}}"#
    )]), @"package `dice`: examples/a.json: /script: there is no script `rol` in skill.json");
    insta::assert_snapshot!(check(&[(
        "examples/a.json",
        r#"{"script": "roll", "input": {"count": "two"}, "expect": {}}"#
    )]), @r#"package `dice`: examples/a.json: /input/count: "two" is not of type "integer""#);
    let many: Vec<(String, &str)> =
        (0..65).map(|idx| (format!("examples/{idx}.json"), "{}")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    insta::assert_snapshot!(check(&many), @"package `dice`: examples: has 65 examples, at most 64 are allowed");
}

#[test]
fn a_skill_with_a_missing_dependency_is_left_out_and_so_are_its_dependents() {
    let named = |name: &'static str, needs: &str| {
        let text = MANIFEST
            .replace("\"dice\"", &format!("{name:?}"))
            .replace("\"version\"", &format!("\"dependencies\": {needs}, \"version\""));
        let (_, files) = package(&[("skill.json", &text), ("SKILL.md", ""), ("prompt.md", "p")]);
        (name, files)
    };
    insta::assert_snapshot!(outcome(vec![
        named("a", r#"{"b": "*"}"#),
        named("b", r#"{"c": "^1.0"}"#),
        named("c", r#"{"d": "^2.0"}"#),
        named("d", "{}"),
        named("e", r#"{"f": "1"}"#),
        named("f", r#"{"e": ">=1.2"}"#),
        named("g", r#"{"e": "one"}"#),
    ]), @"
    loaded d 1.2.0
    loaded e 1.2.0
    loaded f 1.2.0
    package `g`: skill.json: /dependencies/e: `one` is not a version requirement: unexpected character 'o' while parsing major version number
    package `c`: skill.json: /dependencies/d: needs the skill `d` ^2.0, loaded is 1.2.0
    package `b`: skill.json: /dependencies/c: needs the skill `c` ^1.0, which is not loaded
    package `a`: skill.json: /dependencies/b: needs the skill `b` *, which is not loaded
    ");
}

#[test]
fn one_bad_package_never_stops_the_others() {
    let (_, files) = package(&[("skill.json", "\u{0}")]);
    insta::assert_snapshot!(outcome(vec![("broken", files), package(&[])]), @"
    loaded dice 1.2.0
    package `broken`: skill.json: is not JSON: expected value at line 1 column 1
    ");
}

proptest! {
    #[test]
    fn no_manifest_makes_loading_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        at in 0..MANIFEST.len(),
        piece in "[\\[\\]{}:,\"0-9a-z.-]{0,6}",
    ) {
        let (_, files) = package(&[]);
        let mut mangled = MANIFEST.as_bytes().to_vec();
        mangled.splice(at..(at + piece.len()).min(MANIFEST.len()), piece.bytes());
        for text in [bytes, mangled] {
            let mut files = files.to_vec();
            files[0] = ("skill.json", text.leak());
            let packages: &'static [EmbeddedPackage] = vec![("dice", &*files.leak())].leak();
            load(&[PackageRoot::BuiltIn(packages)]);
        }
    }
}

#[test]
fn a_claim_on_an_item_of_a_list_is_refused_with_the_list() {
    let claimed = |pointer: &str| {
        manifest(
            r#""version": "1.2.0","#,
            &format!(r#""version": "1.2.0", "writes": ["{pointer}"],"#),
        )
    };
    let refused = |pointer: &str, list: &str| {
        let what = format!(
            "package `dice`: skill.json: /writes/0: `{pointer}` names an item of a list, which a patch can only replace as a whole; claim `{list}`"
        );
        assert_eq!(claimed(pointer), what);
    };
    refused("/rolls/0", "/rolls");
    refused("/rolls/-", "/rolls");
    refused("/rolls/all/12/dice", "/rolls/all");
    for whole in ["/rolls", "/0", "/rolls/01", "/rolls/-1", "/rolls/1a"] {
        assert_eq!(claimed(whole), "loaded dice 1.2.0", "{whole}");
    }
}
