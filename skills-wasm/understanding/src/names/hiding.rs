//! What lies in, on or under something, seen or not.

use world_model::{
    entity::NamedId,
    want::{Want, suits},
    world::{Holder, World},
};

/// What the clause before this one has uncovered and can be taken.
pub(crate) fn uncovered(world: &World) -> Vec<NamedId> {
    let Some(last) = world.spoken_of() else { return Vec::new() };
    let is_there = |id: &NamedId| {
        let hider = world.thing(*id).and_then(|thing| thing.hidden.as_deref());
        let was_hidden = hider == Some(world.name(last)) || (hider.is_some() && *id == last);
        (was_hidden || is_held_by(world, *id, last))
            && suits(world, *id, Want::Takable)
            && world.is_seen(*id)
    };
    let found = world.thing_ids().filter(is_there);
    found.filter(|id| !world.is_with_player(*id)).collect()
}

/// What is in, on or under something, found already or not.
pub(crate) fn within(world: &World, hider: NamedId) -> Vec<NamedId> {
    let is_there = |id: &NamedId| {
        let is_hidden_by = world.thing(*id).and_then(|thing| thing.hidden.as_deref())
            == Some(world.name(hider))
            && world.place_of(*id) == Some(world.here);
        is_hidden_by || is_held_by(world, *id, hider)
    };
    world.thing_ids().filter(is_there).collect()
}

/// What is in or on something.
pub(crate) fn held_by(world: &World, holder: NamedId) -> impl Iterator<Item = NamedId> {
    world.thing_ids().filter(move |id| is_held_by(world, *id, holder))
}

fn is_held_by(world: &World, id: NamedId, holder: NamedId) -> bool {
    [Holder::In(holder), Holder::On(holder)].contains(&world.holders[id.0])
}
