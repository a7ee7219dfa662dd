//! What the conditions of a campaign can ask about a world.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    entity::NamedId,
    world::{Holder, World},
};

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
}

impl World {
    /// The situation now.
    pub fn situation(&self) -> WorldSituation {
        let name = |id: NamedId| self.name(id).to_owned();
        let all = |fits: &dyn Fn(NamedId) -> bool| -> Vec<String> {
            self.ids().filter(|id| fits(*id)).map(name).collect()
        };
        let condition = |id: NamedId| self.conditions[id.0];
        let seen: Vec<NamedId> = self.seen().collect();
        let is_worn = |id: NamedId| self.holders[id.0] == Holder::Worn;
        let things = |fits: &dyn Fn(NamedId) -> bool| -> Vec<String> {
            let things = seen.iter().copied().filter(|id| self.entity(*id).is_thing());
            things.filter(|id| fits(*id)).map(name).collect()
        };
        let threads = self.definition.threads.iter().zip(&self.done);
        WorldSituation {
            place: name(self.here),
            hour: self.clock() / 60,
            minute: self.clock() % 60,
            day: self.day(),
            light: self.light().to_owned(),
            present: self
                .person_ids()
                .filter(|id| self.is_present(*id) && !condition(*id).dead)
                .map(name)
                .collect(),
            carried: things(&|id| self.is_with_player(id) && !is_worn(id)),
            worn: things(&is_worn),
            here: things(&|id| !self.is_with_player(id)),
            visited: self
                .place_ids()
                .filter(|id| condition(*id).known || *id == self.here)
                .map(name)
                .collect(),
            met: self.person_ids().filter(|id| condition(*id).known).map(name).collect(),
            open: all(&|id| condition(id).open),
            lit: all(&|id| condition(id).lit),
            dead: all(&|id| condition(id).dead),
            done: threads.filter(|(_, done)| **done).map(|(one, _)| one.name.clone()).collect(),
            learned: self.told.keys().filter(|key| key.contains(": ")).cloned().collect(),
        }
    }

    /// Builds the view that the scripts write into the state.
    pub fn view(&self) -> SituationView {
        SituationView { situation: self.situation(), stages: self.stages() }
    }

    /// Decides conditions, all of them in the situation of now.
    pub(crate) fn decide(&self, conditions: &[&str]) -> Vec<bool> {
        if conditions.is_empty() {
            return Vec::new();
        }
        self.decider.decide(conditions, &self.situation())
    }

    /// Decides one condition; without one the answer is yes.
    pub(crate) fn allows(&self, condition: Option<&str>) -> bool {
        condition.is_none_or(|condition| self.decide(&[condition]).first() == Some(&true))
    }
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
