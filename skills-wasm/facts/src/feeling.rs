//! A change of a person's opinion of the player.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A person who thinks differently of the player: a change of `npc-perception/update-perception`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FeelingRise {
    /// The person.
    pub person: String,
    /// Points, better above 0.
    pub by: i64,
    /// What the person will remember: `you lied about the keys`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<String>,
}
