//! English words, for guests and for the host. Knows nothing of worlds, dice or stories, and depends on nothing.

mod numbers;

pub use numbers::{NUMBER_IN_WORDS_MAX, amount, in_words, number, one_word};
