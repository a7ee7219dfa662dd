//! `docs/worlds.md` repeats the limits of a world.

use std::fs;

use world::{
    check::{
        DOORS_MAX, NAME_CHARS_MAX, OPENING_WORDS_MAX, PARTS_MAX, PEOPLE_MAX, PLACES_MAX,
        SCHEDULE_MAX, TEXT_CHARS_MAX, THINGS_MAX, THREADS_MAX,
    },
    parse::{ACTIONS_MAX, nouns::ALL_MAX, tokens::SENTENCE_CHARS_MAX},
    possible::POSSIBLE_MAX,
    scope::SCOPE_NAMES_MAX,
    script::change::CHANGES_MAX,
    world::NESTING_MAX,
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
        ("ALL_MAX", ALL_MAX),
        ("SCOPE_NAMES_MAX", SCOPE_NAMES_MAX),
        ("POSSIBLE_MAX", POSSIBLE_MAX),
    ] {
        assert!(page.contains(&format!("| `{name}` | {value} |")), "{name} is {value}");
    }
}
