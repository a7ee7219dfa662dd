//! The situation of a world now, and what its conditions come to in it.

use crate::{
    entity::NamedId,
    situation::{SituationView, WorldSituation},
    world::{Holder, ThreadState, World},
};

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
        let idle = self.threads_in(&[ThreadState::Ahead, ThreadState::Closed]);
        SituationView {
            situation: self.situation(),
            stages: self.stages(),
            idle: idle.map(|thread| thread.name.clone()).collect(),
        }
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
