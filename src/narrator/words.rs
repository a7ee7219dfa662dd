//! Splits a sentence into stemmed words and clauses. Pure.

use std::{iter, ops::Range};

use english::WordClass;
use rust_stemmers::{Algorithm, Stemmer};

/// A word and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StemmedWord {
    /// Lower case, stemmed.
    pub(super) stem: String,
    /// Byte offsets in the text.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Words that separate clauses.
const CONJUNCTIONS: [&str; 3] = ["and", "then", "but"];

/// Characters that end a clause.
const CLAUSE_ENDS: [char; 9] = ['.', ',', ';', ':', '!', '?', '–', '—', '\n'];

/// The words of `text`, in order. A word consists of letters and digits; an apostrophe ends it.
pub(super) fn split_words(text: &str) -> Vec<StemmedWord> {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut words = Vec::new();
    let mut start = None;
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, letter.is_alphanumeric()) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                let lower = text[from..at].to_lowercase();
                words.push(StemmedWord {
                    stem: stemmer.stem(&lower).into_owned(),
                    start: from,
                    end: at,
                });
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// The byte ranges between clause ends and conjunctions, in order. A clause may contain no word.
pub(super) fn split_clauses(text: &str) -> Vec<Range<usize>> {
    let marks = text.match_indices(CLAUSE_ENDS).map(|(at, mark)| at..at + mark.len());
    let conjunctions = split_words(text).into_iter().map(|word| word.start..word.end);
    let conjunctions = conjunctions
        .filter(|word| CONJUNCTIONS.iter().any(|one| text[word.clone()].eq_ignore_ascii_case(one)));
    let mut ends: Vec<Range<usize>> = marks.chain(conjunctions).collect();
    ends.sort_by_key(|end| end.start);
    let (mut clauses, mut start) = (Vec::new(), 0);
    for end in ends.into_iter().chain(iter::once(text.len()..text.len())) {
        clauses.push(start..end.start);
        start = end.end;
    }
    clauses
}

/// The stems of `text` without stop words.
pub(super) fn content_stems(text: &str) -> Vec<String> {
    split_words(text)
        .into_iter()
        .filter(|word| !WordClass::StopWord.has(text[word.start..word.end].to_lowercase().as_str()))
        .map(|word| word.stem)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{content_stems, split_clauses, split_words};

    fn check(text: &str) -> String {
        let stems: Vec<String> = split_words(text).into_iter().map(|word| word.stem).collect();
        format!("{} / {}", stems.join(" "), content_stems(text).join(" "))
    }

    #[test]
    fn words_are_stemmed_and_keep_their_order() {
        insta::assert_snapshot!(check("I'm ROLLING two dice!"), @"i m roll two dice / roll two dice");
        insta::assert_snapshot!(check("what are my choices?"), @"what are my choic / what choic");
        insta::assert_snapshot!(check("…"), @" /");
        insta::assert_snapshot!(check("Ich öffne 2d6 Türen"), @"ich öffne 2d6 türen / ich öffne 2d6 türen");
    }

    #[test]
    fn clauses_end_at_marks_and_conjunctions() {
        let clauses = |text: &str| {
            let clauses: Vec<&str> = split_clauses(text).into_iter().map(|at| &text[at]).collect();
            clauses.join("|")
        };
        assert_eq!(
            clauses("I open it — what now? Then wait AND see"),
            "I open it | what now| | wait | see"
        );
        assert_eq!(clauses("a sandy band"), "a sandy band");
        assert_eq!(clauses(""), "");
    }

    proptest! {
        #[test]
        fn clauses_are_in_order_and_leave_out_only_their_ends(text in "\\PC{0,200}") {
            let mut end = 0;
            for clause in split_clauses(&text) {
                prop_assert!(end <= clause.start && clause.start <= clause.end);
                let left_out = &text[end..clause.start];
                prop_assert!(left_out.is_empty() || left_out.chars().count() <= 4);
                end = clause.end;
            }
            prop_assert_eq!(end, text.len());
        }

        #[test]
        fn any_text_splits_into_pieces_of_itself(text in "\\PC{0,200}") {
            for word in split_words(&text) {
                prop_assert!(text[word.start..word.end].chars().all(char::is_alphanumeric));
            }
        }
    }
}
