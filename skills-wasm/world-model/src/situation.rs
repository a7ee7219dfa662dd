//! What the conditions of a campaign can ask about a world.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

/// Everything that a condition can ask of a world, complete and not as a difference from the map.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorldSituation {
    /// The place where the player is.
    pub place: String,
    /// The hour, 0 to 23.
    pub hour: u64,
    /// The minute of the hour.
    pub minute: u64,
    /// The day, from 1.
    pub day: u64,
    /// `bright`, `dim` or `dark`.
    pub light: String,
    /// The living people who are with the player.
    pub present: Vec<String>,
    /// The things that the player carries.
    pub carried: Vec<String>,
    /// The things that the player wears.
    pub worn: Vec<String>,
    /// The things in sight that the player neither carries nor wears.
    pub here: Vec<String>,
    /// The places that the player has seen.
    pub visited: Vec<String>,
    /// The people whom the player has spoken to.
    pub met: Vec<String>,
    /// Doors and containers that are open.
    pub open: Vec<String>,
    /// Lights that are lit.
    pub lit: Vec<String>,
    /// The dead.
    pub dead: Vec<String>,
    /// Threads that have ended.
    pub done: Vec<String>,
    /// What people have told the player, as `Person: topic`.
    pub learned: Vec<String>,
}

/// The state under `/world/view`, which other skills read. Conditions read the situation alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SituationView {
    /// The part that conditions read.
    #[serde(flatten)]
    pub situation: WorldSituation,
    /// How open threads stand, by their titles, if a stage of theirs is reached.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub stages: BTreeMap<String, String>,
    /// Titles of threads that have not begun, or that another one has closed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub idle: Vec<String>,
}

/// Decides the conditions of a campaign's map.
pub trait ConditionDecider: std::fmt::Debug + Send + Sync {
    /// Whether each condition holds.
    fn decide(&self, conditions: &[&str], situation: &WorldSituation) -> Vec<bool>;
}

/// Nothing can be decided without a campaign, so nothing that depends on a condition is there.
#[derive(Debug, Clone, Copy)]
struct Undecided;

impl ConditionDecider for Undecided {
    fn decide(&self, conditions: &[&str], _: &WorldSituation) -> Vec<bool> {
        vec![false; conditions.len()]
    }
}

/// The decider of a world without a campaign.
pub(crate) fn undecided() -> Arc<dyn ConditionDecider> {
    Arc::new(Undecided)
}
