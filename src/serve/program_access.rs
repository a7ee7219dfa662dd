//! Programs of others at [`PROGRAMS_PATH`]: which of them may ask. What they ask and get is their endpoint's.

use std::{pin::Pin, sync::Arc};

use axum::{
    body::Body,
    http::{HeaderMap, Request, header},
    response::Response,
};
use bytes::Bytes;

use crate::{api_error::ApiError, password::is_same};

/// The path of the endpoint.
pub(crate) const PROGRAMS_PATH: &str = "/mcp";

/// What every browser says of a request to this machine, and no page can leave out. Programs say other things of this kind:
/// Node.js sends `Sec-Fetch-Mode`.
const BROWSER_HEADER: &str = "sec-fetch-site";

/// A response of the endpoint, once it has begun.
pub type ProgramResponse = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

/// Answers programs of others.
pub trait ProgramEndpoint: Send + Sync + 'static {
    /// Bytes of the longest body.
    fn body_bytes_max(&self) -> usize;

    /// Answers a request that has passed every check of its route.
    fn answer(&self, request: Request<Bytes>) -> ProgramResponse;

    /// Ends streams and work, because the server has ended.
    fn end(&self);
}

/// Lets programs of others in.
#[derive(Clone)]
pub struct ProgramAccess {
    /// What a program sends as its bearer token; as hard to guess as the one of the page.
    pub token: String,
    pub endpoint: Arc<dyn ProgramEndpoint>,
}

impl ProgramAccess {
    /// Refuses a request that no program has sent, or one without the token. Cookies count for nothing here.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        if headers.contains_key(BROWSER_HEADER) {
            return Err(ApiError::wrong_origin("no page in a browser may use this path"));
        }
        match bearer(headers) {
            Some(token) if is_same(self.token.as_bytes(), token.as_bytes()) => Ok(()),
            Some(_) => Err(ApiError::no_token("the token is not the one of this server")),
            None => Err(ApiError::no_token("the request has no `Authorization: Bearer TOKEN`")),
        }
    }
}

/// The token of a request. Returns `None` if there are several.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(header::AUTHORIZATION).into_iter();
    let (Some(only), None) = (given.next(), given.next()) else { return None };
    let (scheme, token) = only.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The error of a server that lets no programs in.
pub(crate) fn off() -> ApiError {
    ApiError::not_found("programs do not reach this server")
        .hint("`narratoria serve --mcp` lets them in")
}
