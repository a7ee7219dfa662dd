//! Bytes as they come, in whole characters.

/// Holds back what is not a whole character yet.
#[derive(Debug, Default)]
pub(super) struct Utf8Decoder {
    pending: Vec<u8>,
}

impl Utf8Decoder {
    /// What can be said after these bytes. What can never become a character is said as U+FFFD.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        self.pending.extend_from_slice(bytes);
        let mut said = String::new();
        loop {
            match std::str::from_utf8(&self.pending) {
                Ok(rest) => {
                    said.push_str(rest);
                    self.pending.clear();
                    return said;
                }
                Err(error) => {
                    let (good, rest) = self.pending.split_at(error.valid_up_to());
                    said.push_str(std::str::from_utf8(good).unwrap_or_default());
                    let Some(bad) = error.error_len() else {
                        self.pending = rest.to_vec();
                        return said;
                    };
                    said.push(char::REPLACEMENT_CHARACTER);
                    self.pending = rest[bad..].to_vec();
                }
            }
        }
    }

    /// What is left at the end.
    pub(super) fn finish(&mut self) -> String {
        let held = std::mem::take(&mut self.pending);
        if held.is_empty() { String::new() } else { char::REPLACEMENT_CHARACTER.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pieces: &[&[u8]], said: &[&str], rest: &str) {
        let mut characters = Utf8Decoder::default();
        let told: Vec<String> = pieces.iter().map(|piece| characters.push(piece)).collect();
        assert_eq!(told, said);
        assert_eq!(characters.finish(), rest);
    }

    #[test]
    fn a_character_is_said_when_it_is_whole() {
        check(&[b"a", b"\xF0\x9F", b"\x90\x89b"], &["a", "", "\u{1F409}b"], "");
    }

    #[test]
    fn bytes_that_are_no_character_are_said_as_one_that_means_so() {
        check(&[b"a\xFFb", b"\xC3", b"("], &["a\u{FFFD}b", "", "\u{FFFD}("], "");
    }

    #[test]
    fn half_a_character_at_the_end_is_not_lost() {
        check(&[b"a\xE2\x82"], &["a"], "\u{FFFD}");
    }
}
