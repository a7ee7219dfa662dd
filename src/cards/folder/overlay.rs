//! Writes an author's changes since an import into the original.

use std::collections::BTreeSet;

use narratoria_protocol::digest::sha256;
use serde_json::{Value, json};

use super::{
    from_card::{FIRST_MESSAGE, OTHER_GREETING, card_texts},
    lore::{FoundLore, found_lore, lore_files, read_keywords},
    paths::{FolderFiles, RECORD},
    profile::person_name,
    sections::{split_sections, split_title},
};
use crate::{
    CharacterCard, ImportNotes, MacroNames, WorldBook, card::set_field, source::read_document,
};

pub(crate) struct ImportRecord {
    player: String,
    /// The person's name in the campaign; empty if it is the card's.
    person: String,
    /// Paths and digests of the files that the import wrote.
    files: Vec<(String, String)>,
}

impl ImportRecord {
    /// The record at `NAME.import.json`; an empty one if there is none.
    pub(crate) fn load(files: &FolderFiles, name: &str) -> ImportRecord {
        let bytes = files.get(&format!("{name}{RECORD}"));
        let document =
            bytes.and_then(|bytes| read_document(bytes, "record").ok()).unwrap_or_default();
        let digests = document.get("files").and_then(Value::as_object).into_iter().flatten();
        let digests =
            digests.filter_map(|(path, digest)| Some((path.clone(), digest.as_str()?.to_owned())));
        let text = |field: &str| document.get(field).and_then(Value::as_str).unwrap_or_default();
        let (player, person) = (text("player").to_owned(), text("person").to_owned());
        ImportRecord { player, person, files: digests.collect() }
    }

    /// All paths that records of this folder claim.
    fn claimed(files: &FolderFiles) -> BTreeSet<String> {
        let records = files.keys().filter_map(|path| path.strip_suffix(RECORD));
        let claimed = records.flat_map(|name| ImportRecord::load(files, name).files);
        claimed.map(|(path, _)| path).collect()
    }

    /// Returns the file if the import wrote it and it has changed. Returns `None` if it has not, or if it has been
    /// removed.
    fn changed<'f>(&self, files: &'f FolderFiles, path: &str) -> Option<&'f [u8]> {
        let (_, digest) = self.files.iter().find(|(known, _)| known == path)?;
        let bytes = files.get(path)?;
        (sha256(bytes) != *digest).then_some(bytes.as_slice())
    }

    /// Returns true if the import wrote the file and it has been removed.
    fn is_gone(&self, files: &FolderFiles, path: &str) -> bool {
        self.files.iter().any(|(known, _)| known == path) && !files.contains_key(path)
    }

    fn names(&self, character: &str) -> MacroNames {
        MacroNames { character: character.to_owned(), player: self.player.clone() }
    }
}

/// Writes the changes of a folder into the card that was imported as `name`.
pub(super) fn update_card(
    card: &mut CharacterCard,
    name: &str,
    files: &FolderFiles,
    notes: &mut ImportNotes,
) {
    let record = ImportRecord::load(files, &format!("cards/{name}"));
    let names = record.names(card.fields.called());
    let mut quiet = ImportNotes::default();
    let who = match record.person.as_str() {
        "" => person_name(&card.fields.name),
        person => person.to_owned(),
    };
    let portrait =
        record.files.iter().map(|(path, _)| path.as_str()).find(|path| path.starts_with("art/"));
    let before = card_texts(&card.fields, &names, &who, portrait.unwrap_or_default(), &mut quiet);
    let profile_path = format!("characters/npcs/{name}/profile.json");
    let profile = record.changed(files, &profile_path);
    if let Some(now) = profile.and_then(|bytes| read_document(bytes, "profile").ok()) {
        update_from_profile(card, &before.profile, &now, notes);
    }
    let premises = ["plot/premise.md".to_owned(), format!("lore/{name}-scenario.md")];
    for path in premises {
        if let Some(now) = record.changed(files, &path) {
            let now = String::from_utf8_lossy(now);
            update_from_premise(card, &before.premise, &now, notes);
        }
    }
    let mut book = match card.book.take() {
        Some(book) => book,
        None => WorldBook::empty_in_card(&card.fields.name),
    };
    let had_entries = !book.entries.is_empty();
    let before = book.original.clone();
    update_book(&mut book, name, &record, &names, files, notes);
    if book.original != before {
        set_field(card, "character_book", book.original.clone());
    }
    card.book = (had_entries || !book.entries.is_empty()).then_some(book);
}

fn update_from_profile(
    card: &mut CharacterCard,
    before: &Value,
    now: &Value,
    notes: &mut ImportNotes,
) {
    let mut set = |field: &str, pointer: &str, value: Value| {
        if set_field(card, field, value) {
            notes.changed(format!("card field `{field}`"), format!("from the profile's {pointer}"));
        } else {
            notes.not_mapped(format!("profile {pointer}"), "the card's format has no such field");
        }
    };
    for (field, pointer) in [("name", "/name"), ("description", "/background")] {
        let (old, new) = (before.pointer(pointer), now.pointer(pointer).and_then(Value::as_str));
        if old.and_then(Value::as_str) != new {
            set(field, pointer, json!(new.unwrap_or_default()));
        }
    }
    let texts = |profile: &Value, pointer: &str| -> Vec<String> {
        let items = profile.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let traits = "/personality/traits";
    if texts(before, traits) != texts(now, traits) {
        set("personality", traits, json!(texts(now, traits).join(", ")));
    }
    let examples = "/speech_patterns/examples";
    if texts(before, examples) != texts(now, examples) {
        set("mes_example", examples, json!(examples_text(&texts(now, examples))));
    }
    let known = ["name", "background", "personality", "speech_patterns"];
    let fields = now.as_object().into_iter().flatten();
    for (field, value) in fields.filter(|(field, _)| !known.contains(&field.as_str())) {
        if before.get(field) != Some(value) {
            notes.not_mapped(format!("profile field `{field}`"), "a card has no such field");
        }
    }
}

/// Examples of speech as cards write them.
pub(crate) fn examples_text(examples: &[String]) -> String {
    let blocks = examples.iter().map(|example| format!("<START>\n{{{{char}}}}: {example}"));
    blocks.collect::<Vec<_>>().join("\n")
}

fn update_from_premise(card: &mut CharacterCard, before: &str, now: &str, notes: &mut ImportNotes) {
    let (before, now) = (split_sections(before), split_sections(now));
    let of = |parts: &[(String, String)], heading: &str| -> Vec<String> {
        parts.iter().filter(|(name, _)| name == heading).map(|(_, text)| text.clone()).collect()
    };
    for (field, heading) in
        [("scenario", ""), ("first_mes", FIRST_MESSAGE), ("alternate_greetings", OTHER_GREETING)]
    {
        let new = of(&now, heading);
        if of(&before, heading) == new {
            continue;
        }
        let value =
            if field == "alternate_greetings" { json!(new) } else { json!(new.join("\n\n")) };
        match set_field(card, field, value) {
            true => notes.changed(format!("card field `{field}`"), "from the premise"),
            false => notes.not_mapped("premise", "the card's format has no such field"),
        }
    }
    let known = ["", FIRST_MESSAGE, OTHER_GREETING];
    for (heading, _) in now.iter().filter(|(heading, _)| !known.contains(&heading.as_str())) {
        notes.not_mapped(format!("premise: `{heading}`"), "a card has no such field");
    }
}

/// Writes the changes of a folder into the book that was imported as `name`.
pub(super) fn update_own_book(
    book: &mut WorldBook,
    name: &str,
    files: &FolderFiles,
    notes: &mut ImportNotes,
) {
    let record = ImportRecord::load(files, &format!("cards/books/{name}"));
    let names = record.names("the character");
    update_book(book, name, &record, &names, files, notes);
}

fn update_book(
    book: &mut WorldBook,
    name: &str,
    record: &ImportRecord,
    names: &MacroNames,
    files: &FolderFiles,
    notes: &mut ImportNotes,
) {
    let mut quiet = ImportNotes::default();
    for file in lore_files(book, name, names, &mut quiet) {
        if record.is_gone(files, &file.path) {
            match book.switch_off(&file.place) {
                true => notes.changed(
                    format!("entry of `{}`", file.path),
                    "the file is gone, so the entry is switched off",
                ),
                false => notes.not_mapped(
                    format!("`{}`", file.path),
                    "the file is gone; entries of this format cannot be switched off",
                ),
            }
        }
        if let Some(text) = record.changed(files, &file.path) {
            let text = String::from_utf8_lossy(text);
            book.set_content(&file.place, split_title(&text).1);
            notes.changed(format!("entry of `{}`", file.path), "from the changed file");
        }
        let keywords = file.keywords_path();
        if let Some(words) = record.changed(files, &keywords) {
            let (words, _) = read_keywords(&String::from_utf8_lossy(words));
            book.set_keys(&file.place, &words);
            notes.changed(format!("keywords of `{}`", file.path), "from the changed file");
        }
    }
    for found in new_lore(files) {
        add_lore(book, &found);
        notes.changed(format!("`{}`", found.path), "a new entry of the book");
    }
}

/// Lore that no import wrote.
pub(super) fn new_lore(files: &FolderFiles) -> Vec<FoundLore> {
    let claimed = ImportRecord::claimed(files);
    found_lore(files).into_iter().filter(|found| !claimed.contains(&found.path)).collect()
}

pub(super) fn add_lore(book: &mut WorldBook, found: &FoundLore) {
    let keywords = match found.keywords.is_empty() {
        true => vec![found.title.clone()],
        false => found.keywords.clone(),
    };
    book.add(&found.title, &keywords, &found.body, found.always);
}
