//! Requests to the collector, by the HTTP client of the rest of the program.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use ureq::{Agent, http::Uri};

use super::settings::{EXPORT_TIME_MAX, TelemetryError};

/// Most bytes of an answer that are read; a collector answers with a few.
const ANSWER_BYTES_MAX: u64 = 64 * 1024;

/// Sends without following redirects. Says once that the collector does not answer.
#[derive(Debug, Clone)]
pub(crate) struct CollectorClient {
    agent: Agent,
    has_failed: Arc<AtomicBool>,
}

impl CollectorClient {
    pub(crate) fn new() -> CollectorClient {
        let config = Agent::config_builder()
            .timeout_global(Some(EXPORT_TIME_MAX))
            .max_redirects(0)
            .http_status_as_error(false)
            .build();
        CollectorClient { agent: config.into(), has_failed: Arc::default() }
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let mut answer = self.agent.run(Request::from_parts(parts, &body[..]))?;
        let bytes = answer.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec()?;
        Ok(answer.map(|_| Bytes::from(bytes)))
    }
}

#[async_trait]
impl HttpClient for CollectorClient {
    /// Blocks: the exporters call it on threads of their own.
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let uri = request.uri().clone();
        let sent = self.send(request);
        let failure = match &sent {
            Ok(answer) if answer.status().is_success() => None,
            Ok(answer) => Some(format!("it answers with status {}", answer.status().as_u16())),
            Err(error) => Some(error.to_string()),
        };
        if let Some(why) = failure
            && !self.has_failed.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(
                "no traces and metrics at `{uri}`: {why}; later failures are not logged"
            );
        }
        sent
    }
}

/// The address with a `/` at its end.
pub(crate) fn base(address: &str) -> Result<String, TelemetryError> {
    let wrong = || TelemetryError::Address { address: address.to_owned() };
    let uri: Uri = address.parse().map_err(|_| wrong())?;
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    if !is_http || uri.host().is_none_or(str::is_empty) || uri.query().is_some() {
        return Err(wrong());
    }
    Ok(format!("{}/", address.trim_end_matches('/')))
}
