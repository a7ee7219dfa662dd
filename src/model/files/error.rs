//! What can be wrong with model files and with getting one, each with its way out.

use std::{io, path::PathBuf, time::Duration};

use super::{MODEL_BYTES_MAX, progress::size_text};

/// Why a file here cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The disk does not do what it is asked.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// It was never fetched, or removed.
    #[error("`{name}` is not on this machine")]
    NotHere {
        /// Which model.
        name: String,
    },
    /// Somebody else works on it.
    #[error("another process is fetching `{name}`")]
    Busy {
        /// Which model.
        name: String,
    },
    /// Nobody wants it any more.
    #[error("it was cancelled")]
    Cancelled,
}

/// Why a model did not come here.
#[derive(Debug, thiserror::Error)]
pub enum PullError {
    /// The disk.
    #[error(transparent)]
    File(#[from] FileError),
    /// The address of the hub is none.
    #[error("`{endpoint}` is no address of a hub: {why}")]
    BadEndpoint {
        /// What was said.
        endpoint: String,
        /// What is wrong with it.
        why: String,
    },
    /// This machine lacks something that the client needs, such as its list of certificates.
    #[error("the hub's client cannot be set up: {why}")]
    NoClient {
        /// What it says.
        why: String,
    },
    /// It cannot stand in a header. The token itself is not shown.
    #[error("the token has a character that no token has")]
    BadToken,
    /// Nobody could be reached at all.
    #[error("the hub cannot be reached: {why}")]
    Offline {
        /// What the system says.
        why: String,
    },
    /// The repository does not exist.
    #[error("there is no repository `{repo}` on the hub")]
    NoRepo {
        /// `owner/repo`.
        repo: String,
    },
    /// The repository has no such file.
    #[error("`{repo}` has no file `{file}`")]
    NoFile {
        /// `owner/repo`.
        repo: String,
        /// What was asked for.
        file: String,
        /// Its model files, the likeliest first.
        near: Vec<String>,
    },
    /// The hub does not know who asks. It answers so too where the repository does not exist.
    #[error("the hub wants to know who asks for `{repo}` (401){}", said(message))]
    Unauthorised {
        /// `owner/repo`.
        repo: String,
        /// Whether a token was sent.
        had_token: bool,
        /// What the hub says.
        message: Option<String>,
    },
    /// The hub knows who asks and does not want to.
    #[error("the hub does not give `{repo}` to whoever asks (403){}", said(message))]
    Forbidden {
        /// `owner/repo`.
        repo: String,
        /// Whether a token was sent.
        had_token: bool,
        /// What the hub says.
        message: Option<String>,
    },
    /// The hub is in trouble, or has had enough of us.
    #[error("it cannot be fetched now: {why}")]
    Unavailable {
        /// What it answers.
        why: String,
        /// When it wants to be asked again.
        after: Option<Duration>,
    },
    /// The hub answers something that it should not.
    #[error("the hub's answer cannot be used: {why}")]
    BadAnswer {
        /// What is wrong with it.
        why: String,
    },
    /// Whatever answers does not speak as a hub does.
    #[error("what answers is no hub: {why}")]
    NotAHub {
        /// What is wrong with its answer.
        why: String,
    },
    /// The connection broke again and again.
    #[error("the download broke {times} times in a row without getting further, at {} of {}: {why}",
        size_text(*bytes), size_text(*total))]
    Broken {
        /// How often.
        times: u32,
        /// How much is here.
        bytes: u64,
        /// All of it.
        total: u64,
        /// The last break.
        why: String,
    },
    /// Larger than anything we would load.
    #[error("`{name}` has {}, at most {} are allowed", size_text(*bytes), size_text(MODEL_BYTES_MAX))]
    TooLarge {
        /// Which model.
        name: String,
        /// How large.
        bytes: u64,
    },
    /// Nothing to hold it against.
    #[error("the hub gives no SHA-256 of `{name}`, so it could not be checked")]
    NoDigest {
        /// Which model.
        name: String,
    },
    /// It does not fit on the disk.
    #[error("`{}` has no room: {} are needed, {} more than are free",
        folder.display(), size_text(*bytes), size_text(*missing))]
    NoSpace {
        /// Where.
        folder: PathBuf,
        /// What is still to come.
        bytes: u64,
        /// What must be made free.
        missing: u64,
    },
    /// What came is longer or shorter than it was to be. It was removed.
    #[error("`{name}` has {found}, the hub says {bytes} bytes: what came was removed")]
    WrongSize {
        /// Which model.
        name: String,
        /// What the hub says.
        bytes: u64,
        /// What came.
        found: String,
    },
    /// What came is something else. It was removed.
    #[error("`{name}` has the SHA-256 {found}, the hub says {expected}: what came was removed")]
    WrongDigest {
        /// Which model.
        name: String,
        /// What the hub says.
        expected: String,
        /// What came.
        found: String,
    },
    /// Its first bytes are those of something else. It was removed.
    #[error("`{name}` is no GGUF file: what came was removed")]
    NotGguf {
        /// Which model.
        name: String,
    },
}

fn said(message: &Option<String>) -> String {
    message.as_ref().map(|message| format!(": {message}")).unwrap_or_default()
}

impl FileError {
    /// The way out.
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
    /// The way out.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            PullError::Offline { .. } => {
                "check the connection; without a model the lexical voice makes the plans"
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

    /// Whether somebody stopped it, so that nothing went wrong.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, PullError::File(FileError::Cancelled))
    }
}
