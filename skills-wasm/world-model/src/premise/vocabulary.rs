//! Words that a premise is read by: the page `premise-words` in `text`.

include!(concat!(env!("OUT_DIR"), "/premise_words.rs"));
