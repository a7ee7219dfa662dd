//! Recognises the content of a file by its bytes.

use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};

use serde::de::IgnoredAny;

use narratoria_protocol::drawing::{DRAWING_BYTES_MAX, is_drawing};

use super::structure::{Structure, StructureFault};

/// The number of bytes at the start of a file that decide its kind.
const HEAD_BYTES: usize = 8 << 10;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Beginnings of markup that a program renders, besides those that `infer` knows.
const MARKUP: [&[u8]; 6] = [b"<svg", b"<math", b"<!doctype", b"<html", b"<script", b"<?"];

/// Rules of a file format for the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentCheck {
    /// Text in UTF-8.
    Text,
    /// One JSON value, or with `lines` one in each line.
    Json { lines: bool },
    /// A drawing of plain shapes, in SVG.
    Drawing,
    /// A binary file with a beginning and an end.
    Binary(Structure),
}

pub(super) struct FileContent {
    /// The kind that the first bytes show, if it is known.
    pub(super) kind: Option<&'static str>,
    /// True if the whole file is UTF-8 without control characters. Not checked in a binary file.
    pub(super) is_text: bool,
    /// True if the file is JSON or a drawing, as the format asks. Not checked in a binary file.
    pub(super) is_complete: bool,
    /// The fault in the structure of a binary file.
    pub(super) fault: Option<StructureFault>,
}

impl FileContent {
    /// Reads as much of the file as the check needs.
    pub(super) fn read(mut from: impl Read + Seek, check: ContentCheck) -> io::Result<FileContent> {
        let mut head = vec![0; HEAD_BYTES];
        let filled = fill(&mut from, &mut head, 0)?;
        let kind = kind_of(&head[..filled]);
        from.seek(SeekFrom::Start(0))?;
        if let ContentCheck::Binary(structure) = check {
            let fault = structure.fault(&mut from)?;
            return Ok(FileContent { kind, is_text: false, is_complete: false, fault });
        }
        let is_text = is_text(&mut from)?;
        let is_complete = match check {
            ContentCheck::Json { lines } if is_text => {
                from.seek(SeekFrom::Start(0))?;
                is_json(from, lines)?
            }
            ContentCheck::Drawing if is_text => {
                from.seek(SeekFrom::Start(0))?;
                let mut text = String::new();
                from.take(DRAWING_BYTES_MAX + 1).read_to_string(&mut text)?;
                text.len() as u64 <= DRAWING_BYTES_MAX && is_drawing(&text)
            }
            _ => is_text,
        };
        Ok(FileContent { kind, is_text, is_complete, fault: None })
    }
}

fn kind_of(head: &[u8]) -> Option<&'static str> {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let text = head.trim_ascii_start();
    let begins_with =
        |mark: &&[u8]| text.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark));
    match infer::Infer::new().get(head) {
        Some(kind) => Some(kind.mime_type()),
        None if MARKUP.iter().any(begins_with) => Some("text/html"),
        None => None,
    }
}

/// Reads to the end of the file, or to the first byte that is not text.
fn is_text(from: &mut impl Read) -> io::Result<bool> {
    let mut piece = vec![0; HEAD_BYTES];
    let mut rest = 0;
    loop {
        let filled = fill(from, &mut piece, rest)?;
        let is_end = filled < piece.len();
        let Some(read) = text_until(&piece[..filled], is_end) else { return Ok(false) };
        if is_end {
            return Ok(true);
        }
        // These bytes begin a character whose rest is in the next piece.
        piece.copy_within(read..filled, 0);
        rest = filled - read;
    }
}

/// Fills the piece from `at` to its end, or to the end of the file.
fn fill(from: &mut impl Read, piece: &mut [u8], mut at: usize) -> io::Result<usize> {
    while at < piece.len() {
        match from.read(&mut piece[at..]) {
            Ok(0) => break,
            Ok(read) => at += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(at)
}

/// Returns the end of the last complete character; `None` if the bytes are not text.
fn text_until(bytes: &[u8], is_end: bool) -> Option<usize> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() && !is_end => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    let is_control = |char: char| char.is_control() && !matches!(char, '\t' | '\n' | '\r');
    (!text.chars().any(is_control)).then_some(text.len())
}

fn is_json(from: impl Read, lines: bool) -> io::Result<bool> {
    let mut values = serde_json::Deserializer::from_reader(BufReader::new(from)).into_iter();
    let mut count = 0;
    loop {
        match values.next() {
            Some(Ok(IgnoredAny)) => count += 1,
            Some(Err(error)) if error.is_io() => return Err(error.into()),
            Some(Err(_)) => return Ok(false),
            None => return Ok(lines || count == 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::{ContentCheck, FileContent, HEAD_BYTES};

    #[test]
    fn text_is_recognised_wherever_a_piece_ends() {
        let is_text = |bytes: &[u8]| {
            FileContent::read(Cursor::new(bytes), ContentCheck::Text).unwrap().is_text
        };
        for before in HEAD_BYTES - 4..HEAD_BYTES + 4 {
            let mut text = vec![b'x'; before];
            text.extend_from_slice("…and more".as_bytes());
            assert!(is_text(&text), "{before}");
            for bad in [0, 7, 0x1b, 0x7f, 0xe2] {
                text.push(bad);
                assert!(!is_text(&text), "{before} {bad}");
                text.pop();
            }
        }
        assert!(is_text(&[b'x'; HEAD_BYTES]) && is_text(b""));
    }
}
