//! Recognises the content of a file by its bytes.

use std::io::{self, ErrorKind, Read};

/// The first bytes of a file, which decide its kind.
const HEAD_BYTES: usize = 8 << 10;

pub(super) struct FileContent {
    /// The kind that the first bytes have, if it is known.
    pub(super) kind: Option<infer::Type>,
    /// True if the whole file is UTF-8 without a NUL.
    pub(super) is_text: bool,
}

impl FileContent {
    /// Reads to the end of the file, or to the first byte that is not text.
    pub(super) fn read(mut from: impl Read) -> io::Result<FileContent> {
        let mut piece = vec![0; HEAD_BYTES];
        let mut filled = fill(&mut from, &mut piece, 0)?;
        let kind = infer::Infer::new().get(&piece[..filled]);
        loop {
            let whole = filled < piece.len();
            let Some(rest) = text_until(&piece[..filled], whole) else {
                return Ok(FileContent { kind, is_text: false });
            };
            if whole {
                return Ok(FileContent { kind, is_text: true });
            }
            // The first bytes of a character whose rest is in the next piece.
            piece.copy_within(rest..filled, 0);
            filled = fill(&mut from, &mut piece, filled - rest)?;
        }
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

/// The end of the last complete character; `None` if the bytes are not text.
fn text_until(bytes: &[u8], is_end: bool) -> Option<usize> {
    if bytes.contains(&0) {
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(_) => Some(bytes.len()),
        Err(error) if error.error_len().is_none() && !is_end => Some(error.valid_up_to()),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{FileContent, HEAD_BYTES};

    #[test]
    fn text_is_recognised_wherever_a_piece_ends() {
        let is_text = |bytes: &[u8]| FileContent::read(bytes).unwrap().is_text;
        for before in HEAD_BYTES - 4..HEAD_BYTES + 4 {
            let mut text = vec![b'x'; before];
            text.extend_from_slice("…and more".as_bytes());
            assert!(is_text(&text), "{before}");
            text.push(0);
            assert!(!is_text(&text), "{before}");
            text.pop();
            text.push(0xe2);
            assert!(!is_text(&text), "{before}");
        }
        assert!(is_text(&[b'x'; HEAD_BYTES]) && is_text(b""));
    }
}
