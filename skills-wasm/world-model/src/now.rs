//! What play has changed, as it lies in the story's state.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::action::Action;

/// What differs from the map. Absent means: as at the beginning.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Now {
    /// The place where the player is.
    pub place: String,
    /// Minutes since the story began.
    pub minutes: u64,
    /// `morning`, `afternoon`, `evening` or `night`.
    pub time: String,
    /// `bright`, `dim` or `dark`.
    pub light: String,
    /// Where things and people are: `carried`, `worn`, `gone`, `at PLACE`, `in THING`, `on THING`, `with PERSON`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub at: BTreeMap<String, String>,
    /// Doors and containers that are open, or not.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub open: BTreeMap<String, bool>,
    /// Doors and containers that are locked, or not.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub locked: BTreeMap<String, bool>,
    /// Lights that are lit, or not.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub lit: BTreeMap<String, bool>,
    /// Hidden things that have been found.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub found: BTreeMap<String, bool>,
    /// Places that the player has seen, people that the player has spoken to.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub known: BTreeMap<String, bool>,
    /// People that have given way.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub yielded: BTreeMap<String, bool>,
    /// People that have been hurt.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub hurt: BTreeMap<String, bool>,
    /// People that are dead.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub dead: BTreeMap<String, bool>,
    /// Threads that have ended.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub done: BTreeMap<String, bool>,
    /// How often each person has told each topic, as `Person: topic`; under the name alone, how often they knew nothing; as
    /// `Person#thanks`, how often they have reacted to it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub told: BTreeMap<String, u64>,
    /// What the next pronouns mean.
    pub last: LastNames,
    /// What `again` repeats.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<Action>,
}

/// The names that pronouns stand for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LastNames {
    /// For `it` and `that`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub it: Option<String>,
    /// For `him`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub him: Option<String>,
    /// For `her`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub her: Option<String>,
    /// For `them`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub them: Vec<String>,
    /// For `there`: the place before this one, or the one that was spoken of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub there: Option<String>,
}
