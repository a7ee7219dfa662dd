//! The parts of events that an author builds.

use serde::Serialize;

use crate::Value;

/// The severity of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// For skill authors.
    Debug,
    /// For curious players.
    Info,
    /// Unexpected, but harmless.
    Warn,
    /// A failure.
    Error,
}

/// A file that the script has written into its asset folder.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Asset {
    /// Unique within the invocation.
    pub asset_id: String,
    /// A word of your choice, such as `image` or `music`.
    pub kind: String,
    /// IANA media type.
    pub media_type: String,
    /// Path relative to the asset folder.
    pub path: String,
    /// Opaque extras, an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<serde_json::Map<String, Value>>,
}

impl Asset {
    /// An asset without metadata.
    pub fn new(
        asset_id: impl Into<String>,
        kind: impl Into<String>,
        media_type: impl Into<String>,
        path: impl Into<String>,
    ) -> Asset {
        Asset {
            asset_id: asset_id.into(),
            kind: kind.into(),
            media_type: media_type.into(),
            path: path.into(),
            metadata: None,
        }
    }

    /// Adds one entry to the metadata.
    #[must_use]
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Asset {
        self.metadata.get_or_insert_default().insert(key.into(), value.into());
        self
    }
}

/// One thing that the player may do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Choice {
    /// Unique within the list.
    pub id: String,
    /// The text that the player sees.
    pub label: String,
    /// The sentence that choosing it plays; the label if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// How hard it is, in a word such as `easy`, for front ends that show it apart from the label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<String>,
    /// What would help or what is at stake, in a short sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Choice {
    /// A choice whose label is also the sentence that it plays.
    pub fn new(id: impl Into<String>, label: impl Into<String>) -> Choice {
        Choice { id: id.into(), label: label.into(), prompt: None, difficulty: None, hint: None }
    }

    /// Sets the sentence that choosing it plays.
    #[must_use]
    pub fn prompt(mut self, sentence: impl Into<String>) -> Choice {
        self.prompt = Some(sentence.into());
        self
    }

    /// Sets how hard it is.
    #[must_use]
    pub fn difficulty(mut self, difficulty: impl Into<String>) -> Choice {
        self.difficulty = Some(difficulty.into());
        self
    }

    /// Sets what would help, or what is at stake.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Choice {
        self.hint = Some(hint.into());
        self
    }
}
