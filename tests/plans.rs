//! Wrong plans, and what `narratoria plan check` says to whoever wrote them: each `plans/wrong/NAME.json`
//! with the exact text in the `NAME.txt` beside it.
//!
//! `BLESS=1 cargo test --test plans` rewrites those texts. Read the difference before it is committed.

#![expect(clippy::unwrap_used, reason = "a test may panic, helpers of tests too")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use narratoria_plan::{PLAN_BYTES_MAX, REFERENCE_BYTES_MAX, STEPS_MAX};
use narratoria_protocol::DEPTH_MAX;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder with fewer has lost some.
const WRONG_PLANS_MIN: usize = 40;

/// How many are asked for at the same time.
const WORKERS: usize = 4;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plans/wrong")
}

/// Names without extension, in order.
fn names(extension: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.filter(|path| path.extension().is_some_and(|found| found == extension));
    found.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

/// A home, and skills beside the built-in ones.
struct PlanCheckHome {
    folder: TempDir,
}

impl PlanCheckHome {
    fn new() -> PlanCheckHome {
        let desk = PlanCheckHome { folder: TempDir::new().unwrap() };
        share_compiled_skills(desk.folder.path());
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
        desk.package(
            "archive",
            "search",
            json!({"capabilities": ["search"], "priority": 60}),
            [&query, &people],
        );
        desk.package(
            "seer",
            "search",
            json!({"capabilities": ["search"], "priority": 40}),
            [&query, &omens],
        );
        desk.package("ledger", "add", json!({}), [&sum, &total]);
        desk
    }

    /// A skill whose only script does nothing; schemas are those of its input and output.
    fn package(&self, skill: &str, script: &str, extra: Value, schemas: [&Value; 2]) {
        let folder = self.folder.path().join("skills").join(skill);
        fs::create_dir_all(folder.join("scripts")).unwrap();
        fs::create_dir_all(folder.join("schemas")).unwrap();
        let null = narratoria_guests::find("null").unwrap();
        fs::write(folder.join("scripts/act.wasm"), null.component).unwrap();
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

    /// What it says on stderr about a file of this folder. Nothing on stdout, and exit status 2.
    fn refusal(&self, folder: &Path, file: &str) -> String {
        let output = Command::new(assert_cmd::cargo::cargo_bin!("narratoria"))
            .args(["plan", "check", file, "--skills"])
            .arg(self.folder.path().join("skills"))
            .current_dir(folder)
            .env_clear()
            .env("NARRATORIA_HOME", self.folder.path().join("kept"))
            .env("COLUMNS", "100")
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        assert_eq!(text(output.stdout), "", "{file}");
        let said = text(output.stderr);
        assert_eq!(output.status.code(), Some(2), "{file}: {said}");
        said
    }
}

/// Compiling the skills takes a second: all homes have one cache.
#[cfg(unix)]
fn share_compiled_skills(desk: &Path) {
    let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled-skills");
    fs::create_dir_all(&shared).unwrap();
    fs::create_dir(desk.join("kept")).unwrap();
    std::os::unix::fs::symlink(shared, desk.join("kept/cache")).unwrap();
}

#[cfg(not(unix))]
fn share_compiled_skills(_: &Path) {}

/// S0 FR-009, FR-012, FR-027: the reason is specific enough to act on.
#[test]
fn every_wrong_plan_is_refused_with_the_text_beside_it() {
    let wrong: Vec<String> = names("json").into_iter().collect();
    assert!(wrong.len() >= WRONG_PLANS_MIN, "only {} wrong plans are left", wrong.len());
    let desk = PlanCheckHome::new();
    // The first one compiles the skills for all.
    let mut said = vec![desk.refusal(&folder(), &format!("{}.json", wrong[0]))];
    let rest = &wrong[1..];
    let shares = rest.chunks(rest.len().div_ceil(WORKERS));
    let ask = |share: &[String]| -> Vec<String> {
        share.iter().map(|name| desk.refusal(&folder(), &format!("{name}.json"))).collect()
    };
    thread::scope(|scope| {
        let workers: Vec<_> = shares.map(|share| scope.spawn(move || ask(share))).collect();
        said.extend(workers.into_iter().flat_map(|worker| worker.join().unwrap()));
    });
    let mut differ = Vec::new();
    for (name, said) in wrong.iter().zip(said) {
        let beside = folder().join(name).with_extension("txt");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&beside, &said).unwrap();
        }
        let expected = fs::read_to_string(&beside).unwrap_or_default();
        if said != expected {
            differ.push(format!("{name}\n--- expected\n{expected}--- said\n{said}"));
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
        let said = fs::read_to_string(folder().join(&name).with_extension("txt")).unwrap();
        assert!(said.starts_with(&format!("error: `{name}.json`: ")), "{name}: {said}");
        assert!(seen.insert(said.replace(&name, "NAME")), "another plan is refused like {name}");
    }
}

/// What is said of a plan that is too large to lie in the folder.
fn told(name: &str, text: impl AsRef<[u8]>) -> String {
    let desk = PlanCheckHome::new();
    fs::write(desk.folder.path().join(name), text).unwrap();
    desk.refusal(desk.folder.path(), name)
}

fn plan(tools: &Value) -> String {
    json!({"requestId": "6f1c1f9e-8d5e-4e9c-9a52-0d3f5a1b2c3d", "tools": tools}).to_string()
}

#[test]
fn what_is_too_large_is_refused_by_its_size() {
    let tool = |at: usize| json!({"toolId": format!("s{at}"), "toolPath": "dice-roller/roll-dice"});
    let steps: Vec<Value> = (0..=STEPS_MAX).map(tool).collect();
    let items = json!([{"toolId": "a", "toolPath": "ledger/add", "forEach": vec![0; 300]}]);
    insta::assert_snapshot!(told("bytes.json", " ".repeat(PLAN_BYTES_MAX + 1)), @"error: the plan `bytes.json` has more than 1048576 bytes");
    insta::assert_snapshot!(told("deep.json", "[".repeat(DEPTH_MAX + 1)), @"error: `deep.json`: the plan nests deeper than 64 levels");
    insta::assert_snapshot!(told("steps.json", plan(&json!(steps))), @"
    error: `steps.json`: the plan has 257 steps, the limit is 256
    hint: a loop (`forEach`) over a list is one step
    ");
    insta::assert_snapshot!(told("items.json", plan(&items)), @r#"
    error: `items.json`: tools[0] ("a").forEach has 300 items, the limit is 256
    hint: spread the list over several steps
    "#);
}

#[test]
fn a_reference_is_refused_by_its_size() {
    let add = |from: String| {
        plan(&json!([
            {"toolId": "a", "toolPath": "ledger/add", "input": {"sum": 1}},
            {"toolId": "b", "toolPath": "ledger/add", "input": {"sum": from}},
        ]))
    };
    let long = add(format!("$a.{}", "x".repeat(REFERENCE_BYTES_MAX)));
    insta::assert_snapshot!(told("long.json", long), @r#"
    error: `long.json`: tools[1] ("b").input.sum: `$a.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…` has 1027 bytes, the limit of a reference is 1024
    hint: write `$$a.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…` for the text itself
    "#);
    let deep = add(format!("$a{}", "[0]".repeat(DEPTH_MAX + 1)));
    insta::assert_snapshot!(told("deep.json", deep), @r#"error: `deep.json`: tools[1] ("b").input.sum: `$a[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]…` leads 65 levels deep, the limit of a reference is 64"#);
}

#[test]
fn what_is_not_utf8_is_refused_where_it_stands() {
    insta::assert_snapshot!(told("latin1.json", b"{\"requestId\": \"caf\xe9\"}"), @r#"
    error: `latin1.json`: line 1, column 19: not UTF-8
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    "#);
}
