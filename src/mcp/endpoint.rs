//! The server over streamable HTTP, at a path of the page's server: that one lets in whom it may, this one answers them. Its
//! stories are those of the page.

use std::sync::Arc;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Method, Request, StatusCode, header},
    response::Response,
};
use bytes::Bytes;
use futures_util::StreamExt as _;
use narratoria_serve::{ProgramEndpoint, ProgramResponse, StoriesInPlay};
use rmcp::{
    ErrorData,
    model::RequestId,
    transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::{
    ToolHost,
    http_sessions::{HttpSession, HttpSessions},
    limits::{MCP_LINE_BYTES_MAX, MCP_REQUESTS_MAX},
    messages::{Incoming, Outgoing, RefusedMessage, TOO_MANY, parse_message},
    server::{ClientParts, McpServer},
};

/// Names the session of a request, in the revisions that have sessions.
const SESSION_HEADER: &str = "mcp-session-id";

const EVENT_STREAM: &str = "text/event-stream";

/// Answers the clients of a page's server.
pub struct McpEndpoint(Arc<EndpointParts>);

struct EndpointParts {
    service: StreamableHttpService<McpServer, HttpSessions>,
    sessions: Arc<HttpSessions>,
    /// What all clients share.
    client: Arc<ClientParts>,
    requests: Arc<Semaphore>,
    ended: CancellationToken,
}

impl McpEndpoint {
    /// `version` is that of the program.
    pub fn new(
        version: &str,
        stories: Arc<StoriesInPlay>,
        tools: Arc<dyn ToolHost>,
    ) -> McpEndpoint {
        let (sessions, ended) = (Arc::new(HttpSessions::new()), CancellationToken::new());
        let client = Arc::new(ClientParts::new(version, stories, tools));
        let server = client.clone();
        // Names and origins are those of the page's server, which has checked them.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(MCP_LINE_BYTES_MAX)
            .with_cancellation_token(ended.clone());
        let service = StreamableHttpService::new(
            move || Ok(McpServer(server.clone())),
            sessions.clone(),
            config,
        );
        let requests = Arc::new(Semaphore::new(MCP_REQUESTS_MAX));
        McpEndpoint(Arc::new(EndpointParts { service, sessions, client, requests, ended }))
    }
}

impl ProgramEndpoint for McpEndpoint {
    fn body_bytes_max(&self) -> usize {
        MCP_LINE_BYTES_MAX
    }

    fn answer(&self, request: Request<Bytes>) -> ProgramResponse {
        let parts = self.0.clone();
        Box::pin(async move { parts.answer(request).await })
    }

    fn end(&self) {
        self.0.ended.cancel();
        self.0.client.end_tasks();
    }
}

impl EndpointParts {
    async fn answer(&self, mut request: Request<Bytes>) -> Response {
        let Ok(permit) = self.requests.clone().try_acquire_owned() else {
            let what = format!("{MCP_REQUESTS_MAX} requests have no whole answer yet");
            let error = ErrorData::new(TOO_MANY, what, None);
            return refusal(RefusedMessage { id: None, error });
        };
        let session = self.session(request.headers());
        let is_ending = request.method() == Method::DELETE;
        let mut call = None;
        if request.method() == Method::POST {
            match admit(request.body(), session.as_deref()) {
                Ok(id) => call = id,
                Err(refused) => return refusal(*refused),
            }
        }
        if let Some(session) = &session {
            request.extensions_mut().insert(session.end());
        }
        let response = self.service.handle(request.map(Body::from)).await.map(Body::new);
        let is_stream = response
            .headers()
            .get(header::CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(EVENT_STREAM.as_bytes()));
        // What is refused has not become a call of the session; a stream has, and ends with its answer.
        if let (Some(session), Some(id), false) = (&session, &call, is_stream) {
            session.calls.end(id);
        }
        let mut response = if is_stream { holding(response, permit) } else { response };
        // rmcp says that a session will end, and the SDK for Python takes that for a refusal.
        if is_ending && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        let no_store = HeaderValue::from_static("no-store");
        response.headers_mut().insert(header::CACHE_CONTROL, no_store);
        response
    }

    fn session(&self, headers: &HeaderMap) -> Option<Arc<HttpSession>> {
        self.sessions.used(headers.get(SESSION_HEADER)?.to_str().ok()?)
    }
}

/// Reads the message of a request, more strictly than rmcp does, and counts it if it is a call of a session. Returns the id of
/// the call.
fn admit(
    body: &[u8],
    session: Option<&HttpSession>,
) -> Result<Option<RequestId>, Box<RefusedMessage>> {
    let message = parse_message(body)?;
    let message = match session {
        Some(session) => session.calls.admit(message)?,
        None => message,
    };
    match message {
        Some(Incoming::Request(request)) => Ok(Some(request.id)),
        Some(_) => Ok(None),
        None => {
            let error = ErrorData::invalid_request("this is no message of the protocol", None);
            Err(Box::new(RefusedMessage { id: None, error }))
        }
    }
}

fn refusal(RefusedMessage { id, error }: RefusedMessage) -> Response {
    let status = match error.code {
        TOO_MANY => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::BAD_REQUEST,
    };
    let text = serde_json::to_vec(&Outgoing::error(error, id)).unwrap_or_default();
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// A stream that counts as a request until its client has all of it, or is gone.
fn holding(response: Response, permit: OwnedSemaphorePermit) -> Response {
    let (parts, body) = response.into_parts();
    let stream = body.into_data_stream().map(move |part| {
        let _held = &permit;
        part
    });
    Response::from_parts(parts, Body::from_stream(stream))
}
