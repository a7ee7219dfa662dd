//! The input and the output of the script.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{outcome::DiceOutcome, story::Style};

/// What to tell.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What the player typed, word for word.
    pub(crate) prompt: String,
    /// The voice; the story's own where this is missing.
    #[serde(default)]
    pub(crate) style: Option<Style>,
    /// What the scene is about, where the player named nothing.
    #[serde(default)]
    pub(crate) focus: Option<String>,
    /// How the attempt went, where no earlier step rolled dice.
    #[serde(default)]
    pub(crate) outcome: Option<DiceOutcome>,
}

/// What was told.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The beat for the player; empty where an earlier step has told everything.
    pub(crate) text: String,
    /// True if the language model wrote it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) by_model: bool,
}
