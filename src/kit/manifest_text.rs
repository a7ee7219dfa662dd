//! The text of a package's `skill.json`, for those who edit it.

use std::path::Path;

use narratoria_protocol::{JsonBounds, read_json};
use narratoria_skills::{MANIFEST_BYTES_MAX, OutsideFileError, read_outside};
use serde_json::Value;

/// A manifest as it is written, and what it says.
pub(crate) struct ManifestText {
    pub text: String,
    pub document: Value,
}

/// Why a manifest cannot be edited.
pub(crate) enum ManifestTextError {
    Missing,
    /// A predicate.
    Unusable(String),
}

pub(crate) fn read_manifest_text(path: &Path) -> Result<ManifestText, ManifestTextError> {
    let unusable = ManifestTextError::Unusable;
    let bytes = read_outside(path, MANIFEST_BYTES_MAX).map_err(|error| match error {
        OutsideFileError::Missing => ManifestTextError::Missing,
        error => unusable(format!("it {error}")),
    })?;
    let document = read_json(&bytes, JsonBounds::of_bytes(bytes.len()))
        .map_err(|error| unusable(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| unusable(error.to_string()))?;
    Ok(ManifestText { text, document })
}
