//! Decks of a campaign as a story of passages: storylets with choices, and endings.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::paths::FolderFiles;
use crate::{
    BranchingStory, CardProblem, ImportNotes, PASSAGES_MAX, PassageLink, StoryFormat, StoryPassage,
    card_text::one_line,
};

/// The name of the passage that leads to the beginnings of all decks.
const START: &str = "Start";

/// A story of all storylets that have choices, or that choices lead to, and of all endings.
pub(super) fn story_of(
    files: &FolderFiles,
    notes: &mut ImportNotes,
) -> Result<BranchingStory, CardProblem> {
    let mut passages: Vec<StoryPassage> = Vec::new();
    let mut starts = Vec::new();
    let endings = endings_of(files, notes)?;
    for (path, content) in
        files.iter().filter(|(path, _)| path.starts_with("plot/decks/") && path.ends_with(".toml"))
    {
        let deck = read_toml(path, content)?;
        for storylet in tables(&deck, "storylet") {
            let id = text(storylet, "id");
            let choices: Vec<&Table> = tables(storylet, "choices").collect();
            let linked = storylet.get("linked").and_then(Value::as_bool).unwrap_or(false);
            if choices.is_empty() && !linked {
                notes.not_mapped(
                    format!("{path}: storylet `{id}`"),
                    "without choices, and no choice leads to it",
                );
                continue;
            }
            note_gates(path, &id, storylet, notes);
            if !linked {
                starts.push(id.clone());
            }
            let links =
                choices.iter().map(|choice| link_of(path, &id, choice, &endings, notes)).collect();
            let text = storylet_text(storylet);
            passages.push(StoryPassage { name: id, text, links, ..StoryPassage::default() });
        }
    }
    if passages.is_empty() {
        return Err(CardProblem::NothingToExport(
            "has no storylets with choices, so there is no story of passages in it; write some in plot/decks".to_owned(),
        ));
    }
    passages.extend(endings.into_values());
    if passages.len() > PASSAGES_MAX {
        let (count, limit) = (passages.len(), PASSAGES_MAX);
        return Err(CardProblem::TooMany { count, what: "passages", limit });
    }
    let start = start_of(&mut passages, &starts);
    let mut story = BranchingStory::build(StoryFormat::Twee, passages, &start, "", notes)?;
    let manifest = files
        .get("manifest.json")
        .and_then(|bytes| crate::source::read_document(bytes, "manifest").ok());
    let field = |name: &str| {
        let value = manifest.as_ref().and_then(|manifest| manifest.get(name));
        one_line(value.and_then(serde_json::Value::as_str).unwrap_or_default())
    };
    (story.title, story.author) = (field("title"), field("author"));
    Ok(story)
}

/// One beginning is the start; of several the reader chooses.
fn start_of(passages: &mut Vec<StoryPassage>, starts: &[String]) -> String {
    match starts {
        [] => passages.first().map(|passage| passage.name.clone()).unwrap_or_default(),
        [one] => one.clone(),
        several => {
            let link = |id: &String| PassageLink {
                label: id.replace('-', " "),
                target: id.clone(),
                ..PassageLink::default()
            };
            let links = several.iter().take(crate::PASSAGE_LINKS_MAX).map(link).collect();
            let name = START.to_owned();
            passages.insert(0, StoryPassage { name, links, ..StoryPassage::default() });
            START.to_owned()
        }
    }
}

/// Endings as passages, by the rung or the id that brings them.
fn endings_of(
    files: &FolderFiles,
    notes: &mut ImportNotes,
) -> Result<BTreeMap<String, StoryPassage>, CardProblem> {
    const ENDINGS: &str = "plot/endings.toml";
    let Some(content) = files.get(ENDINGS) else { return Ok(BTreeMap::new()) };
    let table = read_toml(ENDINGS, content)?;
    let mut found = BTreeMap::new();
    for ending in tables(&table, "ending") {
        let (id, when) = (text(ending, "id"), text(ending, "when"));
        let body = match ending.get("file").and_then(Value::as_str) {
            Some(file) => {
                let bytes = files.get(&format!("plot/{file}"));
                bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
            }
            None => text(ending, "text"),
        };
        let title = match text(ending, "title") {
            title if title.is_empty() => id.clone(),
            title => title,
        };
        match when.split_once("== '").map(|(_, rest)| rest.trim_end_matches('\'')) {
            Some(rung) if !rung.contains(' ') => {
                found.insert(
                    rung.to_owned(),
                    StoryPassage { name: title, text: body, ..StoryPassage::default() },
                );
            }
            _ => notes.not_mapped(
                format!("ending `{id}`"),
                format!("no link stands for its condition `{when}`"),
            ),
        }
    }
    Ok(found)
}

fn link_of(
    path: &str,
    id: &str,
    choice: &Table,
    endings: &BTreeMap<String, StoryPassage>,
    notes: &mut ImportNotes,
) -> PassageLink {
    let label = text(choice, "label");
    let sets = choice.get("sets").and_then(Value::as_table);
    let rungs: Vec<&str> =
        sets.into_iter().flat_map(|sets| sets.values()).filter_map(Value::as_str).collect();
    let ending = rungs.iter().find_map(|rung| endings.get(*rung));
    let shown = format!("{path}: storylet `{id}`: choice `{label}`");
    for field in [
        "when",
        "text",
        "raises",
        "changes",
        "reputation",
        "feelings",
        "opens",
        "closes",
        "remember",
    ] {
        if choice.contains_key(field) {
            notes.not_mapped(&shown, format!("`{field}`, for which Twee has no words of its own"));
        }
    }
    if ending.is_none() && !rungs.is_empty() {
        notes.not_mapped(&shown, "`sets`, for which Twee has no words of its own");
    }
    let target = match (ending, text(choice, "then")) {
        (Some(ending), _) => ending.name.clone(),
        (None, then) if then.is_empty() => id.to_owned(),
        (None, then) => then,
    };
    PassageLink { label, target, ..PassageLink::default() }
}

fn note_gates(path: &str, id: &str, storylet: &Table, notes: &mut ImportNotes) {
    let fields = [
        "at",
        "present",
        "when",
        "chance",
        "cooldown",
        "sets",
        "raises",
        "changes",
        "reputation",
        "feelings",
    ];
    let there: Vec<&str> =
        fields.into_iter().filter(|field| storylet.contains_key(*field)).collect();
    if !there.is_empty() {
        let why = format!("`{}`, for which Twee has no words of its own", there.join("`, `"));
        notes.not_mapped(format!("{path}: storylet `{id}`"), why);
    }
}

fn storylet_text(storylet: &Table) -> String {
    let first = || storylet.get("texts").and_then(Value::as_array)?.first()?.as_str();
    match text(storylet, "text") {
        text if text.is_empty() => first().unwrap_or_default().trim().to_owned(),
        text => text.trim().to_owned(),
    }
}

fn read_toml(path: &str, content: &[u8]) -> Result<Table, CardProblem> {
    let broken =
        |what: String| CardProblem::NothingToExport(format!("has a broken file `{path}`: {what}"));
    let text = std::str::from_utf8(content).map_err(|error| broken(error.to_string()))?;
    text.parse::<Table>().map_err(|error| broken(error.message().to_owned()))
}

fn tables<'t>(table: &'t Table, field: &str) -> impl Iterator<Item = &'t Table> {
    table.get(field).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_table)
}

fn text(table: &Table, field: &str) -> String {
    table.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}
