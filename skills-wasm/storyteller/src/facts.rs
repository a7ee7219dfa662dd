//! Facts that earlier steps have established → the text of a beat. The facts decide what is true: a sentence says one of
//! them in other words, or sets one beside another. Nothing is said of what no fact says.

mod known;
mod noun_phrase;
mod paragraph;
mod pools;
mod series;
mod told;
mod truth;
mod variety;

pub(crate) use known::{KnownFacts, WorldView};
pub(crate) use paragraph::{FactBeat, narrate_facts};
pub(crate) use told::{ToldLately, sentence_key, sentences};
pub(crate) use truth::{Untruth, left_out, outside_quotation, untruths};

#[cfg(test)]
mod tests;
#[cfg(test)]
mod truth_tests;
#[cfg(test)]
mod walk;
#[cfg(test)]
mod walk_measure;
#[cfg(test)]
mod walk_tests;
