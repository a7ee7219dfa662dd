//! What the schemas of the built-in scripts allow, their scripts do not refuse for its size: a model writes what a schema
//! allows.

use std::{fs, path::Path};

use serde_json::{Map, Value, json};

use crate::player_machine::PlayerMachine;

/// Words of refusals for size.
const SIZE_WORDS: [&str; 5] =
    ["bytes long", "bytes, this one", "characters long", "the limit is", "too long"];

/// Four bytes in UTF-8, the most that a character has.
const LETTER: &str = "\u{1f525}";

/// Letters of a text whose schema has no limit, and items of such a list.
const CHARS_WITHOUT_LIMIT: u64 = 400;
const ITEMS_WITHOUT_LIMIT: u64 = 32;

/// The largest value that a schema allows; none where only certain texts will do.
fn largest(schema: &Value, whole: &Value) -> Option<Value> {
    let part = |one: &Value| largest(one, whole);
    if let Some(place) = schema["$ref"].as_str().and_then(|place| place.strip_prefix('#')) {
        return part(whole.pointer(place)?);
    }
    if let Some(last) = schema["enum"].as_array().and_then(|words| words.last()) {
        return Some(last.clone());
    }
    if let Some(only) = schema.get("const") {
        return Some(only.clone());
    }
    for choice in ["anyOf", "oneOf"] {
        if let Some(ways) = schema[choice].as_array() {
            return ways.iter().rev().find(|one| one["type"] != "null").and_then(part);
        }
    }
    let limit = |key: &str, default: u64| schema[key].as_u64().unwrap_or(default) as usize;
    let kinds = schema["type"].as_array().into_iter().flatten().find(|kind| *kind != "null");
    match kinds.unwrap_or(&schema["type"]).as_str()? {
        "string" if schema.get("pattern").is_some() => None,
        "string" => Some(json!(LETTER.repeat(limit("maxLength", CHARS_WITHOUT_LIMIT)))),
        "integer" | "number" => Some(schema.get("maximum").cloned().unwrap_or(json!(1))),
        "boolean" => Some(json!(true)),
        "array" => {
            Some(json!(vec![part(&schema["items"])?; limit("maxItems", ITEMS_WITHOUT_LIMIT)]))
        }
        "object" => {
            let members = schema["properties"].as_object().into_iter().flatten();
            let members = members.filter_map(|(name, one)| Some((name.clone(), part(one)?)));
            Some(Value::Object(members.collect::<Map<_, _>>()))
        }
        _ => None,
    }
}

/// The scripts of the built-in packages with their input schemas.
fn built_in_scripts() -> Vec<(String, Value)> {
    let read = |file: &Path| -> Value { serde_json::from_slice(&fs::read(file).unwrap()).unwrap() };
    let mut scripts = Vec::new();
    for folder in fs::read_dir("skills-wasm").unwrap() {
        let package = folder.unwrap().path().join("package");
        if !package.join("skill.json").exists() {
            continue;
        }
        let manifest = read(&package.join("skill.json"));
        for script in manifest["scripts"].as_array().unwrap() {
            let path = [&manifest["name"], &script["name"]].map(|name| name.as_str().unwrap());
            let schema = package.join(script["inputSchema"].as_str().unwrap());
            scripts.push((path.join("/"), read(&schema)));
        }
    }
    scripts.sort_by(|one, other| one.0.cmp(&other.0));
    scripts
}

#[test]
fn no_built_in_script_refuses_for_its_size_what_its_schema_allows() {
    let machine = PlayerMachine::new();
    let scripts = built_in_scripts();
    assert!(scripts.len() > 25, "{} scripts", scripts.len());
    let mut refused = Vec::new();
    for (path, schema) in &scripts {
        let mut input = largest(schema, schema).unwrap();
        // Ids of memories are of one form, which no schema of theirs tells.
        for id in ["supersedes", "contradicts", "entities"] {
            input.as_object_mut().unwrap().remove(id);
        }
        let ran = machine.run(&["skill", "run", path], input.to_string());
        if let Some(line) =
            ran.stderr.lines().find(|line| SIZE_WORDS.iter().any(|it| line.contains(it)))
        {
            refused.push(format!("{path}: {}", line.replace(LETTER, "")));
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
