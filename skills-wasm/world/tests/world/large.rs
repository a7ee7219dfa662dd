//! A world of the greatest size is played as quickly as a small one.

use std::fmt::Write as _;

use narratoria_sdk::{Value, json, testing};
use understanding::understand;
use world::{act::act as act_script, create::create, understand::understand as understand_script};
use world_model::{
    act::{Dice, act},
    check::{PLACES_MAX, check},
    definition::WorldDefinition,
    world::World,
};

use serde::Deserialize as _;

/// Things of the large world.
const THINGS: usize = 600;

/// A row of places, two things in each, a person with a day of their own in every fifth.
fn large() -> Value {
    let name = |n: usize| format!("hall number {n}");
    let places: Vec<Value> = (0..PLACES_MAX)
        .map(|n| {
            let mut exits = Vec::new();
            if n > 0 {
                exits.push(json!({ "direction": "west", "to": name(n - 1) }));
            }
            if n + 1 < PLACES_MAX {
                exits.push(json!({ "direction": "east", "to": name(n + 1) }));
            }
            json!({
                "name": name(n), "exits": exits,
                "description": format!("A long hall with a vaulted ceiling. Somebody has painted the number {n} over the door, and a draught comes from the east."),
                "scenery": [{ "name": "ceiling", "description": "It is far up." }, { "name": "number", "description": format!("It says {n}.") }],
            })
        })
        .collect();
    let things: Vec<Value> = (0..THINGS)
        .map(|n| json!({ "name": format!("token of {n} marks"), "description": format!("A brass token. {n} is stamped into it, and the rim is worn smooth by many hands."), "place": name(n / 2) }))
        .collect();
    let people: Vec<Value> = (0..PLACES_MAX / 5)
        .map(|n| {
            json!({
                "name": format!("Porter {n}"), "description": "A porter in grey.", "place": name(n * 5), "greeting": "Move along.",
                "schedule": [{ "from": "08:00", "place": name(n * 5), "doing": "sweeping" }, { "from": "20:00", "place": name(n * 5 + 1) }],
                "topics": [{ "about": ["hall"], "says": "They are all alike." }, { "about": ["token"], "says": "Keep them." }],
            })
        })
        .collect();
    json!({
        "title": "The Long House", "opening": "It goes on.", "player": { "name": "Ada Lund", "place": name(0) },
        "places": places, "things": things, "people": people,
    })
}

#[test]
fn the_largest_world_is_valid_and_can_be_walked_from_end_to_end() {
    let definition = WorldDefinition::deserialize(large()).unwrap();
    check(&definition).unwrap();
    let mut world = World::begin(definition);
    let actions = understand(&world, "take the token of 1 marks and go to hall number 299").actions;
    for action in &actions {
        act(&mut world, action, &mut Dice::new(Some(20), 1));
    }
    assert_eq!(world.name(world.here), "hall number 299");
    assert_eq!(world.situation().carried, ["token of 1 marks"]);
}

/// What a turn writes does not grow with the map.
#[test]
fn the_state_of_a_large_campaign_is_small() {
    let map = large().to_string();
    let made = testing::call(create, json!({ "campaign": true }))
        .campaign_file("world.json", map.clone())
        .run();
    assert!(made.ok, "{}", made.lines);
    let mut state = made.patch();
    state["world"].as_object_mut().unwrap().remove("map");
    assert!(state.to_string().len() < 8_000, "{} bytes", state.to_string().len());
    let read = testing::call(
        understand_script,
        json!({ "sentence": "take the token of 1 marks, then look" }),
    )
    .state(&state)
    .campaign_file("world.json", map.clone())
    .run();
    let done = testing::call(act_script, json!({ "actions": read.output["actions"] }))
        .state(&state)
        .campaign_file("world.json", map)
        .run();
    assert!(done.ok, "{}", done.lines);
    let mut texts = String::new();
    for fact in done.output["facts"].as_array().unwrap() {
        writeln!(texts, "{}", fact["text"].as_str().unwrap()).unwrap();
    }
    assert!(texts.starts_with("You take the token of 1 marks."), "{texts}");
    assert!(done.patch().to_string().len() < 8_000);
}
