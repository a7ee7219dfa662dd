//! Words that are written in several ways: `data/respelled.tsv` and `data/by-ear.tsv`.

use crate::{WordRow, row_of};

include!(concat!(env!("OUT_DIR"), "/respelled.rs"));
include!(concat!(env!("OUT_DIR"), "/by_ear.rs"));

/// The words that a contraction or a slip stands for: `gimme` is `give me`.
pub fn respelled(word: &str) -> Option<&'static WordRow> {
    row_of(&RESPELLED, word)
}

/// Several words that mean others, the longest that the words begin with: how many they are, and their row. `word_at` gives the words by their places, and an empty text where none stands.
pub fn joined<'t>(word_at: impl Fn(usize) -> &'t str) -> Option<(usize, &'static WordRow)> {
    let first = word_at(0);
    let start = JOINED.partition_point(|(words, _)| words[0] < first);
    let fits = |words: &[&str]| words.iter().enumerate().all(|(at, word)| word_at(at) == *word);
    let mut of_first = JOINED[start..].iter().take_while(|(words, _)| words[0] == first);
    let (words, row) = of_first.find(|(words, _)| fits(words))?;
    Some((words.len(), row))
}

/// The verb that sounds like this word: `ware the coat` wears it.
pub fn verb_by_ear(word: &str) -> Option<&'static WordRow> {
    row_of(&BY_EAR, word)
}

#[cfg(test)]
mod tests {
    use super::{JOINED, RESPELLED, joined, respelled, verb_by_ear};

    #[test]
    fn what_is_written_otherwise_is_read() {
        assert_eq!(respelled("gimme").unwrap().meant, "give me");
        assert_eq!([respelled("give"), respelled("")], [None; 2]);
        assert_eq!(verb_by_ear("ware").unwrap().meant, "wear");
    }

    #[test]
    fn a_row_stands_in_the_line_that_it_names() {
        let lines = Vec::from_iter(include_str!("../data/respelled.tsv").lines());
        let words = RESPELLED.iter().chain(JOINED.iter().map(|(_, row)| row));
        for row in words {
            let meant = if row.meant.is_empty() { "-" } else { row.meant };
            assert_eq!(lines[row.line as usize - 1], format!("{}\t{meant}", row.written));
        }
        assert_eq!(RESPELLED.len() + JOINED.len(), lines.len());
    }

    #[test]
    fn the_longest_words_that_fit_are_joined() {
        let check = |words: &[&str], expect| {
            assert_eq!(
                joined(|at| words.get(at).copied().unwrap_or_default())
                    .map(|(count, row)| (count, row.meant)),
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
