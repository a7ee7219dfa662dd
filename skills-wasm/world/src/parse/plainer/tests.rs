//! Each pattern with a clause that it fits, in a storehouse that has something of everything.

use english::WordClass;
use serde::Deserialize as _;

use super::*;
use crate::{
    definition::WorldDefinition,
    parse::{
        pattern_form,
        patterns::Construction,
        tokens::{Token, text_of, tokens},
    },
};

fn storehouse() -> World {
    let text = include_str!("../../../tests/worlds/storehouse.json");
    let value: narratoria_sdk::Value = text.parse().unwrap();
    let definition = WorldDefinition::deserialize(value).unwrap();
    crate::check::check(&definition).unwrap();
    World::begin(definition)
}

fn patterns() -> Vec<&'static Construction<'static>> {
    let rules = ORDERS.iter().chain(TABLES).flat_map(|table| table.rules);
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

#[test]
fn patterns_name_kinds_and_classes_that_exist_and_plain_clauses_what_their_pattern_finds() {
    let wrong: Vec<String> = patterns()
        .iter()
        .flat_map(|row| {
            pattern_form::faults(row).into_iter().map(|what| format!("{}: {what}", row.pattern))
        })
        .collect();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn each_rule_has_its_line() {
    for table in ORDERS.iter().chain(TABLES) {
        assert_eq!(table.rules.len(), table.lines.len(), "{}", table.file);
    }
    let first = rows().find(|row| row.wording.contains("{open} shut|closed")).unwrap();
    assert_eq!((first.file.as_str(), first.line), ("opening.tsv", 1));
}

#[test]
fn patterns_know_the_directions_of_exits() {
    let mut directions = crate::definition::DIRECTIONS.to_vec();
    directions.sort_unstable();
    assert_eq!(WordClass::Direction.words(), directions);
}
