//! Whatever the player does, the world stays whole. `WORLD_SEQUENCES` says how many sequences are played: a few here,
//! and many in `make soak`.

use std::{fs, sync::Arc};

use narratoria_sdk::Rng;
use serde::Deserialize as _;
use understanding::understand;
use world_model::{
    act::{Dice, act, consequences},
    action::{Action, Verb},
    change::{WorldChange, change},
    definition::{DIRECTIONS, WorldDefinition},
    entity::NamedId,
    fact::{FactKind, WorldFact},
    now::Now,
    possible::possibilities,
    premise::make,
    scope::scope,
    situation::{ConditionDecider, WorldSituation},
    world::{Holder, NESTING_MAX, World},
};

/// Decides conditions by the time and the place, so that they change in play and are the same when they are asked again.
#[derive(Debug)]
struct Whim;

impl ConditionDecider for Whim {
    fn decide(&self, conditions: &[&str], situation: &WorldSituation) -> Vec<bool> {
        let now = situation.hour as usize + situation.place.len() + situation.carried.len();
        conditions.iter().map(|condition| (condition.len() + now).is_multiple_of(3)).collect()
    }
}

/// Actions of one sequence.
const STEPS: usize = 200;

fn load(name: &str) -> World {
    let text = fs::read_to_string(format!("../understanding/tests/worlds/{name}.json")).unwrap();
    let value: narratoria_sdk::Value = text.parse().unwrap();
    World::begin(WorldDefinition::deserialize(value).unwrap()).decided_by(Arc::new(Whim))
}

/// Sentences of the dataset and of no dataset at all.
fn sentences() -> Vec<String> {
    let mut all = Vec::new();
    for file in ["lighthouse", "train", "garden", "held-out-pool", "held-out-cistern"] {
        let text =
            fs::read_to_string(format!("../understanding/tests/sentences/{file}.txt")).unwrap();
        all.extend(
            text.lines().filter_map(|line| {
                line.split_once(" => ").map(|(sentence, _)| sentence.to_owned())
            }),
        );
    }
    all.extend(
        [
            "",
            " ",
            "\u{1b}[31m",
            "and and and",
            "take , , and",
            "\"",
            "the the the",
            "give",
            "put in on under",
            "ß ı İ",
            "all all all but all",
        ]
        .map(str::to_owned),
    );
    all
}

fn random_action(world: &World, rng: &mut Rng) -> Action {
    let names: Vec<String> = world.entities.iter().map(|entity| entity.name.clone()).collect();
    let name = |rng: &mut Rng| rng.pick(&names).cloned();
    Action {
        action: rng.pick(Verb::ALL).copied().unwrap_or_default(),
        target: if rng.range(0..=9) > 0 { name(rng) } else { None },
        with: if rng.range(0..=1) > 0 { name(rng) } else { None },
        topic: if rng.range(0..=3) == 0 { name(rng) } else { None },
        direction: if rng.range(0..=2) == 0 {
            rng.pick(DIRECTIONS).map(|way| (*way).to_owned())
        } else {
            None
        },
        ..Action::default()
    }
}

/// A change by the story, of anything to anywhere: most of them are refused.
fn random_change(world: &World, rng: &mut Rng) -> WorldChange {
    let names: Vec<String> = world.entities.iter().map(|entity| entity.name.clone()).collect();
    let name = rng.pick(&names).cloned();
    let other = rng.pick(&names).cloned().unwrap_or_default();
    let to = match rng.range(0..=4) {
        0 => "you".to_owned(),
        1 => format!("in {other}"),
        2 => format!("on {other}"),
        3 => format!("with {other}"),
        _ => other,
    };
    let empty = WorldChange::default();
    match rng.range(0..=14) {
        0..=3 => WorldChange { moved: name, to: Some(to), ..empty },
        4 => WorldChange { unlock: name, ..empty },
        5 => WorldChange { lock: name, ..empty },
        6 => WorldChange { open: name, ..empty },
        7 => WorldChange { close: name, ..empty },
        8 => WorldChange { light: name, ..empty },
        9 => WorldChange { douse: name, ..empty },
        10 => WorldChange { reveal: name, ..empty },
        11 => WorldChange { remove: name.filter(|_| rng.range(0..=3) == 0), ..empty },
        12 => WorldChange { send: name, ..empty },
        13 => WorldChange { kill: name.filter(|_| rng.range(0..=3) == 0), ..empty },
        _ => WorldChange { minutes: Some(rng.range(0..=900).unsigned_abs()), ..empty },
    }
}

/// Lets the story change something, and checks what comes of it.
fn interfere(world: &mut World, rng: &mut Rng) {
    let one = random_change(world, rng);
    let before = world.clone();
    match change(world, std::slice::from_ref(&one)) {
        Ok(result) => {
            let facts = consequences(world, &result);
            check_whole(world);
            check_facts(&facts, world, &before);
            let dead = |world: &World| world.ids().filter(|id| world.conditions[id.0].dead).count();
            assert!(dead(world) >= dead(&before), "{one:?}");
        }
        Err(problem) => {
            assert!(!problem.is_empty());
            assert_eq!(before.now(), world.now(), "{one:?} was refused and has changed something");
        }
    }
}

/// What must hold at any time.
fn check_world(world: &World, before: &World) {
    check_whole(world);
    for id in world.ids() {
        // What is gone stays gone, and who is dead stays dead.
        assert!(
            before.holders[id.0] != Holder::Gone
                || world.holders[id.0] == Holder::Gone
                || !world.entity(id).is_thing()
        );
        assert!(!before.conditions[id.0].dead || world.conditions[id.0].dead);
        // Nobody who is dead walks.
        assert!(
            !before.conditions[id.0].dead
                || before.holders[id.0] == world.holders[id.0]
                || !world.entity(id).is_person()
        );
    }
}

fn check_whole(world: &World) {
    for id in world.ids() {
        let holder = world.holders[id.0];
        match holder {
            Holder::Place(place) => assert!(world.is_place(place)),
            Holder::In(other) => assert!(
                world.container(other).is_some(),
                "{} in {}",
                world.name(id),
                world.name(other)
            ),
            Holder::On(other) => assert!(world.thing(other).is_some_and(|thing| thing.supporter)),
            Holder::Person(person) => assert!(world.entity(person).is_person()),
            Holder::Carried | Holder::Worn | Holder::Gone => {}
        }
        assert!(
            !(world.conditions[id.0].open && world.conditions[id.0].locked),
            "{} is open and locked",
            world.name(id)
        );
        // No thing is in itself, at any depth.
        let mut at = id;
        for depth in 0..=NESTING_MAX {
            assert!(depth < NESTING_MAX, "{} lies in itself", world.name(id));
            match world.holders[at.0] {
                Holder::In(next) | Holder::On(next) => at = next,
                _ => break,
            }
        }
        // People stand somewhere or nowhere: not in boxes, and nobody carries them.
        assert!(
            !world.entity(id).is_person() || matches!(holder, Holder::Place(_) | Holder::Gone),
            "{} is {holder:?}",
            world.name(id)
        );
        assert!(world.doing(id).is_none() || !world.conditions[id.0].dead);
    }
    assert!(world.is_place(world.here));
}

/// What must hold of an action's facts.
fn check_facts(facts: &[WorldFact], world: &World, before: &World) {
    let is_name = |name: &String| {
        let has = |text: &str| {
            let known = world_model::words::split(text);
            world_model::words::split(name).iter().all(|word| known.contains(word))
        };
        name == "you"
            || name == &world.definition.player.name
            || name == &world.definition.title
            || world.entities.iter().any(|entity| &entity.name == name)
            || world.ids().any(|id| has(world.description(id)) || has(before.description(id)))
            || world.ids().any(|id| has(world.first_description(id)))
            || has(&world.definition.opening)
            || has(&world.definition.player.description)
            || world.definition.threads.iter().any(|thread| &thread.name == name)
            || DIRECTIONS.contains(&name.as_str())
    };
    for fact in facts {
        assert!(is_name(&fact.subject), "{fact:?}");
        let free = [
            FactKind::Said,
            FactKind::Silent,
            FactKind::Spoken,
            FactKind::Persuaded,
            FactKind::Unmoved,
        ];
        if !free.contains(&fact.fact) {
            for name in [&fact.object, &fact.other, &fact.place].into_iter().flatten() {
                assert!(is_name(name), "{name}: {fact:?}");
            }
        }
        assert!(!fact.text.trim().is_empty() && !fact.text.contains("  "), "{fact:?}");
        assert!(
            fact.text.chars().next().is_some_and(|c| c.is_uppercase() || !c.is_alphabetic()),
            "{fact:?}"
        );
        let person = world.find(&fact.subject);
        if fact.fact == FactKind::Said {
            assert!(
                !person.is_some_and(|id| before.conditions[id.0].dead),
                "the dead speak: {fact:?}"
            );
        }
        if fact.fact == FactKind::Moved
            && let Some(door) = fact.other.as_deref().and_then(|name| world.find(name))
        {
            // Who has the key unlocks the door on the way.
            let has_key = before.key_of(door).is_some_and(|key| before.is_with_player(key));
            let is_locked = before.conditions[door.0].locked && !has_key;
            assert!(!is_locked, "through a locked door: {fact:?}");
        }
        if fact.fact == FactKind::Given {
            let id = fact.object.as_deref().and_then(|name| world.find(name)).unwrap();
            assert!(!world.is_with_player(id), "given and kept: {fact:?}");
        }
    }
}

fn play(start: &World, sentences: &[String], seed: u64) {
    let mut rng = Rng::new(seed);
    let has_story = seed % 2 == 1;
    let mut world = start.clone();
    for step in 0..STEPS {
        if has_story && rng.range(0..=7) == 0 {
            interfere(&mut world, &mut rng);
        }
        let actions = match rng.range(0..=9) {
            0..=2 => vec![random_action(&world, &mut rng)],
            3..=5 => understand(&world, rng.pick(sentences).unwrap()).actions,
            _ => {
                let possible = possibilities(&world);
                vec![rng.pick(&possible).unwrap().to_action()]
            }
        };
        for action in &actions {
            let before = world.clone();
            let outcome = act(&mut world, action, &mut Dice::new(None, rng.next_u64()));
            check_world(&world, &before);
            check_facts(&outcome.facts, &world, &before);
            if outcome.refused.is_some() {
                assert_eq!(moved(&before, &world), Vec::<NamedId>::new(), "{action:?}");
            }
        }
        // What is written down is all that there is.
        if step % 20 == 0 {
            let mut again = World::begin(world.definition.clone());
            let now: Now = world.now();
            again.decider = Arc::clone(&world.decider);
            again.restore(&now);
            assert_eq!(again.now(), now);
            assert_eq!(again.situation(), world.situation());
            assert_eq!(again.holders, world.holders);
            assert_eq!(again.conditions, world.conditions);
            let scope = scope(&world);
            assert!(scope.targets.iter().all(|name| world.find(name).is_some()), "{scope:?}");
        }
    }
}

/// What is somewhere else, beside what was put into the hands on the way.
fn moved(before: &World, after: &World) -> Vec<NamedId> {
    before
        .ids()
        .filter(|id| before.holders[id.0] != after.holders[id.0])
        .filter(|id| after.holders[id.0] != Holder::Carried)
        .collect()
}

#[test]
fn no_sequence_of_actions_breaks_the_world() {
    let count = std::env::var("WORLD_SEQUENCES")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(500_u64);
    let sentences = sentences();
    let worlds: Vec<World> = ["lighthouse", "train", "garden", "harbour", "harbour"]
        .map(load)
        .into_iter()
        .chain((0..5).map(|seed| World::begin(make("a miller and a locked tower", seed))))
        .collect();
    for seed in 0..count {
        let start = &worlds[usize::try_from(seed).unwrap() % worlds.len()];
        play(start, &sentences, seed);
    }
}
