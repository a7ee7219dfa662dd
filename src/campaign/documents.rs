//! Reads the files of a campaign: each document with its lines, each text with plain line ends.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    files::CampaignSource,
    kinds::{FileKind, kind_of},
    problem::CampaignProblems,
    schemas::{schema_of, unknown_fields},
    shape::fits,
    tree::{Node, plain_text, read_json_tree, read_toml_tree},
};

/// A document of the campaign.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(crate) path: String,
    pub(crate) kind: FileKind,
    pub(crate) node: Node,
    /// True if it fits its schema. Only then it can become a definition.
    pub(crate) fits: bool,
}

/// Everything that was read, in the order of the paths.
#[derive(Debug, Clone, Default)]
pub(crate) struct CampaignDocuments {
    pub(crate) documents: Vec<Document>,
    /// Texts in Markdown and keywords: path → kind and text.
    pub(crate) texts: BTreeMap<String, (FileKind, String)>,
    /// Paths of pictures and music.
    pub(crate) media: Vec<String>,
    /// Kinds of which a file cannot be read, so that its declarations are not known.
    pub(crate) unread: BTreeSet<FileKind>,
}

impl CampaignDocuments {
    /// Returns all documents of a kind: those of the author first, then generated ones.
    pub(crate) fn of(&self, kind: FileKind) -> impl Iterator<Item = &Document> {
        self.documents.iter().filter(move |document| document.kind == kind)
    }

    /// The text of a kind that there is once.
    pub(crate) fn text(&self, kind: FileKind) -> Option<(&str, &str)> {
        let found = self.texts.iter().find(|(_, (known, _))| *known == kind);
        found.map(|(path, (_, text))| (path.as_str(), text.as_str()))
    }
}

/// The files that every campaign has, with a hint on their content.
const REQUIRED: [(&str, &str); 3] = [
    ("manifest.json", "at least {\"title\": \"…\", \"version\": \"1.0.0\"}"),
    ("world/setting.md", "some sentences about where and when the story plays"),
    ("plot/premise.md", "one or two sentences about what the story is about"),
];

/// Reads all files and checks the form of each.
pub(crate) fn read_documents(
    source: &CampaignSource,
    problems: &mut CampaignProblems,
) -> CampaignDocuments {
    let mut found = CampaignDocuments::default();
    for (path, bytes) in &source.texts {
        match kind_of(path) {
            Ok(kind) => read_one(path, kind, bytes, &mut found, problems),
            Err(what) => problems.warning(path, None, what),
        }
    }
    for path in source.media.keys() {
        match kind_of(path) {
            Ok(_) => found.media.push(path.clone()),
            Err(what) => problems.warning(path, None, what),
        }
    }
    for (path, content) in REQUIRED {
        let is_there = source.texts.contains_key(path);
        let is_blank = found.texts.get(path).is_some_and(|(_, text)| text.trim().is_empty());
        if !is_there {
            let what = format!("the file is missing: write {content}");
            problems.error(path, None, what);
        } else if is_blank {
            problems.error(path, None, format!("is empty: write {content}"));
        }
    }
    found
}

fn read_one(
    path: &str,
    kind: FileKind,
    bytes: &[u8],
    found: &mut CampaignDocuments,
    problems: &mut CampaignProblems,
) {
    if kind == FileKind::Media {
        return;
    }
    let node = if path.ends_with(".json") {
        read_json_tree(path, bytes, problems)
    } else if path.ends_with(".toml") {
        read_toml_tree(path, bytes, problems)
    } else {
        if let Some(text) = plain_text(path, bytes, problems) {
            found.texts.insert(path.to_owned(), (kind, text));
        }
        return;
    };
    let Some(node) = node else {
        found.unread.insert(kind);
        return;
    };
    let fits = fits(path, &node, schema_of(kind), unknown_fields(kind), problems);
    found.documents.push(Document { path: path.to_owned(), kind, node, fits });
}
