//! What an operator's programs ask, at an address of its own: is the process there, does it take players, what has it counted.
//! Nothing here shows a story or a player.

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderValue, Request, StatusCode, header},
    response::Response,
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpListener, sync::Semaphore, task, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{asked::ServerParts, limits::HEAD_TIME_MAX};

/// Connections at a time. A probe takes one for a moment.
const PROBES_MAX: usize = 16;

/// Time of a connection.
const PROBE_TIME: Duration = Duration::from_secs(30);

/// What the host adds to the answers.
#[derive(Clone)]
pub struct Operations {
    pub address: SocketAddr,
    /// Says why the server takes no players now. May block shortly.
    pub is_ready: Arc<dyn Fn() -> Result<(), String> + Send + Sync>,
    /// More counts, in the form of Prometheus.
    pub counts: Arc<dyn Fn() -> String + Send + Sync>,
}

/// Answers until `ended`.
pub(crate) async fn answer_probes(
    listener: TcpListener,
    operations: Operations,
    parts: Arc<ServerParts>,
    draining: CancellationToken,
    ended: CancellationToken,
) {
    let places = Arc::new(Semaphore::new(PROBES_MAX));
    loop {
        let accepted = tokio::select! {
            () = ended.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let (Ok((stream, _)), Ok(place)) = (accepted, places.clone().try_acquire_owned()) else {
            // Too many of them, or of files: the next one may find a place.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let (operations, parts, draining) = (operations.clone(), parts.clone(), draining.clone());
        let answer = service_fn(move |request| {
            answer(request, operations.clone(), parts.clone(), draining.clone())
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIME_MAX)
            .keep_alive(false)
            .serve_connection(TokioIo::new(stream), answer);
        tokio::spawn(async move {
            // An error is that of the other side.
            let _ = timeout(PROBE_TIME, connection).await;
            drop(place);
        });
    }
}

async fn answer(
    request: Request<Incoming>,
    operations: Operations,
    parts: Arc<ServerParts>,
    draining: CancellationToken,
) -> Result<Response, Infallible> {
    let (status, text) = match request.uri().path() {
        "/healthz" => (StatusCode::OK, "ok\n".to_owned()),
        "/readyz" if draining.is_cancelled() => {
            (StatusCode::SERVICE_UNAVAILABLE, "the server is ending\n".to_owned())
        }
        "/readyz" => {
            let is_ready = operations.is_ready.clone();
            match task::spawn_blocking(move || is_ready()).await {
                Ok(Ok(())) => (StatusCode::OK, "ready\n".to_owned()),
                Ok(Err(why)) => (StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")),
                Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the check has failed\n".to_owned()),
            }
        }
        "/metrics" => {
            let mut text = parts.metrics.render(parts.hubs.plays_open());
            text.push_str(&(operations.counts)());
            (StatusCode::OK, text)
        }
        _ => (StatusCode::NOT_FOUND, "there are /healthz, /readyz and /metrics\n".to_owned()),
    };
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, plain);
    Ok(response)
}
