//! The schemas in `contracts/` and the samples beside them: each sample that should fit fits, and each
//! that should not is refused with the very text in the file beside it.
//!
//! `BLESS=1 cargo test --test program contracts::` rewrites those texts. Read the difference before it is committed.

mod duplicates;
mod limits;
mod seeds;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use narratoria_engine::{
    PROMPT_BYTES_MAX,
    eval::{self, EVAL_BYTES_MAX, EVAL_CASES_MAX, REPEAT_MAX},
};
use narratoria_plan::wire::PlanJson;
use narratoria_protocol::{
    ANSWER_BYTES_MAX, ASKS_MAX, DEPTH_MAX, Decoder, EVENT_ASK, EVENTS_MAX, Event, LINE_BYTES_MAX,
    Message, Request, answer_line,
};
use narratoria_sandbox::{
    STORE_BYTES_MAX, STORE_ENTRIES_MAX, STORE_KEY_BYTES_MAX, STORE_VALUE_BYTES_MAX,
    STORE_WRITES_MAX,
};
use narratoria_skills::Schema;
use serde_json::{Map, Value, json};

/// Says in `bad.json` that only the decoder can refuse the entry.
const BLIND: &str = "cannot see this";

fn contracts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("contracts")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&read(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the files of a folder with this extension, in name order; none if there is no folder.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    found.sort();
    found
}

/// Every schema by the name of its folder of samples.
fn schemas() -> BTreeMap<String, Value> {
    let found: BTreeMap<String, Value> = files(&contracts(), "json")
        .into_iter()
        // It describes an interface and no document; `src/serve/tests/contract.rs` compares it with the routes.
        .filter(|path| !path.ends_with("page-api.openapi.json"))
        .map(|path| {
            let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
            let stem = name.strip_suffix(".schema.json").or(name.strip_suffix(".meta.json"));
            let stem = stem.unwrap_or_else(|| panic!("`{name}` is not named like a schema"));
            (stem.to_owned(), read_json(&path))
        })
        .collect();
    assert!(found.contains_key("event"), "the schemas are not where they should be");
    found
}

fn build(stem: &str) -> Schema {
    let document = schemas().remove(stem).unwrap_or_else(|| panic!("there is no schema `{stem}`"));
    Schema::build(document).unwrap_or_else(|error| panic!("{stem}: {error}"))
}

fn good_samples(stem: &str) -> Vec<(String, Value)> {
    if stem == "event" {
        let lines = read(&contracts().join("examples/event/good.ndjson"));
        return lines.lines().map(|line| (line.to_owned(), parse(line))).collect();
    }
    files(&contracts().join("examples").join(stem).join("good"), "json")
        .into_iter()
        .map(|path| (path.display().to_string(), read_json(&path)))
        .collect()
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// One line for each mismatch.
fn render(schema: &Schema, instance: &Value) -> String {
    schema
        .mismatches(instance)
        .into_iter()
        .map(|mismatch| {
            let pointer = if mismatch.pointer.is_empty() { "(whole)" } else { &mismatch.pointer };
            format!("{pointer}: {}\n", mismatch.what)
        })
        .collect()
}

fn bless() -> bool {
    std::env::var_os("BLESS").is_some()
}

/// Calls `visit` with the name and the schema of each field that a schema describes.
fn each_field(schema: &Value, visit: &mut dyn FnMut(&str, &Value)) {
    let empty = Map::new();
    let map = |key: &str| schema.get(key).and_then(Value::as_object).unwrap_or(&empty);
    for (name, field) in map("properties") {
        visit(name, field);
        each_field(field, visit);
    }
    for definition in map("$defs").values() {
        each_field(definition, visit);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(key) {
            each_field(inner, visit);
        }
    }
}

fn collect_keys(value: &Value, keys: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_keys(item, keys)),
        Value::Object(object) => {
            for (key, inner) in object {
                keys.insert(key.clone());
                collect_keys(inner, keys);
            }
        }
        _ => {}
    }
}

#[test]
fn every_schema_is_a_draft_2020_12_schema_with_a_name_of_its_own() {
    let mut ids = BTreeSet::new();
    for (stem, document) in schemas() {
        if let Err(error) = jsonschema::draft202012::meta::validate(&document) {
            panic!("{stem}: {} at `{}`", error, error.instance_path());
        }
        assert_eq!(document["$schema"], "https://json-schema.org/draft/2020-12/schema", "{stem}");
        let id = document["$id"].as_str().unwrap_or_default();
        assert!(id.starts_with(&format!("urn:narratoria:contract:{stem}:")), "{stem}: `{id}`");
        assert!(ids.insert(id.to_owned()), "{stem}: `{id}` is taken");
        assert!(document["title"].is_string(), "{stem} has no title");
        build(&stem);
    }
}

#[test]
fn every_field_is_described() {
    for (stem, document) in schemas() {
        each_field(&document, &mut |name, field| {
            // `true` repeats a field that is described where the parts come together.
            let described = field == &Value::Bool(true) || field["description"].is_string();
            assert!(described, "{stem}: nobody says what `{name}` is");
        });
    }
}

#[test]
fn every_field_occurs_in_a_sample_that_fits() {
    for (stem, document) in schemas() {
        let mut used = BTreeSet::new();
        for (_, sample) in good_samples(&stem) {
            collect_keys(&sample, &mut used);
        }
        each_field(&document, &mut |name, _| {
            assert!(used.contains(name), "{stem}: no good sample has `{name}`");
        });
    }
}

/// S0 §9.
#[test]
fn every_good_sample_fits_its_schema() {
    for stem in schemas().into_keys() {
        let schema = build(&stem);
        let samples = good_samples(&stem);
        assert!(!samples.is_empty(), "{stem} has no good sample");
        for (name, sample) in samples {
            assert_eq!(render(&schema, &sample), "", "{name}");
        }
    }
}

#[test]
fn every_bad_sample_is_refused_with_the_text_beside_it() {
    for stem in schemas().into_keys().filter(|stem| stem != "event") {
        let schema = build(&stem);
        let folder = contracts().join("examples").join(&stem).join("bad");
        let samples = files(&folder, "json");
        assert!(!samples.is_empty(), "{stem} has no bad sample");
        for path in &samples {
            let found = render(&schema, &read_json(path));
            assert_ne!(found, "", "{} fits", path.display());
            let beside = path.with_extension("txt");
            if bless() {
                fs::write(&beside, &found).expect("the text can be written");
            }
            assert_eq!(found, read(&beside), "{}", path.display());
        }
        let texts = files(&folder, "txt");
        assert_eq!(texts.len(), samples.len(), "a text in {} has no sample", folder.display());
    }
}

/// The host reads an index without its schema.
#[test]
fn every_good_index_of_packages_is_read_and_no_bad_one_is() {
    let is_read = |text: &str| narratoria_skills::PackageIndex::parse(text.as_bytes()).is_ok();
    for (name, sample) in good_samples("package-index") {
        assert!(is_read(&sample.to_string()), "{name}");
    }
    for path in files(&contracts().join("examples/package-index/bad"), "json") {
        assert!(!is_read(&read(&path)), "{}", path.display());
    }
}

/// Decodes one invocation's whole output.
fn decode(output: &str) -> (Vec<Message>, Result<(), String>) {
    let (mut decoder, mut messages) = (Decoder::default(), Vec::new());
    let ending = decoder
        .push(output.as_bytes(), |message| messages.push(message))
        .and_then(|()| decoder.finish());
    (messages, ending.map_err(|error| error.to_string()))
}

#[test]
fn the_decoder_reads_every_good_line_and_loses_nothing() {
    for (line, sample) in good_samples("event") {
        let mut messages = Vec::new();
        let pushed = Decoder::default()
            .push(format!("{line}\n").as_bytes(), |message| messages.push(message));
        assert_eq!(pushed, Ok(()), "{line}");
        assert_eq!(messages.len(), 1, "{line}");
        assert_eq!(messages[0].event.type_name(), sample["type"], "{line}");
        assert_eq!(messages[0].request_id.as_deref(), sample["requestId"].as_str(), "{line}");
        assert_eq!(messages[0].timestamp.as_deref(), sample["timestamp"].as_str(), "{line}");
    }
}

#[test]
fn the_good_lines_show_all_six_events() {
    let shown: BTreeSet<String> = good_samples("event")
        .iter()
        .map(|(_, sample)| sample["type"].as_str().expect("it fits").to_owned())
        .collect();
    let known: BTreeSet<String> =
        ["log", "state_patch", "asset", "ui_event", "error", "done"].map(str::to_owned).into();
    assert_eq!(shown, known);
}

#[test]
fn schema_and_decoder_refuse_the_same_lines() {
    let schema = build("event");
    let path = contracts().join("examples/event/bad.json");
    let mut entries: Vec<Map<String, Value>> =
        serde_json::from_value(read_json(&path)).expect("a list of objects");
    assert!(!entries.is_empty(), "event has no bad sample");
    for entry in &mut entries {
        let (name, output) = (entry["name"].clone(), entry["line"].as_str().expect("text"));
        let error = decode(output).1.expect_err(&format!("{name} is accepted"));
        let refused = match serde_json::from_str::<Value>(output) {
            Ok(instance) => !schema.mismatches(&instance).is_empty(),
            Err(_) => false,
        };
        let said = entry.get("schema").and_then(Value::as_str);
        assert_eq!(said, (!refused).then_some(BLIND), "what the schema sees of {name}");
        if bless() {
            entry["error"] = Value::String(error);
        } else {
            assert_eq!(entry["error"], error.as_str(), "{name}");
        }
    }
    if bless() {
        let lines: Vec<String> =
            entries.iter().map(|entry| format!("  {}", json!(entry))).collect();
        fs::write(&path, format!("[\n{}\n]\n", lines.join(",\n"))).expect("it can be written");
    }
}

#[test]
fn the_event_schema_names_the_ceilings_of_the_decoder() {
    let description = schemas()["event"]["description"].as_str().unwrap_or_default().to_owned();
    for ceiling in [
        format!("at most {LINE_BYTES_MAX} bytes"),
        format!("at most {DEPTH_MAX} levels"),
        format!("at most {EVENTS_MAX} lines"),
    ] {
        assert!(description.contains(&ceiling), "`{ceiling}` is not in `{description}`");
    }
}

#[test]
fn what_the_host_sends_to_a_script_fits_its_schema() {
    let object = |value: Value| value.as_object().cloned().unwrap_or_default();
    let request = Request {
        request_id: "3f0c6a52-8d1e-4b7a-9c55-2f6e1d0b7a11".to_owned(),
        tool: "roll".to_owned(),
        operation: narratoria_protocol::OPERATION_RUN.to_owned(),
        input: object(json!({ "dice": "1d20\n" })),
        config: Map::new(),
        state: json!({}),
        inputs: object(json!({ "light": null })),
        seed: u64::MAX,
    };
    let line = String::from_utf8(request.to_line()).expect("JSON is UTF-8");
    assert_eq!(line.matches('\n').count(), 1, "one line, and its end");
    assert_eq!(render(&build("script-input"), &parse(&line)), "");
}

/// S2 "Human-in-the-Loop".
#[test]
fn what_fits_the_schema_of_a_question_is_one_for_the_host_and_nothing_else_is() {
    let is_question = |payload: Value| {
        Event::UiEvent { event: EVENT_ASK.to_owned(), payload: Some(payload) }.question().is_some()
    };
    for (name, sample) in good_samples("ask") {
        assert!(is_question(sample), "{name}");
    }
    for path in files(&contracts().join("examples/ask/bad"), "json") {
        assert!(!is_question(read_json(&path)), "{}", path.display());
    }
    let said = schemas()["ask"]["description"].as_str().unwrap_or_default().to_owned();
    assert!(said.contains(&format!("at most {ASKS_MAX} questions")), "{said}");
}

#[test]
fn what_the_host_answers_fits_its_schema() {
    let line = String::from_utf8(answer_line("\"A friend\",\nsaid Zoë")).expect("JSON is UTF-8");
    assert_eq!(line.matches('\n').count(), 1, "one line, and its end");
    assert_eq!(render(&build("answer"), &parse(&line)), "");
    let said = schemas()["answer"]["properties"]["answer"]["description"].to_string();
    assert!(said.contains(&format!("at most {ANSWER_BYTES_MAX} bytes")), "{said}");
}

#[test]
fn the_interface_of_the_store_names_its_limits() {
    let words: Vec<String> = read(&contracts().join("wit/store.wit"))
        .replace("///", "")
        .split_whitespace()
        .map(|word| word.replace(',', ""))
        .collect();
    let text = words.join(" ");
    for limit in [
        format!("1 to {STORE_KEY_BYTES_MAX} bytes"),
        format!("at most {} KiB", STORE_VALUE_BYTES_MAX >> 10),
        format!("at most {STORE_ENTRIES_MAX} entries and {} MiB", STORE_BYTES_MAX >> 20),
        format!("at most {STORE_WRITES_MAX} changes"),
    ] {
        assert!(text.contains(&limit), "`{limit}` is not in `{text}`");
    }
}

/// Removes the optional parts of a plan.
fn without_defaults(mut plan: Value) -> Value {
    fn drop(object: &mut Value, key: &str, default: Value) {
        let object = object.as_object_mut().expect("an object");
        if object.get(key) == Some(&default) {
            object.remove(key);
        }
    }
    for tool in plan["tools"].as_array_mut().expect("a list") {
        drop(tool, "input", json!({}));
        drop(tool, "dependencies", json!([]));
    }
    if plan.get("metadata").is_some() {
        drop(&mut plan["metadata"], "generationAttempt", json!(1));
        drop(&mut plan["metadata"], "parentPlanId", Value::Null);
    }
    drop(&mut plan, "metadata", json!({}));
    drop(&mut plan, "parallel", json!(false));
    drop(&mut plan, "disabledSkills", json!([]));
    plan
}

/// S0 §9: a first plan, and the one that replaces it after a failure.
#[test]
fn the_samples_have_a_first_plan_and_its_replacement() {
    let sample = |name: &str| read_json(&contracts().join("examples/plan-json/good").join(name));
    let (first, second) = (sample("example-plan.json"), sample("example-plan-replan.json"));
    let lineage = |plan: &Value| {
        let metadata = &plan["metadata"];
        (metadata["generationAttempt"].clone(), metadata["parentPlanId"].clone())
    };
    assert_eq!(lineage(&first), (json!(1), Value::Null));
    assert_eq!(lineage(&second), (json!(2), first["requestId"].clone()));
    assert_eq!(
        (&first["disabledSkills"], &second["disabledSkills"]),
        (&json!([]), &json!(["dice-roller"]))
    );
}

/// S0 FR-002, §5.2.
#[test]
fn a_plan_that_fits_the_schema_survives_the_way_in_and_out() {
    let schema = build("plan-json");
    for (name, sample) in good_samples("plan-json") {
        let plan: PlanJson = serde_json::from_value(sample.clone())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let back = serde_json::to_value(&plan).expect("a plan is JSON");
        assert_eq!(render(&schema, &back), "", "{name}");
        assert_eq!(without_defaults(back), without_defaults(sample), "{name}");
    }
}

#[test]
fn a_plan_of_256_tools_is_the_largest() {
    let schema = build("plan-json");
    let plan = |count: usize| {
        let tools: Vec<Value> = (0..count)
            .map(|number| json!({ "toolId": format!("t{number}"), "toolPath": "dice/roll" }))
            .collect();
        json!({ "requestId": "3f0c6a52-8d1e-4b7a-9c55-2f6e1d0b7a11", "tools": tools })
    };
    assert_eq!(render(&schema, &plan(256)), "");
    let refused = schema.mismatches(&plan(257));
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert_eq!(refused[0].pointer, "/tools");
    assert!(refused[0].what.ends_with("has more than 256 items"), "{}", refused[0].what);
}

#[test]
fn the_plan_in_an_update_is_plan_json() {
    let schema = build("plan-json");
    let proposed: Vec<Value> = good_samples("update")
        .into_iter()
        .filter_map(|(_, sample)| sample.get("plan").cloned())
        .collect();
    assert!(!proposed.is_empty(), "no sample shows a proposed plan");
    for plan in proposed {
        assert_eq!(render(&schema, &plan), "");
    }
}

#[test]
fn a_step_in_an_update_is_one_of_plan_json() {
    let schema = build("plan-json");
    let steps: Vec<Value> = good_samples("update")
        .into_iter()
        .filter_map(|(_, sample)| sample.get("tool").cloned())
        .collect();
    assert!(!steps.is_empty(), "no sample shows a step of a plan that is being written");
    let plan = json!({ "requestId": "3f0c6a52-8d1e-4b7a-9c55-2f6e1d0b7a11", "tools": steps });
    assert_eq!(render(&schema, &plan), "");
}

#[test]
fn the_events_in_a_result_are_events_of_the_wire() {
    let schema = build("event");
    for (name, sample) in good_samples("execution-result") {
        for result in sample["toolResults"].as_array().expect("it fits") {
            for event in result["events"].as_array().expect("it fits") {
                assert_eq!(render(&schema, event), "", "{name}");
            }
        }
    }
}

#[test]
fn a_config_schema_that_fits_is_a_schema() {
    for (name, sample) in good_samples("config-schema") {
        if let Err(error) = Schema::build(sample) {
            panic!("{name}: {error}");
        }
    }
}

#[test]
fn every_case_of_the_datasets_fits_its_schema() {
    let schema = build("eval");
    for path in files(&contracts().join("eval"), "jsonl") {
        for (at, line) in read(&path).lines().enumerate() {
            assert_eq!(render(&schema, &parse(line)), "", "{}:{}", path.display(), at + 1);
        }
        eval::parse(read(&path).as_bytes()).unwrap_or_else(|error| panic!("{}", error));
    }
    let said = schemas()["eval"]["description"].as_str().unwrap_or_default().to_owned();
    for limit in [
        format!("at most {PROMPT_BYTES_MAX} bytes"),
        format!("At most {EVAL_CASES_MAX} cases and {EVAL_BYTES_MAX} bytes a file"),
    ] {
        assert!(said.contains(&limit), "`{limit}` is not in `{said}`");
    }
    let repeat = &schemas()["eval"]["properties"]["repeat"]["maximum"];
    assert_eq!(repeat, &json!(REPEAT_MAX));
}
