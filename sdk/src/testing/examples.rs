//! Runs the examples of a package natively, so that the documentation stays true.

use std::{fs, path::PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Map;

use super::{CallResult, call};
use crate::{Ctx, Done, SkillError, Value};

/// The parts of an example that matter to a run.
#[derive(Deserialize)]
struct PackageExample {
    script: String,
    input: Value,
    #[serde(default)]
    state: Value,
    #[serde(default)]
    inputs: Value,
    #[serde(default)]
    seed: u64,
    expect: ExampleExpectation,
}

/// The expected result; a missing part expects nothing (`contracts/skill-example.schema.json`).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleExpectation {
    #[serde(default = "yes")]
    ok: bool,
    /// Each named field is equal; others may be anything.
    output: Option<Map<String, Value>>,
    /// Parts of events that come in this order, others between them.
    #[serde(default)]
    events: Vec<Map<String, Value>>,
}

fn yes() -> bool {
    true
}

/// Runs every example in `folder` that names `script_name`, and panics with the first difference.
/// At least one example must name it.
#[track_caller]
pub fn check_examples<I, O, F>(script: F, folder: &str, script_name: &str)
where
    I: DeserializeOwned + JsonSchema,
    O: Serialize + JsonSchema,
    F: Fn(&mut Ctx, I) -> Result<Done<O>, SkillError>,
{
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("`{folder}` cannot be listed: {error}"))
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    files.sort();
    let mut ran = 0;
    for file in files {
        let name = file.display();
        let text = fs::read(&file).unwrap_or_else(|error| panic!("`{name}`: {error}"));
        let example: PackageExample =
            serde_json::from_slice(&text).unwrap_or_else(|error| panic!("`{name}`: {error}"));
        if example.script == script_name {
            let said = call(&script, &example.input)
                .state(&example.state)
                .inputs(&example.inputs)
                .seed(example.seed)
                .run();
            if let Err(why) = check_expectation(&example.expect, &said) {
                panic!("`{name}`: {why}\nit said:\n{}", said.lines);
            }
            ran += 1;
        }
    }
    assert!(ran > 0, "no example in `{folder}` names the script `{script_name}`");
}

fn check_expectation(expect: &ExampleExpectation, said: &CallResult) -> Result<(), String> {
    if said.ok != expect.ok {
        return Err(format!("`ok` is {}, expected is {}", said.ok, expect.ok));
    }
    for (name, wanted) in expect.output.iter().flatten() {
        let found = said.output.get(name).unwrap_or(&Value::Null);
        if found != wanted {
            return Err(format!("`output.{name}` is {found}, expected is {wanted}"));
        }
    }
    let mut lines = said.lines.lines().map(serde_json::from_str::<Value>);
    for wanted in &expect.events {
        let is_wanted = |event: &Value| {
            wanted.iter().all(|(name, part)| event.get(name).is_some_and(|found| found == part))
        };
        if !lines.any(|line| line.is_ok_and(|event| is_wanted(&event))) {
            return Err(format!(
                "no event, or none at its place, is {}",
                Value::from(wanted.clone())
            ));
        }
    }
    Ok(())
}
