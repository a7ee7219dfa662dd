//! The page, which is in the program.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, header},
    response::Response,
};

/// A file of the page under the name by which it is served.
struct PageFile {
    name: &'static str,
    media_type: &'static str,
    bytes: &'static [u8],
    gzip: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// The page itself. Its files have the hash in their names, it has not.
pub(crate) const INDEX: &str = "index.html";

/// Returns a file of this very page; a browser that has another one in its memory is to notice it.
pub(crate) fn file(name: &str, headers: &HeaderMap) -> Option<Response> {
    let file = PAGE_FILES.iter().find(|file| file.name == name)?;
    let takes_gzip = headers
        .get_all(header::ACCEPT_ENCODING)
        .into_iter()
        .filter_map(|text| text.to_str().ok())
        .flat_map(|text| text.split(','))
        .any(|coding| coding.trim() == "gzip" || coding.trim().starts_with("gzip;q=1"));
    let is_smaller = file.gzip.len() < file.bytes.len();
    let (bytes, coding) =
        if takes_gzip && is_smaller { (file.gzip, Some("gzip")) } else { (file.bytes, None) };
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.media_type));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Some(coding) = coding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    if name != INDEX {
        let for_ever = HeaderValue::from_static("public, max-age=31536000, immutable");
        headers.insert(header::CACHE_CONTROL, for_ever);
    }
    Some(response)
}
