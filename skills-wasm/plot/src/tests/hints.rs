//! The hint of a story whose campaign has none.

use narratoria_sdk::{Value, json};
use serde::Deserialize;

use crate::open_hint::{KnownWorld, PlayerKnowledge, open_hint};

fn village() -> Value {
    json!({
        "threads": [
            { "name": "Recipe", "opening": "The recipe is missing, and Felix Crane has the key." },
            { "name": "Compass", "opening": "Felix Crane has lost a compass." },
            { "name": "Geese", "opening": "Somebody feeds the geese at night." },
        ],
        "people": [
            { "name": "pedlar", "topics": [{ "about": ["weather"] }] },
            {
                "name": "Felix Crane",
                "topics": [
                    { "about": ["secret"], "when": "trust == 'high'" },
                    { "about": ["pocket compass", "loss"] },
                    { "about": ["noon"] },
                ],
            },
        ],
        "places": [
            { "name": "green", "exits": [{ "to": "street" }] },
            {
                "name": "street",
                "exits": [
                    { "to": "green" },
                    { "to": "council room", "door": "carved door" },
                    { "to": "island", "when": "tide == 'low'" },
                    { "to": "church crypt" },
                ],
            },
        ],
    })
}

#[test]
fn a_thread_that_has_not_begun_or_is_closed_is_no_hint() {
    let known = json!({ "place": "green", "idle": ["Recipe", "Geese"] });
    assert_eq!(
        hint_of(&village(), &known),
        "Felix Crane has lost a compass. You have not spoken to Felix Crane yet."
    );
}

fn hint_of(world: &Value, known: &Value) -> String {
    let world = KnownWorld::deserialize(world.clone()).unwrap();
    let known = PlayerKnowledge::deserialize(known.clone()).unwrap();
    open_hint(&world, &known).unwrap_or_else(|| "nothing".to_owned())
}

#[test]
fn without_a_hint_of_the_campaign_a_player_reads_what_is_open_and_the_nearest_step() {
    let openings =
        "The recipe is missing, and Felix Crane has the key. Felix Crane has lost a compass.";
    let met = ["Felix Crane", "pedlar"];
    let told = ["Felix Crane: pocket compass", "Felix Crane: noon", "pedlar: weather"];
    let cases = [
        (json!({ "place": "green" }), "You have not spoken to Felix Crane yet."),
        (
            json!({ "place": "green", "met": met }),
            "You could ask Felix Crane about the pocket compass.",
        ),
        (json!({ "met": met, "learned": &told[..1] }), "You could ask Felix Crane about noon."),
        (
            json!({ "met": met, "learned": &told[..2] }),
            "You could ask the pedlar about the weather.",
        ),
        (
            json!({ "place": "green", "met": met, "learned": told, "visited": ["green"] }),
            "You have not been to the street yet.",
        ),
        (
            json!({ "place": "green", "met": met, "learned": told, "visited": ["green", "street"] }),
            "You have not been to the church crypt yet.",
        ),
    ];
    for (known, step) in cases {
        assert_eq!(hint_of(&village(), &known), format!("{openings} {step}"), "{known}");
    }
}

#[test]
fn the_dead_are_not_asked_and_threads_that_have_ended_are_not_told_again() {
    let known = json!({
        "done": ["Recipe", "Compass"], "dead": ["Felix Crane"], "met": ["Felix Crane"], "place": "green",
        "visited": ["green"],
    });
    assert_eq!(
        hint_of(&village(), &known),
        "Somebody feeds the geese at night. You have not been to the street yet."
    );
}

#[test]
fn a_world_in_which_nothing_is_open_has_no_hint() {
    let everything = json!({
        "done": ["Recipe", "Compass", "Geese"], "dead": ["Felix Crane", "pedlar"],
        "visited": ["green", "street", "church crypt"],
    });
    assert_eq!(hint_of(&village(), &everything), "nothing");
    assert_eq!(hint_of(&json!({}), &json!({})), "nothing");
}
