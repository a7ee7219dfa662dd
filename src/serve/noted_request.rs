//! A request in the log and in the counts. With many players, each answer has the id under which the log has its request.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use axum::{
    http::{HeaderName, HeaderValue, Method, Request},
    response::Response,
};

use crate::metrics::ServeMetrics;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Longest id that is taken from a proxy.
const ID_BYTES_MAX: usize = 64;

/// A request that is being answered.
pub(crate) struct NotedRequest {
    began: Instant,
    /// `None` if requests are not logged.
    line: Option<RequestLine>,
}

struct RequestLine {
    id: String,
    method: Method,
    path: String,
}

impl NotedRequest {
    pub(crate) fn begin<B>(request: &Request<B>, is_logged: bool) -> NotedRequest {
        let line = is_logged.then(|| {
            let given = request.headers().get(REQUEST_ID).and_then(|id| id.to_str().ok());
            let is_plain = |id: &&str| {
                let fits = (1..=ID_BYTES_MAX).contains(&id.len());
                fits && id
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
            };
            let id = given.filter(is_plain).map_or_else(new_id, str::to_owned);
            let path = request.uri().path().to_owned();
            RequestLine { id, method: request.method().clone(), path }
        });
        NotedRequest { began: Instant::now(), line }
    }

    /// Writes the line of the log when the answer is there. A stream of events has only begun then.
    pub(crate) fn end(self, response: &mut Response, metrics: &ServeMetrics) {
        let (status, time) = (response.status().as_u16(), self.began.elapsed());
        metrics.count_request(status, time);
        let Some(RequestLine { id, method, path }) = self.line else { return };
        let ms = time.as_millis();
        tracing::info!(target: "narratoria::requests", id, %method, path, status, ms, "request");
        if let Ok(id) = HeaderValue::try_from(id) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
    }
}

/// An id that this process gives once.
fn new_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}
