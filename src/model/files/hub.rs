//! The hub's descriptions of repositories, and their files. The only module that uses `hf_hub`.
//!
//! hf-hub 0.5.0 only makes the addresses and the headers, and [`request`] sends them, because hf-hub's own client
//!
//! - has no timeouts, and none of its calls can be stopped;
//! - sends the token to every host that the hub redirects to when it asks for a file's metadata;
//! - reads `blobs=true`, which brings the sizes and the digests, and then drops both;
//! - puts files into its own cache, unchecked: here `fetch.rs` asks for ranges, and `partial_download.rs` counts and
//!   digests.

use std::{fmt, ops::Range, path::Path, time::Duration};

use hf_hub::{
    Cache, Repo, RepoType,
    api::sync::{Api, ApiBuilder, ApiError},
};
use serde::Deserialize;

use super::{
    HubName, PullError,
    name::is_model_file,
    request::{self, RequestError, Response, parse_endpoint},
};
use narratoria_protocol::{JsonBounds, VALUES_MAX, digest::is_digest, read_json_as};

/// The branch whose files are listed.
const BRANCH: &str = "main";

/// Requests the sizes and the digests of the files, too.
const WITH_BLOBS: &str = "?blobs=true";

/// Largest description of a repository: a file takes 300 bytes of it, so this lists some 50,000.
const INFO_BYTES_MAX: usize = 16 << 20;

/// A file of the description has about eight values.
const INFO_BOUNDS: JsonBounds = JsonBounds::of_bytes(INFO_BYTES_MAX).with_values(4 * VALUES_MAX);

/// Largest body of a refusal that is read for its reason.
const REFUSAL_BYTES_MAX: usize = 64 << 10;

/// Longest name of a commit. Those of git have 40 or 64 characters.
const COMMIT_CHARS_MAX: usize = 64;

const USER_AGENT: &str = concat!("narratoria/", env!("CARGO_PKG_VERSION"));

/// Most file names that an error suggests.
const NEAR_MAX: usize = 5;

/// Longest message of the hub that an error shows.
const MESSAGE_CHARS_MAX: usize = 200;

/// The server that models come from, and the account.
#[derive(Clone, Default)]
pub struct Hub {
    /// The address of the server; hf-hub's default without one.
    pub endpoint: Option<String>,
    /// Without a token the requests are anonymous.
    pub token: Option<String>,
    pub timeouts: HubTimeouts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HubTimeouts {
    /// Time without a single byte after which a connection counts as broken. 30 s.
    pub stall: Duration,
    /// Pause before the first retry; doubled before each next one, up to 30 s. 500 ms.
    pub backoff: Duration,
    /// Breaks in a row without progress after which the download fails. 5.
    pub breaks_max: u32,
    /// Pause between two tries to get a lock that another process has. 200 ms.
    pub lock_poll: Duration,
}

/// One file on the hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RemoteFile {
    pub(super) commit: String,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// Why a request failed.
#[derive(Debug)]
pub(super) enum HubError {
    /// A retry would not help.
    Final(PullError),
    /// No route, no such name, or the connection is refused.
    Unreachable(String),
    /// The hub has an outage or limits our rate. It may name the time of the next request.
    Busy { why: String, after: Option<Duration> },
    /// The connection broke.
    Broken(String),
    /// The file has fewer bytes than the range.
    NoSuchRange,
}

/// The repository of one file.
pub(super) struct RemoteRepo<'a> {
    api: Api,
    endpoint: Option<String>,
    name: &'a HubName,
    had_token: bool,
    timeouts: HubTimeouts,
}

/// The hub's description of a repository, as far as it is used.
#[derive(Debug, Deserialize)]
struct RepoInfo {
    sha: Option<String>,
    siblings: Option<Vec<Sibling>>,
}

#[derive(Debug, Deserialize)]
struct Sibling {
    rfilename: String,
    size: Option<u64>,
    lfs: Option<Lfs>,
}

/// The hub's description of a large file.
#[derive(Debug, Deserialize)]
struct Lfs {
    sha256: Option<String>,
    size: Option<u64>,
}

/// A response with an error status.
struct Refusal {
    status: u16,
    message: Option<String>,
    retry_after: Option<Duration>,
}

impl Default for HubTimeouts {
    fn default() -> HubTimeouts {
        HubTimeouts {
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
            .field("timeouts", &self.timeouts)
            .finish()
    }
}

impl<'a> RemoteRepo<'a> {
    /// Sends no request yet.
    pub(super) fn open(
        hub: &Hub,
        name: &'a HubName,
        folder: &Path,
    ) -> Result<RemoteRepo<'a>, PullError> {
        let is_token_char = |char: char| char.is_ascii_graphic();
        if hub
            .token
            .as_ref()
            .is_some_and(|token| token.is_empty() || !token.chars().all(is_token_char))
        {
            return Err(PullError::BadToken);
        }
        let endpoint = hub.endpoint.as_deref().map(parse_endpoint).transpose();
        let endpoint = endpoint.map_err(|why| bad_endpoint(hub.endpoint.as_ref(), &why))?;
        // hf-hub looks for a token beside its cache. Setting one here replaces it, even with `None`.
        let builder = ApiBuilder::from_cache(Cache::new(folder.to_owned()))
            .with_token(hub.token.clone())
            .with_progress(false);
        let builder = match endpoint {
            Some(endpoint) => builder.with_endpoint(endpoint.to_owned()),
            None => builder,
        };
        let no_client = |error: ApiError| PullError::NoClient { why: error.to_string() };
        let api = builder.build().map_err(no_client)?;
        let had_token = hub.token.is_some();
        Ok(RemoteRepo {
            api,
            endpoint: hub.endpoint.clone(),
            name,
            had_token,
            timeouts: hub.timeouts,
        })
    }

    /// The current description of the file.
    pub(super) async fn look_up(&self) -> Result<RemoteFile, HubError> {
        let info = self.with_timeout(self.info()).await?;
        let commit = info.sha.filter(|commit| is_commit(commit));
        let (Some(commit), Some(files)) = (commit, info.siblings) else {
            return Err(bad_answer("it says neither the commit nor the files of the repository"));
        };
        let Some(file) = files.iter().find(|file| file.rfilename == self.name.file()) else {
            return Err(HubError::Final(self.no_file(&files)));
        };
        let lfs = file.lfs.as_ref();
        let Some(bytes) = file.size.or(lfs.and_then(|lfs| lfs.size)) else {
            return Err(bad_answer("it does not say how large the file is"));
        };
        let digest = lfs.and_then(|lfs| lfs.sha256.clone()).filter(|digest| is_digest(digest));
        let sha256 = digest
            .ok_or_else(|| HubError::Final(PullError::NoDigest { name: self.name.to_string() }))?;
        Ok(RemoteFile { commit, bytes, sha256 })
    }

    async fn info(&self) -> Result<RepoInfo, HubError> {
        let response = self.ask(BRANCH, None, None).await?;
        let bytes =
            response.read(INFO_BYTES_MAX).await.map_err(|error| self.classify_error(error))?;
        read_json_as(&bytes, INFO_BOUNDS)
            .map_err(|error| HubError::Final(PullError::NotAHub { why: error.to_string() }))
    }

    /// The bytes of this range of the file.
    pub(super) async fn stream(
        &self,
        commit: &str,
        range: Range<u64>,
    ) -> Result<Response, HubError> {
        let response = self.ask(commit, Some(self.name.file()), Some(range));
        // The lookup has just found the file and its repository.
        self.with_timeout(response).await.map_err(|error| match error {
            HubError::Final(PullError::NoRepo { .. }) => file_vanished(),
            error => error,
        })
    }

    /// The next bytes of a body that has not ended.
    pub(super) async fn next(&self, response: &mut Response) -> Result<Vec<u8>, HubError> {
        let next = async { response.next().await.map_err(|error| self.classify_error(error)) };
        let bytes = self.with_timeout(next).await?;
        bytes.ok_or_else(|| HubError::Broken("the connection was closed early".to_owned()))
    }

    /// Requests a file of the repository, or the repository's description.
    async fn ask(
        &self,
        revision: &str,
        file: Option<&str>,
        range: Option<Range<u64>>,
    ) -> Result<Response, HubError> {
        let repo = self.name.repo_path();
        let repo = Repo::with_revision(repo, RepoType::Model, revision.to_owned());
        let repo = self.api.repo(repo);
        let request = repo.info_request();
        let address = match file {
            Some(file) => Some(repo.url(file)),
            None => request.uri_ref().map(|uri| format!("{uri}{WITH_BLOBS}")),
        };
        let address = address.and_then(|address| address.parse().ok());
        let (Some(address), Some(headers)) = (address, request.headers_ref()) else {
            let why = "no address can be made of it";
            return Err(HubError::Final(bad_endpoint(self.endpoint.as_ref(), why)));
        };
        let mut headers = headers.clone();
        headers.insert("user-agent", USER_AGENT.parse().expect("a name and a version are text"));
        let response = request::get(address, headers, range, self.timeouts.stall);
        let response = response.await.map_err(|error| self.classify_error(error))?;
        if (200..300).contains(&response.status()) {
            return Ok(response);
        }
        Err(self.refused(Refusal::read(response).await))
    }

    async fn with_timeout<T>(
        &self,
        request: impl Future<Output = Result<T, HubError>>,
    ) -> Result<T, HubError> {
        let result = tokio::time::timeout(self.timeouts.stall, request).await;
        result.map_err(|_| stalled(self.timeouts))?
    }

    fn no_file(&self, files: &[Sibling]) -> PullError {
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

    /// Tells refusals that a retry may pass from final ones.
    fn refused(&self, refusal: Refusal) -> HubError {
        let (repo, had_token) = (self.name.repo_path(), self.had_token);
        let Refusal { status, message, retry_after } = refusal;
        HubError::Final(match status {
            401 => PullError::Unauthorised { repo, had_token, message },
            403 => PullError::Forbidden { repo, had_token, message },
            404 => PullError::NoRepo { repo },
            416 => return HubError::NoSuchRange,
            429 => {
                return HubError::Busy { why: status_text(status, message), after: retry_after };
            }
            408 | 500.. => {
                return HubError::Busy { why: status_text(status, message), after: None };
            }
            _ => PullError::BadAnswer { why: status_text(status, message) },
        })
    }

    /// Tells failures that a retry may pass from final ones.
    fn classify_error(&self, error: RequestError) -> HubError {
        HubError::Final(match error {
            RequestError::HubSetup(why) => PullError::NoClient { why },
            RequestError::Unreachable(why) => return HubError::Unreachable(why),
            RequestError::TimedOut => return stalled(self.timeouts),
            RequestError::Broken(why) => {
                return HubError::Broken(format!("the connection broke: {why}"));
            }
            error @ (RequestError::RedirectsInCircles
            | RequestError::Unusable(_)
            | RequestError::TooLong { .. }) => PullError::BadAnswer { why: error.to_string() },
        })
    }
}

impl Refusal {
    /// The reason is in a header or in the body.
    async fn read(response: Response) -> Refusal {
        #[derive(Deserialize)]
        struct Body {
            error: String,
        }
        let status = response.status();
        let retry_after = response.header("retry-after").and_then(|text| text.trim().parse().ok());
        let retry_after = retry_after.map(Duration::from_secs);
        let message = match response.header("x-error-message") {
            Some(message) => Some(message.to_owned()),
            // The status alone is enough: a damaged body does not change it.
            None => {
                let body = response.read(REFUSAL_BYTES_MAX).await.unwrap_or_default();
                let bounds = JsonBounds::of_bytes(body.len());
                read_json_as(&body, bounds).ok().map(|Body { error }| error)
            }
        };
        Refusal { status, message: message.and_then(clipped), retry_after }
    }
}

/// Returns true if the text can stand in an address and in a record.
fn is_commit(text: &str) -> bool {
    let is_short = (1..=COMMIT_CHARS_MAX).contains(&text.len());
    is_short && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn bad_endpoint(endpoint: Option<&String>, why: &str) -> PullError {
    PullError::BadEndpoint { endpoint: endpoint.cloned().unwrap_or_default(), why: why.to_owned() }
}

fn file_vanished() -> HubError {
    bad_answer("it lists the file and then has none (404)")
}

fn bad_answer(why: &str) -> HubError {
    HubError::Final(PullError::BadAnswer { why: why.to_owned() })
}

fn stalled(timeouts: HubTimeouts) -> HubError {
    HubError::Broken(format!("nothing came for {:?}", timeouts.stall))
}

fn status_text(status: u16, message: Option<String>) -> String {
    match message {
        Some(message) => format!("the hub answers {status}: {message}"),
        None => format!("the hub answers {status}"),
    }
}

fn clipped(message: String) -> Option<String> {
    let message: String = message.trim().chars().take(MESSAGE_CHARS_MAX).collect();
    Some(message).filter(|message| !message.is_empty())
}
