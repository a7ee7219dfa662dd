//! Triggers: the manifest's texts become compiled patterns and checked templates.

use std::collections::BTreeSet;

use regex::Regex;
use serde_json::Value;

use super::{
    catalog::{FollowUp, Trigger},
    compile_budget::CompileBudget,
    manifest::{FollowUpJson, MANIFEST_FILE, ManifestJson, TriggerJson},
    problem::ProblemList,
    trigger_template::{SENTENCE_PLACEHOLDER, TriggerTemplatePart, parse_trigger_template},
};
use narratoria_protocol::Object;

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
    let bytes_of = |input: &Object| -> usize {
        input.iter().map(|(name, value)| name.len() + value_bytes(value)).sum()
    };
    let follow_up = |one: &FollowUpJson| {
        let texts = [Some(&one.id), Some(&one.tool), one.when.as_ref(), one.description.as_ref()];
        let texts = texts.into_iter().flatten().map(String::len);
        texts.sum::<usize>() + bytes_of(&one.input)
    };
    texts + bytes_of(&json.input) + json.then.iter().map(follow_up).sum::<usize>()
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
    for (idx, name) in json.needs.iter().enumerate() {
        if !json.input.contains_key(name) {
            let what = format!("`{name}` is no field of `input`");
            findings.field(MANIFEST_FILE, format!("{pointer}/needs/{idx}"), what);
        }
    }
    check_follow_ups(json, pointer, &groups, findings);
    Trigger {
        script: json.script.clone(),
        phrases: json.phrases.clone(),
        input: json.input.clone(),
        narrate: json.narrate,
        fallback: json.fallback,
        patterns,
        captures,
        if_state: json.if_state.clone(),
        unless_state: json.unless_state.clone(),
        takes_rest: json.rest,
        needs: json.needs.clone(),
        follow_ups: json.then.iter().map(follow_up).collect(),
    }
}

fn follow_up(json: &FollowUpJson) -> FollowUp {
    FollowUp {
        id: json.id.clone(),
        tool: json.tool.clone(),
        input: json.input.clone(),
        when: json.when.clone(),
        description: json.description.clone(),
        required: json.required,
        requires_approval: json.requires_approval,
        after_narration: json.after_narration,
    }
}

/// Each step has an id of its own, and refers only to steps before it.
fn check_follow_ups(
    json: &TriggerJson,
    pointer: &str,
    groups: &BTreeSet<&str>,
    findings: &mut ProblemList,
) {
    let mut ids = vec![json.script.as_str()];
    for (idx, follow_up) in json.then.iter().enumerate() {
        let pointer = format!("{pointer}/then/{idx}");
        for (name, value) in &follow_up.input {
            check_step_input(
                value,
                &format!("{pointer}/input/{name}"),
                (groups, &ids),
                1,
                findings,
            );
        }
        if ids.contains(&follow_up.id.as_str()) {
            let what = format!("`{}` is the id of an earlier step", follow_up.id);
            findings.field(MANIFEST_FILE, format!("{pointer}/id"), what);
        }
        ids.push(&follow_up.id);
    }
}

fn check_step_input(
    value: &Value,
    pointer: &str,
    (groups, ids): (&BTreeSet<&str>, &[&str]),
    depth: usize,
    findings: &mut ProblemList,
) {
    if depth > INPUT_DEPTH_MAX {
        let what = format!("nests deeper than {INPUT_DEPTH_MAX} levels");
        findings.field(MANIFEST_FILE, pointer, what);
        return;
    }
    match value {
        Value::String(text) => match referenced_step(text) {
            Some(step) if !ids.contains(&step) => {
                let what =
                    format!("`{text}` refers to no earlier step; there are: {}", ids.join(", "));
                findings.field(MANIFEST_FILE, pointer, what);
            }
            Some(_) => {}
            None => check_template(value, pointer, groups, depth, findings),
        },
        Value::Array(items) => {
            for (idx, item) in items.iter().enumerate() {
                check_step_input(
                    item,
                    &format!("{pointer}/{idx}"),
                    (groups, ids),
                    depth + 1,
                    findings,
                );
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                check_step_input(
                    field,
                    &format!("{pointer}/{name}"),
                    (groups, ids),
                    depth + 1,
                    findings,
                );
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The step that a string of a follow-up's `input` refers to: `understand` for `$understand.actions`. None for a text.
pub fn referenced_step(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('$')?;
    let is_of_name =
        |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    let end = rest.find(|letter| !is_of_name(letter)).unwrap_or(rest.len());
    (end > 0 && rest.starts_with(|letter: char| letter.is_ascii_alphabetic())).then(|| &rest[..end])
}

fn compile(
    texts: &[String],
    pointer: &str,
    budget: &mut CompileBudget,
    findings: &mut ProblemList,
) -> Vec<Regex> {
    let mut compiled = Vec::new();
    for (idx, text) in texts.iter().enumerate() {
        match budget.compile_trigger_pattern(text) {
            Ok(regex) => compiled.push(regex),
            Err(what) => findings.field(MANIFEST_FILE, format!("{pointer}/{idx}"), what),
        }
    }
    compiled
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
