//! Words that are written in several ways: `data/respelled.tsv` and `data/by-ear.tsv`.

include!(concat!(env!("OUT_DIR"), "/respelled.rs"));
include!(concat!(env!("OUT_DIR"), "/by_ear.rs"));

/// The words that a contraction or a slip stands for: `gimme` is `give me`.
pub fn respelled(word: &str) -> Option<&'static str> {
    super::pair(&RESPELLED, word)
}

/// Several words that mean others, the longest that the words begin with: how many they are, and what they mean, which may be
/// nothing. `word_at` gives the words by their places, and an empty text where none stands.
pub fn joined<'t>(word_at: impl Fn(usize) -> &'t str) -> Option<(usize, &'static str)> {
    let first = word_at(0);
    let start = JOINED.partition_point(|(words, _)| words[0] < first);
    let fits = |words: &[&str]| words.iter().enumerate().all(|(at, word)| word_at(at) == *word);
    let mut of_first = JOINED[start..].iter().take_while(|(words, _)| words[0] == first);
    let (words, meant) = of_first.find(|(words, _)| fits(words))?;
    Some((words.len(), meant))
}

/// The verb that sounds like this word: `ware the coat` wears it.
pub fn verb_by_ear(word: &str) -> Option<&'static str> {
    super::pair(&BY_EAR, word)
}

#[cfg(test)]
mod tests {
    use super::{joined, respelled, verb_by_ear};

    #[test]
    fn what_is_written_otherwise_is_read() {
        assert_eq!(respelled("gimme"), Some("give me"));
        assert_eq!([respelled("give"), respelled("")], [None; 2]);
        assert_eq!(verb_by_ear("ware"), Some("wear"));
    }

    #[test]
    fn the_longest_words_that_fit_are_joined() {
        let check = |words: &[&str], expect| {
            assert_eq!(
                joined(|at| words.get(at).copied().unwrap_or_default()),
                expect,
                "{words:?}"
            );
        };
        check(&["out", "of", "doors"], Some((3, "outside")));
        check(&["out", "of", "it"], Some((2, "from")));
        check(&["before", "i", "forget"], Some((3, "")));
        check(&["out"], None);
        check(&[], None);
    }
}
