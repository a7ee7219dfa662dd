//! One line of the update stream.

use serde::Serialize;

use super::Update;

/// Version of the stream; grows when a field changes its meaning, not when one is added.
pub const UPDATE_VERSION: u32 = 1;

/// One line of the stream.
#[derive(Debug, Clone, Serialize)]
pub struct UpdateLine<'a> {
    /// [`UPDATE_VERSION`].
    pub v: u32,
    /// The news.
    #[serde(flatten)]
    pub update: &'a Update,
}

impl<'a> UpdateLine<'a> {
    /// Wraps one piece of news.
    pub fn new(update: &'a Update) -> UpdateLine<'a> {
        UpdateLine { v: UPDATE_VERSION, update }
    }
}
