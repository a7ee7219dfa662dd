//! Bytes as they come, in whole characters.

/// Holds back what is not a whole character yet.
#[derive(Debug, Default)]
pub(super) struct Characters {
    held: Vec<u8>,
}

impl Characters {
    /// What can be said after these bytes. What can never become a character is said as U+FFFD.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        self.held.extend_from_slice(bytes);
        let mut said = String::new();
        loop {
            match std::str::from_utf8(&self.held) {
                Ok(rest) => {
                    said.push_str(rest);
                    self.held.clear();
                    return said;
                }
                Err(error) => {
                    let (good, rest) = self.held.split_at(error.valid_up_to());
                    said.push_str(std::str::from_utf8(good).unwrap_or_default());
                    let Some(bad) = error.error_len() else {
                        self.held = rest.to_vec();
                        return said;
                    };
                    said.push(char::REPLACEMENT_CHARACTER);
                    self.held = rest[bad..].to_vec();
                }
            }
        }
    }

    /// What is left at the end.
    pub(super) fn finish(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() { String::new() } else { char::REPLACEMENT_CHARACTER.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pieces: &[&[u8]], said: &[&str], rest: &str) {
        let mut characters = Characters::default();
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
