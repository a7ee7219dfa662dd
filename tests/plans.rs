//! Wrong plans, and what `narratoria plan check` says about each: `plans/wrong/NAME.json` with the exact text in
//! the `NAME.txt` beside it. They are checked in process, as the program checks them; `tests/cli/plans.rs` shows
//! that the program prints these lines and exits with 2.
//!
//! `BLESS=1 cargo test -p narratoria-plan --test plans` rewrites the texts. Read the difference before it is
//! committed.

#![expect(clippy::unwrap_used, reason = "a test may panic, helpers of tests too")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use narratoria_plan::{
    self as plan, BuildOptions, Plan, PlanErrors, REFERENCE_BYTES_MAX, STEPS_MAX,
};
use narratoria_protocol::{DEPTH_MAX, visible::visible_line};
use narratoria_skills::{self as skills, Catalog, PackageRoot};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder with fewer has lost some.
const WRONG_PLANS_MIN: usize = 40;

/// The smallest thing that passes for a component: nothing runs here.
const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folder() -> PathBuf {
    root().join("tests/plans/wrong")
}

/// Names without extension, in order.
fn names(extension: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.filter(|path| path.extension().is_some_and(|found| found == extension));
    found.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

/// The built-in skills, from their sources and with nothing to run, and three more beside them.
static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    let packages = TempDir::new().unwrap();
    for entry in fs::read_dir(root().join("skills-wasm")).unwrap() {
        let skill = entry.unwrap().path();
        if skill.join("package").is_dir() {
            copy_package(&skill.join("package"), &packages.path().join(skill.file_name().unwrap()));
        }
    }
    let person = json!({"type": "object", "properties": {
        "name": {"type": "string"}, "age": {"type": "integer"}
    }});
    let query = json!({"type": "object", "properties": {"query": {"type": "string"}}});
    let people = json!({
        "$defs": {"person": person}, "type": "object",
        "properties": {"people": {
            "type": "array", "maxItems": 8, "items": {"$ref": "#/$defs/person"}
        }}
    });
    let omens = json!({"type": "object", "properties": {
        "omens": {"type": "array", "items": {"type": "string"}}
    }});
    let sum = json!({
        "type": "object", "additionalProperties": false, "required": ["sum"],
        "properties": {
            "sum": {"type": "integer"}, "notes": {"type": "array", "items": {"type": "string"}}
        }
    });
    let total = json!({"type": "object", "properties": {"total": {"type": "number"}}});
    let searches = |priority: u32| json!({"capabilities": ["search"], "priority": priority});
    write_package(packages.path(), ["archive", "search"], searches(60), [&query, &people]);
    write_package(packages.path(), ["seer", "search"], searches(40), [&query, &omens]);
    write_package(packages.path(), ["ledger", "add"], json!({}), [&sum, &total]);
    let loaded = skills::load(&[PackageRoot::Folder(packages.path().to_owned())]);
    let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    loaded.catalog
});

/// A package, and a component for each script that its manifest names.
fn copy_package(from: &Path, to: &Path) {
    copy_folder(from, to);
    let manifest: Value =
        serde_json::from_slice(&fs::read(from.join("skill.json")).unwrap()).unwrap();
    fs::create_dir_all(to.join("scripts")).unwrap();
    for script in manifest["scripts"].as_array().unwrap() {
        fs::write(to.join(script["path"].as_str().unwrap()), COMPONENT).unwrap();
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let from = entry.unwrap().path();
        let to = to.join(from.file_name().unwrap());
        match from.is_dir() {
            true => copy_folder(&from, &to),
            false => drop(fs::copy(&from, &to).unwrap()),
        }
    }
}

/// A skill with one script; schemas are those of its input and output.
fn write_package(root: &Path, [skill, script]: [&str; 2], extra: Value, schemas: [&Value; 2]) {
    let folder = root.join(skill);
    fs::create_dir_all(folder.join("scripts")).unwrap();
    fs::create_dir_all(folder.join("schemas")).unwrap();
    fs::write(folder.join("scripts/act.wasm"), COMPONENT).unwrap();
    for (name, schema) in ["in", "out"].into_iter().zip(schemas) {
        fs::write(folder.join(format!("schemas/{name}.json")), schema.to_string()).unwrap();
    }
    let front_matter = format!("---\nname: {skill}\ndescription: A test.\n---\nA test.\n");
    fs::write(folder.join("SKILL.md"), front_matter).unwrap();
    let mut manifest = json!({
        "name": skill, "displayName": skill, "description": "A test.", "version": "0.1.0",
        "scripts": [{
            "name": script, "path": "scripts/act.wasm", "description": "A test.",
            "inputSchema": "schemas/in.json", "outputSchema": "schemas/out.json",
        }],
    });
    manifest.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    fs::write(folder.join("skill.json"), manifest.to_string()).unwrap();
}

fn build(text: &[u8]) -> Result<Plan, PlanErrors> {
    Plan::build(plan::parse(text)?, &CATALOG, &BuildOptions::default())
}

/// The refusal of a plan as the program prints it.
#[track_caller]
fn refusal(file: &str, text: impl AsRef<[u8]>) -> String {
    let Err(errors) = build(text.as_ref()) else { panic!("the plan `{file}` is good") };
    let mut lines = String::new();
    for error in errors.iter() {
        for line in format!("`{file}`: {error}").lines() {
            lines += &format!("error: {}\n", visible_line(line));
        }
        if let Some(hint) = error.hint() {
            lines += &format!("hint: {}\n", visible_line(&hint));
        }
    }
    if errors.left_off() > 0 {
        lines += &format!("error: `{file}`: and {} more\n", errors.left_off());
    }
    lines
}

/// S0 FR-009, FR-012, FR-027, S2 "Plan Validation": the reason is specific enough to act on.
#[test]
fn every_wrong_plan_is_refused_with_the_text_beside_it() {
    let wrong = names("json");
    assert!(wrong.len() >= WRONG_PLANS_MIN, "only {} wrong plans are left", wrong.len());
    let mut differ = Vec::new();
    for name in wrong {
        let found = refusal(
            &format!("{name}.json"),
            fs::read(folder().join(&name).with_extension("json")).unwrap(),
        );
        let beside = folder().join(&name).with_extension("txt");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&beside, &found).unwrap();
        }
        let expected = fs::read_to_string(&beside).unwrap_or_default();
        if found != expected {
            differ.push(format!("{name}\n--- expected\n{expected}--- found\n{found}"));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[test]
fn every_text_has_a_plan_and_no_two_plans_are_refused_alike() {
    if std::env::var_os("BLESS").is_some() {
        return;
    }
    assert_eq!(names("txt"), names("json"));
    let mut seen = BTreeSet::new();
    for name in names("txt") {
        let text = fs::read_to_string(folder().join(&name).with_extension("txt")).unwrap();
        assert!(text.starts_with(&format!("error: `{name}.json`: ")), "{name}: {text}");
        assert!(seen.insert(text.replace(&name, "NAME")), "another plan is refused like {name}");
    }
}

fn plan_of(tools: &Value) -> String {
    json!({"requestId": "6f1c1f9e-8d5e-4e9c-9a52-0d3f5a1b2c3d", "tools": tools}).to_string()
}

#[test]
fn what_is_too_large_is_refused_by_its_size() {
    let tool = |at: usize| json!({"toolId": format!("s{at}"), "toolPath": "dice-roller/roll-dice"});
    let steps: Vec<Value> = (0..=STEPS_MAX).map(tool).collect();
    let items = json!([{"toolId": "a", "toolPath": "ledger/add", "forEach": vec![0; 300]}]);
    insta::assert_snapshot!(refusal("deep.json", "[".repeat(DEPTH_MAX + 1)), @"error: `deep.json`: the plan nests deeper than 64 levels");
    insta::assert_snapshot!(refusal("steps.json", plan_of(&json!(steps))), @"
    error: `steps.json`: the plan has 257 steps, the limit is 256
    hint: a loop (`forEach`) over a list is one step
    ");
    insta::assert_snapshot!(refusal("items.json", plan_of(&items)), @r#"
    error: `items.json`: tools[0] ("a").forEach has 300 items, the limit is 256
    hint: spread the list over several steps
    "#);
}

#[test]
fn a_reference_is_refused_by_its_size() {
    let add = |from: String| {
        plan_of(&json!([
            {"toolId": "a", "toolPath": "ledger/add", "input": {"sum": 1}},
            {"toolId": "b", "toolPath": "ledger/add", "input": {"sum": from}},
        ]))
    };
    let long = add(format!("$a.{}", "x".repeat(REFERENCE_BYTES_MAX)));
    insta::assert_snapshot!(refusal("long.json", long), @r#"
    error: `long.json`: tools[1] ("b").input.sum: `$a.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…` has 1027 bytes, the limit of a reference is 1024
    hint: write `$$a.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…` for the text itself
    "#);
    let deep = add(format!("$a{}", "[0]".repeat(DEPTH_MAX + 1)));
    insta::assert_snapshot!(refusal("deep.json", deep), @r#"error: `deep.json`: tools[1] ("b").input.sum: `$a[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]…` leads 65 levels deep, the limit of a reference is 64"#);
}

#[test]
fn what_is_not_utf8_is_refused_where_it_stands() {
    insta::assert_snapshot!(refusal("latin1.json", b"{\"requestId\": \"caf\xe9\"}"), @r#"
    error: `latin1.json`: line 1, column 19: not UTF-8
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    "#);
}
