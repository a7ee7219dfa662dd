//! English words, for guests and for the host: classes, verbs, forms, spellings, sounds, numbers. Knows nothing of worlds, dice or
//! stories.
//!
//! The words stand in `data`, a row a word, and the build makes sorted tables of them:
//!
//! | table | a row |
//! |---|---|
//! | `words.tsv` | a word and its classes |
//! | `classes.tsv` | a class and what its words have in common |
//! | `verbs.tsv` | a phrase of a verb and what it means, the usual meaning first |
//! | `irregular.tsv` | a form of a verb that no ending shows, and the verb |
//! | `respelled.tsv` | a word or several, and the words that they stand for; `-` for none |
//! | `by-ear.tsv` | a verb as it sounds, and the verb |
//! | `deed-nouns.tsv` | a noun of a deed, the verb that says it |
//! | `kinds.tsv` | words that mean all of a kind, and the words of the kind that mean only themselves; `-` for none |
//! | `numbers.tsv` | a word and its number |
//!
//! Tabs stand between the columns. Rows are sorted by their first column, and nothing stands twice.

mod classes;
mod kinds;
mod morphology;
mod numbers;
mod phrases;
mod respelled;
mod sounds;
mod spelling;
mod verbs;

pub use classes::WordClass;
pub use kinds::{WordKind, is_kind, kinds_of};
pub use morphology::{inflected, is_verb, is_verb_form, plain_form, singular};
pub use numbers::{NUMBER_IN_WORDS_MAX, amount, in_words, number, one_word};
pub use phrases::{article, either, list};
pub use respelled::{joined, respelled, verb_by_ear};
pub use spelling::{is_same_word, is_swap, is_typo, likeness, stem};
pub use verbs::{
    VERB_MEANINGS, VerbPhrase, deed_of, gesture_named, irregular, irregular_row, verb_phrases,
    verb_phrases_of, verb_word,
};

/// A row of `respelled.tsv`, `irregular.tsv` or `by-ear.tsv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordRow {
    /// Its line in the file, from 1.
    pub line: u32,
    /// A word, or several with blanks between them.
    pub written: &'static str,
    /// The words that it stands for, which may be none.
    pub meant: &'static str,
}

/// The row of the word in rows that are sorted by their words.
fn row_of(rows: &'static [WordRow], word: &str) -> Option<&'static WordRow> {
    rows.binary_search_by_key(&word, |row| row.written).ok().map(|at| &rows[at])
}
