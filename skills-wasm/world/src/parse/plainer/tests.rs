//! Each pattern with a clause that it fits, in a storehouse that has something of everything.

use english::WordClass;
use serde::Deserialize as _;

use super::*;
use crate::{
    definition::WorldDefinition,
    parse::{
        patterns::Construction,
        phrase_kinds::{Kind, feature},
        referents::is_referent,
        tokens::{Token, text_of, tokens},
    },
};

pub(crate) fn storehouse() -> World {
    let text = include_str!("../../../tests/worlds/storehouse.json");
    let value: narratoria_sdk::Value = text.parse().unwrap();
    let definition = WorldDefinition::deserialize(value).unwrap();
    crate::check::check(&definition).unwrap();
    let mut world = World::begin(definition);
    // What `it` is.
    world.last.it = Some("notice".to_owned());
    world
}

pub(crate) fn patterns() -> Vec<&'static Construction> {
    let rules = ORDERS.iter().chain(RULES.iter().copied().flatten());
    rules
        .filter_map(|rule| match rule {
            PlainerRule::Pattern(construction) => Some(construction),
            _ => None,
        })
        .collect()
}

/// What the first rule that fits makes of a clause.
fn said(world: &World, clause: &[Token]) -> String {
    plainer(world, clause, false).map_or_else(|| "nothing".to_owned(), |plain| text_of(&plain))
}

#[test]
fn each_pattern_says_its_example_in_plain_words() {
    let world = storehouse();
    let line = |example: &str| format!("{example} => {}", said(&world, &tokens(example, &world)));
    let lines: Vec<String> = patterns().iter().map(|it| line(it.example)).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn no_earlier_rule_says_the_example_of_a_pattern_in_other_words() {
    let world = storehouse();
    let mut wrong = Vec::new();
    for construction in patterns() {
        let example = tokens(construction.example, &world);
        let plain = construction.plainer(&world, &example).map(|plain| text_of(&plain));
        let first = said(&world, &example);
        if plain.as_ref() != Some(&first) {
            wrong.push(format!(
                "{}: {plain:?}, but the first rule that fits: {first}",
                construction.example
            ));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// The names that a text has between these brackets.
fn named(text: &str, open: char, close: char) -> Vec<&str> {
    text.split(open).skip(1).filter_map(|part| part.split(close).next()).collect()
}

#[test]
fn patterns_name_kinds_and_sets_that_exist_and_plain_clauses_what_their_pattern_finds() {
    let (world, mut wrong) = (storehouse(), Vec::new());
    for Construction { pattern, plain, .. } in patterns() {
        let found = named(pattern, '{', '}');
        let found: Vec<&str> = found.iter().map(|it| it.trim_end_matches('!')).collect();
        let labels: Vec<&str> = found.iter().map(|it| it.split(':').next_back().unwrap()).collect();
        for kind in &found {
            let mut parts = kind.split(':').next().unwrap().split('.');
            if Kind::called(parts.next().unwrap()).is_none() {
                wrong.push(format!("{pattern}: no kind {kind}"));
            }
            let is_of_words = |feature: &str| feature.starts_with(['$', '^', '~', '=']);
            for name in parts.map(|part| part.trim_start_matches('!')) {
                let is_known = is_of_words(name)
                    || ["carried", "a-thing"].contains(&name)
                    || feature(&world, name, world.here).is_some();
                if !is_known {
                    wrong.push(format!("{pattern}: no feature {name}"));
                }
            }
        }
        for label in named(plain, '{', '}') {
            if !is_referent(label) && !labels.contains(&label) {
                wrong.push(format!("{pattern}: nothing is called {label}"));
            }
        }
        let words = named(pattern, '<', '>').len();
        for n in named(plain, '<', '>') {
            if n.trim_end_matches('!').parse::<usize>().unwrap() > words {
                wrong.push(format!("{pattern}: no word <{n}>"));
            }
        }
        for set in pattern
            .split([' ', '|', '<', '^', '!', '[', '$', '=', '~', '&'])
            .filter_map(|it| it.strip_prefix('@'))
        {
            let set = set.split(['?', '*', '>', ']', '.', ':', '}']).next().unwrap();
            if WordClass::named(set).is_none() {
                wrong.push(format!("{pattern}: no class @{set}"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn patterns_know_the_directions_of_exits() {
    let mut directions = crate::definition::DIRECTIONS.to_vec();
    directions.sort_unstable();
    assert_eq!(WordClass::Direction.words(), directions);
}
