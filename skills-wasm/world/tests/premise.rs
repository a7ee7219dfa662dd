//! A premise is enough: every world that is made of one is whole, and both of its threads can be brought to an end.

use std::collections::BTreeSet;

use world::{
    act::{Dice, act},
    action::{Action, Verb},
    check::check,
    possible::possibilities,
    premise::make,
    world::World,
};

const PREMISES: &[&str] = &[
    "a lighthouse keeper who has not slept for nine days",
    "A widow returns to the house where her sister vanished.",
    "the last robot on a space station finds a locket",
    "a thief, a knight and a sleeping dragon",
    "A detective searches for a stolen violin in a grand hotel",
    "the cook of a pirate ship",
    "an archaeologist opens a tomb in the desert",
    "a baker in a small village whose oven has gone cold",
    "Two brothers inherit a mill and a debt",
    "a clockmaker must repair the clock of the cathedral before midnight",
    "snow, a lodge, eleven guests",
    "my grandmother's cottage",
    "a librarian who finds a letter in a book",
    "",
    "!!!",
    "ein Leuchtturm im Sturm",
    "a very very very very very very very very very long and winding premise about a nurse and a silver whistle and a garden",
    "the brass key",
    "a kitchen table and a storm lantern",
    "you",
];

/// Does everything that can be done, again and again, until nothing changes.
fn play_out(world: &mut World) {
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

#[test]
fn every_premise_makes_a_world_that_is_whole_and_can_be_played_to_its_end() {
    for premise in PREMISES {
        for seed in 0..100 {
            let definition = make(premise, seed);
            assert_eq!(check(&definition), Ok(()), "{premise} {seed}");
            let count = definition.places.len();
            assert!((6..=10).contains(&count), "{premise} {seed}: {count} places");
            assert!(definition.people.len() >= 3 && definition.threads.len() == 2);
            let mut world = World::begin(definition);
            for id in world.ids().filter(|id| world.is_place(*id)) {
                assert!(
                    world.route_to(id).is_some(),
                    "{premise} {seed}: no way to {}",
                    world.name(id)
                );
            }
            play_out(&mut world);
            let seen = world
                .ids()
                .filter(|id| world.is_place(*id) && world.conditions[id.0].known)
                .count();
            assert_eq!(seen, count, "{premise} {seed}");
            assert!(
                world.done.iter().all(|done| *done),
                "{premise} {seed}: {:?}",
                world.definition.threads
            );
        }
    }
}

#[test]
fn what_the_premise_names_is_in_the_world() {
    for (premise, words) in [
        ("a lighthouse keeper who has not slept for nine days", &["lighthouse keeper"][..]),
        ("the last robot on a space station finds a locket", &["robot", "station", "locket"]),
        (
            "A detective searches for a stolen violin in a grand hotel",
            &["detective", "violin", "grand hotel"],
        ),
        (
            "a widow and a gravedigger argue over a music box",
            &["widow", "gravedigger", "music box"],
        ),
    ] {
        for seed in 0..20 {
            let definition = make(premise, seed);
            let mut names: BTreeSet<String> =
                definition.places.iter().map(|place| place.name.clone()).collect();
            names.extend(definition.things.iter().map(|thing| thing.name.clone()));
            names.extend(definition.people.iter().flat_map(|person| person.aliases.clone()));
            let all = format!("{names:?} {}", definition.player.description);
            for word in words {
                assert!(all.to_lowercase().contains(word), "{premise} {seed}: no {word} in {all}");
            }
        }
    }
}

/// A premise may speak to the player: then its first words are no thing.
#[test]
fn who_a_premise_speaks_of_without_a_noun_is_nothing_to_be_found() {
    let premises = ["You wait for the ferry with a glass bell.", "I lost it.", "Somebody knocks"];
    for premise in premises {
        for seed in 0..20 {
            let definition = make(premise, seed);
            let spoken = |name: &str| {
                let mut words = name.split(' ');
                words.any(|word| ["you", "i", "somebody", "wait", "knocks"].contains(&word))
            };
            let found = definition.things.iter().find(|thing| spoken(&thing.name));
            assert_eq!(found, None, "{premise} {seed}");
        }
    }
    let things = make(premises[0], 1).things;
    assert!(things.iter().any(|thing| thing.name == "glass bell"), "{things:?}");
}

#[test]
fn equal_seeds_make_equal_worlds_and_others_differ() {
    assert_eq!(make("a ferry", 3), make("a ferry", 3));
    assert_ne!(make("a ferry", 3), make("a ferry", 4));
}
