//! HTTP with a server, on the caller's thread. The only file of this module that uses `ureq`.
//!
//! The deadline covers the whole exchange: resolving, connecting, sending, and each read of the answer. When it passes, or
//! when the connection is closed from another thread, the socket is closed, so that the server can stop its work. No proxy
//! and no redirect is used: both could lead off this machine.

use std::{
    io::{BufRead, BufReader, Read},
    time::{Duration, Instant},
};

use narratoria_protocol::{
    JsonBounds, read_json,
    visible::{clip, visible_line},
};
use serde_json::Value;
use ureq::{
    Agent, BodyReader,
    http::{Request, header},
    tls::{RootCerts, TlsConfig},
};

use super::address::ServerAddress;

/// Longest line of a streamed answer, in bytes. llama-server repeats the prompt in its last one.
pub(super) const SERVER_LINE_BYTES_MAX: usize = 1 << 20;

/// Longest answer as it is sent, in bytes. A token takes some hundred bytes with its frame; texts have about a thousand.
pub(super) const SERVER_ANSWER_BYTES_MAX: usize = 4 << 20;

/// Largest head of an answer, in bytes.
const HEAD_BYTES_MAX: usize = 64 << 10;

/// Longest text of an error that is read, in bytes, and shown, in characters.
const ERROR_BYTES_MAX: usize = 16 << 10;
const ERROR_CHARS_MAX: usize = 200;

/// Shortest time that a request gets: ureq takes none for a time without a limit.
const TIME_MIN: Duration = Duration::from_millis(1);

/// Why an exchange failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ConnectionError {
    #[error("its time was over")]
    TimedOut,
    #[error("{why}")]
    Unreachable { why: String },
    #[error("the server closed the connection before its answer was complete")]
    Closed,
    #[error("the server's answer has more than {limit} bytes {of}")]
    TooLong { limit: usize, of: &'static str },
    /// `said` is empty if the server explains nothing.
    #[error("the server answers with status {status}{}", if said.is_empty() { String::new() } else { format!(": {said}") })]
    Status { status: u16, said: String },
    #[error("the server's answer is no JSON: {why}")]
    NotJson { why: String },
}

/// One server, for the requests of one job.
#[derive(Debug)]
pub(super) struct ServerConnection {
    agent: Agent,
    base: String,
}

/// Closes the sockets of a connection when it is dropped, from any thread. No request can be sent afterwards.
#[derive(Debug)]
pub(super) struct ConnectionCloser(Agent);

impl Drop for ConnectionCloser {
    fn drop(&mut self) {
        self.0.clone().shutdown();
    }
}

impl ServerConnection {
    pub(super) fn new(address: &ServerAddress) -> ServerConnection {
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .proxy(None)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_response_header_size(HEAD_BYTES_MAX)
            .accept_encoding("identity")
            .max_idle_connections(0);
        ServerConnection { agent: config.build().into(), base: address.base() }
    }

    pub(super) fn closer(&self) -> ConnectionCloser {
        ConnectionCloser(self.agent.clone())
    }

    /// Sends a GET and reads the whole answer.
    pub(super) fn get(&self, path: &str, deadline: Instant) -> Result<Value, ConnectionError> {
        let request = Request::get(format!("{}{path}", self.base)).body(Vec::new());
        self.send(request, deadline)?.json()
    }

    /// Sends a POST with a JSON document.
    pub(super) fn post(
        &self,
        path: &str,
        body: &Value,
        deadline: Instant,
    ) -> Result<Reply, ConnectionError> {
        let request = Request::post(format!("{}{path}", self.base))
            .header(header::CONTENT_TYPE, "application/json")
            .body(body.to_string().into_bytes());
        self.send(request, deadline)
    }

    fn send(
        &self,
        request: Result<Request<Vec<u8>>, ureq::http::Error>,
        deadline: Instant,
    ) -> Result<Reply, ConnectionError> {
        let unreachable = |why: String| ConnectionError::Unreachable { why };
        let request = request.map_err(|error| unreachable(error.to_string()))?;
        let time = deadline.saturating_duration_since(Instant::now());
        if time < TIME_MIN {
            return Err(ConnectionError::TimedOut);
        }
        let request = self.agent.configure_request(request).timeout_global(Some(time)).build();
        let response = self.agent.run(request).map_err(|error| match error {
            ureq::Error::Timeout(_) => ConnectionError::TimedOut,
            ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                ConnectionError::Closed
            }
            error => unreachable(error.to_string()),
        })?;
        let status = response.status();
        let reader = BufReader::new(response.into_body().into_reader());
        let mut reply = Reply { reader, bytes_left: SERVER_ANSWER_BYTES_MAX, deadline };
        if status.is_success() {
            return Ok(reply);
        }
        let said = reply.error_text();
        Err(ConnectionError::Status { status: status.as_u16(), said })
    }
}

/// An answer that is being read. Dropping it closes the socket.
pub(super) struct Reply {
    reader: BufReader<BodyReader<'static>>,
    bytes_left: usize,
    deadline: Instant,
}

impl Reply {
    /// The next line, with its end; `None` after the last one.
    pub(super) fn line(&mut self) -> Result<Option<Vec<u8>>, ConnectionError> {
        let is_whole = self.bytes_left < SERVER_LINE_BYTES_MAX;
        let limit = self.bytes_left.min(SERVER_LINE_BYTES_MAX);
        let mut line = Vec::new();
        let mut limited = (&mut self.reader).take(limit as u64 + 1);
        if let Err(error) = limited.read_until(b'\n', &mut line) {
            return Err(self.broken(&error));
        }
        if line.len() > limit {
            return Err(match is_whole {
                true => ConnectionError::TooLong { limit: SERVER_ANSWER_BYTES_MAX, of: "in all" },
                false => ConnectionError::TooLong { limit, of: "in a line" },
            });
        }
        self.bytes_left -= line.len();
        Ok((!line.is_empty()).then_some(line))
    }

    /// The whole answer as one document.
    pub(super) fn json(mut self) -> Result<Value, ConnectionError> {
        let bytes = self.all(SERVER_ANSWER_BYTES_MAX)?;
        if bytes.len() > SERVER_ANSWER_BYTES_MAX {
            return Err(ConnectionError::TooLong { limit: SERVER_ANSWER_BYTES_MAX, of: "in all" });
        }
        parse_json(&bytes)
    }

    /// Reads at most one byte more than the limit.
    fn all(&mut self, limit: usize) -> Result<Vec<u8>, ConnectionError> {
        let mut bytes = Vec::new();
        match (&mut self.reader).take(limit as u64 + 1).read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(error) => Err(self.broken(&error)),
        }
    }

    /// The explanation of a status: `error`, `error.message`, or the text itself. Empty if there is none.
    fn error_text(&mut self) -> String {
        let mut bytes = self.all(ERROR_BYTES_MAX).unwrap_or_default();
        bytes.truncate(ERROR_BYTES_MAX);
        let said = parse_json(&bytes).ok().and_then(|document| error_of(&document));
        shown(&said.unwrap_or_else(|| String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn broken(&self, error: &std::io::Error) -> ConnectionError {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
        let is_late = matches!(inner, Some(ureq::Error::Timeout(_)));
        if is_late || Instant::now() >= self.deadline {
            ConnectionError::TimedOut
        } else {
            ConnectionError::Closed
        }
    }
}

/// Reads a document of a server.
pub(super) fn parse_json(bytes: &[u8]) -> Result<Value, ConnectionError> {
    read_json(bytes, JsonBounds::of_bytes(SERVER_ANSWER_BYTES_MAX))
        .map_err(|error| ConnectionError::NotJson { why: error.to_string() })
}

/// The message of a document that reports an error.
pub(super) fn error_of(document: &Value) -> Option<String> {
    let error = document.get("error").filter(|error| !error.is_null())?;
    let text = error.as_str().or_else(|| error.get("message")?.as_str());
    Some(shown(&text.map_or_else(|| error.to_string(), str::to_owned)))
}

/// A server's words on one line, cut and without control characters.
pub(super) fn shown(text: &str) -> String {
    visible_line(&clip(text.trim(), ERROR_CHARS_MAX))
}
