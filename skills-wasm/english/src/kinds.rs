//! Words that are said for each other: `data/kinds.tsv`.

include!(concat!(env!("OUT_DIR"), "/kinds.rs"));

/// Words of which each may be said for a thing that has another in its name. A fish is the herring, but a trout is none.
#[derive(Debug, PartialEq, Eq)]
pub struct WordKind {
    /// The words that mean all of them: `fish`.
    heads: &'static [&'static str],
    /// The words that mean only themselves and are meant by a head: `herring`, `trout`.
    others: &'static [&'static str],
}

impl WordKind {
    /// Returns true if one of the words, of which the first is of this kind, may be said for the other.
    pub fn joins(&self, word: &str, other: &str) -> bool {
        let is_head = |word: &str| self.heads.contains(&word);
        is_head(other) || self.others.contains(&other) && is_head(word)
    }
}

/// Returns true if the word is of a kind, and so no mistake for another word: boots are no booth.
pub fn is_kind(word: &str) -> bool {
    kinds_of(word).next().is_some()
}

/// The kinds that the word is of.
pub fn kinds_of(word: &str) -> impl Iterator<Item = &'static WordKind> + use<> {
    let at = KIND_WORDS.binary_search_by_key(&word, |(known, _)| *known);
    let of_word = at.map(|at| KIND_WORDS[at].1).unwrap_or_default();
    of_word.iter().map(|idx| &KINDS[usize::from(*idx)])
}

#[cfg(test)]
mod tests {
    use super::{is_kind, kinds_of};

    #[test]
    fn a_head_is_said_for_all_and_the_others_for_a_head() {
        let joins = |one, other| kinds_of(one).any(|kind| kind.joins(one, other));
        for (one, other) in
            [("fish", "herring"), ("herring", "fish"), ("coat", "cloak"), ("bag", "case")]
        {
            assert!(joins(one, other), "{one} {other}");
        }
        for (one, other) in [("trout", "herring"), ("trout", "coat"), ("", "coat"), ("coat", "")] {
            assert!(!joins(one, other), "{one} {other}");
        }
        assert_eq!(["boots", "booth", ""].map(is_kind), [true, false, false]);
    }
}
