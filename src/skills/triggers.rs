//! Triggers: the manifest's texts become compiled patterns and checked templates.

use std::collections::BTreeSet;

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::{
    catalog::Trigger,
    manifest::{MANIFEST_FILE, ManifestJson, TriggerJson},
    problem::ProblemList,
    trigger_template::{SENTENCE_PLACEHOLDER, TriggerTemplatePart, parse_trigger_template},
};

/// Largest compiled pattern. Enough for a hundred alternative words; stops `\w{1000}{1000}`.
pub const PATTERN_BYTES_MAX: usize = 256 << 10;
/// Deepest nesting of groups in a pattern.
const PATTERN_DEPTH_MAX: u32 = 32;
/// Deepest nesting of a trigger's `input`.
const INPUT_DEPTH_MAX: usize = 16;

pub(super) fn build_triggers(manifest: &ManifestJson, findings: &mut ProblemList) -> Vec<Trigger> {
    manifest
        .triggers
        .iter()
        .enumerate()
        .map(|(idx, json)| build_trigger(manifest, json, &format!("/triggers/{idx}"), findings))
        .collect()
}

fn build_trigger(
    manifest: &ManifestJson,
    json: &TriggerJson,
    pointer: &str,
    findings: &mut ProblemList,
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
    let patterns = compile(&json.patterns, &format!("{pointer}/patterns"), findings);
    let captures = compile(&json.captures, &format!("{pointer}/captures"), findings);
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

fn compile(texts: &[String], pointer: &str, findings: &mut ProblemList) -> Vec<Regex> {
    let mut compiled = Vec::new();
    for (idx, text) in texts.iter().enumerate() {
        let built = RegexBuilder::new(text)
            .case_insensitive(true)
            .size_limit(PATTERN_BYTES_MAX)
            .nest_limit(PATTERN_DEPTH_MAX)
            .build();
        match built {
            Ok(regex) => compiled.push(regex),
            Err(error) => {
                findings.field(MANIFEST_FILE, format!("{pointer}/{idx}"), pattern_fault(&error));
            }
        }
    }
    compiled
}

/// `regex` draws a picture over several lines; the last line names the error.
fn pattern_fault(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(limit) => {
            format!("the compiled pattern is larger than {limit} bytes")
        }
        other => {
            let text = other.to_string();
            let last = text.lines().last().unwrap_or_default();
            format!("is not a pattern: {}", last.trim_start_matches("error: "))
        }
    }
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
