//! What the player has met, or has been told of by name: only that may be named to them.

use crate::{
    definition::ThreadDefinition,
    entity::{NamedId, NamedKind},
    words,
    world::{Holder, ThreadState, World},
};

impl World {
    /// Returns true if the player has met it or has read its name.
    pub fn is_known_of(&self, id: NamedId) -> bool {
        self.is_present(id) || self.has_met(id) || self.is_told_of(id)
    }

    /// Returns true if the player has been where it is or was, and it lay open there.
    fn has_met(&self, id: NamedId) -> bool {
        let has_been = |place: Option<NamedId>| {
            place.is_some_and(|place| self.conditions[place.0].known || place == self.here)
        };
        let place_of = |holder: Holder| match holder {
            Holder::Place(place) => Some(place),
            _ => None,
        };
        match self.entity(id).kind {
            NamedKind::Place(_) => self.is_on_the_map(id),
            NamedKind::Scenery(place, _) => has_been(Some(NamedId(place))),
            NamedKind::Door(_) => self.place_ids().any(|place| {
                let mut exits = self.place(place).exits.iter();
                has_been(Some(place))
                    && exits.any(|exit| exit.door.as_deref() == Some(self.name(id)))
            }),
            NamedKind::Person(_) => {
                let was_there = place_of(self.holder_at_start(id));
                self.conditions[id.0].known || has_been(self.place_of(id)) || has_been(was_there)
            }
            NamedKind::Thing(_) => self.has_met_thing(id),
        }
    }

    /// What is moved has been in somebody's hands; what lies open where the player has been has been seen. What somebody
    /// has is seen with them.
    fn has_met_thing(&self, id: NamedId) -> bool {
        if self.conditions[id.0].hidden || self.is_to_come(id) {
            return false;
        }
        let (start, now) = (self.holder_at_start(id), self.holders[id.0]);
        let is_owned_by_known = |holder: Holder| match holder {
            Holder::Person(person) => self.has_met(person),
            _ => false,
        };
        start != now
            || self.is_with_player(id)
            || self.place_where_left(id).is_some()
            || is_owned_by_known(now)
    }

    /// Returns true if a text that the player has read for sure names it.
    fn is_told_of(&self, id: NamedId) -> bool {
        let definition = &self.definition;
        let opening = [&definition.opening, &definition.player.description];
        let threads = definition.threads.iter().zip(self.thread_states());
        let has_begun = |(thread, state): &(&ThreadDefinition, ThreadState)| {
            thread.after.is_empty() || matches!(state, ThreadState::Open | ThreadState::Done)
        };
        let threads = threads.filter(has_begun).map(|(thread, _)| &thread.opening);
        let told = self.person_ids().flat_map(|person| {
            let topics = self.person(person).map(|one| one.topics.as_slice()).unwrap_or_default();
            let is_told =
                move |(idx, _): &(usize, _)| self.told.contains_key(&self.told_key(person, *idx));
            topics.iter().enumerate().filter(is_told).flat_map(|(_, topic)| &topic.says)
        });
        let mut texts = opening.into_iter().chain(threads).chain(told);
        texts.any(|text| {
            let known = words::split(text);
            let has = |name: &Vec<String>| known.windows(name.len()).any(|part| part == &name[..]);
            self.names(id).iter().any(has)
        })
    }
}
