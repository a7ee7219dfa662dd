//! Plays a world without a thought for its story.

use world_model::{
    act::{Dice, act},
    action::{Action, Verb},
    possible::possibilities,
    world::World,
};

/// Returns true if a thread has ended that ends the story.
pub(crate) fn has_ended(world: &World) -> bool {
    let mut threads = world.definition.threads.iter().zip(&world.done);
    threads.any(|(thread, done)| *done && thread.ending.contains("So it ends: "))
}

/// Does everything that can be done, again and again, until nothing changes.
pub(crate) fn play_out(world: &mut World) {
    let places: Vec<String> =
        world.definition.places.iter().map(|place| place.name.clone()).collect();
    for _ in 0..4 {
        for place in &places {
            act(world, &Action::on(Verb::Go, place), &mut Dice::new(Some(1), 0));
            for _ in 0..3 {
                for possible in possibilities(world) {
                    let dull = [Verb::Go, Verb::Wait, Verb::Look, Verb::PickLock, Verb::Wear];
                    if possible.check.is_none() && !dull.contains(&possible.action) {
                        act(world, &possible.to_action(), &mut Dice::new(Some(1), 0));
                    }
                }
            }
        }
    }
}
