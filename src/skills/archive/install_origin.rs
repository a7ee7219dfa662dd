//! Records the source of an installed package and the key that it was signed with, so that the host can look there for a
//! newer version and sees when another signs it. The file lies in the package's folder under a name that no archive can
//! contain.

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};

use serde_json::{Map, Value, json};

use crate::{outside_file::read_outside, signer_key::SignerKey};
use narratoria_protocol::{JsonBounds, digest::is_digest, read_json};

const ORIGIN_FILE: &str = ".origin.json";

/// Longest such file: two addresses of 4 KiB, escaped, a digest and a key.
const ORIGIN_BYTES_MAX: u64 = 64 << 10;

/// Version of the file. 1: the first; `index`, `key` and `keySince` came later, and a file without them has none.
const ORIGIN_VERSION: u64 = 1;

/// Where a package was installed from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InstallSource {
    /// The archive: an absolute path, or an address.
    pub archive: String,
    /// The folder or the address of the index that named the archive, if one did.
    pub index: Option<String>,
}

/// A key that an installed package was signed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedKey {
    pub key: SignerKey,
    /// The time at which it was first seen with this package, in UTC.
    pub since: String,
}

/// What is remembered of an installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallOrigin {
    pub source: InstallSource,
    /// SHA-256 of the archive, in hexadecimal.
    pub sha256: String,
    /// `None` if the package is not signed.
    pub pinned: Option<PinnedKey>,
}

impl PinnedKey {
    /// The fields of a document.
    pub(super) fn fields(&self) -> Map<String, Value> {
        let fields = [("key", self.key.as_str()), ("keySince", &self.since)];
        fields.map(|(name, text)| (name.to_owned(), json!(text))).into_iter().collect()
    }

    /// Reads the key of a document, if it names one; `None` if its fields cannot be understood.
    pub(super) fn of_fields(document: &Value) -> Option<Option<PinnedKey>> {
        let Some(key) = document.get("key") else { return Some(None) };
        let key = SignerKey::parse(key.as_str()?).ok()?;
        let since = document.get("keySince")?.as_str()?.to_owned();
        Some(Some(PinnedKey { key, since }))
    }
}

/// Writes the origin into a package's folder.
pub(super) fn write_origin(package: &Path, origin: &InstallOrigin) -> io::Result<()> {
    let InstallOrigin { source, sha256, pinned } = origin;
    let mut document =
        json!({"version": ORIGIN_VERSION, "archive": source.archive, "sha256": sha256});
    if let Some(index) = &source.index {
        document["index"] = json!(index);
    }
    if let (Some(pinned), Some(document)) = (pinned, document.as_object_mut()) {
        document.extend(pinned.fields());
    }
    let mut file = File::create(package.join(ORIGIN_FILE))?;
    file.write_all(document.to_string().as_bytes())?;
    file.sync_all()
}

/// Whether a package remembers an origin, also one that this program does not understand.
pub(super) fn has_origin(package: &Path) -> bool {
    package.join(ORIGIN_FILE).symlink_metadata().is_ok()
}

/// Reads the origin of an installed package; `None` if it remembers none that this program understands.
pub fn read_origin(package: &Path) -> Option<InstallOrigin> {
    let bytes = read_outside(&package.join(ORIGIN_FILE), ORIGIN_BYTES_MAX).ok()?;
    let document = read_json(&bytes, JsonBounds::of_bytes(bytes.len())).ok()?;
    let text = |field: &str| document.get(field).and_then(Value::as_str);
    let sha256 = text("sha256").filter(|digest| is_digest(digest))?;
    if document.get("version").and_then(Value::as_u64) != Some(ORIGIN_VERSION) {
        return None;
    }
    let pinned = PinnedKey::of_fields(&document)?;
    let (archive, index) = (text("archive")?.to_owned(), text("index").map(str::to_owned));
    let source = InstallSource { archive, index };
    Some(InstallOrigin { source, sha256: sha256.to_owned(), pinned })
}
