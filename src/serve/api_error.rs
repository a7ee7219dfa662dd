//! Why a request was not answered, as every route says it.

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

use crate::{HostError, HostErrorKind};

/// The kind of the error for a program without the token.
const NO_TOKEN: &str = "no-token";

/// The JSON of an error, with its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiError {
    status: StatusCode,
    kind: &'static str,
    message: String,
    hints: Vec<String>,
    notes: Vec<String>,
}

impl ApiError {
    fn of(status: StatusCode, kind: &'static str, message: impl Into<String>) -> ApiError {
        ApiError { status, kind, message: message.into(), hints: Vec::new(), notes: Vec::new() }
    }

    pub(crate) fn bad_input(message: impl Into<String>) -> ApiError {
        ApiError::of(StatusCode::BAD_REQUEST, "bad-input", message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> ApiError {
        ApiError::of(StatusCode::NOT_FOUND, "not-found", message)
    }

    pub(crate) fn no_session(message: impl Into<String>) -> ApiError {
        ApiError::of(StatusCode::UNAUTHORIZED, "no-session", message)
            .hint("open the address that `narratoria serve` has printed")
    }

    /// A program of others that has not the token.
    pub(crate) fn no_token(message: impl Into<String>) -> ApiError {
        ApiError::of(StatusCode::UNAUTHORIZED, NO_TOKEN, message)
            .hint("`narratoria serve --mcp` says which file has the token")
    }

    pub(crate) fn wrong_host(message: impl Into<String>) -> ApiError {
        ApiError::of(StatusCode::FORBIDDEN, "wrong-host", message)
    }

    pub(crate) fn wrong_origin(message: impl Into<String>) -> ApiError {
        ApiError::of(StatusCode::FORBIDDEN, "wrong-origin", message)
    }

    pub(crate) fn no_proxy(message: impl Into<String>) -> ApiError {
        ApiError::of(StatusCode::FORBIDDEN, "no-proxy", message)
    }

    pub(crate) fn read_only() -> ApiError {
        let message = "the link shows one story, and changes nothing";
        ApiError::of(StatusCode::FORBIDDEN, "read-only", message)
    }

    pub(crate) fn wrong_method() -> ApiError {
        ApiError::of(StatusCode::METHOD_NOT_ALLOWED, "wrong-method", "this path has no such method")
    }

    pub(crate) fn conflict(message: impl Into<String>) -> ApiError {
        ApiError::of(StatusCode::CONFLICT, "conflict", message)
    }

    pub(crate) fn busy() -> ApiError {
        ApiError::of(StatusCode::CONFLICT, "busy", "a turn of this story is running")
            .hint("wait for the event `ready`, or stop the turn")
    }

    pub(crate) fn moved(after: u64, turns: u64) -> ApiError {
        let message = format!("the line follows turn {after}, and the story has {turns} turns");
        ApiError::of(StatusCode::CONFLICT, "moved", message).hint("read the story again")
    }

    pub(crate) fn too_large(what: &str, limit: usize) -> ApiError {
        let message = format!("{what} has more than {limit} bytes");
        ApiError::of(StatusCode::PAYLOAD_TOO_LARGE, "too-large", message)
    }

    pub(crate) fn too_slow() -> ApiError {
        ApiError::of(StatusCode::REQUEST_TIMEOUT, "too-slow", "the body did not arrive in time")
    }

    pub(crate) fn wrong_type(wanted: &str) -> ApiError {
        let message = format!("the body must have the type `{wanted}`");
        ApiError::of(StatusCode::UNSUPPORTED_MEDIA_TYPE, "wrong-type", message)
    }

    pub(crate) fn too_many(message: impl Into<String>) -> ApiError {
        ApiError::of(StatusCode::TOO_MANY_REQUESTS, "too-many", message)
    }

    pub(crate) fn ending() -> ApiError {
        ApiError::of(StatusCode::SERVICE_UNAVAILABLE, "ending", "the server is ending")
    }

    pub(crate) fn failed(message: impl Into<String>) -> ApiError {
        ApiError::of(StatusCode::INTERNAL_SERVER_ERROR, "failed", message)
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> ApiError {
        self.hints.push(hint.into());
        self
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

impl From<HostError> for ApiError {
    fn from(HostError { kind, message, hints, notes }: HostError) -> ApiError {
        let error = match kind {
            HostErrorKind::NotFound => ApiError::not_found(message),
            HostErrorKind::BadInput => ApiError::bad_input(message),
            HostErrorKind::Conflict => ApiError::conflict(message),
            HostErrorKind::TooMany => ApiError::too_many(message),
            HostErrorKind::Unavailable => {
                ApiError::of(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
            }
            HostErrorKind::Failed => ApiError::failed(message),
        };
        ApiError { hints, notes, ..error }
    }
}

impl From<ApiError> for HostError {
    fn from(ApiError { status, message, hints, notes, .. }: ApiError) -> HostError {
        let kind = match status {
            StatusCode::NOT_FOUND => HostErrorKind::NotFound,
            StatusCode::BAD_REQUEST => HostErrorKind::BadInput,
            StatusCode::CONFLICT
            | StatusCode::TOO_MANY_REQUESTS
            | StatusCode::SERVICE_UNAVAILABLE => HostErrorKind::Conflict,
            _ => HostErrorKind::Failed,
        };
        HostError { kind, message, hints, notes }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let ApiError { status, kind, message, hints, notes } = self;
        let mut error = json!({ "error": { "kind": kind, "message": message, "hints": hints } });
        if !notes.is_empty() {
            error["error"]["notes"] = notes.into();
        }
        let mut response = Response::new(Body::from(error.to_string()));
        *response.status_mut() = status;
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        if kind == NO_TOKEN {
            let scheme = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}
