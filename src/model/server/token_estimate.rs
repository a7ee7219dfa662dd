//! The number of tokens of a text whose tokenizer is not known. Pure.

/// Letters of ASCII that make a token. Common English words are one token of five letters; rare words have one for three.
const LETTERS_A_TOKEN: usize = 3;

/// Estimates the tokens of a text, and errs on the side of more: for English prose about a third more than there are. A
/// digit, a mark and a byte beyond ASCII count one each, which no vocabulary of bytes exceeds. Only a text of rare words
/// or of random letters may have more tokens.
pub(super) fn estimate_tokens(text: &str) -> usize {
    let (mut tokens, mut letters, mut blanks) = (0_usize, 0_usize, 0_usize);
    for letter in text.chars() {
        if letter.is_ascii_alphabetic() {
            letters += 1;
            blanks = 0;
            continue;
        }
        tokens += letters.div_ceil(LETTERS_A_TOKEN);
        letters = 0;
        // A single blank belongs to the token that follows it.
        blanks = if letter == ' ' { blanks + 1 } else { 0 };
        tokens += match letter {
            ' ' => usize::from(blanks > 1),
            letter => letter.len_utf8(),
        };
    }
    tokens + letters.div_ceil(LETTERS_A_TOKEN)
}

#[cfg(test)]
mod tests {
    use super::estimate_tokens;

    #[test]
    fn an_estimate_is_above_what_tokenizers_count() {
        // The second number has one token for each word, digit and mark.
        for (text, expect, least) in [
            ("", 0, 0),
            ("I open the door.", 7, 5),
            ("The lighthouse keeper has not slept for nine days.", 17, 10),
            ("1234567", 7, 7),
            ("{\"k\":[1,2]}", 11, 8),
            ("äöü", 6, 3),
            ("🙂", 4, 2),
            ("a    b\n\n", 7, 4),
        ] {
            let estimate = estimate_tokens(text);
            assert_eq!(estimate, expect, "{text:?}");
            assert!(estimate >= least, "{text:?}");
        }
    }
}
