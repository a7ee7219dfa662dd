//! Rows: the patterns that wordings are written in, what their phrases mean, and the tables that say a clause in plainer words.

pub(crate) mod gifts;
pub(crate) mod patterns;
pub(crate) mod phrase_kinds;
pub(crate) mod plainer;
pub(crate) mod recording;
pub(crate) mod referents;
pub(crate) mod sentence_rows;
pub(crate) mod telegraphic;
