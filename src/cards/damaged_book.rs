//! A world book whose JSON is damaged → a document with the entries that can be read. A download that was cut, a quotation
//! mark or a bracket too few damages an entry or two; the others are whole.

use std::collections::BTreeSet;

use narratoria_protocol::{JsonBounds, StrictJsonError, json_string_end, json_values, read_json};
use serde::de::IgnoredAny;
use serde_json::{Deserializer, Map, Value};

use crate::{
    BOOK_ENTRIES_MAX, CARD_DEPTH_MAX, CARD_JSON_BYTES_MAX, CARD_VALUES_MAX, CardProblem,
    ImportNotes, WorldBook, book_words::book_format, card::card_format,
};

/// Good entries of a book for each damaged one, as for the lines of a chat.
const GOOD_ENTRIES_MIN: usize = 2;

/// Reads the book that a text holds if `problem` is only that parts of it are damaged, and notes each of them.
///
/// # Errors
///
/// Returns the problem if the text is no world book, or if most of its entries cannot be read.
pub(crate) fn parse_damaged_book(
    text: &str,
    problem: CardProblem,
    notes: &mut ImportNotes,
) -> Result<WorldBook, CardProblem> {
    let is_damage = |problem: &CardProblem| match problem {
        CardProblem::Json { problem, .. } => matches!(
            problem,
            StrictJsonError::Syntax { .. }
                | StrictJsonError::DuplicateKey { .. }
                | StrictJsonError::Number { .. }
        ),
        _ => false,
    };
    let mended = Some(text).filter(|_| is_damage(&problem)).and_then(mended);
    let Some(MendedBook { document, damaged }) = mended else { return Err(problem) };
    for DamagedPart { what, why } in damaged {
        notes.not_mapped(what, why);
    }
    let book = WorldBook::parse(document, notes)?;
    Ok(WorldBook { damaged: Some(text.to_owned()), ..book })
}

/// The document of the entries that can be read.
struct MendedBook {
    document: Value,
    damaged: Vec<DamagedPart>,
}

/// A part that is left out.
struct DamagedPart {
    what: String,
    why: String,
}

/// Where the entries of a book stand in its text.
struct EntryList {
    /// Of its opening bracket.
    at: usize,
    pointer: &'static str,
    /// The brackets that are open around it, as they close.
    closing: &'static str,
}

fn mended(text: &str) -> Option<MendedBook> {
    let list = entry_list(text)?;
    let is_object = text.as_bytes()[list.at] == b'{';
    let mut reader = EntryReader::new(text, list.at + 1, is_object);
    let end = reader.read_all();
    let EntryReader { good, mut damaged, .. } = reader;
    let is_bad = good.is_empty() || good.len() < damaged.len() * GOOD_ENTRIES_MIN;
    if is_bad || good.len() + damaged.len() > BOOK_ENTRIES_MAX {
        return None;
    }
    let head = &text[..=list.at];
    let bounds = bounds_of(CARD_VALUES_MAX);
    let whole =
        end.and_then(|end| read_json((head.to_owned() + &text[end..]).as_bytes(), bounds).ok());
    let mut document = match whole {
        Some(document) => document,
        None => {
            let close = if is_object { '}' } else { ']' };
            let closed = format!("{head}{close}{}", list.closing);
            let what = "the text behind the entries".to_owned();
            damaged.push(DamagedPart { what, why: "it cannot be read, or is missing".to_owned() });
            read_json(closed.as_bytes(), bounds).ok()?
        }
    };
    *document.pointer_mut(list.pointer)? = match is_object {
        true => Value::Object(good.into_iter().collect::<Map<_, _>>()),
        false => Value::Array(good.into_iter().map(|(_, entry)| entry).collect()),
    };
    let is_book = book_format(&document).is_some() && card_format(&document).is_none();
    is_book.then_some(MendedBook { document, damaged })
}

fn bounds_of(values_max: usize) -> JsonBounds {
    JsonBounds { bytes_max: CARD_JSON_BYTES_MAX, depth_max: CARD_DEPTH_MAX, values_max }
}

/// Finds the list of entries, as far as the text before it is whole.
fn entry_list(text: &str) -> Option<EntryList> {
    let bytes = text.as_bytes();
    // The keys at which the open brackets stand.
    let mut keys: Vec<&str> = Vec::new();
    let (mut key, mut last) = ("", "");
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = json_string_end(bytes, at)? - 1;
                last = text.get(at + 1..end)?;
                at = end;
            }
            b':' => key = last,
            b'{' | b'[' => {
                let found = match (keys.as_slice(), key) {
                    ([_], "entries") => Some(("/entries", "}")),
                    ([_], "data") if *byte == b'[' => Some(("/data", "}")),
                    ([_, "data"], "entries") => Some(("/data/entries", "}}")),
                    _ => None,
                };
                if let Some((pointer, closing)) = found {
                    return Some(EntryList { at, pointer, closing });
                }
                if keys.len() == CARD_DEPTH_MAX {
                    return None;
                }
                keys.push(key);
                key = "";
            }
            b'}' | b']' => {
                keys.pop();
                key = "";
            }
            b',' => key = "",
            _ => {}
        }
        at += 1;
    }
    None
}

/// Reads the entries one after another. Each byte is looked at a few times at most, however much is damaged.
struct EntryReader<'t> {
    text: &'t str,
    at: usize,
    is_object: bool,
    /// True behind a damaged part, where the next entry has to be found again.
    is_lost: bool,
    /// Values that the other entries may have.
    values_left: usize,
    /// A place that was counted up to, and its line.
    counted: (usize, usize),
    places: BTreeSet<String>,
    good: Vec<(String, Value)>,
    damaged: Vec<DamagedPart>,
}

impl<'t> EntryReader<'t> {
    fn new(text: &'t str, at: usize, is_object: bool) -> EntryReader<'t> {
        EntryReader {
            text,
            at,
            is_object,
            is_lost: false,
            values_left: CARD_VALUES_MAX,
            counted: (0, 1),
            places: BTreeSet::new(),
            good: Vec::new(),
            damaged: Vec::new(),
        }
    }

    /// Returns the place of the list's closing bracket, if it is found. Ends early at more entries than a book may have.
    fn read_all(&mut self) -> Option<usize> {
        while self.good.len() + self.damaged.len() <= BOOK_ENTRIES_MAX {
            let at = self.next_bracket()?;
            if self.text.as_bytes()[at] != b'{' {
                return Some(at);
            }
            self.read_entry(at);
        }
        None
    }

    /// The place of the bracket that opens the next entry, or that closes the list. Behind a damaged part nobody knows what
    /// is inside a string, so every opening bracket may be one.
    fn next_bracket(&self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        loop {
            match bytes.get(at)? {
                b'{' => return Some(at),
                b'}' | b']' if !self.is_lost => return Some(at),
                b'"' if !self.is_lost => at = json_string_end(bytes, at)?,
                _ => at += 1,
            }
        }
    }

    fn read_entry(&mut self, from: usize) {
        let bytes = &self.text.as_bytes()[from..];
        let place = self.place_of(from);
        match whole_object(bytes) {
            Ok(len) => {
                self.at = from + len;
                match read_json(&bytes[..len], bounds_of(self.values_left)) {
                    Ok(entry) if self.is_lost && !is_entry(&entry) => {}
                    Ok(entry) => {
                        self.values_left = self.values_left.saturating_sub(json_values(&entry));
                        self.is_lost = false;
                        self.take(place, entry);
                    }
                    Err(_) if self.is_lost => {}
                    Err(problem) => {
                        let (what, line) = match problem {
                            StrictJsonError::DuplicateKey { key, line, .. } => {
                                (format!("the key {key} stands twice"), line)
                            }
                            StrictJsonError::Number { number, line, .. } => {
                                (format!("the number {number} would be read as another one"), line)
                            }
                            problem => (problem.to_string(), 1),
                        };
                        let line = self.line_of(from) + line - 1;
                        self.leave_out(&place, format!("in line {line}, {what}"));
                    }
                }
            }
            Err((offset, what)) => {
                if !self.is_lost {
                    let line = self.line_of(from + offset);
                    self.leave_out(&place, format!("it is damaged in line {line}: {what}"));
                }
                self.is_lost = true;
                // The parser names the byte behind the fault, which may open the next entry.
                self.at = from + offset.saturating_sub(2).max(1);
            }
        }
    }

    /// Takes an entry. One whose closing bracket is missing has the next ones in it.
    fn take(&mut self, place: String, mut entry: Value) {
        let mut inside = Vec::new();
        if let Some(fields) = entry.as_object_mut().filter(|_| self.is_object) {
            let keys: Vec<String> =
                fields.iter().filter(|(_, value)| is_entry(value)).map(|it| it.0.clone()).collect();
            inside.extend(keys.into_iter().filter_map(|key| fields.remove_entry(&key)));
        }
        if !inside.is_empty() {
            self.leave_out(
                &place,
                "its closing bracket is missing; the next entries stood in it".to_owned(),
            );
        }
        match self.places.insert(place.clone()) {
            true => self.good.push((place, entry)),
            false => self.leave_out(&place, "another entry has its key".to_owned()),
        }
        for (place, entry) in inside {
            self.take(place, entry);
        }
    }

    fn leave_out(&mut self, place: &str, why: String) {
        self.damaged.push(DamagedPart { what: format!("entry {place}"), why });
    }

    /// The key before an entry, or its number in the list.
    fn place_of(&self, from: usize) -> String {
        let key = || {
            let before = self.text[..from].trim_end().strip_suffix(':')?.trim_end();
            let before = before.strip_suffix('"')?;
            before.rfind('"').map(|at| before[at + 1..].to_owned())
        };
        let number = || (self.good.len() + self.damaged.len()).to_string();
        if self.is_object { key().unwrap_or_else(number) } else { number() }
    }

    /// The line of a place, from 1. Places are asked for in their order, so that no byte is counted twice.
    fn line_of(&mut self, at: usize) -> usize {
        let (counted, line) = self.counted;
        let bytes = self.text.as_bytes();
        let more = bytes.get(counted..at).unwrap_or_default();
        let line = line + more.iter().filter(|byte| **byte == b'\n').count();
        self.counted = (counted.max(at), line);
        line
    }
}

/// Returns the length of the object that begins here, or where it is damaged and how.
fn whole_object(bytes: &[u8]) -> Result<usize, (usize, String)> {
    let mut objects = Deserializer::from_slice(bytes).into_iter::<IgnoredAny>();
    match objects.next() {
        Some(Ok(IgnoredAny)) => Ok(objects.byte_offset()),
        Some(Err(error)) => {
            let line = error.line().saturating_sub(1);
            let before: usize =
                bytes.split_inclusive(|byte| *byte == b'\n').take(line).map(<[u8]>::len).sum();
            let what = error.to_string();
            let what = what.rsplit_once(" at line ").map_or(what.as_str(), |(what, _)| what);
            Err(((before + error.column()).min(bytes.len()), what.to_owned()))
        }
        None => Err((bytes.len(), "nothing is there".to_owned())),
    }
}

/// Returns true for an object with a text and keywords, in the words of any program.
fn is_entry(value: &Value) -> bool {
    let has = |fields: [&str; 3]| fields.iter().any(|field| value.get(field).is_some());
    has(["content", "entry", "text"]) && has(["key", "keys", "keywords"])
}
