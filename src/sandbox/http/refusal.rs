//! Why the host refuses a request: a code of `wasi:http` for the guest, a warning in the log for the player.

use std::net::IpAddr;

use narratoria_protocol::{Event, InvocationOutput, LogLevel, Message};
use narratoria_skills::{HostNameError, HttpHost};
use wasmtime_wasi_http::Error;

use super::limits::{
    HTTP_HEADER_BYTES_MAX, HTTP_RECEIVED_BYTES_MAX, HTTP_REQUESTS_MAX, HTTP_SENT_BYTES_MAX,
    HTTP_URL_BYTES_MAX,
};
use crate::stdio::SharedStdioCollector;

/// Why a request is forbidden, or its response cut off.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum HttpRefusal {
    #[error("one invocation makes at most {HTTP_REQUESTS_MAX} requests")]
    TooMany,
    #[error("an address of a request has at most {HTTP_URL_BYTES_MAX} bytes, this one has {bytes}")]
    UrlTooLong { bytes: usize },
    #[error("a request names no user in its address, as `{authority}` does")]
    NamesUser { authority: String },
    #[error("{0}")]
    NotAHost(HostNameError),
    #[error("`{authority}` has no usable port")]
    NoPort { authority: String },
    #[error(
        "it is not granted `{host}`; `skill.json` would need \"grants\": {{\"http\": [{}]}}",
        listed(granted, host)
    )]
    NotGranted { host: HttpHost, granted: Vec<HttpHost> },
    #[error(
        "`{host}` is not asked, because the story is played offline: with `narratoria run --offline`, or with NARRATORIA_OFFLINE set"
    )]
    Offline { host: HttpHost },
    #[error("`{host}` is not granted: the player has refused this optional host")]
    Withheld { host: HttpHost },
    #[error(
        "`http://{host}` would be read and changed by whoever is on the way; without encryption only `localhost` and addresses of the player's own network are asked, others with `https`"
    )]
    Unencrypted { host: HttpHost },
    #[error(
        "`{host}` leads to {address}, which is no address of the open network; such a one has to be named itself: `skill.json` would need \"grants\": {{\"http\": [\"{named}\"]}}"
    )]
    NotPublic { host: HttpHost, address: IpAddr, named: HttpHost },
    #[error(
        "requests of one invocation have at most {HTTP_SENT_BYTES_MAX} bytes of content together"
    )]
    SentTooMuch,
    #[error(
        "answers to one invocation have at most {HTTP_RECEIVED_BYTES_MAX} bytes of content together"
    )]
    ReceivedTooMuch,
    #[error("the head of an answer has at most {HTTP_HEADER_BYTES_MAX} bytes")]
    HeadTooLong,
}

fn listed(granted: &[HttpHost], more: &HttpHost) -> String {
    let hosts = granted.iter().chain([more]).map(|host| format!("\"{host}\""));
    hosts.collect::<Vec<_>>().join(", ")
}

/// Writes refusals into the log of the invocation, where the player reads them, and counts requests that the network
/// failed.
#[derive(Clone)]
pub(super) struct HttpLog(SharedStdioCollector);

impl HttpLog {
    pub(super) fn new(collector: SharedStdioCollector) -> HttpLog {
        HttpLog(collector)
    }

    /// Counts the error if the network is its cause (S1 §3.1). A request may fail at both ends of its exchange, so the
    /// count only shows that there was a failure.
    pub(super) fn record_failure(&self, error: &Error) {
        if is_of_network(error) {
            let mut collector = self.0.lock();
            collector.network_failures = collector.network_failures.saturating_add(1);
        }
    }

    /// Records the refusal, unless the guest has written `done`, after which no event may follow.
    pub(super) fn record(&self, refusal: &HttpRefusal) {
        let mut collector = self.0.lock();
        if collector.done.is_some() {
            return;
        }
        let message = format!("a request was refused: {refusal}");
        let level = match refusal {
            // The player has asked for this refusal and needs no warning.
            HttpRefusal::Withheld { .. } => LogLevel::Debug,
            _ => LogLevel::Warn,
        };
        let event = Event::Log { level, message, fields: None };
        collector.emit(InvocationOutput::Event(Message {
            request_id: None,
            timestamp: None,
            event,
        }));
    }
}

/// Returns true for an error that may be gone at the next try: the host was not found, not reached, too slow, or cut
/// the connection. An answer that breaks the protocol, a wrong certificate and a refusal by this host do not count.
fn is_of_network(error: &Error) -> bool {
    match error {
        Error::Hyper(error) => !error.is_parse() && !error.is_user(),
        Error::Connect(_)
        | Error::Tls(_)
        | Error::TlsProtocolError
        | Error::DnsTimeout
        | Error::DnsError { .. }
        | Error::DestinationNotFound
        | Error::DestinationUnavailable
        | Error::DestinationIpUnroutable
        | Error::ConnectionRefused
        | Error::ConnectionTerminated
        | Error::ConnectionTimeout
        | Error::ConnectionReadTimeout
        | Error::ConnectionWriteTimeout
        | Error::HttpResponseIncomplete
        | Error::HttpResponseTimeout => true,
        _ => false,
    }
}

impl From<HttpRefusal> for Error {
    fn from(refusal: HttpRefusal) -> Error {
        match refusal {
            HttpRefusal::TooMany => Error::ConnectionLimitReached,
            HttpRefusal::UrlTooLong { .. } => Error::HttpRequestUriTooLong,
            HttpRefusal::NamesUser { .. }
            | HttpRefusal::NotAHost(_)
            | HttpRefusal::NoPort { .. } => Error::HttpRequestUriInvalid,
            HttpRefusal::NotGranted { .. }
            | HttpRefusal::Withheld { .. }
            | HttpRefusal::Unencrypted { .. } => Error::HttpRequestDenied,
            HttpRefusal::Offline { .. } => Error::DestinationUnavailable,
            HttpRefusal::NotPublic { .. } => Error::DestinationIpProhibited,
            HttpRefusal::SentTooMuch => Error::HttpRequestBodySize(Some(HTTP_SENT_BYTES_MAX)),
            HttpRefusal::ReceivedTooMuch => {
                Error::HttpResponseBodySize(Some(HTTP_RECEIVED_BYTES_MAX))
            }
            HttpRefusal::HeadTooLong => {
                Error::HttpResponseHeaderSectionSize(Some(HTTP_HEADER_BYTES_MAX))
            }
        }
    }
}
