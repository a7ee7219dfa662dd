//! The one measure behind every "did you mean": the known name nearest to a mistyped one. Pure.

/// Returns the candidate nearest to a word, if it is near enough: one slip, and one more for every four letters.
/// Two swapped letters are one slip. Among equally near candidates the first by name wins.
pub fn nearest<S: AsRef<str>>(
    word: &str,
    candidates: impl IntoIterator<Item = S>,
) -> Option<String> {
    let slips = |candidate: S| {
        let slips = strsim::damerau_levenshtein(word, candidate.as_ref());
        (slips, candidate.as_ref().to_owned())
    };
    // A candidate that differs in every letter is another word.
    let is_near = |(slips, candidate): &(usize, String)| {
        *slips <= 1 + candidate.len() / 4 && *slips < word.chars().count().max(1)
    };
    let near = candidates.into_iter().map(slips).filter(is_near).min();
    near.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_corrected_and_another_word_is_not() {
        let known = ["storyteller", "dice-roller", "go"];
        let near = |word| nearest(word, known).unwrap_or_default();
        assert_eq!(near("stroyteller"), "storyteller");
        assert_eq!(near("dice-rolers"), "dice-roller");
        assert_eq!(near("og"), "go");
        assert_eq!(near("x"), "");
        assert_eq!(near("cartographer"), "");
        assert_eq!(near(""), "");
        assert_eq!(nearest("abb", ["abd", "abc"]).unwrap(), "abc", "the first by name");
    }
}
