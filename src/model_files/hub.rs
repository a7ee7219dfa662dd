//! The hub's client. Alone names `hf_hub`.
//!
//! What is lacking there and how it is made up for, as of hf-hub 1.0.0:
//!
//! - Files come without resumption and unchecked: `fetch.rs` asks for ranges, `part.rs` counts and digests.
//! - It has no timeouts: each wait here has one.
//! - Its own retries stand between us and the answer, so they are off; `fetch.rs` has its own.
//! - Without a token it looks for one in the environment and in files: [`NO_TOKEN`] keeps it from that.
//! - Its listings drop the digest (the API calls it `oid` there, its type `sha256`). In the information on a
//!   repository it stands under the expected name, but only when `blobs=true` is asked for, which it cannot ask:
//!   [`WITH_BLOBS`] does.

use std::{error::Error, fmt, ops::Range, path::Path, time::Duration};

use hf_hub::{
    HFClient, HFError, HFRepository, RepoTypeModel,
    repository::{RepoSibling, download::HFByteStream},
};

use super::{HubName, PullError, name::is_model_file};
use crate::digest::is_digest;

/// A token that can stand in no header, so that none is sent.
const NO_TOKEN: &str = "\n";

/// Appended to the name of a repository, which the client puts into the address as it is.
const WITH_BLOBS: &str = "?blobs=true";

const USER_AGENT: &str = concat!("narratoria/", env!("CARGO_PKG_VERSION"));

/// How many file names an error offers.
const NEAR_MAX: usize = 5;

/// Longest message of the hub that is passed on.
const MESSAGE_CHARS_MAX: usize = 200;

/// Where models come from, and as whom.
#[derive(Clone, Default)]
pub struct Hub {
    /// The address; the client's own default without one.
    pub endpoint: Option<String>,
    /// Who asks; nobody without one.
    pub token: Option<String>,
    /// How long to wait for what.
    pub patience: Patience,
}

/// How long to wait for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Without a single byte, after which a connection counts as broken. 30 s.
    pub stall: Duration,
    /// Before the first try after a break; twice as long before each next one, up to 30 s. 500 ms.
    pub backoff: Duration,
    /// Breaks in a row without getting further, after which it is given up. 5.
    pub breaks_max: u32,
    /// Between two looks at a lock that another process has. 200 ms.
    pub lock_poll: Duration,
}

/// One file on the hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) commit: String,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// Why a request came to nothing.
#[derive(Debug)]
pub(super) enum Trouble {
    /// Asking again will not help.
    Final(PullError),
    /// The way there is barred: no route, no name, refused.
    Unreachable(String),
    /// The hub is in trouble. It may say when to ask again.
    Busy { why: String, after: Option<Duration> },
    /// The connection broke.
    Broken(String),
    /// There are fewer bytes than were asked for.
    NoSuchRange,
}

/// One file's repository.
pub(super) struct Remote<'a> {
    client: HFClient,
    name: &'a HubName,
    had_token: bool,
    patience: Patience,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            stall: Duration::from_secs(30),
            backoff: Duration::from_millis(500),
            breaks_max: 5,
            lock_poll: Duration::from_millis(200),
        }
    }
}

/// The token is a secret.
impl fmt::Debug for Hub {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = self.token.as_ref().map(|_| "…");
        out.debug_struct("Hub")
            .field("endpoint", &self.endpoint)
            .field("token", &token)
            .field("patience", &self.patience)
            .finish()
    }
}

impl<'a> Remote<'a> {
    /// Asks nothing yet.
    pub(super) fn open(
        hub: &Hub,
        name: &'a HubName,
        folder: &Path,
    ) -> Result<Remote<'a>, PullError> {
        let is_token_char = |char: char| char.is_ascii_graphic();
        if hub
            .token
            .as_ref()
            .is_some_and(|token| token.is_empty() || !token.chars().all(is_token_char))
        {
            return Err(PullError::BadToken);
        }
        let builder = HFClient::builder()
            .token(hub.token.as_deref().unwrap_or(NO_TOKEN))
            .user_agent(USER_AGENT)
            .cache_dir(folder)
            .cache_enabled(false)
            .retry_max_attempts(0);
        let builder = match &hub.endpoint {
            Some(endpoint) => builder.endpoint(endpoint),
            None => builder,
        };
        let client = builder.build().map_err(|error| match (&error, &hub.endpoint) {
            (HFError::Url(why), Some(endpoint)) => {
                PullError::BadEndpoint { endpoint: endpoint.clone(), why: why.to_string() }
            }
            _ => PullError::NoClient { why: root_cause(&error) },
        })?;
        Ok(Remote { client, name, had_token: hub.token.is_some(), patience: hub.patience })
    }

    /// What the hub says of the file as it is now.
    pub(super) async fn look_up(&self) -> Result<Found, Trouble> {
        let repo =
            self.client.model(self.name.owner(), format!("{}{WITH_BLOBS}", self.name.repo()));
        let info = self.within(repo.info().send()).await?;
        let commit = info.sha.filter(|commit| !commit.is_empty());
        let (Some(commit), Some(files)) = (commit, info.siblings) else {
            return Err(unusable("it says neither the commit nor the files of the repository"));
        };
        let Some(file) = files.iter().find(|file| file.rfilename == self.name.file()) else {
            return Err(Trouble::Final(self.no_file(&files)));
        };
        let lfs = file.lfs.as_ref();
        let Some(bytes) = file.size.or(lfs.and_then(|lfs| lfs.size)) else {
            return Err(unusable("it does not say how large the file is"));
        };
        let digest = lfs.and_then(|lfs| lfs.sha256.clone()).filter(|digest| is_digest(digest));
        let sha256 = digest
            .ok_or_else(|| Trouble::Final(PullError::NoDigest { name: self.name.to_string() }))?;
        Ok(Found { commit, bytes, sha256 })
    }

    /// The bytes of this range, and how many the hub says will come.
    pub(super) async fn stream(
        &self,
        commit: &str,
        range: Range<u64>,
    ) -> Result<(Option<u64>, HFByteStream), Trouble> {
        let repo: HFRepository<RepoTypeModel> =
            self.client.model(self.name.owner(), self.name.repo());
        let asked = repo
            .download_file_stream()
            .filename(self.name.file())
            .revision(commit)
            .range(range)
            .send();
        // It was there a moment ago, with its repository.
        self.within(asked).await.map_err(|trouble| match trouble {
            Trouble::Final(PullError::NoRepo { .. }) => vanished(),
            trouble => trouble,
        })
    }

    async fn within<T>(
        &self,
        asked: impl Future<Output = Result<T, HFError>>,
    ) -> Result<T, Trouble> {
        match tokio::time::timeout(self.patience.stall, asked).await {
            Ok(answer) => answer.map_err(|error| self.trouble(error)),
            Err(_) => Err(stalled(self.patience)),
        }
    }

    fn no_file(&self, files: &[RepoSibling]) -> PullError {
        let file = self.name.file();
        let mut near: Vec<&str> = files
            .iter()
            .map(|other| other.rfilename.as_str())
            .filter(|other| is_model_file(other))
            .collect();
        near.sort_by_key(|other| strsim::osa_distance(other, file));
        near.truncate(NEAR_MAX);
        PullError::NoFile {
            repo: self.name.repo_path(),
            file: file.to_owned(),
            near: near.into_iter().map(str::to_owned).collect(),
        }
    }

    /// Whose fault it is, and whether it may pass.
    pub(super) fn trouble(&self, error: HFError) -> Trouble {
        let (repo, had_token) = (self.name.repo_path(), self.had_token);
        Trouble::Final(match error {
            HFError::AuthRequired { context } => {
                let message = message(context.server_message);
                PullError::Unauthorised { repo, had_token, message }
            }
            HFError::Forbidden { context } => {
                let message = message(context.server_message);
                PullError::Forbidden { repo, had_token, message }
            }
            HFError::RepoNotFound { .. } => PullError::NoRepo { repo },
            HFError::EntryNotFound { .. } | HFError::RevisionNotFound { .. } => return vanished(),
            HFError::RateLimited { retry_after, context } => {
                let why = answered(429, context.server_message);
                return Trouble::Busy { why, after: retry_after };
            }
            HFError::Http { context } => {
                let status = context.status.as_u16();
                let why = answered(status, context.server_message);
                match status {
                    416 => return Trouble::NoSuchRange,
                    408 | 500.. => return Trouble::Busy { why, after: None },
                    _ => PullError::BadAnswer { why },
                }
            }
            HFError::Request { source, .. } if source.is_connect() => {
                return Trouble::Unreachable(root_cause(&source));
            }
            HFError::Request { source, .. } if source.is_decode() => {
                PullError::NotAHub { why: root_cause(&source) }
            }
            HFError::Request { source, .. } if source.is_redirect() => {
                PullError::BadAnswer { why: "it redirects in circles".to_owned() }
            }
            HFError::Request { source, .. } if source.is_builder() => PullError::BadEndpoint {
                endpoint: self.client.endpoint().to_owned(),
                why: root_cause(&source),
            },
            error @ (HFError::Request { .. } | HFError::Xet { .. } | HFError::Io(_)) => {
                return broken(&error);
            }
            error => PullError::BadAnswer { why: root_cause(&error) },
        })
    }
}

fn vanished() -> Trouble {
    unusable("it lists the file and then has none (404)")
}

fn unusable(why: &str) -> Trouble {
    Trouble::Final(PullError::BadAnswer { why: why.to_owned() })
}

/// Not a byte for too long.
pub(super) fn stalled(patience: Patience) -> Trouble {
    Trouble::Broken(format!("nothing came for {:?}", patience.stall))
}

/// A body broke in the middle; whatever the cause, it may pass.
pub(super) fn broken(error: &HFError) -> Trouble {
    Trouble::Broken(format!("the connection broke: {}", root_cause(error)))
}

fn answered(status: u16, said: Option<String>) -> String {
    match message(said) {
        Some(said) => format!("the hub answers {status}: {said}"),
        None => format!("the hub answers {status}"),
    }
}

fn message(said: Option<String>) -> Option<String> {
    let said: String = said?.trim().chars().take(MESSAGE_CHARS_MAX).collect();
    Some(said).filter(|said| !said.is_empty())
}

/// The innermost cause: those around it only say that there is one, and name addresses that have secrets in
/// them.
fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
