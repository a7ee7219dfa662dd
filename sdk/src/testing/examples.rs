//! Runs the examples of a package natively, so that the documentation stays true.

use std::{collections::BTreeMap, fs, path::PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Map;

use super::{Call, CallResult, call};
use crate::{Ctx, Done, HTTP_REQUESTS_MAX, HttpResponse, SkillError, Value};

/// The status of an answer that names none.
const STATUS_OK: u16 = 200;

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
    /// Documents of the story's campaign by path.
    #[serde(default)]
    campaign: Map<String, Value>,
    #[serde(default)]
    config: Map<String, Value>,
    #[serde(default)]
    store: Map<String, Value>,
    #[serde(default)]
    memory: Vec<ExampleMemoryText>,
    #[serde(default)]
    answers: Vec<String>,
    /// By address.
    #[serde(default)]
    http: BTreeMap<String, ExampleHostAnswer>,
    #[serde(default)]
    llm: Vec<String>,
    expect: ExampleExpectation,
}

/// A text that the story remembers.
#[derive(Deserialize)]
struct ExampleMemoryText {
    text: String,
    #[serde(default)]
    tags: Vec<String>,
}

/// The answer of a host: a text, or a value that is sent as JSON.
#[derive(Deserialize)]
struct ExampleHostAnswer {
    status: Option<u16>,
    #[serde(default)]
    body: Value,
}

impl PackageExample {
    /// A call of `script` with everything that this example says of its surroundings.
    fn call<I, O, F>(&self, script: F) -> Call<F>
    where
        I: DeserializeOwned + JsonSchema,
        O: Serialize + JsonSchema,
        F: FnOnce(&mut Ctx, I) -> Result<Done<O>, SkillError>,
    {
        let mut call = call(script, &self.input)
            .state(&self.state)
            .inputs(&self.inputs)
            .config(&self.config)
            .seed(self.seed);
        for (path, document) in &self.campaign {
            call = call.campaign_file(path, document.to_string());
        }
        for (key, value) in &self.store {
            call = call.kept(key, value);
        }
        for ExampleMemoryText { text, tags } in &self.memory {
            let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
            call = call.remembered(text, &tags);
        }
        for answer in &self.answers {
            call = call.answer(answer);
        }
        for (address, answer) in &self.http {
            // The host gives the answer as often as a script asks.
            for _ in 0..HTTP_REQUESTS_MAX {
                call = call.web_answers(address, answer.response());
            }
        }
        for text in &self.llm {
            call = call.model_writes(text);
        }
        call
    }
}

impl ExampleHostAnswer {
    fn response(&self) -> HttpResponse {
        let body = match &self.body {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        HttpResponse::new(self.status.unwrap_or(STATUS_OK), body)
    }
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
            let said = example.call(&script).run();
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
