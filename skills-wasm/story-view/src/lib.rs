//! The story's state as the variables that a campaign's conditions read. The names and their values are those of
//! `docs/built-in-skills.md`; which of them a condition may use was checked when the campaign was compiled.

mod conditions;
mod environment;
mod packed;

pub use conditions::{CONDITIONS_DOCUMENT, CompiledConditions};
pub use environment::Environment;
pub use packed::{campaign_document, pack, packed_path};
