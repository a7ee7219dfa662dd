//! Checks that a file has the media type that its script declares, and that a story keeps such files. Pure.
//!
//! A story keeps what a front end shows or plays: pictures, sounds, films, fonts, books, and text that is no
//! program. It keeps a file of an unknown type only if the file is text, which does no harm.

use infer::MatcherType;

use super::content::FileContent;

/// Types that a front end may run as a program when it shows them.
const PROGRAMS: [&str; 8] = [
    "application/ecmascript",
    "application/javascript",
    "application/x-javascript",
    "application/xhtml+xml",
    "image/svg+xml",
    "text/ecmascript",
    "text/html",
    "text/javascript",
];

/// Types of text beside `text/…`, `…+json` and `…+xml`.
const TEXTS: [&str; 6] = [
    "application/json",
    "application/toml",
    "application/x-ndjson",
    "application/x-yaml",
    "application/xml",
    "application/yaml",
];

/// Types that are kept beside text, pictures, sounds, films and fonts.
const DOCUMENTS: [&str; 3] = ["application/epub+zip", "application/pdf", "application/zip"];

/// Other names of a type, each with the name that the content gives.
const ALIASES: [(&str, &str); 28] = [
    ("application/font-otf", "application/font-sfnt"),
    ("application/font-ttf", "application/font-sfnt"),
    ("application/ogg", "audio/ogg"),
    ("application/x-zip-compressed", "application/zip"),
    ("audio/aiff", "audio/x-aiff"),
    ("audio/flac", "audio/x-flac"),
    ("audio/mp3", "audio/mpeg"),
    ("audio/mp4", "audio/m4a"),
    ("audio/opus", "audio/ogg"),
    ("audio/vnd.wave", "audio/x-wav"),
    ("audio/wav", "audio/x-wav"),
    ("audio/wave", "audio/x-wav"),
    ("audio/webm", "video/webm"),
    ("audio/x-m4a", "audio/m4a"),
    ("audio/x-midi", "audio/midi"),
    ("font/otf", "application/font-sfnt"),
    ("font/sfnt", "application/font-sfnt"),
    ("font/ttf", "application/font-sfnt"),
    ("font/woff", "application/font-woff"),
    ("font/woff2", "application/font-woff"),
    ("image/heic", "image/heif"),
    ("image/jpg", "image/jpeg"),
    ("image/x-icon", "image/vnd.microsoft.icon"),
    ("image/x-ms-bmp", "image/bmp"),
    ("video/avi", "video/x-msvideo"),
    ("video/ogg", "audio/ogg"),
    ("video/x-m4v", "video/mp4"),
    ("video/matroska", "video/x-matroska"),
];

/// Refuses content that does not fit its declared type or that a story does not keep. The error follows the name
/// of the file.
pub(super) fn check(declared: &str, content: &FileContent) -> Result<(), String> {
    let named = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let Some((family, _)) = named.split_once('/').filter(|_| is_media_type(&named)) else {
        return Err(format!("is declared as `{declared}`, which is no media type"));
    };
    if PROGRAMS.contains(&named.as_str()) {
        return Err(format!(
            "is declared as `{named}`, which is not kept: it may hold a program that runs where it is shown"
        ));
    }
    let found = content.kind.map(|kind| kind.mime_type());
    let is_other = |found: &str| format!("is declared as `{named}`, but is `{found}`");
    let suffix = |ending| named.ends_with(ending);
    if family == "text" || TEXTS.contains(&named.as_str()) || suffix("+json") || suffix("+xml") {
        return match found {
            // The first bytes of some binary kinds are so few that a text may begin with them.
            _ if !content.is_text && found.is_none() => {
                Err(format!("is declared as `{named}`, but is not text in UTF-8"))
            }
            Some(found) if !content.is_text => Err(is_other(found)),
            Some(found @ ("text/html" | "text/x-shellscript")) => Err(is_other(found)),
            _ => Ok(()),
        };
    }
    match (content.kind, found) {
        (Some(kind), Some(found)) if canonical(found) == canonical(&named) => match kind
            .matcher_type()
        {
            MatcherType::Image | MatcherType::Audio | MatcherType::Video | MatcherType::Font => {
                Ok(())
            }
            _ if DOCUMENTS.contains(&found) => Ok(()),
            _ => Err(format!(
                "is `{found}`, which is not kept: a story keeps pictures, sounds, films, fonts, text and books"
            )),
        },
        (_, Some(found)) if !content.is_text || is_known(&named) => Err(is_other(found)),
        _ if is_known(&named) => Err(format!("is declared as `{named}`, but is not one")),
        _ if content.is_text => Ok(()),
        _ => {
            Err(format!("is declared as `{named}`, a kind that is not known here, and is not text"))
        }
    }
}

fn canonical(name: &str) -> &str {
    ALIASES.into_iter().find(|(other, _)| *other == name).map_or(name, |(_, same)| same)
}

/// Returns true if the content of this type can be recognised.
fn is_known(name: &str) -> bool {
    let infer = infer::Infer::new();
    infer.is_mime_supported(name) || infer.is_mime_supported(canonical(name))
}

fn is_media_type(text: &str) -> bool {
    let is_part = |part: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte);
        (1..=127).contains(&part.len()) && part.bytes().all(plain)
    };
    text.split_once('/').is_some_and(|(family, kind)| is_part(family) && is_part(kind))
}
