//! The texts that say what a script is for. Pure.

use std::sync::Arc;

use narratoria_protocol::digest;
use narratoria_skills::{Catalog, PackageOrigin, Script, Skill, schema_view::SchemaKeywords};
use serde_json::Value;

/// Most texts of a script that count. An author who writes more says little with each.
const TEXTS_MAX: usize = 64;

/// Longest text that is read, in bytes. The model reads no more than some hundred words of it.
const TEXT_BYTES_MAX: usize = 1_000;

/// Where a text stands in a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    TriggerPhrase,
    Example,
    ScriptDescription,
    SkillDescription,
    FieldDescription,
}

impl TextKind {
    pub(super) const COUNT: usize = 5;

    /// Each kind, at the place of its number.
    pub(super) const ALL: [TextKind; TextKind::COUNT] = [
        TextKind::TriggerPhrase,
        TextKind::Example,
        TextKind::ScriptDescription,
        TextKind::SkillDescription,
        TextKind::FieldDescription,
    ];
}

/// A text and the digest by which its vector is kept.
#[derive(Debug)]
pub(super) struct ScriptText {
    pub(super) kind: TextKind,
    pub(super) text: String,
    pub(super) digest: String,
}

/// A script and its texts.
#[derive(Debug)]
pub(super) struct ScriptTexts {
    pub(super) skill: Arc<Skill>,
    pub(super) script_idx: usize,
    pub(super) texts: Vec<ScriptText>,
}

/// The scripts of installed packages that a planner may choose, with their texts. The triggers of the built-in skills
/// know their sentences, and a narrator takes every sentence anyway.
pub(super) fn catalog_texts(catalog: &Catalog) -> Vec<ScriptTexts> {
    let installed = catalog.iter().filter(|skill| skill.origin != PackageOrigin::BuiltIn);
    let scripts = installed.flat_map(|skill| {
        let offered = skill.scripts.iter().enumerate().filter(|(_, script)| {
            let mut own = skill.triggers.iter().filter(|trigger| trigger.script == script.name);
            script.is_offered && !own.any(|trigger| trigger.fallback || trigger.takes_rest)
        });
        offered.map(move |(script_idx, script)| ScriptTexts {
            skill: Arc::clone(skill),
            script_idx,
            texts: script_texts(skill, script),
        })
    });
    scripts.collect()
}

fn script_texts(skill: &Skill, script: &Script) -> Vec<ScriptText> {
    let own = skill.triggers.iter().filter(|trigger| trigger.script == script.name);
    let phrases = own.flat_map(|trigger| &trigger.phrases);
    let examples = skill.examples.iter().filter(|example| example.script == script.name);
    let sentences = examples.filter_map(|example| example.sentence.as_ref());
    let descriptions = [
        (TextKind::ScriptDescription, script.description.clone()),
        (TextKind::SkillDescription, skill.description.clone()),
    ];
    let fields = field_descriptions(script.input_schema.document());
    let texts = descriptions
        .into_iter()
        .chain(phrases.map(|text| (TextKind::TriggerPhrase, text.clone())))
        .chain(sentences.map(|text| (TextKind::Example, text.clone())))
        .chain(fields.into_iter().map(|text| (TextKind::FieldDescription, text)));
    let texts = texts.filter(|(_, text)| !text.trim().is_empty());
    let text = |(kind, text): (TextKind, String)| {
        let text = text[..text.floor_char_boundary(TEXT_BYTES_MAX)].to_owned();
        ScriptText { kind, digest: digest::sha256(text.as_bytes()), text }
    };
    texts.take(TEXTS_MAX).map(text).collect()
}

fn field_descriptions(document: &Value) -> Vec<String> {
    let Some(keywords) = SchemaKeywords::of(document) else { return Vec::new() };
    let described =
        keywords.properties().filter_map(|(_, field)| field.get("description")?.as_str());
    described.map(str::to_owned).collect()
}
