//! A change that a story makes to its world. Authors write it in campaigns; `world/change` reads it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest time that one change lets pass, in minutes: a week.
pub const CHANGE_MINUTES_MAX: u64 = 7 * 24 * 60;

/// One change of the world: exactly one of its keys, and `to` beside `move`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorldChange {
    /// The thing or person that is moved.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    pub moved: Option<String>,
    /// Where to: `you`, a place, `in THING`, `on THING` or `with PERSON`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The door or container that is unlocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlock: Option<String>,
    /// The door or container that is locked, and closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<String>,
    /// The door or container that is unlocked and opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<String>,
    /// The door or container that is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub close: Option<String>,
    /// The thing that is lit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub light: Option<String>,
    /// The thing that is put out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub douse: Option<String>,
    /// The hidden thing that comes to light.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reveal: Option<String>,
    /// The thing or person that is nowhere any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remove: Option<String>,
    /// The person who dies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kill: Option<String>,
    /// The person who is hurt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hurt: Option<String>,
    /// The place that the player is sent to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send: Option<String>,
    /// How many minutes pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_080))]
    pub minutes: Option<u64>,
}
