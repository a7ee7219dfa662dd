//! The JSON files beside model files.
//!
//! Format 1: `<file>.json` and `<file>.part.json` have the same fields, except that the latter has no `at`. Unknown
//! fields are ignored, so a later format may add some.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

use narratoria_skills::{open_regular, read_outside};
use serde::{Deserialize, Serialize};

use super::HubName;

/// Longest file of this kind. Ours have 300 bytes.
const RECORD_BYTES_MAX: u64 = 16 << 10;

/// The format that this program writes, and the newest that it reads.
const FORMAT: u32 = 1;

/// The hub's description of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DownloadRecord {
    format: u32,
    /// `owner/repo/file.gguf`.
    pub name: String,
    pub bytes: u64,
    pub sha256: String,
    /// The commit of the repository.
    pub commit: String,
    /// When the download was complete (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

impl DownloadRecord {
    pub(super) fn new(name: &HubName, bytes: u64, sha256: &str, commit: &str) -> DownloadRecord {
        DownloadRecord {
            format: FORMAT,
            name: name.to_string(),
            bytes,
            sha256: sha256.to_owned(),
            commit: commit.to_owned(),
            at: None,
        }
    }

    /// Returns true if both describe the same bytes. The commit may change without the file.
    pub(super) fn is_same_file(&self, other: &DownloadRecord) -> bool {
        self.bytes == other.bytes && self.sha256 == other.sha256
    }

    /// `None` if the record is missing, damaged or of a newer format.
    pub(super) fn read(path: &Path) -> Option<DownloadRecord> {
        let text = read_outside(path, RECORD_BYTES_MAX).ok()?;
        serde_json::from_slice(&text).ok().filter(|record: &DownloadRecord| record.format <= FORMAT)
    }

    /// Writes the whole file or nothing.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        let draft = path.with_added_extension("tmp");
        let mut options = OpenOptions::new();
        open_regular(&draft, options.write(true).create(true).truncate(true))?.write_all(&text)?;
        fs::rename(&draft, path)
    }
}
