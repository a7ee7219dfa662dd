//! One HTTP request, on a thread of its own. The only file of this module that uses `ureq`; knows nothing of hubs
//! and models.
//!
//! `ureq` blocks and its callers are futures. A thread makes the request and passes the body on in chunks through a
//! short queue. Dropping a [`Response`], or the future that waits for one, shuts the connection down, so the thread
//! ends with it. Only a name that is being resolved and a connection that is being opened cannot be interrupted;
//! both have a timeout.
//!
//! The client trusts the machine's own certificates, as every other program on it does.

use std::{
    io::{self, ErrorKind, Read},
    ops::Range,
    str::FromStr,
    thread,
    time::Duration,
};

use narratoria_skills::{WebOrigin, redirect_target};
use tokio::sync::{mpsc, oneshot};
use ureq::{
    Agent, Body, Error,
    http::{
        HeaderMap, Request, Response as HttpResponse, StatusCode, Uri, header, response::Parts,
    },
    tls::{RootCerts, TlsConfig},
};

/// Bytes of a body that are read at a time.
const READ_BYTES: usize = 64 << 10;

/// Chunks that wait for the caller. Then the thread waits too, and with it the server.
const CHUNKS_WAITING_MAX: usize = 4;

/// Redirects that one request follows. This stops a server that redirects in circles.
const REDIRECTS_MAX: u32 = 10;

/// Largest head of a response. The hub's have 3 kB; this stops a server from filling the memory.
const HEAD_BYTES_MAX: usize = 64 << 10;

/// A connection that ended before its response did.
const CUT_OFF: &str = "end of file before message length reached";

/// Why there is no response, or not all of it.
#[derive(Debug, thiserror::Error)]
pub(super) enum RequestError {
    /// This machine lacks something, such as certificates.
    #[error("{0}")]
    HubSetup(String),
    /// There is no route to the server, no such name, the connection is refused, or its certificate is not trusted.
    #[error("{0}")]
    Unreachable(String),
    /// Resolving the name or opening the connection took too long.
    #[error("the connection took too long")]
    TimedOut,
    /// The connection broke.
    #[error("{0}")]
    Broken(String),
    /// Too many redirects.
    #[error("it redirects in circles")]
    RedirectsInCircles,
    /// Asking again would get the same answer.
    #[error("{0}")]
    Unusable(String),
    /// The body is longer than its reader allows.
    #[error("it has more than {bytes_max} bytes")]
    TooLong { bytes_max: usize },
}

/// The head of a response, and its body as it comes.
pub(super) struct Response {
    status: u16,
    headers: HeaderMap,
    length: Option<u64>,
    chunks: mpsc::Receiver<io::Result<Vec<u8>>>,
    _connection: Connection,
}

/// Shuts the connection of a request down when it is dropped.
struct Connection(Agent);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.clone().shutdown();
    }
}

/// Reads the address of a server: `http` or `https`, with a host.
pub(super) fn parse_endpoint(text: &str) -> Result<&str, String> {
    let (scheme, _) = text.split_once("://").ok_or("relative URL without a base")?;
    if !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return Err("URL scheme is not allowed".to_owned());
    }
    Uri::from_str(text).map_err(|error| error.to_string())?;
    Ok(text.trim_end_matches('/'))
}

/// Sends a GET and waits for the head of the response. `connect_max` is the longest wait for a name or a connection.
///
/// A redirect to another scheme, host or port does not carry the header `Authorization`.
pub(super) async fn get(
    uri: Uri,
    headers: HeaderMap,
    range: Option<Range<u64>>,
    connect_max: Duration,
) -> Result<Response, RequestError> {
    let mut request = Request::new(());
    (*request.uri_mut(), *request.headers_mut()) = (uri, headers);
    if let Some(range) = range {
        let range = format!("bytes={}-{}", range.start, range.end.saturating_sub(1));
        let range = range.parse().expect("digits can stand in a header");
        request.headers_mut().insert(header::RANGE, range);
    }
    let agent = agent(connect_max);
    let connection = Connection(agent.clone());
    let (send_head, head) = oneshot::channel();
    let (send_chunk, chunks) = mpsc::channel(CHUNKS_WAITING_MAX);
    let thread = thread::Builder::new().name("model request".to_owned());
    thread
        .spawn(move || run(&agent, request, send_head, &send_chunk))
        .map_err(|error| RequestError::HubSetup(error.to_string()))?;
    let head = head.await.map_err(|_| RequestError::Broken("its thread ended".to_owned()))?;
    let (Parts { status, headers, .. }, length) = head?;
    Ok(Response { status: status.as_u16(), headers, length, chunks, _connection: connection })
}

fn agent(connect_max: Duration) -> Agent {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let config = Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        // Redirects are followed here, because `ureq` would carry `Authorization` to another port.
        .max_redirects(0)
        .max_response_header_size(HEAD_BYTES_MAX)
        // A range counts the bytes of the file, not of its compressed form.
        .accept_encoding("identity")
        .timeout_resolve(Some(connect_max))
        .timeout_connect(Some(connect_max))
        .max_idle_connections(0);
    config.build().into()
}

type Head = Result<(Parts, Option<u64>), RequestError>;

/// The thread of one request. Ends early when the caller drops the response.
fn run(
    agent: &Agent,
    request: Request<()>,
    send_head: oneshot::Sender<Head>,
    send_chunk: &mpsc::Sender<io::Result<Vec<u8>>>,
) {
    let (parts, body) = match follow(agent, request) {
        Ok(response) => response.into_parts(),
        Err(error) => return drop(send_head.send(Err(error))),
    };
    if send_head.send(Ok((parts, body.content_length()))).is_err() {
        return;
    }
    let mut body = body.into_reader();
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let chunk = match body.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => Ok(buffer[..count].to_vec()),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let is_last = chunk.is_err();
        if send_chunk.blocking_send(chunk).is_err() || is_last {
            return;
        }
    }
}

/// Sends the request, and the same to each address that it is redirected to.
fn follow(agent: &Agent, mut request: Request<()>) -> Result<HttpResponse<Body>, RequestError> {
    for _ in 0..=REDIRECTS_MAX {
        let response = agent.run(request.clone())?;
        let Some(to) = redirected_to(request.uri(), &response)? else { return Ok(response) };
        let origin = |uri: &Uri| WebOrigin::of(&uri.to_string());
        if origin(&to).is_none_or(|to| Some(to) != origin(request.uri())) {
            request.headers_mut().remove(header::AUTHORIZATION);
        }
        *request.uri_mut() = to;
    }
    Err(RequestError::RedirectsInCircles)
}

/// The address that a response redirects to, if it does.
fn redirected_to(from: &Uri, response: &HttpResponse<Body>) -> Result<Option<Uri>, RequestError> {
    let redirects = [
        StatusCode::MOVED_PERMANENTLY,
        StatusCode::FOUND,
        StatusCode::SEE_OTHER,
        StatusCode::TEMPORARY_REDIRECT,
        StatusCode::PERMANENT_REDIRECT,
    ];
    let Some(location) = response.headers().get(header::LOCATION) else { return Ok(None) };
    if !redirects.contains(&response.status()) {
        return Ok(None);
    }
    let unusable = || RequestError::Unusable("it redirects to what is no address".to_owned());
    let location = location.to_str().map_err(|_| unusable())?;
    let address = redirect_target(&from.to_string(), location).ok_or_else(unusable)?;
    parse_endpoint(&address).map_err(|_| unusable())?;
    Uri::from_str(&address).map(Some).map_err(|_| unusable())
}

impl Response {
    pub(super) fn status(&self) -> u16 {
        self.status
    }

    /// The length of the body, if the server gives it.
    pub(super) fn length(&self) -> Option<u64> {
        self.length
    }

    /// A header, if it is there and is text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The next bytes of the body; none at its end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, RequestError> {
        let chunk = self.chunks.recv().await.transpose();
        chunk.map_err(|error| RequestError::Broken(text(&error)))
    }

    /// The whole body, if it has no more bytes than this.
    pub(super) async fn read(mut self, bytes_max: usize) -> Result<Vec<u8>, RequestError> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.next().await? {
            if chunk.len() > bytes_max - bytes.len() {
                return Err(RequestError::TooLong { bytes_max });
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }
}

impl From<Error> for RequestError {
    fn from(error: Error) -> RequestError {
        match error {
            Error::Io(error) if is_break(error.kind()) => RequestError::Broken(text(&error)),
            // TLS also reports an untrusted certificate in this way.
            Error::Io(error) => RequestError::Unreachable(text(&error)),
            Error::Timeout(_) => RequestError::TimedOut,
            Error::HostNotFound
            | Error::ConnectionFailed
            | Error::ConnectProxyFailed(_)
            | Error::Tls(_)
            | Error::TlsRequired => RequestError::Unreachable(error.to_string()),
            Error::Rustls(error) => RequestError::HubSetup(error.to_string()),
            Error::InvalidProxyUrl => RequestError::HubSetup(error.to_string()),
            Error::Http(_) | Error::BadUri(_) | Error::LargeResponseHeader(..) => {
                RequestError::Unusable(error.to_string())
            }
            error => RequestError::Broken(error.to_string()),
        }
    }
}

/// Returns true if the connection existed before it failed.
fn is_break(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::NotConnected
            | ErrorKind::TimedOut
    )
}

fn text(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof => CUT_OFF.to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_endpoint;

    #[test]
    fn an_endpoint_is_the_address_of_a_server() {
        for (text, expect) in [
            ("https://huggingface.co", Ok("https://huggingface.co")),
            ("HTTP://127.0.0.1:8080/mirror/", Ok("HTTP://127.0.0.1:8080/mirror")),
            ("", Err("relative URL without a base")),
            ("huggingface.co", Err("relative URL without a base")),
            ("ftp://huggingface.co", Err("URL scheme is not allowed")),
            ("https://", Err("empty string")),
            ("https://a b", Err("invalid uri character")),
        ] {
            assert_eq!(parse_endpoint(text), expect.map_err(str::to_owned), "{text}");
        }
    }
}
