//! Questions about a world: who is where, what can be seen, what leads where.

use crate::{
    definition::{
        ContainerDefinition, ExitDefinition, PersonDefinition, PlaceDefinition, ThingDefinition,
    },
    entity::{Named, NamedId, NamedKind},
    words,
    world::{Holder, World},
};

/// Deepest nesting of containers that is followed; a definition that goes deeper is refused.
pub const NESTING_MAX: usize = 16;

/// Minutes of a day.
const DAY: u64 = 24 * 60;

impl World {
    /// All entities, in order.
    pub fn ids(&self) -> impl Iterator<Item = NamedId> + use<> {
        (0..self.entities.len()).map(NamedId)
    }

    /// The entity.
    pub fn entity(&self, id: NamedId) -> &Named {
        &self.entities[id.0]
    }

    /// Its name.
    pub fn name(&self, id: NamedId) -> &str {
        &self.entities[id.0].name
    }

    /// `the brass key`.
    pub fn the(&self, id: NamedId) -> String {
        self.entities[id.0].the()
    }

    /// The entity of this name: what is here comes first, because parts of places may share names.
    pub fn find(&self, name: &str) -> Option<NamedId> {
        let named = |id: &NamedId| self.entities[id.0].name.eq_ignore_ascii_case(name);
        self.ids().filter(named).find(|id| match self.entities[id.0].kind {
            NamedKind::Scenery(place, _) => self.here == NamedId(place),
            _ => true,
        })
    }

    /// The definition of a thing.
    pub fn thing(&self, id: NamedId) -> Option<&ThingDefinition> {
        match self.entities[id.0].kind {
            NamedKind::Thing(idx) => self.definition.things.get(idx),
            _ => None,
        }
    }

    /// The definition of a person.
    pub fn person(&self, id: NamedId) -> Option<&PersonDefinition> {
        match self.entities[id.0].kind {
            NamedKind::Person(idx) => self.definition.people.get(idx),
            _ => None,
        }
    }

    /// The definition of a place.
    pub fn place(&self, id: NamedId) -> &PlaceDefinition {
        &self.definition.places[id.0.min(self.definition.places.len() - 1)]
    }

    /// The container that a thing is.
    pub fn container(&self, id: NamedId) -> Option<&ContainerDefinition> {
        self.thing(id)?.container.as_ref()
    }

    /// Returns true if it is a door.
    pub fn is_door(&self, id: NamedId) -> bool {
        matches!(self.entities[id.0].kind, NamedKind::Door(_))
    }

    /// Returns true if it is a place.
    pub fn is_place(&self, id: NamedId) -> bool {
        matches!(self.entities[id.0].kind, NamedKind::Place(_))
    }

    /// Returns true if it opens and closes.
    pub fn is_openable(&self, id: NamedId) -> bool {
        self.is_door(id) || self.container(id).is_some()
    }

    /// The key of a door or container.
    pub fn key_of(&self, id: NamedId) -> Option<NamedId> {
        let key = match self.entities[id.0].kind {
            NamedKind::Door(idx) => self.definition.doors[idx].key.as_deref(),
            NamedKind::Thing(idx) => self.definition.things[idx].container.as_ref()?.key.as_deref(),
            _ => None,
        };
        key.and_then(|key| self.find(key))
    }

    /// Returns true if the thing itself can be seen at all: not hidden, not gone.
    fn is_about(&self, id: NamedId) -> bool {
        !self.conditions[id.0].hidden && self.holders[id.0] != Holder::Gone
    }

    /// The place where a thing or person is, through containers and people; none where it is gone.
    pub fn place_of(&self, id: NamedId) -> Option<NamedId> {
        let mut at = id;
        for _ in 0..NESTING_MAX {
            match self.holders[at.0] {
                Holder::Gone => return None,
                Holder::Place(place) => return Some(place),
                Holder::Carried | Holder::Worn => return Some(self.here),
                Holder::In(next) | Holder::On(next) | Holder::Person(next) => at = next,
            }
        }
        None
    }

    /// Returns true if the player has it, in the hands or in something that is carried.
    pub fn is_with_player(&self, id: NamedId) -> bool {
        let mut at = id;
        for _ in 0..NESTING_MAX {
            match self.holders[at.0] {
                Holder::Carried | Holder::Worn => return true,
                Holder::In(next) | Holder::On(next) => at = next,
                Holder::Gone | Holder::Place(_) | Holder::Person(_) => return false,
            }
        }
        false
    }

    /// Returns true if the player holds or wears it.
    pub fn is_held(&self, id: NamedId) -> bool {
        matches!(self.holders[id.0], Holder::Carried | Holder::Worn)
    }

    /// The things directly in, on or with this.
    pub fn held_by(&self, holder: Holder) -> Vec<NamedId> {
        self.ids()
            .filter(|id| self.entities[id.0].is_thing() && self.is_about(*id))
            .filter(|id| self.holders[id.0] == holder)
            .collect()
    }

    /// Returns true if what is in it can be seen and reached: it is open.
    fn shows_contents(&self, id: NamedId) -> bool {
        self.conditions[id.0].open
    }

    /// Returns true if a thing or person is here and in the open, in the light or not.
    pub fn is_present(&self, id: NamedId) -> bool {
        match self.entities[id.0].kind {
            NamedKind::Place(_) => id == self.here,
            NamedKind::Scenery(place, _) => self.here == NamedId(place),
            NamedKind::Door(_) => self.doors_here().contains(&id),
            NamedKind::Person(_) => self.holders[id.0] == Holder::Place(self.here),
            NamedKind::Thing(_) => self.is_thing_present(id),
        }
    }

    fn is_thing_present(&self, id: NamedId) -> bool {
        let mut at = id;
        for _ in 0..NESTING_MAX {
            if !self.is_about(at) {
                return false;
            }
            match self.holders[at.0] {
                Holder::Gone => return false,
                Holder::Carried | Holder::Worn => return true,
                Holder::Place(place) => return place == self.here,
                Holder::Person(person) => {
                    return self.holders[person.0] == Holder::Place(self.here);
                }
                Holder::In(next) if !self.shows_contents(next) => return false,
                Holder::In(next) | Holder::On(next) => at = next,
            }
        }
        false
    }

    /// Everything that is here, the player's things included, in the order of the definition.
    pub fn present(&self) -> Vec<NamedId> {
        self.ids().filter(|id| !self.is_place(*id) && self.is_present(*id)).collect()
    }

    /// Returns true if the player can see here.
    pub fn is_lit(&self) -> bool {
        !self.place(self.here).dark
            || self.ids().any(|id| self.conditions[id.0].lit && self.is_present(id))
    }

    /// Returns true if the player sees it now: it is here, and there is light or it is in the player's hands.
    pub fn is_seen(&self, id: NamedId) -> bool {
        self.is_present(id) && (self.is_lit() || self.is_with_player(id))
    }

    /// The exits of the place where the player is.
    pub fn exits(&self) -> &[ExitDefinition] {
        &self.place(self.here).exits
    }

    /// The doors of the place where the player is.
    pub fn doors_here(&self) -> Vec<NamedId> {
        self.doors_of(self.here)
    }

    fn doors_of(&self, place: NamedId) -> Vec<NamedId> {
        let doors = self.place(place).exits.iter().filter_map(|exit| exit.door.as_deref());
        let mut found: Vec<NamedId> = doors.filter_map(|door| self.find(door)).collect();
        found.dedup();
        found
    }

    /// The people who are here and can be seen.
    pub fn people_here(&self) -> Vec<NamedId> {
        self.ids().filter(|id| self.entities[id.0].is_person() && self.is_seen(*id)).collect()
    }

    /// The person who is here alone with the player, or was spoken to last.
    pub fn partner(&self) -> Option<NamedId> {
        let people: Vec<NamedId> =
            self.people_here().into_iter().filter(|id| !self.conditions[id.0].dead).collect();
        if let [one] = people.as_slice() {
            return Some(*one);
        }
        let last = [&self.last.him, &self.last.her].into_iter().flatten();
        last.filter_map(|name| self.find(name)).find(|id| people.contains(id))
    }

    /// The steps from here to a place, as indexes of exits; doors that are locked stop nothing here.
    pub fn route_to(&self, goal: NamedId) -> Option<Vec<(NamedId, usize)>> {
        let mut from: Vec<Option<(NamedId, usize)>> = vec![None; self.definition.places.len()];
        let (mut queue, mut next) = (vec![self.here], 0);
        while next < queue.len() {
            let place = queue[next];
            next += 1;
            if place == goal {
                break;
            }
            for (idx, exit) in self.place(place).exits.iter().enumerate() {
                let Some(to) = self.find(&exit.to) else { continue };
                if to != self.here && from[to.0].is_none() {
                    from[to.0] = Some((place, idx));
                    queue.push(to);
                }
            }
        }
        let mut steps = Vec::new();
        let mut at = goal;
        while at != self.here {
            let step = from.get(at.0).copied().flatten()?;
            steps.push(step);
            at = step.0;
        }
        steps.reverse();
        Some(steps)
    }

    /// Minutes since midnight.
    pub fn clock(&self) -> u64 {
        let (hour, minute) = self.definition.time.split_once(':').unwrap_or(("9", "0"));
        let part = |text: &str| text.trim().parse::<u64>().unwrap_or(0);
        (part(hour) % 24 * 60 + part(minute) % 60 + self.minutes) % DAY
    }

    /// `morning`, `afternoon`, `evening` or `night`.
    pub fn time_of_day(&self) -> &'static str {
        match self.clock() / 60 {
            5..=11 => "morning",
            12..=16 => "afternoon",
            17..=21 => "evening",
            _ => "night",
        }
    }

    /// `half past five in the evening`.
    pub fn time_in_words(&self) -> String {
        let (hour, minute) = (self.clock() / 60, self.clock() % 60 / 5 * 5);
        let (this, next) = (words::hour_word(hour), words::hour_word(hour + 1));
        let time = match minute {
            0 if hour == 0 => return "midnight".to_owned(),
            0 if hour == 12 => return "noon".to_owned(),
            0 => format!("{this} o'clock"),
            5 => format!("five past {this}"),
            10 => format!("ten past {this}"),
            15 => format!("a quarter past {this}"),
            20 => format!("twenty past {this}"),
            25 => format!("twenty-five past {this}"),
            30 => format!("half past {this}"),
            35 => format!("twenty-five to {next}"),
            40 => format!("twenty to {next}"),
            45 => format!("a quarter to {next}"),
            50 => format!("ten to {next}"),
            _ => format!("five to {next}"),
        };
        match self.time_of_day() {
            "night" => format!("{time} at night"),
            part => format!("{time} in the {part}"),
        }
    }

    /// `bright`, `dim` or `dark`.
    pub fn light(&self) -> &'static str {
        match self.time_of_day() {
            _ if !self.is_lit() => "dark",
            "evening" | "night" => "dim",
            _ if self.place(self.here).dark => "dim",
            _ => "bright",
        }
    }

    /// A noun of a description that can be seen here, with the sentence that has it.
    pub fn mention(&self, noun: &str) -> Option<(String, String)> {
        let wanted = words::split(noun);
        let head = wanted.last()?.clone();
        if head.len() < 3 || words::is_hollow(&head) {
            return None;
        }
        let place = std::iter::once(self.here);
        for id in place.chain(self.present()).filter(|id| *id == self.here || self.is_seen(*id)) {
            for sentence in words::sentences(&self.entities[id.0].description) {
                let known = words::split(sentence);
                let all = wanted.iter().all(|w| known.iter().any(|k| words::likeness(w, k) >= 3));
                if all && let Some(word) = known.iter().find(|k| words::likeness(&head, k) >= 3) {
                    return Some((word.clone(), sentence.to_owned()));
                }
            }
        }
        None
    }
}
