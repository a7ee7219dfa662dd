//! Keys that belong to nothing in the folder of packages: those of packages that were removed, and of indexes. A package of the same
//! name that comes later is compared with them, so that removing and installing is no way around the question about another key.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

use serde_json::{Map, Value, json};

use super::install_origin::PinnedKey;
use crate::outside_file::{OutsideFileError, read_outside};
use narratoria_protocol::{JsonBounds, read_json};

/// In the folder of installed packages. Begins with a dot, so that the loader skips it.
pub(super) const KEPT_KEYS_FILE: &str = ".keys.json";

/// Longest such file: some ten thousand packages.
const KEPT_KEYS_BYTES_MAX: u64 = 4 << 20;

/// Version of the file.
const KEPT_KEYS_VERSION: u64 = 1;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct KeptKeys {
    /// The key that each removed package was signed with, by name.
    pub(super) packages: KeysByName,
    /// The key that each index was signed with, by its place.
    pub(super) indexes: KeysByName,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct KeysByName(BTreeMap<String, PinnedKey>);

impl KeptKeys {
    /// Reads those of a folder of packages; `None` if there is a file that this program does not understand.
    pub(super) fn read(folder: &Path) -> Option<KeptKeys> {
        let bytes = match read_outside(&folder.join(KEPT_KEYS_FILE), KEPT_KEYS_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(OutsideFileError::Missing) => return Some(KeptKeys::default()),
            Err(_) => return None,
        };
        let document = read_json(&bytes, JsonBounds::of_bytes(bytes.len())).ok()?;
        if document.get("version").and_then(Value::as_u64) != Some(KEPT_KEYS_VERSION) {
            return None;
        }
        Some(KeptKeys {
            packages: KeysByName::read(document.get("packages")?)?,
            indexes: KeysByName::read(document.get("indexes")?)?,
        })
    }

    /// Writes the file whole or not at all.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let document = json!({
            "version": KEPT_KEYS_VERSION,
            "packages": self.packages.to_json(),
            "indexes": self.indexes.to_json(),
        });
        let (file, draft) = (folder.join(KEPT_KEYS_FILE), folder.join(".keys.json.tmp"));
        let mut written = File::create(&draft)?;
        written.write_all(document.to_string().as_bytes())?;
        written.sync_all()?;
        fs::rename(draft, file)
    }
}

impl KeysByName {
    fn read(document: &Value) -> Option<KeysByName> {
        let one =
            |(name, entry): (&String, &Value)| Some((name.clone(), PinnedKey::of_fields(entry)??));
        document.as_object()?.iter().map(one).collect::<Option<_>>().map(KeysByName)
    }

    fn to_json(&self) -> Map<String, Value> {
        self.0.iter().map(|(name, pinned)| (name.clone(), pinned.fields().into())).collect()
    }

    pub(super) fn of(&self, name: &str) -> Option<&PinnedKey> {
        self.0.get(name)
    }

    /// Keeps a key, or forgets the one that is kept. Returns true if something has changed.
    pub(super) fn set(&mut self, name: &str, pinned: Option<PinnedKey>) -> bool {
        let before = match pinned.clone() {
            Some(pinned) => self.0.insert(name.to_owned(), pinned),
            None => self.0.remove(name),
        };
        before != pinned
    }
}
