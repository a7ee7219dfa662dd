//! Triggers: the manifest's texts become compiled patterns and checked templates.

use std::collections::BTreeSet;

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::{
    catalog::Trigger,
    compile_budget::CompileBudget,
    manifest::{MANIFEST_FILE, ManifestJson, TriggerJson},
    pattern_cost::{PATTERN_BYTES_MAX, PatternDialect},
    problem::ProblemList,
    trigger_template::{SENTENCE_PLACEHOLDER, TriggerTemplatePart, parse_trigger_template},
};

/// Bytes that `regex` may take for a pattern that was measured: it compiles a pattern forwards and backwards.
const COMPILED_BYTES: usize = 8 * PATTERN_BYTES_MAX;

/// Deepest nesting of a trigger's `input`.
const INPUT_DEPTH_MAX: usize = 16;

pub(super) fn build_triggers(
    manifest: &ManifestJson,
    budget: &mut CompileBudget,
    findings: &mut ProblemList,
) -> Vec<Trigger> {
    let mut triggers = Vec::new();
    for (idx, json) in manifest.triggers.iter().enumerate() {
        let pointer = format!("/triggers/{idx}");
        if let Err(what) = budget.take_trigger(text_bytes(json)) {
            findings.field(MANIFEST_FILE, "/triggers", what);
            break;
        }
        triggers.push(build_trigger(manifest, json, &pointer, (&mut *budget, &mut *findings)));
    }
    triggers
}

/// The bytes that the planner reads of a trigger.
fn text_bytes(json: &TriggerJson) -> usize {
    let texts = json.phrases.iter().chain(&json.patterns).chain(&json.captures);
    let texts: usize = texts.map(String::len).sum();
    let input: usize = json.input.iter().map(|(name, value)| name.len() + value_bytes(value)).sum();
    texts + input
}

fn value_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(value_bytes).sum(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| name.len() + value_bytes(value)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}

fn build_trigger(
    manifest: &ManifestJson,
    json: &TriggerJson,
    pointer: &str,
    (budget, findings): (&mut CompileBudget, &mut ProblemList),
) -> Trigger {
    if !manifest.scripts.iter().any(|script| script.name == json.script) {
        let what = format!("there is no script `{}` in `/scripts`", json.script);
        findings.field(MANIFEST_FILE, format!("{pointer}/script"), what);
    }
    for (idx, phrase) in json.phrases.iter().enumerate() {
        if !phrase.chars().any(char::is_alphanumeric) {
            let what = format!("`{phrase}` has no word that could match");
            findings.field(MANIFEST_FILE, format!("{pointer}/phrases/{idx}"), what);
        }
    }
    let patterns = compile(&json.patterns, &format!("{pointer}/patterns"), budget, findings);
    let captures = compile(&json.captures, &format!("{pointer}/captures"), budget, findings);
    let groups: BTreeSet<&str> = patterns
        .iter()
        .chain(&captures)
        .flat_map(|pattern| pattern.capture_names().flatten())
        .chain([SENTENCE_PLACEHOLDER])
        .collect();
    for (name, value) in &json.input {
        check_template(value, &format!("{pointer}/input/{name}"), &groups, 1, findings);
    }
    Trigger {
        script: json.script.clone(),
        phrases: json.phrases.clone(),
        input: json.input.clone(),
        narrate: json.narrate,
        fallback: json.fallback,
        patterns,
        captures,
    }
}

fn compile(
    texts: &[String],
    pointer: &str,
    budget: &mut CompileBudget,
    findings: &mut ProblemList,
) -> Vec<Regex> {
    let mut compiled = Vec::new();
    for (idx, text) in texts.iter().enumerate() {
        match compile_one(text, budget) {
            Ok(regex) => compiled.push(regex),
            Err(what) => findings.field(MANIFEST_FILE, format!("{pointer}/{idx}"), what),
        }
    }
    compiled
}

/// Measures the pattern before it is compiled.
fn compile_one(text: &str, budget: &mut CompileBudget) -> Result<Regex, String> {
    let dialect = PatternDialect::Plain { ignores_case: true };
    budget.take_pattern(text, dialect).map_err(|fault| fault.to_string())?;
    let built = RegexBuilder::new(text).case_insensitive(true).size_limit(COMPILED_BYTES).build();
    built.map_err(|error| format!("is not a pattern: {error}"))
}

fn check_template(
    value: &Value,
    pointer: &str,
    groups: &BTreeSet<&str>,
    depth: usize,
    findings: &mut ProblemList,
) {
    if depth > INPUT_DEPTH_MAX {
        let what = format!("nests deeper than {INPUT_DEPTH_MAX} levels");
        findings.field(MANIFEST_FILE, pointer, what);
        return;
    }
    match value {
        Value::String(text) => match parse_trigger_template(text) {
            Ok(parts) => {
                for part in parts {
                    if let TriggerTemplatePart::Placeholder { group, .. } = part
                        && !groups.contains(group.as_str())
                    {
                        let what =
                            format!("`{{{group}}}` is no named group of this trigger's patterns");
                        findings.field(MANIFEST_FILE, pointer, what);
                    }
                }
            }
            Err(error) => findings.field(MANIFEST_FILE, pointer, error.to_string()),
        },
        Value::Array(items) => {
            for (idx, item) in items.iter().enumerate() {
                check_template(item, &format!("{pointer}/{idx}"), groups, depth + 1, findings);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                check_template(field, &format!("{pointer}/{name}"), groups, depth + 1, findings);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
