//! World books with damaged entries: the others are imported.

use super::make::{imported, lines, text};
use crate::{ImportContent, ImportFile, ImportNotes, WorldBook};

fn entry(uid: usize) -> String {
    format!(
        "{{\"uid\": {uid}, \"key\": [\"word{uid}\"], \"comment\": \"E{uid}\", \"content\": \"{{{{char}}}} says {uid}.\"}}"
    )
}

/// A book of SillyTavern with these entries, as they are written.
fn book(entries: &[String]) -> String {
    let entries = entries.iter().enumerate().map(|(at, entry)| format!("    \"{at}\": {entry}"));
    let entries = entries.collect::<Vec<_>>().join(",\n");
    format!("{{\n  \"name\": \"Harbour\",\n  \"entries\": {{\n{entries}\n  }}\n}}\n")
}

/// Reads a book; shows the titles of its entries, and what was noted.
fn read(text: &str) -> (String, ImportNotes, WorldBook) {
    let mut notes = ImportNotes::default();
    match ImportFile::parse("book.json", text.as_bytes(), &mut notes).map(|file| file.content) {
        Ok(ImportContent::Book(book)) => {
            let titles = book.entries.iter().map(|entry| entry.title.as_str());
            (titles.collect::<Vec<_>>().join(" "), notes, book)
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn check(text: &str, titles: &str, noted: &str) {
    let (found, notes, book) = read(text);
    assert_eq!((found.as_str(), lines(&notes).trim_end()), (titles, noted), "{text}");
    assert_eq!(book.damaged.as_deref(), Some(text));
}

fn refused(text: &str) -> String {
    let read = ImportFile::parse("book.json", text.as_bytes(), &mut ImportNotes::default());
    read.unwrap_err().to_string()
}

#[test]
fn an_entry_that_is_damaged_is_left_out_with_a_note() {
    let mut entries: Vec<String> = (0..5).map(entry).collect();
    entries[2] = entries[2].replace("says", "says \"hi\" and");
    check(
        &book(&entries),
        "E0 E1 E3 E4",
        "not mapped: entry 2: it is damaged in line 6: expected `,` or `}`",
    );
    entries[2] = entry(2).replace("\"comment\"", "\"key\"");
    check(
        &book(&entries),
        "E0 E1 E3 E4",
        "not mapped: entry 2: in line 6, the key \"key\" stands twice",
    );
    entries[2] = entry(2).replace("says", "says\n");
    check(
        &book(&entries),
        "E0 E1 E3 E4",
        "not mapped: entry 2: it is damaged in line 6: control character (\\u0000-\\u001F) found while parsing a string",
    );
}

/// As a download leaves it that was cut.
#[test]
fn a_book_that_is_cut_has_the_entries_before_the_cut() {
    let whole = book(&(0..4).map(entry).collect::<Vec<_>>());
    let cut = &whole[..whole.find("word3").unwrap()];
    check(
        cut,
        "E0 E1 E2",
        "not mapped: entry 3: it is damaged in line 7: EOF while parsing a string\n\
         not mapped: the text behind the entries: it cannot be read, or is missing",
    );
    let cut = whole[..whole.rfind("\n    \"3\"").unwrap()].trim_end_matches(',');
    check(
        cut,
        "E0 E1 E2",
        "not mapped: the text behind the entries: it cannot be read, or is missing",
    );
}

#[test]
fn an_entry_without_its_closing_bracket_does_not_take_the_next_ones_with_it() {
    let mut entries: Vec<String> = (0..6).map(entry).collect();
    entries[1] = entries[1].trim_end_matches('}').to_owned();
    check(
        &book(&entries),
        "E0 E1 E2 E3 E4 E5",
        "not mapped: entry 1: its closing bracket is missing; the next entries stood in it\n\
         not mapped: the text behind the entries: it cannot be read, or is missing",
    );
}

#[test]
fn lists_of_entries_and_the_books_of_other_programs_are_read_too() {
    let keys = |at: usize| {
        format!("{{\"keys\": [\"k{at}\"], \"name\": \"E{at}\", \"content\": \"c{at}\"}}")
    };
    let list = |at: usize| match at {
        1 => keys(at).trim_end_matches('}').to_owned(),
        _ => keys(at),
    };
    let entries = (0..4).map(list).collect::<Vec<_>>().join(", ");
    let noted = "not mapped: entry 1: it is damaged in line 1: key must be a string";
    check(&format!("{{\"entries\": [{entries}]}}"), "E0 E2 E3", noted);
    let v3 = format!(
        "{{\"spec\": \"lorebook_v3\", \"data\": {{\"name\": \"N\", \"entries\": [{entries}]}}}}"
    );
    check(&v3, "E0 E2 E3", noted);
    let risu = (0..3).map(|at| keys(at).replace("keys", "key").replace("name", "comment"));
    let risu = risu.collect::<Vec<_>>().join(", ");
    check(
        &format!("{{\"type\": \"risu\", \"ver\": 1, \"data\": [{risu}"),
        "E0 E1 E2",
        "not mapped: the text behind the entries: it cannot be read, or is missing",
    );
}

#[test]
fn what_is_mostly_damaged_or_no_book_is_refused_as_before() {
    let mut entries: Vec<String> = (0..3).map(entry).collect();
    for entry in &mut entries[..2] {
        *entry = entry.replace("says", "says \"");
    }
    assert!(refused(&book(&entries)).contains("is not JSON"));
    // The book of a card is a part of it.
    let inside = (0..4).map(|at| format!("\"{at}\": {}", entry(at))).collect::<Vec<_>>().join(", ");
    let card = format!(
        "{{\"name\": \"Mina\", \"description\": \"d\", \"first_mes\": \"f\", \"character_book\": {{\"entries\": {{{inside}"
    );
    assert!(refused(&card).contains("is not JSON"));
    let head = book(&(0..3).map(entry).collect::<Vec<_>>()).replace("\"Harbour\"", "Harbour");
    assert!(refused(&head).contains("is not JSON"));
}

#[test]
fn a_damaged_book_is_kept_word_for_word_beside_what_was_read() {
    let mut entries: Vec<String> = (0..3).map(entry).collect();
    entries.push("{\"uid\": 3, \"key\": [\"w".to_owned());
    let damaged = book(&entries);
    let (files, _) = imported("world.json", damaged.as_bytes());
    assert_eq!(text(&files, "cards/books/harbour.damaged.txt"), damaged);
    assert!(text(&files, "cards/books/harbour.json").contains("word2"));
    assert!(text(&files, "lore/harbour-e1.md").contains("says 1."));
}

/// Nothing of it is looked at again and again.
#[test]
fn a_large_file_that_is_nothing_but_damage_is_refused_at_once() {
    for part in ["{\"a\"b", "{{", "{\"a\":[1,", "\"", "{\"content\":\"x\",\"key\":1", "{}", "["] {
        let text = format!("{{\"entries\": {{\"0\": {}", part.repeat((4 << 20) / part.len()));
        refused(&text);
    }
}
