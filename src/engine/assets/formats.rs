//! The formats that a story keeps: for each its media types, the endings of its files, and the rules for its content.
//! Everything else is refused. Pure.
//!
//! A story keeps files that a front end shows or plays: pictures, sounds, films, fonts, books, and text. It keeps no
//! format that a computer runs when a person opens the file, under whatever name: the ending decides which program
//! opens a file, the media type what a front end does with it, and the content what it is. All three must agree. SVG
//! can hold scripts that a browser runs, so only drawings of plain shapes are kept.

use super::{
    content::{ContentCheck, FileContent},
    structure::{BoxKind, RiffForm, Structure},
};

/// One row of the table.
pub(super) struct AssetFormat {
    /// The media types. Messages call the format by the first.
    media_types: &'static [&'static str],
    /// Endings of file names, in lower case.
    endings: &'static [&'static str],
    content: FormatContent,
}

/// Content of a file of a format.
enum FormatContent {
    /// Text in UTF-8 that is neither a program nor markup.
    Text,
    /// One JSON value, or with `lines` one in each line.
    Json { lines: bool },
    /// A drawing in SVG that runs nothing and refers to nothing.
    Drawing,
    /// A complete file that `infer` recognises by its first bytes as one of these.
    Binary(&'static [&'static str], Structure),
}

use FormatContent::{Binary, Drawing, Json, Text};

macro_rules! formats {
    ($($($media_type:literal)+ : $($ending:literal)+ => $content:expr;)+) => {
        &[$(AssetFormat { media_types: &[$($media_type),+], endings: &[$($ending),+], content: $content }),+]
    };
}

static FORMATS: &[AssetFormat] = formats! {
    "text/plain": "txt" "text" "log" => Text;
    "text/markdown" "text/x-markdown": "md" "markdown" => Text;
    "text/csv": "csv" => Text;
    "text/tab-separated-values": "tsv" => Text;
    "text/vtt": "vtt" => Text;
    "application/x-subrip" "text/srt": "srt" => Text;
    "text/vnd.abc": "abc" => Text;
    "application/toml": "toml" => Text;
    "application/yaml" "application/x-yaml" "text/yaml": "yaml" "yml" => Text;
    "application/json" "text/json": "json" => Json { lines: false };
    "application/geo+json": "geojson" "json" => Json { lines: false };
    "application/x-ndjson" "application/jsonl": "ndjson" "jsonl" => Json { lines: true };
    "image/svg+xml": "svg" => Drawing;
    "image/png": "png" => Binary(&["image/png"], Structure::Png);
    "image/jpeg" "image/jpg": "jpg" "jpeg" => Binary(&["image/jpeg"], Structure::Jpeg);
    "image/gif": "gif" => Binary(&["image/gif"], Structure::Gif);
    "image/webp": "webp" => Binary(&["image/webp"], Structure::Riff(RiffForm::WebP));
    "image/bmp" "image/x-ms-bmp": "bmp" => Binary(&["image/bmp"], Structure::Bmp);
    "image/avif": "avif" => Binary(&["image/avif"], Structure::Boxes(BoxKind::Picture));
    "image/heif" "image/heic": "heif" "heic" => Binary(&["image/heif"], Structure::Boxes(BoxKind::Picture));
    "audio/ogg" "audio/opus" "application/ogg": "ogg" "oga" "opus" => Binary(&["audio/ogg", "audio/opus"], Structure::Ogg);
    "audio/mpeg" "audio/mp3": "mp3" => Binary(&["audio/mpeg"], Structure::Mp3);
    "audio/wav" "audio/x-wav" "audio/wave" "audio/vnd.wave": "wav" => Binary(&["audio/x-wav"], Structure::Riff(RiffForm::Wav));
    "audio/flac" "audio/x-flac": "flac" => Binary(&["audio/x-flac"], Structure::Flac);
    "audio/mp4" "audio/m4a" "audio/x-m4a": "m4a" => Binary(&["audio/m4a"], Structure::Boxes(BoxKind::Film));
    "audio/aac": "aac" => Binary(&["audio/aac"], Structure::Aac);
    "audio/aiff" "audio/x-aiff": "aiff" "aif" => Binary(&["audio/x-aiff"], Structure::Riff(RiffForm::Aiff));
    "audio/midi" "audio/x-midi": "mid" "midi" => Binary(&["audio/midi"], Structure::Midi);
    "audio/webm": "weba" "webm" => Binary(&["video/webm"], Structure::Matroska);
    "video/webm": "webm" => Binary(&["video/webm"], Structure::Matroska);
    "video/ogg": "ogv" "ogg" => Binary(&["audio/ogg", "audio/opus"], Structure::Ogg);
    "video/mp4": "mp4" "m4v" => Binary(&["video/mp4", "video/x-m4v"], Structure::Boxes(BoxKind::Film));
    "video/x-m4v": "m4v" => Binary(&["video/x-m4v", "video/mp4"], Structure::Boxes(BoxKind::Film));
    "video/quicktime": "mov" => Binary(&["video/quicktime"], Structure::Boxes(BoxKind::Film));
    "video/x-matroska" "video/matroska": "mkv" => Binary(&["video/x-matroska"], Structure::Matroska);
    "video/x-msvideo" "video/avi": "avi" => Binary(&["video/x-msvideo"], Structure::Riff(RiffForm::Avi));
    "font/ttf" "font/sfnt" "application/font-ttf": "ttf" => Binary(&["application/font-sfnt"], Structure::Sfnt);
    "font/otf" "application/font-otf": "otf" => Binary(&["application/font-sfnt"], Structure::Sfnt);
    "font/woff": "woff" => Binary(&["application/font-woff"], Structure::Woff);
    "font/woff2": "woff2" => Binary(&["application/font-woff"], Structure::Woff);
    "application/pdf": "pdf" => Binary(&["application/pdf"], Structure::Pdf);
    "application/epub+zip": "epub" => Binary(&["application/epub+zip"], Structure::Zip);
};

/// Lists for messages the kinds of files that a story keeps.
const KEPT: &str = "a story keeps pictures, sounds, films, fonts, text and books";

impl AssetFormat {
    /// Returns the format of a declared media type, if the file's name has one of its endings. The error is worded to
    /// follow the file's name.
    pub(super) fn of(declared: &str, file_name: &str) -> Result<&'static AssetFormat, String> {
        let media_type = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if !is_media_type(&media_type) {
            return Err(format!("is declared as `{declared}`, which is no media type"));
        }
        let is_named = |format: &&AssetFormat| format.media_types.contains(&media_type.as_str());
        let format = FORMATS
            .iter()
            .find(is_named)
            .ok_or_else(|| format!("is declared as `{media_type}`, which is not kept: {KEPT}"))?;
        let ending = file_name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        match ending {
            Some(ending) if format.endings.contains(&ending.as_str()) => Ok(format),
            _ => {
                let endings: Vec<String> =
                    format.endings.iter().map(|ending| format!("`.{ending}`")).collect();
                let endings = endings.join(" or ");
                Err(format!("is declared as `{media_type}`, so its name must end with {endings}"))
            }
        }
    }

    /// Returns the rules for the content.
    pub(super) fn content_check(&self) -> ContentCheck {
        match &self.content {
            Text => ContentCheck::Text,
            Json { lines } => ContentCheck::Json { lines: *lines },
            Drawing => ContentCheck::Drawing,
            Binary(_, structure) => ContentCheck::Binary(*structure),
        }
    }

    /// Refuses content of another format. The error is worded to follow the file's name.
    pub(super) fn check(&self, content: &FileContent) -> Result<(), String> {
        let name = self.media_types[0];
        let is_other = |what: String| Err(format!("is declared as `{name}`, but {what}"));
        let is_text_format = !matches!(self.content, Binary(..));
        match (&self.content, content.kind) {
            (Binary(kinds, _), Some(found)) if kinds.contains(&found) => {
                content.fault.as_ref().map_or(Ok(()), |fault| is_other(fault.to_string()))
            }
            (Drawing, _) if content.is_complete => Ok(()),
            (Drawing, _) => is_other(
                "is no drawing of plain shapes: scripts, styles, links and notes are not kept"
                    .to_owned(),
            ),
            (Binary(..), None) => is_other("is not one".to_owned()),
            // Some binary kinds have so short a signature that a text may begin with it.
            (_, Some(found))
                if !is_text_format || !content.is_text || MARKUP_AND_SCRIPTS.contains(&found) =>
            {
                is_other(format!("is `{found}`"))
            }
            _ if !content.is_text => is_other("is not plain text in UTF-8".to_owned()),
            _ if !content.is_complete => is_other("is not JSON".to_owned()),
            _ => Ok(()),
        }
    }
}

/// Kinds of text that a program runs or renders.
const MARKUP_AND_SCRIPTS: [&str; 3] = ["text/html", "text/xml", "text/x-shellscript"];

fn is_media_type(text: &str) -> bool {
    let is_part = |part: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte);
        (1..=127).contains(&part.len()) && part.bytes().all(plain)
    };
    text.split_once('/').is_some_and(|(family, kind)| is_part(family) && is_part(kind))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Binary, FORMATS};

    #[test]
    fn each_media_type_has_one_row_and_each_kind_is_one_that_can_be_recognised() {
        let infer = infer::Infer::new();
        let mut seen = BTreeSet::new();
        for format in FORMATS {
            for media_type in format.media_types {
                assert!(seen.insert(*media_type), "{media_type} has two rows");
            }
            if let Binary(kinds, _) = &format.content {
                for kind in *kinds {
                    assert!(infer.is_mime_supported(kind), "{kind}");
                }
            }
        }
    }

    #[test]
    fn no_ending_is_one_that_a_computer_runs() {
        let runs = "html htm xhtml js mjs desktop bat cmd com exe lnk ps1 sh scpt vbs wsf hta jar scr msi app command \
                    reg url webloc inf xml zip py rb pl php swf";
        for ending in runs.split_whitespace() {
            assert!(!FORMATS.iter().any(|format| format.endings.contains(&ending)), "{ending}");
        }
    }
}
