//! Downloads of packages: archives, their signatures and indexes. The only file of the commands that uses `ureq`; knows nothing
//! of what it downloads.
//!
//! An address is `https`, or on this machine. A redirect follows the same rule and leads neither to plain `http` nor from
//! another machine to this one. No user name, password or cookie is ever sent, so none can reach another host. Nothing is read
//! past its limit, whatever length the server gives, and the caller gets whole files alone.

use std::{
    io::{self, Read, Write},
    net::IpAddr,
    str::FromStr,
    thread,
    time::Duration,
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::visible::{clip, visible_word};
use ureq::{
    Agent, Body, Error,
    http::{Response, StatusCode, Uri, header},
    tls::{RootCerts, TlsConfig},
};

/// Redirects of one download.
const REDIRECTS_MAX: usize = 5;

/// Largest head of a response.
const HEAD_BYTES_MAX: usize = 64 << 10;

/// Longest wait for a name, a connection and a head, each.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(30);

/// Longest download. The largest archive takes it at 560 kB/s.
const DOWNLOAD_TIME_MAX: Duration = Duration::from_secs(600);

/// Longest wait that a server can ask for in all, and how often it can ask.
const WAIT_SECONDS_MAX: u64 = 30;
const WAITS_MAX: usize = 3;

/// Bytes that are read at a time.
const READ_BYTES: usize = 64 << 10;

/// An address of a file.
///
/// Invariant: its scheme is `https`, or `http` and its host is this machine. It has no user name and no fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackageUrl {
    text: String,
    uri: Uri,
}

/// Why a text is no address that packages may come from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum UrlError {
    #[error("`{text}` is no address: {why}")]
    NotAnAddress { text: String, why: String },
    #[error("`{text}` is not `https`, and only this machine may be asked without")]
    NotSecure { text: String },
    #[error("`{text}` has a user name, and packages are fetched without one")]
    UserName { text: String },
}

/// Why a file is not downloaded.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error("the program is offline")]
    Offline,
    #[error("there is no such file on the server")]
    NotThere,
    #[error("the server answers with status {status}")]
    Status { status: u16 },
    /// 429 and 503.
    #[error("the server has no time (status {status}){}", wait_text(*asked))]
    Busy { status: u16, asked: Option<u64> },
    #[error("it redirects to an address that is not followed: {0}")]
    BadRedirect(UrlError),
    #[error("it redirects from another machine to this one, `{to}`")]
    RedirectToThisMachine { to: String },
    #[error("it redirects more than {REDIRECTS_MAX} times")]
    TooManyRedirects,
    #[error("it has more than {limit} bytes")]
    TooLong { limit: u64 },
    #[error("the connection ended after {received} bytes{}", length_text(*length))]
    CutOff { received: u64, length: Option<u64> },
    #[error("its time of {} seconds is over", DOWNLOAD_TIME_MAX.as_secs())]
    TimedOut,
    #[error("the server cannot be reached: {why}")]
    Unreachable { why: String },
    #[error("it cannot be kept")]
    Unkept(#[source] io::Error),
}

fn wait_text(asked: Option<u64>) -> String {
    match asked {
        None => String::new(),
        Some(seconds) => format!(
            " and asks to wait {seconds} seconds; a download waits {WAITS_MAX} times and {WAIT_SECONDS_MAX} seconds at most"
        ),
    }
}

fn length_text(length: Option<u64>) -> String {
    length.map(|length| format!(" of {length}")).unwrap_or_default()
}

impl PackageUrl {
    /// Returns true if a text is meant as an address.
    pub(super) fn is_meant(text: &str) -> bool {
        let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        scheme.is_some_and(|scheme| scheme == "http" || scheme == "https")
    }

    pub(super) fn parse(text: &str) -> Result<PackageUrl, UrlError> {
        let shown = || visible_word(&clip(text, 200)).into_owned();
        let bad = |why: String| UrlError::NotAnAddress { text: shown(), why };
        let text_without_fragment = text.split('#').next().unwrap_or_default();
        let uri = Uri::from_str(text_without_fragment).map_err(|error| bad(error.to_string()))?;
        let authority = uri.authority().ok_or_else(|| bad("it names no host".to_owned()))?;
        if authority.as_str().contains('@') {
            // The text may have a password, which no message repeats.
            return Err(UrlError::UserName { text: uri.host().unwrap_or_default().to_owned() });
        }
        let url = PackageUrl { text: text_without_fragment.to_owned(), uri: uri.clone() };
        match uri.scheme_str() {
            Some("https") => Ok(url),
            Some("http") if url.is_this_machine() => Ok(url),
            Some("http") => Err(UrlError::NotSecure { text: shown() }),
            _ => Err(bad("it begins with neither `https://` nor `http://`".to_owned())),
        }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    pub(super) fn ends_with_slash(&self) -> bool {
        self.uri.path().ends_with('/')
    }

    /// Returns true if the server can only be on this machine.
    fn is_this_machine(&self) -> bool {
        let host = self.uri.host().unwrap_or_default();
        match host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
            Ok(address) => address.to_canonical().is_loopback(),
            Err(_) => host.eq_ignore_ascii_case("localhost"),
        }
    }

    /// The address of a file beside this one: `path` takes the place of the last part.
    pub(super) fn beside(&self, path: &str) -> Result<PackageUrl, UrlError> {
        let whole = self.uri.path();
        let folder = whole.rsplit_once('/').map_or("", |(folder, _)| folder);
        PackageUrl::parse(&format!("{}{folder}/{path}", self.server()))
    }

    /// The address of a file whose name is that of this one and an ending.
    pub(super) fn with_suffix(&self, suffix: &str) -> Result<PackageUrl, UrlError> {
        let query = self.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        PackageUrl::parse(&format!("{}{}{suffix}{query}", self.server(), self.uri.path()))
    }

    /// Scheme, host and port, without a slash at the end.
    fn server(&self) -> String {
        let scheme = self.uri.scheme_str().unwrap_or("https");
        let authority = self.uri.authority().map_or("", |authority| authority.as_str());
        format!("{scheme}://{authority}")
    }

    /// The address that a response to this one redirects to.
    fn redirected(&self, location: &str) -> Result<PackageUrl, FetchError> {
        let address = match location {
            text if text.starts_with("//") => {
                format!("{}:{text}", self.uri.scheme_str().unwrap_or("https"))
            }
            text if text.starts_with('/') => format!("{}{text}", self.server()),
            text if text.contains("://") => text.to_owned(),
            text => {
                return self.beside(text).map_err(FetchError::BadRedirect);
            }
        };
        let to = PackageUrl::parse(&address).map_err(FetchError::BadRedirect)?;
        if to.is_this_machine() && !self.is_this_machine() {
            return Err(FetchError::RedirectToThisMachine { to: to.text });
        }
        let is_less_secure =
            self.uri.scheme_str() == Some("https") && to.uri.scheme_str() != Some("https");
        match is_less_secure {
            true => Err(FetchError::BadRedirect(UrlError::NotSecure { text: to.text })),
            false => Ok(to),
        }
    }
}

/// Downloads a whole file of at most `bytes_max` bytes into `sink`. Without an error the sink has all of it.
pub(super) fn fetch(
    url: &PackageUrl,
    bytes_max: u64,
    is_offline: bool,
    sink: &mut impl Write,
) -> Result<(), FetchError> {
    if is_offline && !url.is_this_machine() {
        return Err(FetchError::Offline);
    }
    let (mut waits, mut waited) = (0, 0_u64);
    loop {
        let response = follow(url)?;
        let status = response.status();
        match status {
            StatusCode::OK => return receive(response.into_body(), bytes_max, sink),
            StatusCode::NOT_FOUND | StatusCode::GONE => return Err(FetchError::NotThere),
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                let asked = retry_after(&response);
                waited = waited.saturating_add(asked.unwrap_or(u64::MAX));
                waits += 1;
                if waits > WAITS_MAX || waited > WAIT_SECONDS_MAX {
                    return Err(FetchError::Busy { status: status.as_u16(), asked });
                }
                thread::sleep(Duration::from_secs(asked.unwrap_or_default()));
            }
            status => return Err(FetchError::Status { status: status.as_u16() }),
        }
    }
}

/// Downloads a small file whole.
pub(super) fn fetch_bytes(
    url: &PackageUrl,
    bytes_max: u64,
    is_offline: bool,
) -> Result<Vec<u8>, FetchError> {
    let mut bytes = Vec::new();
    fetch(url, bytes_max, is_offline, &mut bytes)?;
    Ok(bytes)
}

/// The error of a download, with the address.
pub(super) fn failed(what: &str, url: &PackageUrl, error: FetchError) -> TurnError {
    let kind = match error {
        FetchError::NotThere => TurnErrorKind::NotFound,
        FetchError::Offline => TurnErrorKind::Refused,
        _ => TurnErrorKind::BadInput,
    };
    let is_offline = matches!(error, FetchError::Offline);
    let cause = match &error {
        FetchError::Unkept(why) => format!(": {why}"),
        _ => String::new(),
    };
    let shown = visible_word(url.as_str()).into_owned();
    let failed =
        TurnError::new(kind, format!("the {what} `{shown}` is not fetched: {error}{cause}"));
    match is_offline {
        true => failed.hint("unset NARRATORIA_OFFLINE, or leave out `--offline`"),
        false => failed,
    }
}

/// Seconds that a busy server asks to wait; `None` if it names a date or nothing.
fn retry_after(response: &Response<Body>) -> Option<u64> {
    response.headers().get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()
}

/// Asks an address, and each one that it redirects to.
fn follow(url: &PackageUrl) -> Result<Response<Body>, FetchError> {
    let agent = agent();
    let mut at = url.clone();
    for _ in 0..=REDIRECTS_MAX {
        let response = agent.get(at.uri.clone()).call().map_err(request_error)?;
        let location = response.headers().get(header::LOCATION);
        let Some(location) = location.filter(|_| response.status().is_redirection()) else {
            return Ok(response);
        };
        let location = String::from_utf8_lossy(location.as_bytes()).into_owned();
        at = at.redirected(&location)?;
    }
    Err(FetchError::TooManyRedirects)
}

fn agent() -> Agent {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let config = Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .max_redirects(0)
        .max_response_header_size(HEAD_BYTES_MAX)
        // Digests are of the file, not of a compressed form.
        .accept_encoding("identity")
        .timeout_resolve(Some(CONNECT_TIME_MAX))
        .timeout_connect(Some(CONNECT_TIME_MAX))
        .timeout_recv_response(Some(CONNECT_TIME_MAX))
        .timeout_global(Some(DOWNLOAD_TIME_MAX))
        .max_idle_connections(0);
    config.build().into()
}

/// Reads a body into the sink, and no byte past the limit.
fn receive(body: Body, bytes_max: u64, sink: &mut impl Write) -> Result<(), FetchError> {
    let length = body.content_length();
    if length.is_some_and(|length| length > bytes_max) {
        return Err(FetchError::TooLong { limit: bytes_max });
    }
    let (mut reader, mut buffer) = (body.into_reader(), vec![0; READ_BYTES]);
    let mut received = 0;
    loop {
        let bytes = match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(bytes) => &buffer[..bytes],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(body_error(&error, received, length)),
        };
        received += bytes.len() as u64;
        if received > bytes_max {
            return Err(FetchError::TooLong { limit: bytes_max });
        }
        sink.write_all(bytes).map_err(FetchError::Unkept)?;
    }
    match length {
        Some(length) if received < length => {
            Err(FetchError::CutOff { received, length: Some(length) })
        }
        _ => Ok(()),
    }
}

fn body_error(error: &io::Error, received: u64, length: Option<u64>) -> FetchError {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    match (inner, error.kind()) {
        (Some(Error::Timeout(_)), _) | (_, io::ErrorKind::TimedOut) => FetchError::TimedOut,
        _ => FetchError::CutOff { received, length },
    }
}

fn request_error(error: Error) -> FetchError {
    match error {
        Error::Timeout(_) => FetchError::TimedOut,
        error => FetchError::Unreachable { why: error.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::{PackageUrl, UrlError};

    fn parse(text: &str) -> Result<String, UrlError> {
        PackageUrl::parse(text).map(|url| url.as_str().to_owned())
    }

    #[test]
    fn an_address_is_secure_or_on_this_machine() {
        for text in [
            "https://a.example/x.skill.tar.gz",
            "https://a.example:8443/x?y=z",
            "http://127.0.0.1:80/x",
            "http://localhost/x",
            "http://[::1]:80/x",
        ] {
            assert_eq!(parse(text), Ok(text.to_owned()));
        }
        for text in [
            "http://a.example/x",
            "http://192.168.1.1/x",
            "http://localhost.a.example/x",
            "http://127.0.0.1.a.example/x",
            "http://0.0.0.0/x",
        ] {
            assert_eq!(parse(text), Err(UrlError::NotSecure { text: text.to_owned() }));
        }
        for text in ["", "x.skill.tar.gz", "/x", "ftp://a.example/x", "file:///etc/passwd"] {
            assert!(matches!(parse(text), Err(UrlError::NotAnAddress { .. })), "{text}");
        }
    }

    /// A password in an address would end in messages and in the record of the package.
    #[test]
    fn an_address_with_a_user_name_is_refused_without_its_password() {
        let error = parse("https://zoe:tide@a.example/x").unwrap_err().to_string();
        assert_eq!(error, "`a.example` has a user name, and packages are fetched without one");
    }

    #[test]
    fn a_signature_and_the_files_of_an_index_lie_beside_it() {
        let url = PackageUrl::parse("https://a.example/packages/index.json?token=1").unwrap();
        assert_eq!(
            url.beside("dice/dice-1.0.0.skill.tar.gz").unwrap().as_str(),
            "https://a.example/packages/dice/dice-1.0.0.skill.tar.gz"
        );
        assert_eq!(
            url.with_suffix(".minisig").unwrap().as_str(),
            "https://a.example/packages/index.json.minisig?token=1"
        );
    }

    #[test]
    fn a_redirect_stays_secure_and_does_not_come_to_this_machine() {
        let redirected = |from: &str, location: &str| {
            let to = PackageUrl::parse(from).unwrap().redirected(location);
            to.map(|to| to.as_str().to_owned()).map_err(|error| error.to_string())
        };
        let (far, here) = ("https://a.example/p/x", "http://127.0.0.1:80/p/x");
        for (from, location, to) in [
            (far, "https://b.example/y", "https://b.example/y"),
            (far, "//b.example/y", "https://b.example/y"),
            (far, "/y", "https://a.example/y"),
            (far, "y", "https://a.example/p/y"),
            (here, "/y", "http://127.0.0.1:80/y"),
            (here, "https://b.example/y", "https://b.example/y"),
        ] {
            assert_eq!(redirected(from, location), Ok(to.to_owned()), "{location}");
        }
        for location in ["http://a.example/y", "http://127.0.0.1/y", "https://[::1]/y", "ftp://a/y"]
        {
            assert!(redirected(far, location).is_err(), "{location}");
        }
        assert!(redirected(here, "http://b.example/y").is_err());
    }
}
