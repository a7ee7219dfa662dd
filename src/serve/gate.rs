//! What every request has to pass before it is routed, and what every response gets.

use axum::{
    http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header},
    response::Response,
};

use crate::{
    api_error::ApiError,
    names::{AskedName, ServedNames},
    program_access::PROGRAMS_PATH,
};

/// The page loads its own files and asks its own server, and nothing else.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; \
     media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A file that a skill made is shown by itself, as if from another place, and runs nothing.
pub(crate) const FILE_POLICY: &str = "sandbox; default-src 'none'";

const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, PAGE_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
];

/// Refuses a request of another page, or by another name than those of the server. Returns the name.
pub(crate) fn check<B>(request: &Request<B>, names: &ServedNames) -> Result<AskedName, ApiError> {
    let name = checked_name(request, names)?;
    let headers = request.headers();
    let path = request.uri().path();
    let is_navigation =
        request.method() == Method::GET && !path.starts_with("/api/") && path != PROGRAMS_PATH;
    if !is_navigation {
        check_origin(headers, &name)?;
    }
    Ok(name)
}

/// A name that resolves to this machine may be a stranger's: a page of theirs could then ask as if it were ours.
fn checked_name<B>(request: &Request<B>, names: &ServedNames) -> Result<AskedName, ApiError> {
    let mut hosts = request.headers().get_all(header::HOST).into_iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().unwrap_or_default(),
        _ => "",
    };
    let in_line = request.uri().authority().map(|authority| authority.as_str());
    if let Some(name) = names.find(host)
        && in_line.is_none_or(|named| names.find(named).is_some())
    {
        return Ok(name);
    }
    let error = ApiError::wrong_host(format!("this server answers only to {}", names.shown()));
    Err(error.hint("`narratoria serve --host NAME` lets it answer to another name"))
}

/// What a browser says about the page that asks; other programs say nothing. A page on another port of this machine counts
/// as another one, although the browser sends our cookie with its requests.
fn check_origin(headers: &HeaderMap, name: &AskedName) -> Result<(), ApiError> {
    let refused = || Err(ApiError::wrong_origin("the request comes from another page"));
    for site in headers.get_all("sec-fetch-site") {
        if site != "same-origin" && site != "none" {
            return refused();
        }
    }
    for origin in headers.get_all(header::ORIGIN) {
        if !origin.to_str().is_ok_and(|origin| origin.eq_ignore_ascii_case(&name.origin)) {
            return refused();
        }
    }
    Ok(())
}

/// Adds the headers of safety that the response does not have yet.
pub(crate) fn add_headers(response: &mut Response) {
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
}
