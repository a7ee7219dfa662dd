//! Questions about a world: who is where, what can be seen, what leads where.

use narratoria_facts::{BEGINNING_MINUTE, MINUTES_OF_A_DAY as DAY, minutes_of_day};

use crate::{
    action::Action,
    definition::{
        ContainerDefinition, ExitDefinition, LookDefinition, PersonDefinition, PlaceDefinition,
        ReactionDefinition, ThingDefinition,
    },
    entity::{Named, NamedId, NamedKind},
    words,
    world::{Holder, NameWords, World},
};

/// Deepest nesting of containers that is followed; a definition that goes deeper is refused.
pub const NESTING_MAX: usize = 16;

impl World {
    /// All entities, in order.
    pub fn ids(&self) -> impl Iterator<Item = NamedId> + use<> {
        (0..self.entities.len()).map(NamedId)
    }

    /// All places.
    pub fn place_ids(&self) -> impl Iterator<Item = NamedId> + use<> {
        (0..self.definition.places.len()).map(NamedId)
    }

    /// All things.
    pub fn thing_ids(&self) -> impl Iterator<Item = NamedId> + use<> {
        let start = self.definition.places.len() + self.definition.doors.len();
        (start..start + self.definition.things.len()).map(NamedId)
    }

    /// All people.
    pub fn person_ids(&self) -> impl Iterator<Item = NamedId> + use<> {
        let things = self.definition.doors.len() + self.definition.things.len();
        let start = self.definition.places.len() + things;
        (start..start + self.definition.people.len()).map(NamedId)
    }

    /// The entity.
    pub fn entity(&self, id: NamedId) -> &Named {
        &self.entities[id.0]
    }

    /// Its name.
    pub fn name(&self, id: NamedId) -> &str {
        &self.entities[id.0].name
    }

    /// The words of its name and of each alias, in lower case.
    pub fn names(&self, id: NamedId) -> &NameWords {
        self.words[id.0].get_or_init(|| {
            let names =
                std::iter::once(self.name(id)).chain(self.aliases(id).iter().map(String::as_str));
            names.map(words::split).filter(|words| !words.is_empty()).collect()
        })
    }

    /// Returns true if one of its names has these letters.
    pub fn has_name_like(&self, id: NamedId, letters: &str) -> bool {
        let aliases = self.aliases(id).iter().map(String::as_str);
        std::iter::once(self.name(id)).chain(aliases).any(|name| words::has_letters(name, letters))
    }

    /// Returns true if one of its names has this word. Most names are ruled out by their letters.
    pub fn has_name_with(&self, id: NamedId, word: &str) -> bool {
        self.has_name_like(id, word)
            && self.names(id).iter().any(|name| name.iter().any(|known| known == word))
    }

    /// Its other names.
    pub fn aliases(&self, id: NamedId) -> &[String] {
        match self.entities[id.0].kind {
            NamedKind::Place(idx) => &self.definition.places[idx].aliases,
            NamedKind::Door(idx) => &self.definition.doors[idx].aliases,
            NamedKind::Thing(idx) => &self.definition.things[idx].aliases,
            NamedKind::Person(idx) => &self.definition.people[idx].aliases,
            NamedKind::Scenery(place, idx) => &self.definition.places[place].scenery[idx].aliases,
        }
    }

    /// What can be seen of it at the beginning.
    pub fn first_description(&self, id: NamedId) -> &str {
        match self.entities[id.0].kind {
            NamedKind::Place(idx) => &self.definition.places[idx].description,
            NamedKind::Door(idx) => &self.definition.doors[idx].description,
            NamedKind::Thing(idx) => &self.definition.things[idx].description,
            NamedKind::Person(idx) => &self.definition.people[idx].description,
            NamedKind::Scenery(place, idx) => {
                &self.definition.places[place].scenery[idx].description
            }
        }
    }

    /// `the brass key`.
    pub fn the(&self, id: NamedId) -> String {
        self.entities[id.0].the()
    }

    /// The entity of this name: what is here comes first, because parts of places may share names.
    pub fn find(&self, name: &str) -> Option<NamedId> {
        self.index.all(&self.entities, name).find(|id| match self.entities[id.0].kind {
            NamedKind::Scenery(place, _) => self.here == NamedId(place),
            _ => true,
        })
    }

    /// The target of an action, if it is in this world.
    pub fn target_of(&self, action: &Action) -> Option<NamedId> {
        self.find(action.target.as_deref()?)
    }

    /// Returns true if anything has this name, in another place too.
    pub fn is_name(&self, name: &str) -> bool {
        self.index.all(&self.entities, name).next().is_some()
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

    /// Returns true if the person has something to give for what they want, and no longer has it.
    pub(crate) fn has_given(&self, person: NamedId) -> bool {
        let gives = self.person(person).map(|one| one.gives.as_slice()).unwrap_or_default();
        let has = |gift: &String| {
            self.find(gift).is_some_and(|id| self.holders[id.0] == Holder::Person(person))
        };
        !gives.is_empty() && !gives.iter().any(has)
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

    /// Returns true if something of a thing happens only with this tool.
    pub fn is_needed_by(&self, tool: NamedId, id: NamedId) -> bool {
        let name = Some(self.name(tool));
        let needs = |one: &ReactionDefinition| one.with.as_deref() == name;
        self.thing(id).is_some_and(|thing| thing.reactions.iter().any(needs))
    }

    /// Returns true if the thing itself can be seen at all: not hidden, not gone.
    fn is_about(&self, id: NamedId) -> bool {
        !self.conditions[id.0].hidden && self.holders[id.0] != Holder::Gone
    }

    /// Returns true if the thing does not exist yet, so that no words can mean it.
    pub fn is_to_come(&self, id: NamedId) -> bool {
        self.holders[id.0] == Holder::Gone && self.thing(id).is_some_and(|thing| thing.later)
    }

    /// Everything that words can mean: what there is, or was.
    pub fn existing(&self) -> impl Iterator<Item = NamedId> + use<'_> {
        self.ids().filter(|id| !self.is_to_come(*id))
    }

    /// How many things are hidden.
    pub fn hidden_count(&self) -> usize {
        self.conditions.iter().filter(|condition| condition.hidden).count()
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
        self.thing_ids().filter(|id| self.holders[id.0] == holder && self.is_about(*id)).collect()
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

    /// Returns true if a thing lies in something closed that is here or with the player, and is not hidden besides.
    pub fn is_shut_up_here(&self, id: NamedId) -> bool {
        let (mut at, mut is_shut) = (id, false);
        for _ in 0..NESTING_MAX {
            if !self.is_about(at) {
                return false;
            }
            at = match self.holders[at.0] {
                Holder::In(next) => {
                    is_shut |= !self.shows_contents(next);
                    next
                }
                Holder::On(next) => next,
                Holder::Carried | Holder::Worn => return is_shut,
                Holder::Place(place) => return is_shut && place == self.here,
                Holder::Gone | Holder::Person(_) => return false,
            };
        }
        false
    }

    /// Everything that is here, the player's things included, in the order of the definition.
    pub fn present(&self) -> Vec<NamedId> {
        let doors = self.doors_here();
        let is_here = |id: &NamedId| match self.entities[id.0].kind {
            NamedKind::Place(_) => false,
            NamedKind::Door(_) => doors.contains(id),
            _ => self.is_present(*id),
        };
        self.ids().skip(self.definition.places.len()).filter(is_here).collect()
    }

    /// Everything that is here and that the player sees.
    pub fn seen(&self) -> impl Iterator<Item = NamedId> + use<'_> {
        let is_lit = self.is_lit();
        self.present().into_iter().filter(move |id| is_lit || self.is_with_player(*id))
    }

    /// Returns true if the player can see here.
    pub fn is_lit(&self) -> bool {
        !self.place(self.here).dark
            || self.thing_ids().any(|id| self.conditions[id.0].lit && self.is_present(id))
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
        let here = Holder::Place(self.here);
        let people: Vec<NamedId> = self
            .person_ids()
            .filter(|id| self.holders[id.0] == here && self.is_about(*id))
            .collect();
        if people.is_empty() || self.is_lit() { people } else { Vec::new() }
    }

    /// Returns true if the player has been at the place, or at one with a way to it.
    pub fn is_on_the_map(&self, place: NamedId) -> bool {
        let is_known = |id: NamedId| self.conditions[id.0].known || id == self.here;
        let leads = |from: NamedId| {
            let mut exits = self.place(from).exits.iter();
            exits.any(|exit| exit.to.eq_ignore_ascii_case(self.name(place)))
        };
        is_known(place) || self.place_ids().any(|from| is_known(from) && leads(from))
    }

    /// The steps from here to a place, as indexes of exits: a way that is free, or without one any way.
    pub fn route_to(&self, goal: NamedId) -> Option<Vec<(NamedId, usize)>> {
        self.route(goal, &|place, exit| self.is_free(place, exit))
            .or_else(|| self.route(goal, &|_, _| true))
    }

    /// Returns true if no lock and nobody bars an exit.
    fn is_free(&self, place: NamedId, exit: &ExitDefinition) -> bool {
        let is_locked = exit
            .door
            .as_deref()
            .and_then(|door| self.find(door))
            .is_some_and(|door| self.conditions[door.0].locked);
        !is_locked && self.guard_of(place, exit).is_none() && self.allows(exit.when.as_deref())
    }

    /// The person who does not let the player through an exit.
    pub(crate) fn guard_of(&self, place: NamedId, exit: &ExitDefinition) -> Option<NamedId> {
        self.person_ids().find(|id| {
            let bars = self.person(*id).and_then(|person| person.bars.as_deref());
            let condition = self.conditions[id.0];
            bars == Some(exit.to.as_str())
                && !condition.yielded
                && !condition.dead
                && self.place_of(*id) == Some(place)
        })
    }

    fn route(
        &self,
        goal: NamedId,
        is_open: &dyn Fn(NamedId, &ExitDefinition) -> bool,
    ) -> Option<Vec<(NamedId, usize)>> {
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
                if to != self.here && from[to.0].is_none() && is_open(place, exit) {
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

    /// Minutes since the midnight before the story began.
    fn since_midnight(&self) -> u64 {
        minutes_of_day(&self.definition.time)
            .unwrap_or(BEGINNING_MINUTE)
            .saturating_add(self.minutes)
    }

    /// Minutes since midnight.
    pub fn clock(&self) -> u64 {
        self.since_midnight() % DAY
    }

    /// The day of the story, from 1.
    pub fn day(&self) -> u64 {
        self.since_midnight() / DAY + 1
    }

    /// `morning`, `afternoon`, `evening` or `night`.
    pub fn time_of_day(&self) -> &'static str {
        narratoria_facts::time_of_day(self.clock())
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

    /// What can be seen of an entity now: its description, or the first of its looks whose condition holds.
    pub fn description(&self, id: NamedId) -> &str {
        self.descriptions(&[id]).first().copied().unwrap_or_default()
    }

    /// What can be seen of entities now. All conditions are decided at once.
    pub(super) fn descriptions(&self, ids: &[NamedId]) -> Vec<&str> {
        let looks = |id: &NamedId| self.looks(*id);
        let conditions: Vec<&str> =
            ids.iter().flat_map(looks).map(|look| look.when.as_str()).collect();
        let mut holds = self.decide(&conditions).into_iter();
        let mut texts = Vec::with_capacity(ids.len());
        for id in ids {
            let looks = self.looks(*id);
            let held: Vec<bool> = holds.by_ref().take(looks.len()).collect();
            let look = looks.iter().zip(held).find(|(_, held)| *held).map(|(look, _)| look);
            let text = look.map_or(self.first_description(*id), |look| &look.description);
            texts.push(text);
        }
        texts
    }

    /// Every text that may describe an entity.
    pub fn texts_of(&self, id: NamedId) -> impl Iterator<Item = &str> {
        let looks = self.looks(id).iter().map(|look| look.description.as_str());
        std::iter::once(self.first_description(id)).chain(looks)
    }

    fn looks(&self, id: NamedId) -> &[LookDefinition] {
        match self.entities[id.0].kind {
            NamedKind::Place(idx) => &self.definition.places[idx].looks,
            NamedKind::Door(_) => &[],
            NamedKind::Thing(idx) => &self.definition.things[idx].looks,
            NamedKind::Person(idx) => &self.definition.people[idx].looks,
            NamedKind::Scenery(place, idx) => &self.definition.places[place].scenery[idx].looks,
        }
    }
}
