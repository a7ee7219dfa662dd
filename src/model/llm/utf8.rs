//! Turns bytes that arrive in pieces into whole characters.

/// Holds incomplete characters back.
#[derive(Debug, Default)]
pub(super) struct Utf8Decoder {
    pending: Vec<u8>,
}

impl Utf8Decoder {
    /// Adds bytes, returns the characters that are complete. Bytes that can never become a character are U+FFFD.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        self.pending.extend_from_slice(bytes);
        let mut text = String::new();
        loop {
            match std::str::from_utf8(&self.pending) {
                Ok(rest) => {
                    text.push_str(rest);
                    self.pending.clear();
                    return text;
                }
                Err(error) => {
                    let (good, rest) = self.pending.split_at(error.valid_up_to());
                    text.push_str(std::str::from_utf8(good).unwrap_or_default());
                    let Some(bad) = error.error_len() else {
                        self.pending = rest.to_vec();
                        return text;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    self.pending = rest[bad..].to_vec();
                }
            }
        }
    }

    /// U+FFFD if the input ended inside a character.
    pub(super) fn finish(&mut self) -> String {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() { String::new() } else { char::REPLACEMENT_CHARACTER.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pieces: &[&[u8]], expected: &[&str], rest: &str) {
        let mut decoder = Utf8Decoder::default();
        let texts: Vec<String> = pieces.iter().map(|piece| decoder.push(piece)).collect();
        assert_eq!(texts, expected);
        assert_eq!(decoder.finish(), rest);
    }

    #[test]
    fn a_character_is_returned_when_it_is_complete() {
        check(&[b"a", b"\xF0\x9F", b"\x90\x89b"], &["a", "", "\u{1F409}b"], "");
    }

    #[test]
    fn invalid_bytes_become_the_replacement_character() {
        check(&[b"a\xFFb", b"\xC3", b"("], &["a\u{FFFD}b", "", "\u{FFFD}("], "");
    }

    #[test]
    fn half_a_character_at_the_end_becomes_the_replacement_character() {
        check(&[b"a\xE2\x82"], &["a"], "\u{FFFD}");
    }
}
