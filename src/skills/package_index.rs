//! `index.json`: the packages that a folder or a server offers, each version with its archive. Pure. Knows neither where the
//! index lies nor how an archive is fetched.

use std::collections::BTreeMap;

use semver::Version;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::front_matter::is_skill_name;
use narratoria_protocol::{
    JsonBounds, StrictJsonError,
    digest::is_digest,
    read_json_as,
    visible::{clip, visible_word},
};

/// The name of an index in its folder.
pub const INDEX_FILE: &str = "index.json";

/// Longest index. An entry has about 250 bytes, so this is room for some ten thousand versions.
pub const INDEX_BYTES_MAX: u64 = 4 << 20;

/// Most values of an index: five for each version.
const INDEX_VALUES_MAX: usize = 100_000;

/// Longest path of a file in an index.
const INDEX_PATH_BYTES_MAX: usize = 512;

/// Version of `contracts/package-index.schema.json`.
const INDEX_VERSION: u32 = 1;

/// Everything that an index offers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackageIndex {
    packages: BTreeMap<String, BTreeMap<Version, IndexEntry>>,
}

/// One version of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// Path of the archive from the folder of the index.
    pub file: String,
    /// SHA-256 of the archive, in hexadecimal.
    pub sha256: String,
    /// Path of its signature from the folder of the index.
    pub signature: Option<String>,
}

/// Why an index cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("{0}")]
    Json(StrictJsonError),
    #[error("it is of the version {found}, this program reads {INDEX_VERSION}")]
    Version { found: u32 },
    #[error("`{}` is no name of a package", shown(name))]
    Name { name: String },
    #[error("`{}` of `{name}` is no version: {why}", shown(version))]
    PackageVersion { name: String, version: String, why: semver::Error },
    #[error("`sha256` of `{name}` {version} is `{}`, which is no SHA-256", shown(sha256))]
    Digest { name: String, version: Version, sha256: String },
    /// It would be read or fetched from somewhere else.
    #[error(
        "`{}` of `{name}` {version} is no file below the index: a path has plain names between `/` and at most \
         {INDEX_PATH_BYTES_MAX} bytes",
        shown(path)
    )]
    Path { name: String, version: Version, path: String },
}

/// The document.
#[derive(Deserialize)]
struct IndexJson {
    version: u32,
    packages: BTreeMap<String, BTreeMap<String, IndexEntryJson>>,
}

#[derive(Deserialize)]
struct IndexEntryJson {
    file: String,
    sha256: String,
    signature: Option<String>,
}

impl PackageIndex {
    /// Reads an index. Fields that this program does not know are ignored.
    pub fn parse(bytes: &[u8]) -> Result<PackageIndex, IndexError> {
        let bounds = JsonBounds::of_bytes(INDEX_BYTES_MAX as usize).with_values(INDEX_VALUES_MAX);
        let document: IndexJson = read_json_as(bytes, bounds).map_err(IndexError::Json)?;
        if document.version != INDEX_VERSION {
            return Err(IndexError::Version { found: document.version });
        }
        let mut packages = BTreeMap::new();
        for (name, versions) in document.packages {
            if !is_skill_name(&name) {
                return Err(IndexError::Name { name });
            }
            let mut parsed = BTreeMap::new();
            for (version, entry) in versions {
                let version = Version::parse(&version).map_err(|why| {
                    IndexError::PackageVersion { name: name.clone(), version, why }
                })?;
                let entry = entry.check(&name, &version)?;
                parsed.insert(version, entry);
            }
            packages.insert(name, parsed);
        }
        Ok(PackageIndex { packages })
    }

    /// Adds a version of a package. Returns the entry that was there.
    pub fn insert(
        &mut self,
        name: &str,
        version: Version,
        entry: IndexEntry,
    ) -> Option<IndexEntry> {
        self.packages.entry(name.to_owned()).or_default().insert(version, entry)
    }

    /// Writes the index, with equal bytes for equal packages. [`PackageIndex::parse`] says whether others can read it.
    pub fn to_text(&self) -> String {
        let entry = |entry: &IndexEntry| {
            let mut json = json!({"file": entry.file, "sha256": entry.sha256});
            if let Some(signature) = &entry.signature {
                json["signature"] = json!(signature);
            }
            json
        };
        let packages: Map<String, Value> = self
            .packages
            .iter()
            .map(|(name, versions)| {
                let versions: Map<String, Value> = versions
                    .iter()
                    .map(|(version, one)| (version.to_string(), entry(one)))
                    .collect();
                (name.clone(), versions.into())
            })
            .collect();
        let document = json!({"version": INDEX_VERSION, "packages": packages});
        format!("{document:#}\n")
    }

    /// How many packages there are, and how many versions of them.
    pub fn counts(&self) -> (usize, usize) {
        (self.packages.len(), self.packages.values().map(BTreeMap::len).sum())
    }

    /// The newest version of a package. One before a release counts only if there is no release.
    pub fn newest(&self, name: &str) -> Option<(&Version, &IndexEntry)> {
        let versions = self.packages.get(name)?;
        let release = versions.iter().rfind(|(version, _)| version.pre.is_empty());
        release.or_else(|| versions.last_key_value())
    }

    /// This version of a package.
    pub fn version(&self, name: &str, version: &Version) -> Option<&IndexEntry> {
        self.packages.get(name)?.get(version)
    }

    /// The names of all packages.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.packages.keys().map(String::as_str)
    }
}

impl IndexEntryJson {
    fn check(self, name: &str, version: &Version) -> Result<IndexEntry, IndexError> {
        let IndexEntryJson { file, sha256, signature } = self;
        let (name, version) = (name.to_owned(), version.clone());
        if let Some(path) = [Some(&file), signature.as_ref()]
            .into_iter()
            .flatten()
            .find(|path| !is_plain_path(path))
            .cloned()
        {
            return Err(IndexError::Path { name, version, path });
        }
        match is_digest(&sha256) {
            true => Ok(IndexEntry { file, sha256, signature }),
            false => Err(IndexError::Digest { name, version, sha256 }),
        }
    }
}

/// Whether a path names a file below the folder of the index, in a folder as in an address.
fn is_plain_path(path: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_.+".contains(char);
    path.len() <= INDEX_PATH_BYTES_MAX
        && path
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.') && part.chars().all(is_plain))
}

fn shown(text: &str) -> String {
    visible_word(&clip(text, 80)).into_owned()
}

#[cfg(test)]
mod tests {
    use semver::Version;
    use serde_json::{Value, json};

    use super::{IndexEntry, PackageIndex};

    fn entry(file: &str) -> Value {
        json!({"file": file, "sha256": "a".repeat(64)})
    }

    fn parse(packages: Value) -> Result<PackageIndex, String> {
        let document = json!({"version": 1, "packages": packages});
        PackageIndex::parse(document.to_string().as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_newest_release_counts_and_one_before_it_only_without_a_release() {
        let index = parse(json!({
            "dice": {"0.9.0": entry("a"), "0.10.0": entry("b"), "1.0.0-rc.1": entry("c")},
            "sky": {"1.0.0-rc.1": entry("d"), "1.0.0-rc.2": entry("e")},
        }))
        .unwrap();
        let newest = |name| {
            index.newest(name).map(|(version, entry)| (version.to_string(), entry.file.as_str()))
        };
        assert_eq!(newest("dice"), Some(("0.10.0".to_owned(), "b")));
        assert_eq!(newest("sky"), Some(("1.0.0-rc.2".to_owned(), "e")));
        assert_eq!(newest("sea"), None);
        let older = index.version("dice", &Version::new(0, 9, 0)).unwrap();
        assert_eq!((older.file.as_str(), &older.signature), ("a", &None));
        assert_eq!(index.names().collect::<Vec<_>>(), ["dice", "sky"]);
    }

    /// An index that sends its reader elsewhere could have files of the player's machine or of another server read.
    #[test]
    fn every_file_lies_below_the_index() {
        for path in [
            "",
            "/etc/passwd",
            "../x",
            "a/../b",
            "a//b",
            "./a",
            ".hidden",
            "a\\b",
            "C:x",
            "https://b.example/x",
            "//b.example/x",
            "a?b",
            "a#b",
            "a%2e",
            "a b",
            "ä",
        ] {
            let error = parse(json!({"dice": {"1.0.0": entry(path)}})).unwrap_err();
            assert!(
                error.contains("of `dice` 1.0.0 is no file below the index"),
                "{path}: {error}"
            );
            let mut signed = entry("a");
            signed["signature"] = json!(path);
            assert!(parse(json!({"dice": {"1.0.0": signed}})).is_err(), "{path}");
        }
        assert!(
            parse(json!({"dice": {"1.0.0": entry("archives/dice-1.0.0+b.skill.tar.gz")}})).is_ok()
        );
    }

    #[test]
    fn an_index_that_was_written_is_read_as_the_same() {
        let mut index = PackageIndex::default();
        for (name, version, signature) in [
            ("dice", "0.9.0", None),
            ("dice", "0.10.0", Some("b.minisig")),
            ("sky", "1.0.0-rc.1+b", None),
        ] {
            let signature = signature.map(str::to_owned);
            let entry = IndexEntry { file: "a/b".to_owned(), sha256: "a".repeat(64), signature };
            assert_eq!(index.insert(name, Version::parse(version).unwrap(), entry), None);
        }
        let text = index.to_text();
        assert_eq!(PackageIndex::parse(text.as_bytes()).unwrap(), index);
        assert_eq!(index.counts(), (2, 3));
        let places = ["0.9.0", "0.10.0", "sky"].map(|text_in| text.find(text_in).unwrap());
        assert!(places.is_sorted(), "{text}");
    }

    #[test]
    fn what_is_no_index_is_refused_with_the_place() {
        let error = |packages| parse(packages).unwrap_err();
        assert_eq!(error(json!({"Dice": {}})), "`Dice` is no name of a package");
        assert!(
            error(json!({"dice": {"1": entry("a")}})).starts_with("`1` of `dice` is no version: ")
        );
        let mut short = entry("a");
        short["sha256"] = json!("abc");
        assert_eq!(
            error(json!({"dice": {"1.0.0": short}})),
            "`sha256` of `dice` 1.0.0 is `abc`, which is no SHA-256"
        );
        let next = PackageIndex::parse(br#"{"version": 2, "packages": {}}"#).unwrap_err();
        assert_eq!(next.to_string(), "it is of the version 2, this program reads 1");
        for text in ["", "[]", "{}", r#"{"version": 1, "packages": {"a": {}, "a": {}}}"#] {
            assert!(PackageIndex::parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
