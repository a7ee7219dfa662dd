//! World books: entries with keywords, of several programs → plain entries. The JSON itself is kept.

use serde_json::{Map, Value, json};

use crate::{
    BOOK_ENTRIES_MAX, CardProblem, ENTRY_KEYS_MAX, ImportNotes, WorldBookFormat,
    book_words::{BookWords, book_format, silly_tavern_rest},
    loose::{ListSyntax, LooseObject},
};

/// A world book.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldBook {
    /// Whose words it is written in.
    pub format: WorldBookFormat,
    /// Its name; may be empty.
    pub name: String,
    /// Its entries, in the order of the document.
    pub entries: Vec<BookEntry>,
    /// The document as it was read.
    pub original: Value,
    /// The text of the file, if parts of it are damaged: they are not in the document.
    pub damaged: Option<String>,
}

/// An entry of a world book.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BookEntry {
    /// Its place in the document: the index of a list or the key of an object.
    pub place: String,
    /// Its title; may be empty.
    pub title: String,
    /// Words that bring it up.
    pub keys: Vec<String>,
    /// Words of which one must be there too.
    pub secondary_keys: Vec<String>,
    /// The text.
    pub content: String,
    /// The entry always applies, whether or not a key occurs.
    pub constant: bool,
    /// False if its author has switched it off.
    pub enabled: bool,
    /// Lower ones come first.
    pub order: Option<f64>,
    /// Its words are patterns.
    pub patterns: bool,
}

impl WorldBook {
    /// Reads a book from a document of its own.
    pub fn parse(document: Value, notes: &mut ImportNotes) -> Result<WorldBook, CardProblem> {
        WorldBook::parse_in(document, "", notes)
    }

    /// Reads a book that stands at `path` of a card.
    pub(crate) fn parse_in(
        document: Value,
        path: &str,
        notes: &mut ImportNotes,
    ) -> Result<WorldBook, CardProblem> {
        let Some(format) = book_format(&document) else {
            return Err(CardProblem::Shape(match path {
                "" => "holds JSON, but no world book: a book has `entries`".to_owned(),
                path => format!("has a world book at `{path}` without `entries`"),
            }));
        };
        let words = format.words();
        let inner =
            if format == WorldBookFormat::LorebookV3 { &document["data"] } else { &document };
        let mut book = LooseObject::new(inner, path, notes);
        let name = book.text(&["name"]);
        let known = [
            "name",
            "entries",
            "data",
            "type",
            "ver",
            "kind",
            "_id",
            "userId",
            "lorebookVersion",
            "spec",
            "spec_version",
            "originalData",
            "description",
        ];
        let why = "how the program that wrote the book searches";
        book.rest_is_not_mapped(&known, why);
        let list = document.pointer(words.entries);
        let items: Vec<(String, &Value)> = match list {
            Some(Value::Array(items)) => {
                items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect()
            }
            Some(Value::Object(items)) => {
                items.iter().map(|(key, item)| (key.clone(), item)).collect()
            }
            _ => Vec::new(),
        };
        if items.len() > BOOK_ENTRIES_MAX {
            let (count, limit) = (items.len(), BOOK_ENTRIES_MAX);
            return Err(CardProblem::TooMany { count, what: "entries in a world book", limit });
        }
        let mut entries = Vec::new();
        for (place, item) in items {
            if !item.is_object() {
                notes.not_mapped(entry_name(path, &place), "no object, so no entry");
                continue;
            }
            entries.push(parse_entry(format, place, item, path, notes)?);
        }
        let name = name.trim().to_owned();
        Ok(WorldBook { format, name, entries, original: document, damaged: None })
    }

    /// Changes the text of an entry in the document.
    pub(crate) fn set_content(&mut self, place: &str, content: &str) {
        let field = self.format.words().content;
        if let Some(entry) = self.entry_mut(place) {
            entry.insert(field.to_owned(), json!(content));
        }
    }

    /// Changes the keywords of an entry in the document.
    pub(crate) fn set_keys(&mut self, place: &str, keys: &[String]) {
        let field = self.format.words().keys;
        if let Some(entry) = self.entry_mut(place) {
            // A program that reads a text wants a text back.
            let written = match entry.get(field) {
                Some(Value::String(_)) => json!(keys.join(", ")),
                _ => json!(keys),
            };
            entry.insert(field.to_owned(), written);
        }
    }

    /// Switches an entry off in the document. Returns false where the format cannot.
    pub(crate) fn switch_off(&mut self, place: &str) -> bool {
        let (field, says_disabled) = self.format.words().enabled;
        if field.is_empty() {
            return false;
        }
        let entry = self.entry_mut(place);
        entry.map(|entry| entry.insert(field.to_owned(), json!(says_disabled))).is_some()
    }

    /// Adds an entry to the document.
    pub(crate) fn add(&mut self, title: &str, keys: &[String], content: &str, constant: bool) {
        let words = self.format.words();
        let count = self.entries.len();
        let mut entry = Map::new();
        let as_keys = match self.format {
            WorldBookFormat::Risu => json!(keys.join(", ")),
            _ => json!(keys),
        };
        entry.insert(words.keys.to_owned(), as_keys);
        entry.insert(words.content.to_owned(), json!(content));
        entry.insert(words.title[0].to_owned(), json!(title));
        entry.insert(words.constant.to_owned(), json!(constant));
        if !words.order.is_empty() {
            entry.insert(words.order.to_owned(), json!(100 + count));
        }
        let (enabled, says_disabled) = words.enabled;
        if !enabled.is_empty() {
            entry.insert(enabled.to_owned(), json!(!says_disabled));
        }
        match self.format {
            WorldBookFormat::SillyTavern => {
                for (field, value) in silly_tavern_rest(count) {
                    entry.entry(field).or_insert(value);
                }
            }
            WorldBookFormat::CharacterBook | WorldBookFormat::LorebookV3 => {
                entry.insert("extensions".to_owned(), json!({}));
                entry.insert("use_regex".to_owned(), json!(false));
            }
            _ => {}
        }
        let mut place = count;
        match self.original.pointer_mut(words.entries) {
            Some(Value::Array(entries)) => {
                place = entries.len();
                entries.push(Value::Object(entry));
            }
            Some(Value::Object(entries)) => {
                while entries.contains_key(&place.to_string()) {
                    place += 1;
                }
                entries.insert(place.to_string(), Value::Object(entry));
            }
            _ => return,
        }
        self.entries.push(BookEntry {
            place: place.to_string(),
            title: title.to_owned(),
            keys: keys.to_vec(),
            content: content.to_owned(),
            constant,
            enabled: true,
            ..BookEntry::default()
        });
    }

    /// An empty book in SillyTavern's words, which most programs read.
    pub(crate) fn empty(name: &str) -> WorldBook {
        WorldBook {
            format: WorldBookFormat::SillyTavern,
            name: name.to_owned(),
            entries: Vec::new(),
            original: json!({ "name": name, "entries": {} }),
            damaged: None,
        }
    }

    pub(crate) fn empty_in_card(name: &str) -> WorldBook {
        WorldBook {
            format: WorldBookFormat::CharacterBook,
            original: json!({ "name": name, "extensions": {}, "entries": [] }),
            ..WorldBook::empty(name)
        }
    }

    fn entry_mut(&mut self, place: &str) -> Option<&mut Map<String, Value>> {
        let entries = self.original.pointer_mut(self.format.words().entries)?;
        let entry = match entries {
            Value::Array(entries) => entries.get_mut(place.parse::<usize>().ok()?)?,
            Value::Object(entries) => entries.get_mut(place)?,
            _ => return None,
        };
        entry.as_object_mut()
    }
}

fn entry_name(path: &str, place: &str) -> String {
    if path.is_empty() { format!("entry {place}") } else { format!("{path} entry {place}") }
}

fn parse_entry(
    format: WorldBookFormat,
    place: String,
    item: &Value,
    path: &str,
    notes: &mut ImportNotes,
) -> Result<BookEntry, CardProblem> {
    let words = format.words();
    let name = entry_name(path, &place);
    let mut entry = LooseObject::new(item, &name, notes);
    let syntax = ListSyntax::Commas;
    let keys = match (format, entry.get(words.keys)) {
        // There a text with commas is the format.
        (WorldBookFormat::Risu, Some(Value::String(text))) => text_with_commas(text),
        _ => entry.texts(words.keys, syntax),
    };
    let secondary_keys = match (format, entry.get(words.secondary)) {
        (WorldBookFormat::Risu, Some(Value::String(text))) => text_with_commas(text),
        _ => entry.texts(words.secondary, syntax),
    };
    for keys in [&keys, &secondary_keys] {
        if keys.len() > ENTRY_KEYS_MAX {
            let (count, limit) = (keys.len(), ENTRY_KEYS_MAX);
            return Err(CardProblem::TooMany { count, what: "keywords in one entry", limit });
        }
    }
    let (enabled, says_disabled) = words.enabled;
    let enabled = entry.flag(enabled).is_none_or(|flag| flag != says_disabled);
    let title =
        words.title.iter().map(|field| entry.text(&[field])).find(|title| !title.is_empty());
    let regex = ["use_regex", "useRegex"].iter().any(|field| entry.flag(field) == Some(true));
    // SillyTavern writes `use_regex` for words too; a pattern begins with a slash there.
    let patterns = regex && keys.iter().all(|key| key.starts_with('/')) && !keys.is_empty();
    let read = BookEntry {
        title: title.unwrap_or_default().trim().to_owned(),
        content: entry.text(&[words.content]),
        constant: entry.flag(words.constant).unwrap_or(false),
        order: entry.number(words.order),
        place,
        keys,
        secondary_keys,
        enabled,
        patterns,
    };
    note_unmapped(&mut entry, &read, words);
    Ok(read)
}

fn note_unmapped(entry: &mut LooseObject<'_, '_>, read: &BookEntry, words: &BookWords) {
    if !read.secondary_keys.is_empty() {
        let name = entry.name(words.secondary);
        entry.notes.not_mapped(
            name,
            "a campaign has no second list of keywords; one of the first is enough",
        );
    }
    if read.patterns || read.keys.iter().any(|key| is_pattern(key)) {
        let name = entry.name(words.keys);
        entry.notes.not_mapped(name, "patterns; a campaign's keywords are plain words");
    }
    // A value equal to the default needs no note.
    let usual = |field: &str, entry: &mut LooseObject<'_, '_>| match field {
        "probability" => entry.number(field).is_none_or(|number| number >= 100.0),
        "depth" | "position" | "selectiveLogic" | "role" | "groupWeight" => true,
        _ => false,
    };
    let fields = ["probability", "depth", "position", "selectiveLogic", "role", "groupWeight"];
    let mut known: Vec<&str> = words.known.to_vec();
    known.extend(fields.iter().filter(|field| usual(field, entry)));
    known.extend([
        "vectorized",
        "excludeRecursion",
        "preventRecursion",
        "delayUntilRecursion",
        "groupOverride",
        "case_sensitive",
        "mode",
        "loreCache",
    ]);
    entry.rest_is_not_mapped(&known, "how the program that wrote the book chooses entries");
    if let Some(extensions) = entry.get("extensions") {
        let path = entry.name("extensions");
        let mut inner = LooseObject::new(extensions, &path, entry.notes);
        if inner.number("probability").is_some_and(|number| number < 100.0) {
            let name = inner.name("probability");
            inner.notes.not_mapped(name, "a campaign finds an entry by its words, not by chance");
        }
    }
}

/// `/words/i`, as programs write patterns: between slashes, of which none is inside unless it is escaped, and before the
/// flags of JavaScript. `/srv/users` is a path.
pub(crate) fn is_pattern(key: &str) -> bool {
    const FLAGS: &str = "dgimsuvy";
    let inner = key.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'));
    inner.is_some_and(|(words, flags)| {
        !words.is_empty()
            && !words.replace("\\\\", "").replace("\\/", "").contains('/')
            && flags.chars().all(|flag| FLAGS.contains(flag))
    })
}

fn text_with_commas(text: &str) -> Vec<String> {
    text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}
