//! What stands in the JSON files beside the models.
//!
//! Format 1: `<file>.json` and `<file>.part.json` have the same fields; `at` is missing in the latter. Unknown
//! fields are ignored, so a later format may add some.

use std::{fs, io, path::Path};

use serde::{Deserialize, Serialize};

use super::HubName;

/// Longest file of this kind. Ours have 300 bytes.
const RECORD_BYTES_MAX: u64 = 16 << 10;

/// The format that this program writes, and the newest that it reads.
const FORMAT: u32 = 1;

/// What is known of a file from the hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DownloadRecord {
    format: u32,
    /// `owner/repo/file.gguf`.
    pub name: String,
    /// How large the hub says it is.
    pub bytes: u64,
    /// The SHA-256 that the hub says it has.
    pub sha256: String,
    /// The commit of the repository.
    pub commit: String,
    /// When it was whole (RFC 3339).
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

    /// Whether both speak of the same bytes. A commit may change without the file.
    pub(super) fn is_same_file(&self, other: &DownloadRecord) -> bool {
        self.bytes == other.bytes && self.sha256 == other.sha256
    }

    /// None where there is none, or none that can be understood: then nothing is known of the file.
    pub(super) fn read(path: &Path) -> Option<DownloadRecord> {
        let small = fs::metadata(path).ok()?.len() <= RECORD_BYTES_MAX;
        let text = small.then(|| fs::read(path).ok()).flatten()?;
        serde_json::from_slice(&text).ok().filter(|record: &DownloadRecord| record.format <= FORMAT)
    }

    /// Whole or not at all.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        let draft = path.with_added_extension("tmp");
        fs::write(&draft, text)?;
        fs::rename(&draft, path)
    }
}
