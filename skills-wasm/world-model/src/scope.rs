//! What is in scope now: the names that a plan may use, written down after each action.

use serde::Serialize;

use crate::{
    entity::{NamedId, NamedKind},
    possible::{Possibility, possibilities},
    world::World,
};

/// Most names of one list.
pub const SCOPE_NAMES_MAX: usize = 200;

/// The names that can be used now. Every name is unique in the world, scenery within its place.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct WorldScope {
    /// The place where the player is.
    pub here: String,
    /// The places that exits lead to.
    pub exits: Vec<String>,
    /// The directions of the exits.
    pub directions: Vec<String>,
    /// The things that can be seen.
    pub things: Vec<String>,
    /// The people who can be seen.
    pub people: Vec<String>,
    /// Those of the people who do not see what the player does: they sleep, or are behind a shut door.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unseeing: Vec<String>,
    /// The things that the player carries or wears.
    pub carried: Vec<String>,
    /// The doors of this place.
    pub doors: Vec<String>,
    /// The parts of this place.
    pub scenery: Vec<String>,
    /// What the people here can be asked about.
    pub topics: Vec<String>,
    /// Everything that can be the target of an action.
    pub targets: Vec<String>,
    /// What can be done now.
    pub possible: Vec<Possibility>,
}

/// The scope of this moment.
pub fn scope(world: &World) -> WorldScope {
    let seen: Vec<NamedId> = world.seen().collect();
    let names = |fits: &dyn Fn(NamedId) -> bool| -> Vec<String> {
        let fitting = seen.iter().copied().filter(|id| fits(*id));
        fitting.map(|id| world.name(id).to_owned()).take(SCOPE_NAMES_MAX).collect()
    };
    let mut topics = Vec::new();
    for id in world.people_here() {
        topics.extend(world.topic_names(id).map(str::to_owned));
    }
    let exits = world.exits();
    let mut scope = WorldScope {
        here: world.name(world.here).to_owned(),
        exits: exits.iter().map(|exit| exit.to.clone()).collect(),
        directions: exits.iter().map(|exit| exit.direction.clone()).collect(),
        things: names(&|id| world.entity(id).is_thing()),
        people: names(&|id| world.entity(id).is_person() && !world.conditions[id.0].dead),
        unseeing: names(&|id| world.entity(id).is_person() && !world.can_watch(id)),
        carried: names(&|id| world.is_with_player(id)),
        doors: names(&|id| world.is_door(id)),
        scenery: names(&|id| matches!(world.entity(id).kind, NamedKind::Scenery(..))),
        topics,
        targets: Vec::new(),
        possible: possibilities(world),
    };
    let dead = names(&|id| world.conditions[id.0].dead);
    let lists = [&scope.people, &dead, &scope.things, &scope.doors, &scope.scenery, &scope.exits];
    scope.targets = lists.into_iter().flatten().cloned().chain([scope.here.clone()]).collect();
    for list in [&mut scope.targets, &mut scope.topics, &mut scope.exits, &mut scope.directions] {
        let mut known = std::collections::BTreeSet::new();
        list.retain(|name| known.insert(name.clone()));
        list.truncate(SCOPE_NAMES_MAX);
    }
    scope
}
