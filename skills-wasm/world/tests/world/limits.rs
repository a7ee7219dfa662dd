//! `docs/worlds.md` repeats the limits of a world.

use std::fs;

use narratoria_sdk::Value;
use serde::Deserialize as _;
use understanding::{
    ACTIONS_MAX, names::nouns::ALL_MAX, understand, words::tokens::SENTENCE_CHARS_MAX,
};
use world::change::CHANGES_MAX;
use world_model::{
    action::{ACTION_TEXT_CHARS_MAX, ACTION_WORDS_CHARS_MAX, Action},
    check::{
        DOORS_MAX, NAME_CHARS_MAX, OPENING_WORDS_MAX, PARTS_MAX, PEOPLE_MAX, PLACES_MAX,
        SCHEDULE_MAX, TEXT_CHARS_MAX, THINGS_MAX, THREADS_MAX,
    },
    definition::WorldDefinition,
    possible::POSSIBLE_MAX,
    scope::SCOPE_NAMES_MAX,
    world::{NESTING_MAX, World},
};

#[test]
fn the_page_has_every_limit_with_its_value() {
    let page = fs::read_to_string("../../docs/worlds.md").unwrap();
    for (name, value) in [
        ("PLACES_MAX", PLACES_MAX),
        ("DOORS_MAX", DOORS_MAX),
        ("THINGS_MAX", THINGS_MAX),
        ("PEOPLE_MAX", PEOPLE_MAX),
        ("THREADS_MAX", THREADS_MAX),
        ("SCHEDULE_MAX", SCHEDULE_MAX),
        ("OPENING_WORDS_MAX", OPENING_WORDS_MAX),
        ("CHANGES_MAX", CHANGES_MAX),
        ("PARTS_MAX", PARTS_MAX),
        ("NAME_CHARS_MAX", NAME_CHARS_MAX),
        ("TEXT_CHARS_MAX", TEXT_CHARS_MAX),
        ("NESTING_MAX", NESTING_MAX),
        ("SENTENCE_CHARS_MAX", SENTENCE_CHARS_MAX),
        ("ACTIONS_MAX", ACTIONS_MAX),
        ("ACTION_WORDS_CHARS_MAX", ACTION_WORDS_CHARS_MAX),
        ("ACTION_TEXT_CHARS_MAX", ACTION_TEXT_CHARS_MAX),
        ("ALL_MAX", ALL_MAX),
        ("SCOPE_NAMES_MAX", SCOPE_NAMES_MAX),
        ("POSSIBLE_MAX", POSSIBLE_MAX),
    ] {
        assert!(page.contains(&format!("| `{name}` | {value} |")), "{name} is {value}");
    }
}

/// What `understand` makes of a long sentence, `act` takes.
#[test]
fn no_sentence_makes_an_action_longer_than_its_limits() {
    let text = fs::read_to_string("../understanding/tests/worlds/lighthouse.json").unwrap();
    let value: Value = text.parse().unwrap();
    let world = World::begin(WorldDefinition::deserialize(value).unwrap());
    let (words, word) = ("very old ".repeat(70), "o".repeat(590));
    for start in [
        "why would",
        "Martha, why would",
        "ask Martha about",
        "tell Martha",
        "say",
        "wave at",
        "take the",
        "put the coat in the",
        "go to the",
        "give it to",
        "pretend to be",
        "I shout that",
        "",
    ] {
        for rest in [&words, &word] {
            let sentence = format!("{start} {rest}");
            for action in understand(&world, &sentence).actions {
                let Action { target, with, topic, direction, text, missing, .. } = &action;
                for (value, most) in [
                    (target, ACTION_WORDS_CHARS_MAX),
                    (with, ACTION_WORDS_CHARS_MAX),
                    (topic, ACTION_WORDS_CHARS_MAX),
                    (direction, ACTION_WORDS_CHARS_MAX),
                    (missing, ACTION_WORDS_CHARS_MAX),
                    (text, ACTION_TEXT_CHARS_MAX),
                ] {
                    let length = value.as_deref().unwrap_or_default().chars().count();
                    assert!(length <= most, "{start}: {action:?}");
                }
            }
        }
    }
}
