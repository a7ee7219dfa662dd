//! What every request has to pass before it is routed, and what every response gets.

use axum::{
    http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header},
    response::Response,
};

use crate::api_error::ApiError;

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

/// Refuses a request of another page, or by another name of this machine.
pub(crate) fn check<B>(request: &Request<B>, port: u16) -> Result<(), ApiError> {
    let host = checked_host(request, port)?;
    let headers = request.headers();
    let is_navigation =
        request.method() == Method::GET && !request.uri().path().starts_with("/api/");
    if !is_navigation {
        check_origin(headers, host)?;
    }
    Ok(())
}

/// A name that resolves to this machine may be a stranger's: a page of theirs could then ask as if it were ours.
fn checked_host<B>(request: &Request<B>, port: u16) -> Result<&str, ApiError> {
    let mut hosts = request.headers().get_all(header::HOST).into_iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().unwrap_or_default(),
        _ => "",
    };
    let in_line = request.uri().authority().map(|authority| authority.as_str());
    if is_ours(host, port) && in_line.is_none_or(|named| is_ours(named, port)) {
        return Ok(host);
    }
    let message =
        format!("this server answers only to 127.0.0.1:{port}, localhost:{port} and [::1]:{port}");
    Err(ApiError::wrong_host(message).hint(format!("open http://127.0.0.1:{port}/")))
}

fn is_ours(host: &str, port: u16) -> bool {
    let name = match host.strip_suffix(&format!(":{port}")) {
        Some(name) => name,
        // Browsers leave this one out.
        None if port == 80 => host,
        None => return false,
    };
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// What a browser says about the page that asks; other programs say nothing. A page on another port of this machine counts
/// as another one, although the browser sends our cookie with its requests.
fn check_origin(headers: &HeaderMap, host: &str) -> Result<(), ApiError> {
    let refused = || Err(ApiError::wrong_origin("the request comes from another page"));
    for site in headers.get_all("sec-fetch-site") {
        if site != "same-origin" && site != "none" {
            return refused();
        }
    }
    for origin in headers.get_all(header::ORIGIN) {
        let ours = format!("http://{host}");
        if !origin.to_str().is_ok_and(|origin| origin.eq_ignore_ascii_case(&ours)) {
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
