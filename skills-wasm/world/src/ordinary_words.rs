//! Ordinary words of English, which are no mistakes in writing another word: nobody who types `beach` means the benches.

// The words by their first letter.
include!(concat!(env!("OUT_DIR"), "/ordinary_words.rs"));

/// Returns true if the word is an ordinary word of English, in the form of a dictionary.
pub(crate) fn is_ordinary(word: &str) -> bool {
    let Some(first) = word.bytes().next().filter(u8::is_ascii_lowercase) else { return false };
    ORDINARY[usize::from(first - b'a')].split(' ').any(|known| known == word)
}

#[cfg(test)]
mod tests {
    use super::is_ordinary;

    #[test]
    fn an_ordinary_word_is_no_mistake_and_a_mistake_is_no_word() {
        for word in ["sign", "drain", "beach", "man", "were", "ribbon"] {
            assert!(is_ordinary(word), "{word}");
        }
        for word in ["lantren", "tkae", "", "\u{e9}t\u{e9}"] {
            assert!(!is_ordinary(word), "{word}");
        }
    }
}
