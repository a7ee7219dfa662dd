//! A compiled campaign: the documents that a story keeps and that its scripts read. The crate that reads campaign folders
//! makes them, the story stores them, the sandbox hands them out. Pure.
//!
//! `world.json` and the like belong to the skills that read them. Three documents have readers in the host, and their types
//! are here: [`LORE_DOCUMENT`], [`PEOPLE_DOCUMENT`] and [`PLOT_DOCUMENT`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    JsonBounds, StrictJsonError,
    digest::{Sha256Hasher, sha256},
    read_json_as,
};

/// All documents of one campaign together. A thousand storylets with their texts take about 2 MiB.
pub const CAMPAIGN_BYTES_MAX: usize = 8 << 20;

/// Documents of one campaign. There is one for each deck, and a campaign has some dozens of decks.
pub const CAMPAIGN_DOCUMENTS_MAX: usize = 512;

/// Longest path of a document, in bytes.
pub const CAMPAIGN_PATH_BYTES_MAX: usize = 100;

/// Longest name of a campaign, in bytes. It is the name of a folder.
pub const CAMPAIGN_NAME_BYTES_MAX: usize = 64;

/// Longest title and longest version of a campaign, in characters.
pub const CAMPAIGN_TITLE_CHARS_MAX: usize = 200;

/// Values of one document. The map of a big campaign has some hundred thousand.
const DOCUMENT_VALUES_MAX: usize = 2_000_000;

const DOCUMENT_BOUNDS: JsonBounds =
    JsonBounds::of_bytes(CAMPAIGN_BYTES_MAX).with_values(DOCUMENT_VALUES_MAX);

/// The document with a list of [`LoreEntry`].
pub const LORE_DOCUMENT: &str = "lore.json";

/// The document with a list of [`PersonEntry`].
pub const PEOPLE_DOCUMENT: &str = "people.json";

/// The document of which the host reads [`CampaignStart`].
pub const PLOT_DOCUMENT: &str = "plot.json";

/// A campaign as a story keeps it.
///
/// Invariant: its names are harmless, and nothing of it is larger than the limits of this module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledCampaign {
    name: String,
    version: String,
    title: String,
    documents: BTreeMap<String, String>,
}

/// Something that an author wrote about the setting. A planner reads it when a sentence names one of its keywords.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct LoreEntry {
    /// How `/why` names it: the title, or the file.
    pub name: String,
    /// Words and names of several words. The name counts as one too.
    pub keywords: Vec<String>,
    /// The entry itself.
    pub text: String,
    /// It is read at each turn, before all others.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub always: bool,
}

/// What a planner reads about a person of the campaign when that person is near or named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PersonEntry {
    /// The name, as in `world.json`.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Role, manner, wishes and way of speaking, in sentences.
    pub text: String,
}

/// What the host reads of [`PLOT_DOCUMENT`], by [`CompiledCampaign::start`]. The other members of the document belong to the
/// skill `plot`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CampaignStart {
    /// How the story opens, a hundred words at most.
    pub opening: String,
    /// What the first screen teaches.
    pub first: FirstScreen,
    /// The summary of the beginning for a returning player; empty if the author wrote none.
    pub recap: String,
    /// Whether ticks may bring people into the story whom the campaign does not have.
    pub strangers_in_ticks: bool,
}

/// What a first screen teaches by example.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FirstScreen {
    /// Sentences that work at the beginning.
    pub examples: Vec<String>,
}

/// Why documents are no campaign.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CampaignFault {
    /// The name is no name of a folder.
    #[error(
        "the campaign's name `{name}` is not 1 to {limit} letters (a-z), digits and single hyphens"
    )]
    Name {
        /// As given.
        name: String,
        /// [`CAMPAIGN_NAME_BYTES_MAX`].
        limit: usize,
    },
    /// The title or the version is empty, too long or has control characters.
    #[error("the campaign's {what} must be one line of 1 to {limit} characters")]
    Line {
        /// `title` or `version`.
        what: &'static str,
        /// [`CAMPAIGN_TITLE_CHARS_MAX`].
        limit: usize,
    },
    /// A path that is not `NAME.json` or `FOLDER/NAME.json`.
    #[error(
        "the campaign's document `{path}` is not named NAME.json or FOLDER/NAME.json, in letters (a-z), digits, hyphens \
         and underscores"
    )]
    Path {
        /// As given.
        path: String,
    },
    /// Too many documents.
    #[error("the campaign has {found} documents, the limit is {limit}")]
    Documents {
        /// How many it has.
        found: usize,
        /// [`CAMPAIGN_DOCUMENTS_MAX`].
        limit: usize,
    },
    /// Too many bytes.
    #[error("the campaign's documents have {found} bytes, the limit is {limit}")]
    Bytes {
        /// How many it has.
        found: usize,
        /// [`CAMPAIGN_BYTES_MAX`].
        limit: usize,
    },
}

impl CompiledCampaign {
    /// Checks names and sizes. The documents are not read: their readers do that.
    pub fn build(
        name: &str,
        version: &str,
        title: &str,
        documents: BTreeMap<String, String>,
    ) -> Result<CompiledCampaign, CampaignFault> {
        if !is_campaign_name(name) {
            let (name, limit) = (name.to_owned(), CAMPAIGN_NAME_BYTES_MAX);
            return Err(CampaignFault::Name { name, limit });
        }
        for (what, text) in [("version", version), ("title", title)] {
            let is_line = !text.trim().is_empty() && !text.contains(char::is_control);
            if !is_line || text.chars().count() > CAMPAIGN_TITLE_CHARS_MAX {
                return Err(CampaignFault::Line { what, limit: CAMPAIGN_TITLE_CHARS_MAX });
            }
        }
        check_documents(&documents)?;
        let [name, version, title] = [name, version, title].map(str::to_owned);
        Ok(CompiledCampaign { name, version, title, documents })
    }

    /// The name of its folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The version that its manifest says.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// As people read it.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The documents by their paths.
    pub fn documents(&self) -> &BTreeMap<String, String> {
        &self.documents
    }

    /// The document at a path.
    pub fn document(&self, path: &str) -> Option<&str> {
        self.documents.get(path).map(String::as_str)
    }

    /// The document at a path as a `T`; `None` if there is none.
    pub fn read<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, StrictJsonError> {
        let document = self.document(path);
        document.map(|text| read_json_as(text.as_bytes(), DOCUMENT_BOUNDS)).transpose()
    }

    /// What the host reads of [`PLOT_DOCUMENT`]; nothing is said if the campaign has none.
    pub fn start(&self) -> Result<CampaignStart, StrictJsonError> {
        Ok(self.read(PLOT_DOCUMENT)?.unwrap_or_default())
    }

    /// One digest of all documents with their paths. Two campaigns with the same digest read the same.
    pub fn digest(&self) -> String {
        let mut all = Sha256Hasher::default();
        for (path, text) in &self.documents {
            all.update(format!("{} {path}\n", sha256(text.as_bytes())).as_bytes());
        }
        all.hex()
    }
}

/// True for letters (a-z), digits and single hyphens between them.
pub fn is_campaign_name(name: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(is_word_byte);
    name.len() <= CAMPAIGN_NAME_BYTES_MAX && name.split('-').all(is_part)
}

/// True for `NAME.json` and `FOLDER/NAME.json`: no part leads out of the folder, and every file system takes it.
pub fn is_campaign_path(path: &str) -> bool {
    let Some(stem) = path.strip_suffix(".json") else { return false };
    let is_name_byte = |byte: u8| is_word_byte(byte) || matches!(byte, b'-' | b'_');
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(is_name_byte);
    path.len() <= CAMPAIGN_PATH_BYTES_MAX
        && stem.split('/').count() <= 2
        && stem.split('/').all(is_part)
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn check_documents(documents: &BTreeMap<String, String>) -> Result<(), CampaignFault> {
    let (found, limit) = (documents.len(), CAMPAIGN_DOCUMENTS_MAX);
    if found > limit {
        return Err(CampaignFault::Documents { found, limit });
    }
    if let Some(path) = documents.keys().find(|path| !is_campaign_path(path)) {
        return Err(CampaignFault::Path { path: path.clone() });
    }
    let found: usize = documents.iter().map(|(path, text)| path.len() + text.len()).sum();
    match found > CAMPAIGN_BYTES_MAX {
        true => Err(CampaignFault::Bytes { found, limit: CAMPAIGN_BYTES_MAX }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(paths: &[&str]) -> BTreeMap<String, String> {
        paths.iter().map(|path| ((*path).to_owned(), "{}".to_owned())).collect()
    }

    #[track_caller]
    fn check(name: &str, title: &str, paths: &[&str], expect: &str) {
        let built = CompiledCampaign::build(name, "1.0.0", title, documents(paths));
        let said = built.map_or_else(|fault| fault.to_string(), |_| "fine".to_owned());
        assert_eq!(said, expect);
    }

    #[test]
    fn names_and_paths_that_no_folder_should_have_are_refused() {
        check("salt-harbour", "Salt Harbour", &["world.json", "texts/at-the_quay2.json"], "fine");
        let name = |name: &str| {
            let rest = "is not 1 to 64 letters (a-z), digits and single hyphens";
            check(name, "T", &[], &format!("the campaign's name `{name}` {rest}"));
        };
        ["", "Salt", "a--b", "-a", "a/b", "..", "a.b"].into_iter().for_each(name);
        let path = |path: &str| {
            let rest = "is not named NAME.json or FOLDER/NAME.json, in letters (a-z), digits, hyphens and underscores";
            check("a", "T", &[path], &format!("the campaign's document `{path}` {rest}"));
        };
        let bad = [
            "world.toml",
            "../world.json",
            "/world.json",
            "a/b/c.json",
            ".json",
            "a//.json",
            "A.json",
        ];
        bad.into_iter().for_each(path);
    }

    #[test]
    fn a_title_is_one_line() {
        let said = "the campaign's title must be one line of 1 to 200 characters";
        check("a", " ", &[], said);
        check("a", "two\nlines", &[], said);
        check("a", &"x".repeat(201), &[], said);
    }

    #[test]
    fn a_campaign_that_is_too_big_says_how_big_it_is() {
        let many =
            (0..=CAMPAIGN_DOCUMENTS_MAX).map(|at| (format!("texts/d{at}.json"), String::new()));
        let many = CompiledCampaign::build("a", "1", "A", many.collect()).unwrap_err();
        assert_eq!(many.to_string(), "the campaign has 513 documents, the limit is 512");
        let long = BTreeMap::from([("world.json".to_owned(), "x".repeat(CAMPAIGN_BYTES_MAX))]);
        let long = CompiledCampaign::build("a", "1", "A", long).unwrap_err();
        let said = "the campaign's documents have 8388618 bytes, the limit is 8388608";
        assert_eq!(long.to_string(), said);
    }

    #[test]
    fn the_start_of_a_campaign_is_read_in_one_way_and_a_wrong_value_is_named() {
        let start = |plot: &str| {
            let plot = BTreeMap::from([(PLOT_DOCUMENT.to_owned(), plot.to_owned())]);
            CompiledCampaign::build("a", "1", "A", plot).unwrap().start()
        };
        let read = start(r#"{"version": 2, "recap": "You came.", "strangers_in_ticks": true}"#);
        let (recap, strangers_in_ticks) = ("You came.".to_owned(), true);
        let expect = CampaignStart { recap, strangers_in_ticks, ..CampaignStart::default() };
        assert_eq!(read.unwrap(), expect);
        let wrong = start(r#"{"strangers_in_ticks": "yes"}"#).unwrap_err().to_string();
        assert!(wrong.contains("string \"yes\", expected a boolean"), "{wrong}");
        let none = CompiledCampaign::build("a", "1", "A", BTreeMap::new()).unwrap();
        assert_eq!(none.start().unwrap(), CampaignStart::default());
    }

    #[test]
    fn a_digest_changes_with_each_document_and_not_with_the_title() {
        let build = |title: &str, paths: &[&str]| {
            CompiledCampaign::build("a", "1", title, documents(paths)).unwrap().digest()
        };
        assert_eq!(build("A", &["a.json"]), build("B", &["a.json"]));
        assert_ne!(build("A", &["a.json"]), build("A", &["b.json"]));
        assert_ne!(build("A", &["a.json"]), build("A", &["a.json", "b.json"]));
    }
}
