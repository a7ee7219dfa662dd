//! The change from the map to now, and back.

use std::collections::BTreeMap;

use crate::{
    entity::NamedId,
    now::Now,
    world::{EntityCondition, Holder, World},
};

/// Most actions that `again` repeats.
const AGAIN_MAX: usize = 8;

type Flag = (fn(&mut Now) -> &mut BTreeMap<String, bool>, fn(&mut EntityCondition) -> &mut bool);

/// The flags of a condition, each with its list in the state. `hidden` is the opposite of `found`.
const FLAGS: [Flag; 8] = [
    (|now| &mut now.open, |condition| &mut condition.open),
    (|now| &mut now.locked, |condition| &mut condition.locked),
    (|now| &mut now.lit, |condition| &mut condition.lit),
    (|now| &mut now.found, |condition| &mut condition.hidden),
    (|now| &mut now.known, |condition| &mut condition.known),
    (|now| &mut now.yielded, |condition| &mut condition.yielded),
    (|now| &mut now.hurt, |condition| &mut condition.hurt),
    (|now| &mut now.dead, |condition| &mut condition.dead),
];

/// The index of `hidden` in the list of flags.
const HIDDEN: usize = 3;

impl World {
    /// The place that the player knows where a thing lies: it has been moved since the story began, or lies in plain sight where
    /// the player has been.
    pub(crate) fn place_where_left(&self, id: NamedId) -> Option<NamedId> {
        let place = self.place_of(id).filter(|place| self.conditions[place.0].known)?;
        let is_moved = self.holders[id.0] != self.start.holders[id.0];
        let is_in_sight = || !self.place(place).dark && self.lies_open(id);
        let is_known = !self.conditions[id.0].hidden && (is_moved || is_in_sight());
        (is_known && self.entity(id).is_thing()).then_some(place)
    }

    /// Returns true if nothing that is shut, and nobody, keeps the thing from sight.
    fn lies_open(&self, id: NamedId) -> bool {
        match self.holders[id.0] {
            Holder::Place(_) => true,
            Holder::On(other) => self.lies_open(other),
            Holder::In(other) => self.conditions[other.0].open && self.lies_open(other),
            Holder::Carried | Holder::Worn | Holder::Gone | Holder::Person(_) => false,
        }
    }

    /// Where the thing or person was when the story began.
    pub fn holder_at_start(&self, id: NamedId) -> Holder {
        self.start.holders[id.0]
    }

    /// What differs from the beginning.
    pub fn now(&self) -> Now {
        let start = &self.start;
        let mut now = Now {
            place: self.name(self.here).to_owned(),
            minutes: self.minutes,
            time: self.time_of_day().to_owned(),
            light: self.light().to_owned(),
            last: self.last.clone(),
            again: self.again.iter().take(AGAIN_MAX).cloned().collect(),
            told: self.told.clone(),
            ..Now::default()
        };
        for id in self.ids() {
            let name = self.name(id);
            if self.holders[id.0] != start.holders[id.0] {
                now.at.insert(name.to_owned(), self.holder_text(self.holders[id.0]));
            }
            let (mut is, mut was) = (self.conditions[id.0], start.conditions[id.0]);
            for (idx, (list, flag)) in FLAGS.iter().enumerate() {
                let value = *flag(&mut is);
                if value != *flag(&mut was) {
                    list(&mut now).insert(name.to_owned(), value != (idx == HIDDEN));
                }
            }
        }
        for (thread, done) in self.definition.threads.iter().zip(&self.done) {
            if *done {
                now.done.insert(thread.name.clone(), true);
            }
        }
        now
    }

    /// Applies what was written down. A name that the map does not have is passed over.
    pub fn restore(&mut self, now: &Now) {
        if let Some(place) = self.find(&now.place).filter(|id| self.is_place(*id)) {
            self.here = place;
        }
        self.minutes = now.minutes;
        self.last = now.last.clone();
        self.again = now.again.iter().take(AGAIN_MAX).cloned().collect();
        self.told = now.told.clone();
        for (name, text) in &now.at {
            if let Some(id) = self.find(name)
                && let Some(holder) = self.holder_from(text)
            {
                self.holders[id.0] = holder;
            }
        }
        let mut now = now.clone();
        for (idx, (list, flag)) in FLAGS.iter().enumerate() {
            for (name, value) in std::mem::take(list(&mut now)) {
                if let Some(id) = self.find(&name) {
                    *flag(&mut self.conditions[id.0]) = value != (idx == HIDDEN);
                }
            }
        }
        for (idx, thread) in self.definition.threads.iter().enumerate() {
            self.done[idx] = now.done.get(&thread.name).copied().unwrap_or(false);
        }
    }

    fn holder_text(&self, holder: Holder) -> String {
        let (word, id) = match holder {
            Holder::Gone => return "gone".to_owned(),
            Holder::Carried => return "carried".to_owned(),
            Holder::Worn => return "worn".to_owned(),
            Holder::Place(id) => ("at", id),
            Holder::In(id) => ("in", id),
            Holder::On(id) => ("on", id),
            Holder::Person(id) => ("with", id),
        };
        format!("{word} {}", self.name(id))
    }

    fn holder_from(&self, text: &str) -> Option<Holder> {
        let (word, name) = text.split_once(' ').unwrap_or((text, ""));
        let id: Option<NamedId> = self.find(name);
        match (word, id) {
            ("gone", _) => Some(Holder::Gone),
            ("carried", _) => Some(Holder::Carried),
            ("worn", _) => Some(Holder::Worn),
            ("at", Some(id)) if self.is_place(id) => Some(Holder::Place(id)),
            ("in", Some(id)) => Some(Holder::In(id)),
            ("on", Some(id)) => Some(Holder::On(id)),
            ("with", Some(id)) => Some(Holder::Person(id)),
            _ => None,
        }
    }
}
