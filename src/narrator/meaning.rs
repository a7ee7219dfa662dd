//! Finds the script that a sentence asks for in words of its own, by sentence vectors.
//!
//! A [`ScriptIndex`] has the vectors of everything that the authors of installed packages wrote about their scripts, and
//! of plain sentences that ask for none ([`PLAIN_SENTENCES`]). [`ScriptIndex::nearest`] compares a sentence with them, and
//! a [`LogisticHead`] turns the comparison into a probability. [`HeldOutLookup`] says how well that works for a package.

mod considered;
mod head;
mod held_out;
mod script_index;
mod script_texts;
mod selection;
mod sentence_form;

pub(crate) use considered::{CONSIDERED_KEY, considered};
pub(crate) use head::probability;
pub use head::{LogisticHead, Nearness, decision_features};
pub use held_out::{HeldOutLookup, HeldOutResult, HeldOutSentence, StartedScript};
pub use script_index::{NearScript, ScriptIndex};
pub use selection::{SentencePart, SentenceParts};
pub(crate) use sentence_form::SentenceForm;

/// Sentences of players that ask for no installed skill, one a line.
const PLAIN_SENTENCES: &str = include_str!("data/plain-sentences.txt");

#[cfg(test)]
mod tests;
