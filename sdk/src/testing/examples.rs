//! The examples of a package, run natively: what the documentation shows is what happens.

use std::{fs, path::PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Event, Said, call};
use crate::{Ctx, Done, SkillError, Value};

/// The parts of an example that matter to a run.
#[derive(Deserialize)]
struct Example {
    script: String,
    input: Value,
    #[serde(default)]
    state: Value,
    #[serde(default)]
    inputs: Value,
    #[serde(default)]
    seed: u64,
    expect: Expect,
}

/// What has to come out; a missing part expects nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    #[serde(default = "yes")]
    ok: bool,
    /// Must be part of the output: objects may have more keys, all else is equal.
    output: Option<Value>,
    /// Types of events that must be among those said.
    #[serde(default)]
    events: Vec<String>,
}

fn yes() -> bool {
    true
}

/// Runs every example in `folder` that names `script_name`, and panics with what is not as expected.
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
        let example: Example =
            serde_json::from_slice(&text).unwrap_or_else(|error| panic!("`{name}`: {error}"));
        if example.script == script_name {
            let said = call(&script, &example.input)
                .state(&example.state)
                .inputs(&example.inputs)
                .seed(example.seed)
                .run();
            if let Err(why) = meets(&example.expect, &said) {
                panic!("`{name}`: {why}\nit said:\n{}", said.lines);
            }
            ran += 1;
        }
    }
    assert!(ran > 0, "no example in `{folder}` names the script `{script_name}`");
}

fn meets(expect: &Expect, said: &Said) -> Result<(), String> {
    if said.ok != expect.ok {
        return Err(format!("`ok` is {}, expected is {}", said.ok, expect.ok));
    }
    if let Some(part) = &expect.output {
        contains(&said.output, part, "output")?;
    }
    for wanted in &expect.events {
        if !said.events.iter().any(|event| type_name(event) == wanted) {
            return Err(format!("no event of type `{wanted}`"));
        }
    }
    Ok(())
}

fn contains(whole: &Value, part: &Value, path: &str) -> Result<(), String> {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().try_for_each(|(key, part)| match whole.get(key) {
                Some(whole) => contains(whole, part, &format!("{path}.{key}")),
                None => Err(format!("`{path}` has no `{key}`")),
            })
        }
        _ if whole == part => Ok(()),
        _ => Err(format!("`{path}` is {whole}, expected is {part}")),
    }
}

fn type_name(event: &Event) -> &'static str {
    match event {
        Event::Log { .. } => "log",
        Event::StatePatch { .. } => "state_patch",
        Event::Asset { .. } => "asset",
        Event::UiEvent { .. } => "ui_event",
        Event::Error { .. } => "error",
    }
}
