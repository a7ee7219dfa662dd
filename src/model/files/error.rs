//! Errors of model files and of downloading one, each with a hint.

use std::{io, path::PathBuf, time::Duration};

use super::{MODEL_BYTES_MAX, progress::size_text};

/// Why a file on this machine cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("cannot {action} `{}`", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{name}` is not on this machine")]
    NotHere { name: String },
    #[error("another process is fetching `{name}`")]
    Busy { name: String },
    #[error("it was cancelled")]
    Cancelled,
}

/// Why a model was not downloaded. In all variants `repo` is `owner/repo`.
#[derive(Debug, thiserror::Error)]
pub enum PullError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("`{endpoint}` is no address of a hub: {why}")]
    BadEndpoint { endpoint: String, why: String },
    /// This machine lacks something that the client needs, such as its list of certificates.
    #[error("the hub's client cannot be set up: {why}")]
    NoClient { why: String },
    /// The token cannot stand in a header. The error does not show it.
    #[error("the token has a character that no token has")]
    BadToken,
    #[error("the hub cannot be reached: {why}")]
    Offline { why: String },
    #[error("there is no repository `{repo}` on the hub")]
    NoRepo { repo: String },
    #[error("`{repo}` has no file `{file}`")]
    NoFile {
        repo: String,
        file: String,
        /// The repository's model files, the most similar names first.
        near: Vec<String>,
    },
    /// The hub wants a token. It returns the same status for a repository that does not exist.
    #[error("the hub wants to know who asks for `{repo}` (401){}", suffix(message))]
    Unauthorised { repo: String, had_token: bool, message: Option<String> },
    /// The token's account may not read the repository.
    #[error("the hub does not give `{repo}` to whoever asks (403){}", suffix(message))]
    Forbidden { repo: String, had_token: bool, message: Option<String> },
    /// The hub has an outage or limits our rate.
    #[error("it cannot be fetched now: {why}")]
    Unavailable {
        why: String,
        /// When the hub allows the next request.
        after: Option<Duration>,
    },
    #[error("the hub's answer cannot be used: {why}")]
    BadAnswer { why: String },
    /// The server's answer is not that of a hub.
    #[error("what answers is no hub: {why}")]
    NotAHub { why: String },
    #[error("the download broke {times} times in a row without getting further, at {} of {}: {why}",
        size_text(*bytes), size_text(*total))]
    Broken {
        times: u32,
        bytes: u64,
        total: u64,
        /// The last break.
        why: String,
    },
    /// Larger than [`MODEL_BYTES_MAX`].
    #[error("`{name}` has {}, at most {} are allowed", size_text(*bytes), size_text(MODEL_BYTES_MAX))]
    TooLarge { name: String, bytes: u64 },
    #[error("the hub gives no SHA-256 of `{name}`, so it could not be checked")]
    NoDigest { name: String },
    #[error("`{}` has no room: {} are needed, {} more than are free",
        folder.display(), size_text(*bytes), size_text(*missing))]
    NoSpace {
        folder: PathBuf,
        /// Bytes that are still to be downloaded.
        bytes: u64,
        /// Bytes that must be freed.
        missing: u64,
    },
    /// The download is longer or shorter than the hub says. It was removed.
    #[error("`{name}` has {found}, the hub says {bytes} bytes: what came was removed")]
    WrongSize { name: String, bytes: u64, found: String },
    /// The download has another digest than the hub says. It was removed.
    #[error("`{name}` has the SHA-256 {found}, the hub says {expected}: what came was removed")]
    WrongDigest { name: String, expected: String, found: String },
    /// The first bytes are not those of a GGUF file. The download was removed.
    #[error("`{name}` is no GGUF file: what came was removed")]
    NotGguf { name: String },
}

fn suffix(message: &Option<String>) -> String {
    message.as_ref().map(|message| format!(": {message}")).unwrap_or_default()
}

impl FileError {
    /// Suggests what to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            FileError::NotHere { name } => {
                Some(format!("`narratoria model pull {name}` fetches it"))
            }
            _ => None,
        }
    }
}

impl PullError {
    /// Suggests what to do.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            PullError::Offline { .. } => {
                "check the connection; without a model the lexical planner makes the plans"
            }
            PullError::NoFile { near, .. } if near.is_empty() => "it has no file in GGUF at all",
            PullError::NoFile { near, .. } => {
                return Some(format!("it has `{}`", near.join("`, `")));
            }
            PullError::Unauthorised { had_token: false, .. } => {
                "check the name: the hub answers so where there is no such repository; \
                 if it is not public, set HF_TOKEN"
            }
            PullError::Unauthorised { had_token: true, .. } => {
                "the token in HF_TOKEN is wrong or too old"
            }
            PullError::Forbidden { had_token: false, .. } => {
                "set HF_TOKEN to a token that may read it"
            }
            PullError::Forbidden { had_token: true, .. } => {
                "accept the conditions of the repository with the account of HF_TOKEN, or take another token"
            }
            PullError::Broken { .. } => "pull again: it goes on where it broke",
            PullError::Unavailable { after: Some(after), .. } => {
                let seconds = after.as_secs();
                return Some(format!(
                    "it may be asked again in {seconds} s; what has come is kept"
                ));
            }
            PullError::Unavailable { after: None, .. } => "pull again later; what has come is kept",
            PullError::NoSpace { .. } => {
                "make room, or set NARRATORIA_HOME to a folder on another disk"
            }
            PullError::WrongDigest { .. } | PullError::WrongSize { .. } => {
                "pull again; if it happens twice, what the hub sends is not what it lists"
            }
            PullError::NotAHub { .. } => {
                "is there a login page between here and the hub, or is HF_ENDPOINT another address?"
            }
            PullError::NoDigest { .. } => "fetch it by hand and name it by its path",
            PullError::BadEndpoint { .. } => "HF_ENDPOINT says where the hub is",
            PullError::BadToken => "HF_TOKEN holds it",
            PullError::File(error) => return error.hint(),
            PullError::NoRepo { .. }
            | PullError::NoClient { .. }
            | PullError::BadAnswer { .. }
            | PullError::TooLarge { .. }
            | PullError::NotGguf { .. } => return None,
        };
        Some(hint.to_owned())
    }

    /// Returns true if the caller cancelled the download, so that nothing went wrong.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, PullError::File(FileError::Cancelled))
    }
}
