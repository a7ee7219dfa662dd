//! What words mean.

use world_model::entity::NamedId;

/// What words mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant {
    /// These, at least one.
    Entities(Vec<NamedId>),
    /// A word of a description.
    Mention(String),
    /// One of several.
    Unclear(Vec<NamedId>),
    /// Nothing that is here.
    Missing(String),
    /// No words at all.
    Nothing,
}

/// The item of an iterator that yields one and no more.
pub(crate) fn sole<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    items.next().filter(|_| items.next().is_none())
}
