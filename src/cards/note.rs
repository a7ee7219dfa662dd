//! Notes of an import about parts that are read loosely, or that have no place in a campaign.

use std::fmt;

use narratoria_protocol::visible::{clip, visible_line};

use crate::{IMPORT_NOTES_MAX, MACRO_TEXT_BYTES_MAX};

/// Longest text of a note about one part.
pub(crate) const NOTE_CHARS: usize = 160;

/// The result of importing a part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoteKind {
    /// It has another form than its format says, and was read all the same.
    ReadLoosely,
    /// It stands in the campaign in another form.
    Changed,
    /// It has no place in a campaign. The original keeps it, and an export writes it back.
    NotMapped,
}

/// One line about a part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportNote {
    /// The result for this part.
    pub kind: NoteKind,
    /// The part: a field, an entry, a passage.
    pub what: String,
    /// Why.
    pub why: String,
}

impl fmt::Display for ImportNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            NoteKind::ReadLoosely => "read as meant",
            NoteKind::Changed => "changed",
            NoteKind::NotMapped => "not mapped",
        };
        write!(f, "{kind}: {}: {}", self.what, self.why)
    }
}

/// The notes of one import, each once.
#[derive(Debug, Clone, Default)]
pub struct ImportNotes {
    list: Vec<ImportNote>,
    left_out: usize,
    /// Bytes that macros have become.
    macro_bytes: usize,
}

impl ImportNotes {
    /// The notes in the order in which they came up.
    pub fn list(&self) -> &[ImportNote] {
        &self.list
    }

    /// How many more there were.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Returns true if the macros of this import may expand to `bytes` more, and counts them.
    pub(crate) fn may_tell_macro(&mut self, bytes: usize) -> bool {
        self.macro_bytes = self.macro_bytes.saturating_add(bytes);
        self.macro_bytes <= MACRO_TEXT_BYTES_MAX
    }

    pub(crate) fn add(&mut self, kind: NoteKind, what: impl AsRef<str>, why: impl AsRef<str>) {
        let line = |text: &str| clip(&visible_line(text), NOTE_CHARS).into_owned();
        let note = ImportNote { kind, what: line(what.as_ref()), why: line(why.as_ref()) };
        if self.list.len() >= IMPORT_NOTES_MAX {
            self.left_out += 1;
        } else if !self.list.contains(&note) {
            self.list.push(note);
        }
    }

    pub(crate) fn loose(&mut self, what: impl AsRef<str>, why: impl AsRef<str>) {
        self.add(NoteKind::ReadLoosely, what, why);
    }

    pub(crate) fn changed(&mut self, what: impl AsRef<str>, why: impl AsRef<str>) {
        self.add(NoteKind::Changed, what, why);
    }

    pub(crate) fn not_mapped(&mut self, what: impl AsRef<str>, why: impl AsRef<str>) {
        self.add(NoteKind::NotMapped, what, why);
    }

    /// Adds the notes of another step.
    pub fn append(&mut self, other: ImportNotes) {
        for note in other.list {
            self.add(note.kind, note.what, note.why);
        }
        self.left_out += other.left_out;
    }
}
