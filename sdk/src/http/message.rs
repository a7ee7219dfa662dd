//! A request and its response.

use serde::de::DeserializeOwned;

use crate::SkillError;

/// A request: [`Http::send`](crate::Http::send) makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "`Http::send` makes it"]
#[non_exhaustive]
pub struct HttpRequest {
    /// Such as `GET`.
    pub method: String,
    /// `https://…`, or `http://…` for the player's own machine and network.
    pub url: String,
    /// Fields of the head, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The content; empty for a request without one.
    pub body: Vec<u8>,
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpResponse {
    /// Such as 200.
    pub status: u16,
    /// Fields of the head, names in lower case. Bytes that are not UTF-8 are replaced.
    pub headers: Vec<(String, String)>,
    /// The content.
    pub body: Vec<u8>,
}

impl HttpRequest {
    /// A request with this method, without fields and content.
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> HttpRequest {
        let (method, url) = (method.into(), url.into());
        HttpRequest { method, url, headers: Vec::new(), body: Vec::new() }
    }

    /// Adds a field to the head.
    pub fn header(mut self, name: &str, value: impl Into<String>) -> HttpRequest {
        self.headers.push((name.to_ascii_lowercase(), value.into()));
        self
    }

    /// Sets the content and its media type.
    pub fn body(self, media_type: &str, body: impl Into<Vec<u8>>) -> HttpRequest {
        HttpRequest { body: body.into(), ..self.header("content-type", media_type) }
    }
}

impl HttpResponse {
    /// For tests: a response without fields.
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> HttpResponse {
        HttpResponse { status, headers: Vec::new(), body: body.into() }
    }

    /// For tests: adds a field to the head.
    pub fn with_header(mut self, name: &str, value: impl Into<String>) -> HttpResponse {
        self.headers.push((name.to_ascii_lowercase(), value.into()));
        self
    }

    /// Returns true if the status is a success, 200 to 299.
    pub fn is_ok(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The first field of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let field = |(own, _): &&(String, String)| own.eq_ignore_ascii_case(name);
        self.headers.iter().find(field).map(|(_, value)| value.as_str())
    }

    /// The content as text; an error if it is not UTF-8.
    pub fn text(&self) -> Result<&str, SkillError> {
        std::str::from_utf8(&self.body).map_err(|error| {
            SkillError::new(SkillError::HTTP_FAILED, format!("the answer is not UTF-8: {error}"))
        })
    }

    /// The content as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, SkillError> {
        serde_json::from_slice(&self.body).map_err(|error| {
            let message = format!("the answer is not the JSON that was expected: {error}");
            SkillError::new(SkillError::HTTP_FAILED, message)
        })
    }
}
