//! What a verb would like its object to be.

use crate::{
    entity::NamedId,
    world::{Holder, World},
};

/// What a verb would like its object to be. It decides between things of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// Anything.
    Any,
    /// Something that can be taken and is not.
    Takable,
    /// Something that the player has.
    Carried,
    /// Something that the player wears.
    Worn,
    /// Something to wear.
    Wearable,
    /// Something that opens and is closed.
    Closed,
    /// Something that is open.
    Open,
    /// Something that is locked.
    Locked,
    /// The key of this, if the player has it.
    KeyOf(NamedId),
    /// A light that is out.
    Unlit,
    /// A light that is lit.
    Lit,
    /// Something to eat.
    Edible,
    /// Something to drink.
    Drinkable,
    /// Something to read.
    Readable,
    /// A person.
    Person,
    /// Something that a person has.
    Owned,
    /// What can hold things.
    Holder,
    /// A place or a door.
    Place,
}

/// Returns true if an entity is what the verb would like.
pub fn suits(world: &World, id: NamedId, want: Want) -> bool {
    let condition = world.conditions[id.0];
    let thing = world.thing(id);
    match want {
        Want::Any => true,
        Want::Takable => {
            thing.is_some_and(|thing| !thing.fixed) && !world.is_held(id) && !is_owned(world, id)
        }
        Want::Carried => world.is_with_player(id),
        Want::Worn => world.holders[id.0] == Holder::Worn,
        Want::Wearable => {
            thing.is_some_and(|thing| thing.wearable) && world.holders[id.0] != Holder::Worn
        }
        Want::Closed => world.is_openable(id) && !condition.open,
        Want::Open => world.is_openable(id) && condition.open,
        Want::Locked => condition.locked,
        Want::KeyOf(lock) => world.key_of(lock) == Some(id),
        Want::Unlit => thing.is_some_and(|thing| thing.light.is_some()) && !condition.lit,
        Want::Lit => condition.lit,
        Want::Edible => thing.is_some_and(|thing| thing.edible),
        Want::Drinkable => thing.is_some_and(|thing| thing.drinkable),
        Want::Readable => thing.is_some_and(|thing| thing.text.is_some()),
        Want::Person => world.entity(id).is_person(),
        Want::Owned => is_owned(world, id),
        Want::Holder => thing.is_some_and(|thing| thing.supporter || thing.container.is_some()),
        Want::Place => world.is_place(id) || world.is_door(id),
    }
}

fn is_owned(world: &World, id: NamedId) -> bool {
    matches!(world.holders[id.0], Holder::Person(person) if !world.conditions[person.0].dead)
}
