//! Where people are at which time of day.

use english::WordClass;
use narratoria_facts::{MINUTES_OF_A_DAY as DAY, entry_at, minutes_of_day};

use crate::{
    definition::{PersonDefinition, ScheduleEntry},
    entity::NamedId,
    words,
    world::{Holder, World},
};

/// A person who has gone elsewhere because it was time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PersonMove {
    /// The person.
    pub person: NamedId,
    /// The place that the person has left.
    pub from: NamedId,
    /// The place where the person is now.
    pub to: NamedId,
}

impl World {
    /// The entry of a person's schedule that holds now. Before the first entry of a day it is the last one.
    pub(crate) fn scheduled<'p>(&self, person: &'p PersonDefinition) -> Option<&'p ScheduleEntry> {
        entry_at(&person.schedule, |entry| &entry.from, self.clock())
    }

    /// Lets time pass. A person whose schedule has an entry in that time goes where the last such entry says; until then a
    /// person stays where the story has put them.
    pub fn pass_time(&mut self, minutes: u64) -> Vec<PersonMove> {
        let clock = self.clock();
        self.minutes = self.minutes.saturating_add(minutes);
        let begins = |entry: &ScheduleEntry| {
            let from = minutes_of_day(&entry.from).unwrap_or(0);
            let until = (from + DAY - clock) % DAY;
            (if until == 0 { DAY } else { until }) <= minutes
        };
        let mut moves = Vec::new();
        for person in self.person_ids() {
            let Some(definition) = self.person(person) else { continue };
            if self.conditions[person.0].dead || !definition.schedule.iter().any(begins) {
                continue;
            }
            let entry = self.scheduled(definition);
            let to = entry.and_then(|entry| self.find(&entry.place));
            if let (Holder::Place(from), Some(to)) = (self.holders[person.0], to)
                && from != to
                && self.is_place(to)
            {
                moves.push(PersonMove { person, from, to });
            }
        }
        for PersonMove { person, to, .. } in &moves {
            self.holders[person.0] = Holder::Place(*to);
        }
        moves
    }

    /// What a person is doing, where the schedule says it.
    pub fn doing(&self, id: NamedId) -> Option<&str> {
        let entry = self.scheduled(self.person(id)?)?;
        let is_there = self.find(&entry.place).map(Holder::Place) == Some(self.holders[id.0]);
        let is_well = !self.conditions[id.0].dead && !self.conditions[id.0].hurt;
        (is_there && is_well && !entry.doing.is_empty()).then_some(entry.doing.as_str())
    }

    /// Returns true if somebody who is here sees what the player does. Who sleeps, who is blind and who is busy behind a
    /// shut door does not.
    pub fn can_watch(&self, id: NamedId) -> bool {
        let doing = words::split(self.doing(id).unwrap_or_default());
        let says = |class: WordClass| doing.iter().any(|word| class.has(word));
        let is_blind = words::split(self.name(id)).iter().any(|word| word == "blind");
        let is_behind = says(WordClass::Screen) && says(WordClass::Shut);
        !(is_blind || says(WordClass::Asleep) || is_behind)
    }
}
