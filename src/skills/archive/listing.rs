//! `MANIFEST.sha256`: the files of an archive with their digests; and the rule for their names. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    ARCHIVE_DEPTH_MAX, ARCHIVE_FILES_MAX, ARCHIVE_PATH_BYTES_MAX, ArchiveError, LISTING_FILE,
};
use crate::config::CONFIG_FILE;
use narratoria_protocol::stored_file::{makes_repository, portable_fault};

/// Characters of a digest as text.
const DIGEST_CHARS: usize = 64;

/// Files with their digests, sorted by name.
///
/// Invariant: [`path_fault`] accepts every name, and no two names collide on any machine.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ArchiveListing {
    /// Name and digest.
    files: Vec<(String, String)>,
}

impl ArchiveListing {
    /// Checks the names of these files; the map gives each file's digest.
    pub(super) fn build(files: BTreeMap<String, String>) -> Result<ArchiveListing, ArchiveError> {
        let listing = ArchiveListing { files: files.into_iter().collect() };
        listing.check()?;
        Ok(listing)
    }

    /// Reads a listing; accepts only the form that [`ArchiveListing::render`] writes.
    pub(super) fn parse(bytes: &[u8]) -> Result<ArchiveListing, ArchiveError> {
        let mut files: Vec<(String, String)> = Vec::new();
        for (idx, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let bad = |what| ArchiveError::BadListing { line_no: idx + 1, what };
            let line = std::str::from_utf8(line).map_err(|_| bad("is not UTF-8"))?;
            let line = line.strip_suffix('\n').ok_or_else(|| bad("has no line end"))?;
            let form = "is not a digest, two spaces and a path";
            let (digest, path) = line.split_once("  ").ok_or_else(|| bad(form))?;
            let is_digit = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
            if digest.len() != DIGEST_CHARS || !digest.bytes().all(is_digit) || path.is_empty() {
                return Err(bad(form));
            }
            if let Some((last, _)) = files.last() {
                match last.as_str().cmp(path) {
                    std::cmp::Ordering::Less => {}
                    std::cmp::Ordering::Equal => return Err(bad("lists a file again")),
                    std::cmp::Ordering::Greater => return Err(bad("is not sorted by path")),
                }
            }
            if files.len() == ARCHIVE_FILES_MAX {
                return Err(ArchiveError::TooManyFiles { limit: ARCHIVE_FILES_MAX });
            }
            files.push((path.to_owned(), digest.to_owned()));
        }
        let listing = ArchiveListing { files };
        listing.check()?;
        Ok(listing)
    }

    pub(super) fn render(&self) -> String {
        self.files.iter().map(|(path, digest)| format!("{digest}  {path}\n")).collect()
    }

    /// Name and digest, sorted by name.
    pub(super) fn files(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, digest)| (path.as_str(), digest.as_str()))
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.files.binary_search_by(|(listed, _)| listed.as_str().cmp(path)).is_ok()
    }

    fn check(&self) -> Result<(), ArchiveError> {
        if self.files.len() > ARCHIVE_FILES_MAX {
            return Err(ArchiveError::TooManyFiles { limit: ARCHIVE_FILES_MAX });
        }
        // Files and folders by their lower-case name, which is the name on a machine that ignores case.
        let mut taken: BTreeMap<String, (&str, bool)> = BTreeMap::new();
        for (path, _) in &self.files {
            if let Some(what) = path_fault(path) {
                return Err(ArchiveError::BadPath { path: path.clone(), what });
            }
            let ends = path.match_indices('/').map(|(at, _)| (at, false));
            for (end, is_file) in ends.chain([(path.len(), true)]) {
                let part = &path[..end];
                match taken.insert(part.to_ascii_lowercase(), (part, is_file)) {
                    // Another file in a known folder.
                    Some((other, false)) if other == part && !is_file => {}
                    Some((other, _)) => {
                        let (path, other) = (path.clone(), other.to_owned());
                        return Err(ArchiveError::Collision { path, other });
                    }
                    None => {}
                }
            }
        }
        let lower: BTreeSet<String> = taken.into_keys().collect();
        match self.files.iter().find(|(path, _)| makes_repository(path, &lower)) {
            Some((path, _)) => {
                let what =
                    "it makes its folder a repository, in which git runs what its settings say";
                Err(ArchiveError::BadPath { path: path.clone(), what: what.to_owned() })
            }
            None => Ok(()),
        }
    }
}

/// Why a path cannot stand in an archive, if it cannot. Names are ASCII, because other letters have several
/// encodings, and machines differ in which of them are equal.
pub(super) fn path_fault(path: &str) -> Option<String> {
    if path.len() > ARCHIVE_PATH_BYTES_MAX {
        return Some(format!("a path may have at most {ARCHIVE_PATH_BYTES_MAX} bytes"));
    }
    if path.starts_with('/') {
        return Some("it is absolute".to_owned());
    }
    let parts: Vec<&str> = path.split('/').collect();
    if parts.len() > ARCHIVE_DEPTH_MAX + 1 {
        return Some(format!("it lies in more than {ARCHIVE_DEPTH_MAX} folders"));
    }
    if parts.contains(&"..") {
        return Some("it leads out of its folder".to_owned());
    }
    if parts.contains(&"") {
        return Some("a part of it is empty".to_owned());
    }
    if parts.iter().any(|part| part.starts_with('.')) {
        return Some("files and folders that begin with a dot are no part of a package".to_owned());
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+,=@()~ /".contains(&byte);
    if !path.bytes().all(is_plain) {
        let what = "only letters and digits of ASCII, space and `._-+,=@()~` stand in a path";
        return Some(what.to_owned());
    }
    if parts.iter().any(|part| part.starts_with(' ') || part.ends_with([' ', '.'])) {
        return Some("a part of it begins with a space, or ends with one or a dot".to_owned());
    }
    if let Some(what) = portable_fault(path) {
        return Some(what);
    }
    match path.to_ascii_lowercase().as_str() {
        CONFIG_FILE => Some("it holds the values of a user, secrets too".to_owned()),
        path if path == LISTING_FILE.to_ascii_lowercase() => {
            Some("it is the list itself".to_owned())
        }
        _ => None,
    }
}
