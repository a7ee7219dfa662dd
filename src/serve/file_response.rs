//! Files of a story, which skills and strangers have made.

use std::ops::Range;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
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

/// A file that a page shows if nothing of it can run, otherwise a download: the part that the request asks for, or all of
/// it. Players of sound and film ask for parts.
pub(crate) fn shown_or_attachment(headers: &HeaderMap, mut file: StoryFile) -> Response {
    let length = file.bytes.len();
    let (status, range_text) = match wanted_range(headers, length) {
        WantedRange::Whole => (StatusCode::OK, None),
        WantedRange::Part(part) => {
            let text = format!("bytes {}-{}/{length}", part.start, part.end - 1);
            file.bytes.truncate(part.end);
            file.bytes.drain(..part.start);
            (StatusCode::PARTIAL_CONTENT, Some(text))
        }
        WantedRange::Beyond => {
            file.bytes.clear();
            (StatusCode::RANGE_NOT_SATISFIABLE, Some(format!("bytes */{length}")))
        }
    };
    let is_shown = SHOWN_TYPES.contains(&file.media_type.as_str());
    let mut response = response(file, if is_shown { "inline" } else { "attachment" });
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    if let Some(text) = range_text.and_then(|text| HeaderValue::try_from(text).ok()) {
        headers.insert(header::CONTENT_RANGE, text);
    }
    response
}

enum WantedRange {
    Whole,
    Part(Range<usize>),
    Beyond,
}

/// RFC 9110 §14: what is not understood, several ranges, and a range of another version of the file get the whole file.
fn wanted_range(headers: &HeaderMap, length: usize) -> WantedRange {
    let mut ranges = headers.get_all(header::RANGE).into_iter();
    let (Some(range), None) = (ranges.next(), ranges.next()) else { return WantedRange::Whole };
    // Files have no tags, so none can be the one that is meant.
    if headers.contains_key(header::IF_RANGE) {
        return WantedRange::Whole;
    }
    let parts = range.to_str().ok().and_then(|text| text.strip_prefix("bytes=")?.split_once('-'));
    let Some((first, last)) = parts else { return WantedRange::Whole };
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    if !digits(first) || !digits(last) || (first.is_empty() && last.is_empty()) {
        return WantedRange::Whole;
    }
    // A number that is too long for the type is beyond every file.
    let number = |text: &str| text.parse().unwrap_or(usize::MAX);
    let part = match first {
        "" => length.saturating_sub(number(last))..length,
        first if last.is_empty() => number(first)..length,
        first if number(last) < number(first) => return WantedRange::Whole,
        first => number(first)..number(last).saturating_add(1).min(length),
    };
    if part.start >= length { WantedRange::Beyond } else { WantedRange::Part(part) }
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
