//! A world in play: the map, its names, and where everything is now.

mod mention;
mod met;
mod name_index;
mod people;
mod queries;
mod record;
mod schedule;
mod threads;
mod view;
mod ways;

pub use queries::NESTING_MAX;
pub use schedule::PersonMove;
pub use threads::ThreadState;

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use crate::{
    action::Action,
    definition::WorldDefinition,
    entity::{Named, NamedId, NamedKind},
    now::LastNames,
    situation::{ConditionDecider, undecided},
};
use name_index::NameIndex;

/// Where a thing or a person is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// Nowhere: eaten, drunk.
    Gone,
    /// In a place.
    Place(NamedId),
    /// In a container.
    In(NamedId),
    /// On a supporter.
    On(NamedId),
    /// With a person.
    Person(NamedId),
    /// The player has it.
    Carried,
    /// The player wears it.
    Worn,
}

/// What may change about an entity, beside where it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntityCondition {
    /// A door or container is open.
    pub open: bool,
    /// A door or container is locked.
    pub locked: bool,
    /// A light is lit.
    pub lit: bool,
    /// A thing is still hidden.
    pub hidden: bool,
    /// A place has been seen, a person spoken to.
    pub known: bool,
    /// A person gives way.
    pub yielded: bool,
    /// A person is hurt.
    pub hurt: bool,
    /// A person is dead.
    pub dead: bool,
}

/// A world in play.
#[derive(Debug, Clone)]
pub struct World {
    /// The map, which all copies of a world share.
    pub definition: Arc<WorldDefinition>,
    /// Everything with a name: places, doors, things, people, scenery, in this order.
    pub entities: Arc<Vec<Named>>,
    /// Where each entity is; places, doors and scenery do not move.
    pub holders: Vec<Holder>,
    /// The condition of each entity.
    pub conditions: Vec<EntityCondition>,
    /// The place where the player is.
    pub here: NamedId,
    /// Minutes since the story began.
    pub minutes: u64,
    /// Whether each thread has ended.
    pub done: Vec<bool>,
    /// What pronouns mean.
    pub last: LastNames,
    /// What `again` repeats.
    pub again: Vec<Action>,
    /// How often each person has told each topic, as `Person: topic`; under the name alone, how often they knew nothing; as
    /// `Person#thanks`, how often they have reacted to it.
    pub told: BTreeMap<String, u64>,
    /// What people think of the player, by their names; other skills keep it.
    pub opinions: BTreeMap<String, i64>,
    /// Decides the conditions of the map.
    pub decider: Arc<dyn ConditionDecider>,
    /// Where the entities of each name are.
    index: Arc<NameIndex>,
    /// The words of each entity's names, as far as they have been asked for.
    words: Arc<Vec<OnceLock<NameWords>>>,
    /// How everything was at the beginning.
    start: Arc<WorldStart>,
}

/// The words of a name and of each alias, in lower case.
pub type NameWords = Vec<Vec<String>>;

/// How everything is at the beginning.
#[derive(Debug, Clone, Default)]
struct WorldStart {
    holders: Vec<Holder>,
    conditions: Vec<EntityCondition>,
}

impl World {
    /// The world at its beginning. The definition has been checked: a name that is missing counts as the first place.
    pub fn begin(definition: impl Into<Arc<WorldDefinition>>) -> World {
        let definition = definition.into();
        let entities = Arc::new(entities_of(&definition));
        let count = entities.len();
        let done = vec![false; definition.threads.len()];
        let mut world = World {
            definition,
            index: Arc::new(NameIndex::of(&entities)),
            words: Arc::new(vec![OnceLock::new(); count]),
            entities,
            holders: vec![Holder::Gone; count],
            conditions: vec![EntityCondition::default(); count],
            here: NamedId(0),
            minutes: 0,
            done,
            last: LastNames::default(),
            again: Vec::new(),
            told: BTreeMap::new(),
            opinions: BTreeMap::new(),
            decider: undecided(),
            start: Arc::default(),
        };
        world.put_everything_in_its_place();
        world.start = Arc::new(WorldStart {
            holders: world.holders.clone(),
            conditions: world.conditions.clone(),
        });
        world
    }

    /// The same world with something that decides its conditions.
    #[must_use]
    pub fn decided_by(mut self, decider: Arc<dyn ConditionDecider>) -> World {
        self.decider = decider;
        self
    }

    fn put_everything_in_its_place(&mut self) {
        let find = |name: &Option<String>| name.as_deref().and_then(|name| self.find(name));
        let mut placed = Vec::new();
        for (id, entity) in self.ids().zip(self.entities.iter()) {
            let mut condition = EntityCondition::default();
            let holder = match entity.kind {
                NamedKind::Thing(idx) => {
                    let thing = &self.definition.things[idx];
                    condition.hidden = thing.hidden.is_some();
                    condition.lit = thing.light.as_ref().is_some_and(|light| light.lit);
                    if let Some(container) = &thing.container {
                        condition.open = container.open && !container.locked;
                        condition.locked = container.locked;
                    }
                    match () {
                        () if thing.carried => Holder::Carried,
                        () if thing.worn => Holder::Worn,
                        () => find(&thing.place)
                            .map(Holder::Place)
                            .or_else(|| find(&thing.inside).map(Holder::In))
                            .or_else(|| find(&thing.on).map(Holder::On))
                            .or_else(|| find(&thing.with).map(Holder::Person))
                            .unwrap_or(Holder::Gone),
                    }
                }
                NamedKind::Person(idx) => {
                    let person = &self.definition.people[idx];
                    let place = self.scheduled(person).map_or(&person.place, |entry| &entry.place);
                    self.find(place).map_or(Holder::Gone, Holder::Place)
                }
                NamedKind::Door(idx) => {
                    let door = &self.definition.doors[idx];
                    condition.open = door.open && !door.locked;
                    condition.locked = door.locked;
                    Holder::Gone
                }
                NamedKind::Place(_) | NamedKind::Scenery(..) => Holder::Gone,
            };
            placed.push((id, holder, condition));
        }
        let here = self.find(&self.definition.player.place).unwrap_or(NamedId(0));
        for (id, holder, condition) in placed {
            self.holders[id.0] = holder;
            self.conditions[id.0] = condition;
        }
        self.here = here;
        self.conditions[here.0].known = true;
    }
}

fn entities_of(definition: &WorldDefinition) -> Vec<Named> {
    let scenery: usize = definition.places.iter().map(|place| place.scenery.len()).sum();
    let (places, doors) = (definition.places.len(), definition.doors.len());
    let (things, people) = (definition.things.len(), definition.people.len());
    let mut entities = Vec::with_capacity(places + doors + things + people + scenery);
    for (idx, place) in definition.places.iter().enumerate() {
        entities.push(Named::new(NamedKind::Place(idx), &place.name, false));
    }
    for (idx, door) in definition.doors.iter().enumerate() {
        entities.push(Named::new(NamedKind::Door(idx), &door.name, false));
    }
    for (idx, thing) in definition.things.iter().enumerate() {
        entities.push(Named::new(NamedKind::Thing(idx), &thing.name, thing.plural));
    }
    for (idx, person) in definition.people.iter().enumerate() {
        let pronoun = match person.pronoun.as_str() {
            "he" => "he",
            "she" => "she",
            "it" => "it",
            _ => "they",
        };
        let kind = NamedKind::Person(idx);
        entities.push(Named { pronoun, ..Named::new(kind, &person.name, false) });
    }
    for (place_idx, place) in definition.places.iter().enumerate() {
        for (idx, part) in place.scenery.iter().enumerate() {
            let kind = NamedKind::Scenery(place_idx, idx);
            entities.push(Named::new(kind, &part.name, part.plural));
        }
    }
    entities
}
