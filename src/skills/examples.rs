//! `examples/*.json`: each matches `contracts/skill-example.schema.json`, names a script of the skill and has an input
//! that the script accepts.

use std::sync::LazyLock;

use serde_json::Value;

use super::{
    Schema, StateValueLists,
    catalog::{Script, SkillExample},
    package::PackageFiles,
    problem::ProblemList,
};
use narratoria_protocol::Object;

const FOLDER: &str = "examples";

/// The beginning of the message about a field that a schema does not have.
const UNKNOWN_FIELD: &str = "Additional properties are not allowed";

/// Most examples of one skill: each costs a check at every start.
pub const EXAMPLES_MAX: usize = 64;
/// Longest example. The state in it is a few KiB.
const EXAMPLE_BYTES_MAX: u64 = 256 << 10;

/// The contract, compiled once.
static EXAMPLE_SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    Schema::of_contract(include_str!("../../contracts/skill-example.schema.json"))
});

/// `names` are all scripts of the manifest; `scripts` are the faultless ones.
pub(super) fn load_examples(
    package: &PackageFiles,
    names: &[&str],
    scripts: &[Script],
    findings: &mut ProblemList,
) -> Vec<SkillExample> {
    let entries = match package.list(FOLDER) {
        Ok(entries) => entries,
        Err(error) => {
            findings.file(FOLDER, error.to_string());
            return Vec::new();
        }
    };
    let files: Vec<String> = entries
        .iter()
        .filter(|name| name.ends_with(".json") && !name.starts_with('.'))
        .map(|name| format!("{FOLDER}/{name}"))
        .collect();
    if files.len() > EXAMPLES_MAX {
        let what = format!("has {} examples, at most {EXAMPLES_MAX} are allowed", files.len());
        findings.file(FOLDER, what);
        return Vec::new();
    }
    let mut examples = Vec::new();
    let no_state = Object::new();
    for file in &files {
        let Some(example) = load_example(package, file, findings) else { continue };
        if !names.contains(&example.script.as_str()) {
            let what = format!("there is no script `{}` in skill.json", example.script);
            findings.field(file, "/script", what);
        }
        if let Some(script) = scripts.iter().find(|script| script.name == example.script) {
            let input = Value::Object(example.input.clone());
            let state = example.state.as_ref().and_then(Value::as_object).unwrap_or(&no_state);
            let lists = StateValueLists::read(script.input_schema.value_pointers(), state);
            for mismatch in script.input_schema.mismatches_in_state(&input, &[], &lists) {
                let what = stale_schema_hint(mismatch.what, &script.name);
                findings.field(file, format!("/input{}", mismatch.pointer), what);
            }
        }
        examples.push(example);
    }
    examples
}

/// A field that the schema does not know is a mistake in the example, or one that only the script has learnt.
fn stale_schema_hint(what: String, script: &str) -> String {
    match what.starts_with(UNKNOWN_FIELD) {
        true => format!(
            "{what}; if `{script}` takes it, its schema file is older than the script, and `narratoria skill test --update` renews it"
        ),
        false => what,
    }
}

fn load_example(
    package: &PackageFiles,
    file: &str,
    findings: &mut ProblemList,
) -> Option<SkillExample> {
    let document = package.json(file, EXAMPLE_BYTES_MAX, findings)?;
    let mismatches = EXAMPLE_SCHEMA.mismatches(&document);
    for mismatch in &mismatches {
        findings.field(file, &mismatch.pointer, &mismatch.what);
    }
    let Value::Object(mut fields) = document else { return None };
    if !mismatches.is_empty() {
        return None;
    }
    let seed = match fields.get("seed") {
        None => 0,
        Some(seed) => match seed.as_u64() {
            Some(seed) => seed,
            None => {
                findings.field(file, "/seed", format!("{seed} must be written without a point"));
                return None;
            }
        },
    };
    // The contract has checked each field.
    let services = serde_json::from_value(Value::Object(fields.clone())).unwrap_or_default();
    Some(SkillExample {
        file: file.to_owned(),
        services,
        script: text(&mut fields, "script")?,
        sentence: text(&mut fields, "sentence"),
        input: object(&mut fields, "input")?,
        state: fields.remove("state"),
        inputs: object(&mut fields, "inputs"),
        campaign: object(&mut fields, "campaign"),
        seed,
        expect: object(&mut fields, "expect")?,
    })
}

fn text(fields: &mut Object, name: &str) -> Option<String> {
    match fields.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

fn object(fields: &mut Object, name: &str) -> Option<Object> {
    match fields.remove(name) {
        Some(Value::Object(object)) => Some(object),
        _ => None,
    }
}
