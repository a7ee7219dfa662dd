//! Files of a story, which skills and strangers have made.

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::Response,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{StoryFile, gate::FILE_POLICY};

/// Pictures of points and sounds: a browser runs nothing of them.
const SHOWN_TYPES: &[&str] = &[
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/avif",
    "image/bmp",
    "audio/mpeg",
    "audio/ogg",
    "audio/wav",
    "audio/x-wav",
    "audio/flac",
    "audio/x-flac",
    "audio/mp4",
    "audio/aac",
    "audio/webm",
];

/// What the name of a file in a header may have as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

/// A file as a download.
pub(crate) fn attachment(file: StoryFile) -> Response {
    response(file, "attachment")
}

/// A file that a page shows if nothing of it can run, otherwise a download.
pub(crate) fn shown_or_attachment(file: StoryFile) -> Response {
    let is_shown = SHOWN_TYPES.contains(&file.media_type.as_str());
    response(file, if is_shown { "inline" } else { "attachment" })
}

fn response(StoryFile { name, media_type, bytes }: StoryFile, how: &str) -> Response {
    let mut response = Response::new(Body::from(bytes));
    let name = utf8_percent_encode(&name, PLAIN);
    let disposition = HeaderValue::try_from(format!("{how}; filename*=UTF-8''{name}"));
    let media_type = HeaderValue::try_from(media_type);
    let headers = response.headers_mut();
    let unknown = HeaderValue::from_static("application/octet-stream");
    headers.insert(header::CONTENT_TYPE, media_type.unwrap_or(unknown));
    let nameless = HeaderValue::from_static("attachment");
    headers.insert(header::CONTENT_DISPOSITION, disposition.unwrap_or(nameless));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(FILE_POLICY));
    response
}
