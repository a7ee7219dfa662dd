//! Names of models. Pure: reads no disk.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use narratoria_protocol::nearest::nearest;

use super::known::{EMBEDDING_ALIAS, KNOWN, KnownModel};
use crate::server::{AddressError, ServerAddress};

/// Longest part of a name. The hub allows 96.
const PART_CHARS_MAX: usize = 96;

/// Most parts of a file's path inside a repository: folders and the file itself.
const FILE_PARTS_MAX: usize = 4;

/// Fewest letters of a short name's beginning for which a hint suggests the name.
const BEGINNING_BYTES_MIN: usize = 3;

const EXTENSION: &str = ".gguf";

/// A model's name as a player types it.
///
/// A text that begins with `/`, `./` or `../` is a path (as is any text that the system calls absolute), one that begins
/// with `http://` or `https://` the address of a model on a server. Every other text is the short name of a known model, or `owner/repo/file.gguf`. So the meaning of a name never depends on
/// which files exist.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ModelName {
    /// On the hub.
    Hub(HubName),
    /// On this machine.
    Path(PathBuf),
    /// Behind a server, which another program runs.
    Server(ServerAddress),
}

/// A file in a repository of the hub.
///
/// Invariant: it is a safe relative path. No part is empty, begins with a dot, or contains anything but letters,
/// digits and `._-+`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HubName {
    owner: String,
    repo: String,
    file: String,
}

/// Why a text names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Too few parts, and no known short name.
    #[error("`{text}` is neither `owner/repo/file.gguf`, nor a path, nor a short name")]
    Unknown { text: String },
    #[error("`{text}` does not end with `.gguf`")]
    NotGguf { text: String },
    #[error(
        "`{part}` in `{text}` is no name on the hub: letters, digits and `._-+`, not first a dot, \
         {PART_CHARS_MAX} characters at most"
    )]
    BadPart { text: String, part: String },
    #[error("`{text}` has {parts} parts in its repository, {FILE_PARTS_MAX} at most")]
    TooDeep { text: String, parts: usize },
    #[error(transparent)]
    Address(#[from] AddressError),
}

/// The model that is used when the player names none.
pub fn default_model() -> HubName {
    hub_name(&KNOWN[0])
}

/// The model that finds memories by their meaning when the player names none.
pub fn default_embedding_model() -> HubName {
    let known = KNOWN.iter().find(|known| known.alias == EMBEDDING_ALIAS);
    hub_name(known.expect("a test finds it in the list"))
}

fn hub_name(known: &KnownModel) -> HubName {
    HubName::parse(known.name).expect("a test reads every name of the list")
}

impl ModelName {
    pub fn parse(text: &str) -> Result<ModelName, NameError> {
        let path = Path::new(text);
        let is_path =
            path.is_absolute() || ["/", "./", "../"].iter().any(|at| text.starts_with(at));
        if is_path {
            return Ok(ModelName::Path(path.to_owned()));
        }
        if ServerAddress::is_meant(text) {
            return Ok(ModelName::Server(ServerAddress::parse(text)?));
        }
        if let Some(known) = KNOWN.iter().find(|known| known.alias == text) {
            return Ok(ModelName::Hub(hub_name(known)));
        }
        HubName::parse(text).map(ModelName::Hub)
    }
}

impl HubName {
    /// Reads `owner/repo/file.gguf`; the file may lie in folders of its repository.
    pub fn parse(text: &str) -> Result<HubName, NameError> {
        let mut parts = text.splitn(3, '/');
        let (Some(owner), Some(repo), Some(file)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err(NameError::Unknown { text: text.to_owned() });
        };
        if let Some(part) = text.split('/').find(|part| !is_part(part)) {
            return Err(NameError::BadPart { text: text.to_owned(), part: part.to_owned() });
        }
        let parts = file.split('/').count();
        if parts > FILE_PARTS_MAX {
            return Err(NameError::TooDeep { text: text.to_owned(), parts });
        }
        if !is_model_file(file) {
            return Err(NameError::NotGguf { text: text.to_owned() });
        }
        Ok(HubName { owner: owner.to_owned(), repo: repo.to_owned(), file: file.to_owned() })
    }

    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// The repository, without its owner.
    pub fn repo(&self) -> &str {
        &self.repo
    }

    /// `owner/repo`.
    pub fn repo_path(&self) -> String {
        format!("{}/{}", self.owner, self.repo)
    }

    /// The path of the file inside the repository.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The file without its folders.
    pub fn file_name(&self) -> &str {
        self.file.rsplit('/').next().unwrap_or(&self.file)
    }
}

fn is_part(part: &str) -> bool {
    let is_char = |char: char| char.is_ascii_alphanumeric() || "._-+".contains(char);
    let short = (1..=PART_CHARS_MAX).contains(&part.len());
    short && !part.starts_with('.') && part.chars().all(is_char)
}

pub(super) fn is_model_file(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(EXTENSION)
}

impl fmt::Display for HubName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}/{}", self.owner, self.repo, self.file)
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelName::Hub(name) => name.fmt(out),
            ModelName::Path(path) => path.display().fmt(out),
            ModelName::Server(address) => address.fmt(out),
        }
    }
}

impl NameError {
    /// Suggests what to type instead.
    pub fn hint(&self) -> Option<String> {
        match self {
            NameError::Unknown { text } => {
                let aliases = || KNOWN.iter().map(|known| known.alias);
                let completes = |alias: &&str| {
                    text.len() >= BEGINNING_BYTES_MIN && alias.starts_with(text.as_str())
                };
                let near = aliases().find(completes).map(str::to_owned);
                let near = near.or_else(|| nearest(text, aliases()));
                Some(match near {
                    Some(alias) => format!("did you mean `{alias}`?"),
                    None => {
                        let short: Vec<&str> = aliases().collect();
                        format!(
                            "a path begins with `/`, `./` or `../`; short names are `{}`",
                            short.join("`, `")
                        )
                    }
                })
            }
            NameError::BadPart { .. } | NameError::NotGguf { .. } => {
                Some("a path begins with `/`, `./` or `../`".to_owned())
            }
            NameError::TooDeep { .. } => None,
            NameError::Address(_) => Some("such as `http://127.0.0.1:11434/qwen3:4b`".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::{HubName, KNOWN, ModelName, default_embedding_model, default_model, hub_name};

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let result = match ModelName::parse(text) {
            Ok(ModelName::Hub(name)) => {
                format!("hub: {} | {} | {}", name.owner(), name.repo(), name.file())
            }
            Ok(ModelName::Path(path)) => format!("path: {}", path.display()),
            Ok(ModelName::Server(address)) => format!("server: {address}"),
            Err(error) => format!("{error}; hint: {}", error.hint().unwrap_or_default()),
        };
        assert_eq!(result, expect);
    }

    /// S0 FR-001: the model of the first start is Phi-3.5 Mini.
    #[test]
    fn every_known_model_has_a_hub_name() {
        let names: Vec<String> = KNOWN.iter().map(|known| hub_name(known).to_string()).collect();
        assert_eq!(names, KNOWN.iter().map(|known| known.name).collect::<Vec<_>>());
        assert_eq!(default_model().repo_path(), "bartowski/Phi-3.5-mini-instruct-GGUF");
        assert_eq!(
            default_embedding_model().repo_path(),
            "second-state/All-MiniLM-L6-v2-Embedding-GGUF"
        );
    }

    #[test]
    fn a_name_is_on_the_hub_or_a_path() {
        check("a/b/c.gguf", "hub: a | b | c.gguf");
        check("a/b/q4/c-00001.GGUF", "hub: a | b | q4/c-00001.GGUF");
        check("./a/b/c.gguf", "path: ./a/b/c.gguf");
        check("../c.gguf", "path: ../c.gguf");
        check("/models/c.bin", "path: /models/c.bin");
        check("http://127.0.0.1:11434/qwen3:4b", "server: http://127.0.0.1:11434/qwen3:4b");
        check("qwen3-1.7b", "hub: bartowski | Qwen_Qwen3-1.7B-GGUF | Qwen_Qwen3-1.7B-Q4_K_M.gguf");
    }

    #[test]
    fn an_error_hints_at_how_to_name_a_model() {
        let paths = "hint: a path begins with `/`, `./` or `../`";
        check(
            "phi-3.5-mni",
            "`phi-3.5-mni` is neither `owner/repo/file.gguf`, nor a path, nor a short name; \
             hint: did you mean `phi-3.5-mini`?",
        );
        check(
            "model.gguf",
            &format!(
                "`model.gguf` is neither `owner/repo/file.gguf`, nor a path, nor a short name; {paths}; \
                 short names are `phi-3.5-mini`, `qwen3-4b`, `phi-4-mini`, `gemma-4-e2b`, `qwen3-1.7b`, `all-minilm-l6-v2`"
            ),
        );
        check(
            "http://a_b/c",
            "`a_b` in `http://a_b/c` is no name of a host and no IP address; \
             hint: such as `http://127.0.0.1:11434/qwen3:4b`",
        );
        check("a/b/c.bin", &format!("`a/b/c.bin` does not end with `.gguf`; {paths}"));
        let rule = "letters, digits and `._-+`, not first a dot, 96 characters at most";
        check(
            "a/../c.gguf",
            &format!("`..` in `a/../c.gguf` is no name on the hub: {rule}; {paths}"),
        );
        check(
            "a/b?x=1/c.gguf",
            &format!("`b?x=1` in `a/b?x=1/c.gguf` is no name on the hub: {rule}; {paths}"),
        );
        check(
            "a/b/1/2/3/4/5.gguf",
            "`a/b/1/2/3/4/5.gguf` has 5 parts in its repository, 4 at most; hint: ",
        );
    }

    proptest! {
        #[test]
        fn a_hub_name_never_leaves_its_folder(text in any::<String>()) {
            if let Ok(name) = HubName::parse(&text) {
                let path = name.to_string();
                prop_assert!(Path::new(&path).components().all(|part| matches!(part, std::path::Component::Normal(_))));
            }
        }
    }
}
