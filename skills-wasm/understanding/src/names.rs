//! Names: what words for things, people and places mean here.

pub(crate) mod described;
pub(crate) mod handed;
pub(crate) mod hiding;
pub(crate) mod kinds;
pub mod named_words;
pub mod nouns;
pub(crate) mod people;
pub(crate) mod pronouns;
pub(crate) mod relatives;
pub(crate) mod scoring;
pub(crate) mod spans;
pub(crate) mod trades;
pub(crate) mod travel;
pub(crate) mod want;
