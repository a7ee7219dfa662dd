//! Each field of the published format has an effect, or stands in the list of those that are kept.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{full, shown};
use crate::{
    CampaignSource, compile,
    kept::{KEPT_FIELDS, KeptFor},
    kinds::FileKind,
    schemas::schema_of,
    shape::resolve,
};

/// The four JSON files of the published format, with their paths in the full template.
const FILES: [(FileKind, &[&str]); 4] = [
    (FileKind::Manifest, &["manifest.json"]),
    (
        FileKind::Profile,
        &["characters/npcs/mina-holt/profile.json", "characters/npcs/jonas-weir/profile.json"],
    ),
    (FileKind::PlayerTemplate, &["characters/player/template.json"]),
    (FileKind::BeatsJson, &["plot/beats.json"]),
];

fn fields(root: &Value, schema: &Value, path: &str, found: &mut Vec<String>) {
    let schema = resolve(root, schema);
    for (key, inner) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        found.push(path.clone());
        fields(root, inner, &path, found);
    }
    if let Some(items) = schema.get("items") {
        fields(root, items, path, found);
    }
}

/// Removes the values at a path; true if there were any.
fn remove(value: &mut Value, path: &[&str]) -> bool {
    match (value, path) {
        (Value::Array(items), _) => {
            // All of them, so not `any`.
            let removed = items.iter_mut().map(|item| remove(item, path));
            removed.filter(|is_removed| *is_removed).count() > 0
        }
        (Value::Object(table), [last]) => table.remove(*last).is_some(),
        (Value::Object(table), [first, rest @ ..]) => {
            table.get_mut(*first).is_some_and(|inner| remove(inner, rest))
        }
        _ => false,
    }
}

/// Replaces a text of a file, which must be there.
fn replace(files: &mut BTreeMap<String, Vec<u8>>, path: &str, from: &str, to: &str) {
    let text = String::from_utf8(files[path].clone()).unwrap();
    assert!(text.contains(from), "{path}: {from}");
    files.insert(path.to_owned(), text.replace(from, to).into_bytes());
}

/// The full template with an example of every field that something else does not hide.
fn sample() -> BTreeMap<String, Vec<u8>> {
    let mut files = full();
    let jonas = "characters/npcs/jonas-weir/profile.json";
    replace(
        &mut files,
        jonas,
        "\"speech_patterns\": {",
        "\"goals\": [{ \"description\": \"Sell the quay.\", \"status\": \"failed\" }],
         \"speech_patterns\": { \"catchphrases\": [\"Well, well.\"],",
    );
    let template = "characters/player/template.json";
    for name in ["human", "inland"] {
        let name = format!("\"name\": \"{name}\",");
        let more = format!(
            "{name} \"starting_items\": [\"cap\"], \"starting_relationships\": {{ \"Mina Holt\": \"a stranger\" }},"
        );
        replace(&mut files, template, &name, &more);
    }
    replace(&mut files, template, "\"fixed_background\": false", "\"fixed_background\": true");
    let begins = "\"starting_location\": \"harbour\"";
    replace(&mut files, template, begins, "\"starting_location\": \"breakwater\"");
    // The author's TOML takes precedence over the template.
    replace(&mut files, "characters/player/player.toml", "place = \"harbour\"", "");
    let requires = "\"requires_beat\": \"beat_001\"";
    replace(&mut files, "plot/beats.json", requires, "\"requires_beat\": \"beat_003\"");
    files
}

/// Returns the digest of the compiled campaign, and its problems without the notes about kept fields.
fn outcome(files: &BTreeMap<String, Vec<u8>>) -> (Option<String>, Vec<String>) {
    let result = compile(&CampaignSource::in_memory(files.clone()), "kept", None);
    let said = result.problems.iter().map(|problem| problem.message.clone());
    let said = said.filter(|message| !message.contains("is kept and has no effect")).collect();
    (result.campaign.map(|campaign| campaign.digest().to_string()), said)
}

#[test]
fn each_field_of_the_published_format_has_an_effect_or_is_listed() {
    let files = sample();
    let whole = outcome(&files);
    assert!(whole.0.is_some(), "{:?}", whole.1);
    let mut wrong = Vec::new();
    for (kind, paths) in FILES {
        let (schema, mut all) = (schema_of(kind), Vec::new());
        fields(schema, schema, "", &mut all);
        for field in all.iter().filter(|field| *field != "$schema") {
            let steps: Vec<&str> = field.split('.').collect();
            let (mut without, mut is_used) = (files.clone(), false);
            for path in paths {
                let mut document: Value = serde_json::from_slice(&files[*path]).unwrap();
                is_used |= remove(&mut document, &steps);
                without.insert((*path).to_owned(), document.to_string().into_bytes());
            }
            let is_listed = KEPT_FIELDS.iter().any(|kept| {
                let is_within = |rest: &str| rest.is_empty() || rest.starts_with('.');
                kept.kind == kind && field.strip_prefix(kept.path).is_some_and(is_within)
            });
            let without = outcome(&without);
            // A field that every file must have cannot be left out, even if it has no effect.
            let is_as_before = without.0.is_none() || without.0 == whole.0;
            let fault = match (is_used, is_listed, without == whole, is_as_before) {
                (false, ..) => "the template has no example of it",
                (_, true, _, false) => "it is listed and has an effect",
                (_, false, true, _) => "it has no effect and is not listed",
                _ => continue,
            };
            wrong.push(format!("{kind:?} {field}: {fault}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn the_list_names_fields_of_the_contracts_only() {
    for kept in KEPT_FIELDS {
        let (schema, mut all) = (schema_of(kept.kind), Vec::new());
        fields(schema, schema, "", &mut all);
        assert!(all.iter().any(|field| field == kept.path), "{kept:?}");
    }
}

#[test]
fn a_note_names_the_file_and_each_field_without_an_effect() {
    let result = compile(&CampaignSource::in_memory(sample()), "kept", None);
    let told = shown(&result);
    let noted = KEPT_FIELDS.iter().filter(|kept| kept.kept_for == KeptFor::OtherPrograms);
    for kept in noted {
        let (_, paths) = FILES.iter().find(|(kind, _)| *kind == kept.kind).unwrap();
        let what = format!("note: `{}` is kept and has no effect", kept.path);
        let is_told = told.lines().any(|line| line.starts_with(paths[0]) && line.contains(&what));
        assert!(is_told, "{}\n{told}", kept.path);
    }
}
