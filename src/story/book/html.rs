//! One page of HTML that loads nothing: pictures and sounds are in it, there is no script, and its policy forbids
//! everything that is not in it.

use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::{
    source::{BookAsset, BookOutput, BookSource, put},
    text,
};
use crate::ExportError;
use narratoria_protocol::digest::sha256;

/// The look of the page, light and dark.
const STYLE: &str = include_str!("page.css");

/// Files that a browser shows or plays, by element. A drawing (SVG) that is shown as a picture runs and loads nothing.
const SHOWN: &[(&str, &[&str])] = &[
    (
        "img",
        &[
            "image/png",
            "image/jpeg",
            "image/gif",
            "image/webp",
            "image/bmp",
            "image/avif",
            "image/svg+xml",
        ],
    ),
    ("audio", &["audio/ogg", "audio/mpeg", "audio/wav", "audio/flac", "audio/mp4", "audio/webm"]),
    ("video", &["video/webm", "video/mp4", "video/ogg"]),
];

pub(super) fn write(
    source: &mut BookSource<'_>,
    out: &mut dyn BookOutput,
) -> Result<(), ExportError> {
    let title = text::escape(&text::one_line(source.title()));
    let policy = format!(
        "default-src 'none'; img-src data:; media-src data:; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        style_digest()
    );
    put(
        out,
        &format!(
            "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        ),
    )?;
    for at in 0..source.turns.len() {
        let turn = source.turn(at)?;
        put(out, &format!("<section id=\"turn-{}\">\n", at + 1))?;
        if let Some(prompt) = &turn.prompt {
            put(out, &text::quotation(prompt))?;
        }
        put(out, &text::scene_title(turn.title.as_deref()))?;
        for element in text::elements(&turn.narration) {
            put(out, &element)?;
        }
        for asset in &turn.assets {
            put(out, &figure(source, asset))?;
        }
        put(out, "</section>\n")?;
    }
    put(out, "</main>\n</body>\n</html>\n")
}

fn figure(source: &mut BookSource<'_>, asset: &BookAsset) -> String {
    let label = text::escape(&text::one_line(&asset.label));
    let shown = SHOWN.iter().find_map(|(element, media_types)| {
        let media_type = media_types.iter().find(|media_type| **media_type == asset.media_type)?;
        Some((*element, *media_type))
    });
    let Some((element, media_type)) = shown else {
        return format!("<p class=\"file\" dir=\"auto\">{label}</p>\n");
    };
    let Some((_, bytes)) = source.file(asset) else {
        return format!("<p class=\"file\" dir=\"auto\">{label}</p>\n");
    };
    let address = format!("data:{media_type};base64,{}", BASE64_STANDARD.encode(bytes));
    let shown = match element {
        "img" => format!("<img src=\"{address}\" alt=\"{label}\">"),
        element => format!("<{element} controls src=\"{address}\"></{element}>"),
    };
    format!("<figure>{shown}<figcaption dir=\"auto\">{label}</figcaption></figure>\n")
}

/// Returns the digest by which the policy allows the page's one style.
fn style_digest() -> String {
    let hex = sha256(STYLE.as_bytes());
    let byte = |at: usize| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).unwrap_or_default();
    BASE64_STANDARD.encode((0..hex.len() / 2).map(byte).collect::<Vec<u8>>())
}
