//! A request that has passed every check of its route.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::RawPathParams,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts},
    response::Response,
};
use bytes::Bytes;
use futures_util::StreamExt as _;
use narratoria_protocol::{JsonBounds, read_json_as};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::{sync::Semaphore, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    api_error::ApiError,
    limits::{JSON_BODY_BYTES_MAX, PATH_PART_BYTES_MAX},
    login::{Login, Visitor},
    metrics::ServeMetrics,
    names::{AskedName, ServedNames},
    players::StoryHubs,
    program_access::ProgramAccess,
    story_hub::StoryHub,
};

/// What all requests share.
pub(crate) struct ServerParts {
    pub(crate) names: ServedNames,
    pub(crate) version: String,
    pub(crate) hubs: StoryHubs,
    pub(crate) metrics: ServeMetrics,
    pub(crate) login: Login,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) reader_streams: Arc<Semaphore>,
    pub(crate) imports: Arc<Semaphore>,
    /// `None` if programs of others are not let in.
    pub(crate) programs: Option<ProgramAccess>,
    pub(crate) ping_time: Duration,
    pub(crate) body_time: Duration,
    /// The server has ended, and streams have to.
    pub(crate) ended: CancellationToken,
}

/// What a route answers.
pub(crate) type RouteResult = Result<Response, ApiError>;

pub(crate) struct Asked {
    pub(crate) server: Arc<ServerParts>,
    /// The stories of the one who asks.
    pub(crate) hub: Arc<StoryHub>,
    /// Who asks; `None` where everybody may.
    pub(crate) visitor: Option<Visitor>,
    pub(crate) method: Method,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// A browser sends the cookie over an encrypted connection alone.
    pub(crate) is_secure: bool,
    path: Vec<(String, String)>,
    query: Vec<(String, String)>,
}

impl Asked {
    pub(crate) fn new(
        server: Arc<ServerParts>,
        (visitor, hub): (Option<Visitor>, Arc<StoryHub>),
        path: Vec<(String, String)>,
        head: Parts,
        body: Bytes,
    ) -> Asked {
        let query = form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes());
        let query = query.map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        let is_secure = head.extensions.get().is_some_and(|name: &AskedName| name.is_secure);
        let Parts { method, headers, .. } = head;
        Asked { server, hub, visitor, method, headers, body, is_secure, path, query }
    }

    /// Returns true if a player asks, and no reader.
    pub(crate) fn is_of_player(&self) -> bool {
        self.visitor.as_ref().is_some_and(Visitor::is_player)
    }

    /// A part of the path by its name in the table of routes.
    pub(crate) fn path(&self, name: &str) -> &str {
        let part = self.path.iter().find(|(known, _)| known == name);
        part.map_or("", |(_, value)| value)
    }

    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        let part = self.query.iter().find(|(known, _)| known == name);
        part.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<u64>, ApiError> {
        let Some(text) = self.query(name) else { return Ok(None) };
        let number = text.parse();
        number.map(Some).map_err(|_| ApiError::bad_input(format!("`{name}` is no number")))
    }

    /// The body, which the route says is JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        read_json_as(&self.body, JsonBounds::of_bytes(JSON_BODY_BYTES_MAX)).map_err(|error| {
            ApiError::bad_input(format!("the body is not as it should be: {error}"))
        })
    }
}

/// Returns the parts of a path without their percent signs. None of them leads to another folder, and the name of a story
/// or of a document is no path at all.
pub(crate) fn plain_path(parts: &RawPathParams) -> Result<Vec<(String, String)>, ApiError> {
    let mut plain = Vec::new();
    for (name, value) in parts {
        let has_place = value.contains(['/', '\\']);
        if !is_plain_part(value) || (has_place && name != "id") {
            return Err(ApiError::not_found("there is nothing of this name"));
        }
        plain.push((name.to_owned(), value.to_owned()));
    }
    Ok(plain)
}

/// Returns true for a name, or a path below a folder: none of its parts leads elsewhere, and it is not longer than a name is.
pub fn is_plain_part(text: &str) -> bool {
    let leads_on = text.split(['/', '\\']).any(|part| ["", ".", ".."].contains(&part));
    !leads_on && !text.chars().any(char::is_control) && text.len() <= PATH_PART_BYTES_MAX
}

/// Reads a body of at most that many bytes within that time.
pub(crate) async fn read_body(
    headers: &HeaderMap,
    body: Body,
    bytes_max: usize,
    time: Duration,
) -> Result<Bytes, ApiError> {
    let told = headers.get(header::CONTENT_LENGTH).and_then(|text| text.to_str().ok());
    let told = told.and_then(|text| text.parse::<u64>().ok()).unwrap_or_default();
    // Refused before anything of it is read.
    if told > bytes_max as u64 {
        return Err(ApiError::too_large("the body", bytes_max));
    }
    timeout(time, read_parts(body, bytes_max)).await.map_err(|_| ApiError::too_slow())?
}

async fn read_parts(body: Body, bytes_max: usize) -> Result<Bytes, ApiError> {
    let mut parts = body.into_data_stream();
    let mut whole = Vec::new();
    while let Some(part) = parts.next().await {
        let part = part.map_err(|_| ApiError::bad_input("the body breaks off"))?;
        if whole.len() + part.len() > bytes_max {
            return Err(ApiError::too_large("the body", bytes_max));
        }
        whole.extend_from_slice(&part);
    }
    Ok(whole.into())
}

/// Returns true if a body has this type, whatever its parameters.
pub(crate) fn has_type(headers: &HeaderMap, wanted: &str) -> bool {
    let mut types = headers.get_all(header::CONTENT_TYPE).into_iter();
    let (Some(only), None) = (types.next(), types.next()) else { return false };
    let only = only.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    only.trim().eq_ignore_ascii_case(wanted)
}

pub(crate) fn json_response(status: StatusCode, document: &Value) -> Response {
    let mut response = Response::new(Body::from(document.to_string()));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

pub(crate) fn empty_response(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
