//! Every document from outside is refused if one of its objects has a key twice, however deep, and the error names the
//! key; without the second one the document is read. One text that two readers read differently would be two documents.

use std::{fs, path::Path, sync::LazyLock};

use narratoria_engine::eval;
use narratoria_kit::RunRecord;
use narratoria_narrator::ScriptedPlanner;
use narratoria_plan::{self as plan, PlanTemplate};
use narratoria_skills::{FilesInMemory, PackageHandle, PlayerSide, Problem};
use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

/// One kind of document: a sample that is read, and its reader.
struct DocumentKind {
    name: &'static str,
    sample: Value,
    read: fn(&str) -> Result<(), String>,
}

static KINDS: LazyLock<Vec<DocumentKind>> = LazyLock::new(|| {
    let plan = sample("plan-json/good/example-plan.json");
    vec![
        kind("manifest", manifest(), |text| load("skill.json", text)),
        kind("input schema", input_schema(), |text| load("in.json", text)),
        kind("config schema", sample("config-schema/good/weather.json"), |text| {
            load("config-schema.json", text)
        }),
        kind("example", example(), |text| load("examples/one.json", text)),
        kind("plan", plan.clone(), |text| said(plan::parse(text.as_bytes()))),
        kind("template", sample("plan-template/good/lit-room.json"), |text| {
            said(PlanTemplate::parse(text.as_bytes()))
        }),
        kind("planner script", json!([plan, "text", {"abort": "no"}]), |text| {
            said(ScriptedPlanner::parse(text))
        }),
        kind("case", sample("eval/good/every-field.json"), |text| {
            said(eval::parse(text.as_bytes()))
        }),
        kind("record", sample("skill-record/good/every-field.json"), |text| {
            said(RunRecord::parse(text.as_bytes()))
        }),
    ]
});

fn kind(name: &'static str, sample: Value, read: fn(&str) -> Result<(), String>) -> DocumentKind {
    DocumentKind { name, sample, read }
}

fn sample(path: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("contracts/examples").join(path);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn said<T, E: ToString>(result: Result<T, E>) -> Result<(), String> {
    result.map(|_| ()).map_err(|error| error.to_string())
}

fn manifest() -> Value {
    json!({
        "name": "dice", "description": "d", "version": "1.0.0", "retryPolicy": {"maxRetries": 1},
        "triggers": [{"script": "go", "phrases": ["roll"], "input": {"text": "{sentence}"}}],
        "scripts": [{
            "name": "go", "path": "scripts/go.wasm", "description": "d", "inputSchema": "in.json",
            "limits": {"fuel": 1000}, "grants": {"store": true, "http": ["example.com"]}
        }]
    })
}

fn input_schema() -> Value {
    json!({
        "type": "object", "properties": {"text": {"type": "string", "maxLength": 9}},
        "$defs": {"a": {"properties": {"b": {"enum": [{"c": 1}]}}}}
    })
}

fn example() -> Value {
    json!({
        "script": "go", "input": {"text": "a"}, "state": {"a": {"b": [{"c": 1}]}},
        "expect": {"output": {"d": {"e": 2}}, "events": [{"type": "log"}]}
    })
}

/// Loads a package in which one file has this text.
fn load(file: &str, text: &str) -> Result<(), String> {
    let mut files: FilesInMemory = [
        ("skill.json", manifest().to_string().into_bytes()),
        ("in.json", input_schema().to_string().into_bytes()),
        ("examples/one.json", example().to_string().into_bytes()),
        ("prompt.md", b"Go.".to_vec()),
        ("scripts/go.wasm", b"\0asm\x0d\0\x01\0".to_vec()),
    ]
    .map(|(path, content)| (path.to_owned(), content))
    .into();
    files.insert(file.to_owned(), text.as_bytes().to_vec());
    let loaded =
        PackageHandle::in_memory("dice", files).load(&PlayerSide::none().tolerating_missing());
    let lines = |problems: Vec<Problem>| {
        problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
    };
    loaded.map(|_| ()).map_err(lines)
}

/// Number of objects with a key in a value.
fn objects(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(objects).sum(),
        Value::Object(fields) => {
            usize::from(!fields.is_empty()) + fields.values().map(objects).sum::<usize>()
        }
        _ => 0,
    }
}

/// Where a second key goes: the object by its number, the key, its place among the others, and how it is written.
#[derive(Debug, Clone)]
struct Second {
    object: Index,
    key: Index,
    place: Index,
    /// True if its first letter is written as an escape.
    escaped: bool,
    value: &'static str,
}

/// The value as text, with one key twice; and that key.
struct Writer<'s> {
    second: &'s Second,
    target: usize,
    seen: usize,
    key: String,
}

impl Writer<'_> {
    fn write(&mut self, value: &Value) -> String {
        match value {
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(|item| self.write(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(fields) if !fields.is_empty() => {
                let is_target = self.seen == self.target;
                self.seen += 1;
                let mut parts: Vec<String> = fields
                    .iter()
                    .map(|(key, field)| format!("{}: {}", json!(key), self.write(field)))
                    .collect();
                if is_target {
                    let (key, _) = fields.iter().nth(self.second.key.index(fields.len())).unwrap();
                    self.key = key.clone();
                    let at = self.second.place.index(parts.len() + 1);
                    let name =
                        if self.second.escaped { escaped(key) } else { json!(key).to_string() };
                    parts.insert(at, format!("{name}: {}", self.second.value));
                }
                format!("{{{}}}", parts.join(",\n"))
            }
            other => other.to_string(),
        }
    }
}

/// The key as JSON with its first letter as `\uXXXX`.
fn escaped(key: &str) -> String {
    let mut letters = key.chars();
    let first = letters.next().map(|letter| format!("\\u{:04x}", u32::from(letter)));
    format!("\"{}{}\"", first.unwrap_or_default(), letters.as_str())
}

fn second() -> impl Strategy<Value = Second> {
    let value = prop::sample::select(vec!["null", "true", "{}", "[]", "\"x\"", "0"]);
    let index = any::<Index>;
    (index(), index(), index(), any::<bool>(), value).prop_map(
        |(object, key, place, escaped, value)| Second { object, key, place, escaped, value },
    )
}

#[test]
fn every_sample_is_read_with_and_without_a_byte_order_mark() {
    for kind in KINDS.iter() {
        let text = kind.sample.to_string();
        assert_eq!((kind.read)(&text), Ok(()), "{}", kind.name);
        assert_eq!((kind.read)(&format!("\u{feff}{text}")), Ok(()), "{} with a mark", kind.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_key_that_stands_twice_is_refused_by_name_at_every_depth(second in second()) {
        for kind in KINDS.iter() {
            // A case is one line, and a manifest's name must stay readable to find its folder.
            let target = second.object.index(objects(&kind.sample));
            let mut writer = Writer { second: &second, target, seen: 0, key: String::new() };
            let text = writer.write(&kind.sample);
            let text = if kind.name == "case" { text.replace('\n', " ") } else { text };
            let refused = (kind.read)(&text);
            let why = refused.err().unwrap_or_else(|| panic!("{} is read: {text}", kind.name));
            let named = format!("the key {} stands twice", json!(writer.key));
            prop_assert!(why.contains(&named), "{}: {why}\n{text}", kind.name);
        }
    }

    /// `SKILL.md` is YAML.
    #[test]
    fn a_key_twice_in_front_matter_is_refused(
        at in 0..3_usize, nested in any::<bool>(), quoted in any::<bool>()
    ) {
        let keys = ["name: dice", "description: d", "license: MIT"];
        let key = if nested { "author" } else { keys[at].split(':').next().unwrap() };
        let again = if quoted { format!("\"{key}\": x") } else { format!("{key}: x") };
        let (outer, inner) = if nested { (String::new(), again) } else { (again, "b: c".to_owned()) };
        let text = format!("---\n{}\nmetadata:\n  author: me\n  {inner}\n{outer}\n---\nGo.\n", keys.join("\n"));
        let why = load("SKILL.md", &text).unwrap_err();
        prop_assert!(why.contains("stands twice") && why.contains(key), "{why}\n{text}");
    }
}
