//! One line of the update stream.

use serde::Serialize;

use super::Update;

/// Version of the stream; grows when a field changes its meaning, not when one is added.
const UPDATE_VERSION: u32 = 1;

/// An update with the version of the stream, as `--format json` prints it.
#[derive(Debug, Clone, Serialize)]
pub struct UpdateLine<'a> {
    v: u32,
    #[serde(flatten)]
    update: &'a Update,
}

impl<'a> UpdateLine<'a> {
    pub fn new(update: &'a Update) -> UpdateLine<'a> {
        UpdateLine { v: UPDATE_VERSION, update }
    }
}
