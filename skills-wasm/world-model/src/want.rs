//! What a verb would like its object to be.

use crate::{
    entity::NamedId,
    world::{Holder, World},
};

mod wanted;

pub use wanted::Want;

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
