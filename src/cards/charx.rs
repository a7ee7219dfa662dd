//! CHARX archives: zip files with a card and its assets. The zip may begin late, behind a picture.

use std::{
    collections::BTreeMap,
    io::{Cursor, Write},
};

use narratoria_protocol::visible::{clip, visible_word};
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter, write::SimpleFileOptions};

use crate::{
    CHARX_BYTES_MAX, CHARX_FILES_MAX, CardProblem, ImportNotes,
    png::UnpackBudget,
    stored_files::{is_plain_path, storable_files},
};

/// The card of an archive.
pub(crate) const CARD_FILE: &str = "card.json";

/// The files of an archive by their paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CharxFiles {
    /// `card.json` and all others.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl CharxFiles {
    /// Reads an archive. Files whose paths lead out of it are left out, with a note.
    pub fn parse(bytes: &[u8], notes: &mut ImportNotes) -> Result<CharxFiles, CardProblem> {
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
        if archive.len() > CHARX_FILES_MAX {
            let (count, limit) = (archive.len(), CHARX_FILES_MAX);
            return Err(CardProblem::TooMany { count, what: "files", limit });
        }
        if archive.has_overlapping_files().map_err(broken)? {
            return Err(CardProblem::Charx(
                "two of its files share bytes, as in a bomb".to_owned(),
            ));
        }
        if archive.offset() > 0 {
            notes.loose("archive", format!("it begins at byte {}", archive.offset()));
        }
        let mut budget = UnpackBudget::new(CHARX_BYTES_MAX);
        let mut files = BTreeMap::new();
        for at in 0..archive.len() {
            // Read raw first: an encrypted file cannot be opened, and its name is what the message needs.
            let entry = archive.by_index_raw(at).map_err(broken)?;
            let name = entry.name().map_err(broken)?.into_owned();
            let shown = clip(&visible_word(&name), 80).into_owned();
            if entry.is_dir() {
                continue;
            }
            if entry.encrypted() {
                return Err(CardProblem::Charx(format!(
                    "its file `{shown}` is encrypted; export the card again without a password"
                )));
            }
            if !is_plain_path(&name) || !entry.is_file() {
                notes.not_mapped(
                    &shown,
                    "a path that leads out of the archive, has odd characters or begins with a dot",
                );
                continue;
            }
            let packed = usize::try_from(entry.compressed_size()).unwrap_or(usize::MAX);
            drop(entry);
            let entry = archive.by_index(at).map_err(|error| {
                CardProblem::Charx(format!("its file `{shown}` cannot be unpacked ({error})"))
            })?;
            let content = budget.read(entry, packed.min(bytes.len()), &format!("`{shown}`"));
            let content = content.map_err(|error| match error {
                Ok(problem) => problem,
                Err(error) => {
                    CardProblem::Charx(format!("its file `{shown}` cannot be unpacked ({error})"))
                }
            })?;
            if files.insert(name, content).is_some() {
                return Err(CardProblem::Charx(format!("it has two files `{shown}`")));
            }
        }
        Ok(CharxFiles { files: storable_files(files, notes) })
    }

    /// The card's JSON.
    pub fn card(&self) -> Result<&[u8], CardProblem> {
        if let Some(card) = self.files.get(CARD_FILE) {
            return Ok(card);
        }
        let near = self.files.keys().find(|path| {
            path.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case(CARD_FILE))
        });
        Err(CardProblem::Charx(match near {
            Some(near) => format!(
                "it has no `{CARD_FILE}` at its top; `{}` must lie there",
                visible_word(near)
            ),
            None => format!("it has no `{CARD_FILE}`, so it is a zip file of another kind"),
        }))
    }

    /// Returns the archive. Equal files give equal bytes.
    pub fn write(&self) -> Result<Vec<u8>, CardProblem> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, content) in &self.files {
            // Pictures do not get smaller.
            let method = match path.ends_with(".json") {
                true => CompressionMethod::Deflated,
                false => CompressionMethod::Stored,
            };
            let options = SimpleFileOptions::default()
                .compression_method(method)
                .last_modified_time(DateTime::default());
            zip.start_file(path.as_str(), options).map_err(broken)?;
            zip.write_all(content).map_err(|error| CardProblem::Charx(error.to_string()))?;
        }
        Ok(zip.finish().map_err(broken)?.into_inner())
    }
}

fn broken(error: impl std::fmt::Display) -> CardProblem {
    CardProblem::Charx(format!("{error}; export the card again from the program that made it"))
}

/// Returns true if a file contains a zip archive, at its beginning or behind a picture.
pub(crate) fn holds_zip(bytes: &[u8]) -> bool {
    // The end record is at most this far from the end: its own length and the longest comment.
    let tail = &bytes[bytes.len().saturating_sub(22 + 65_535)..];
    bytes.starts_with(b"PK\x03\x04") || tail.windows(4).any(|window| window == b"PK\x05\x06")
}
