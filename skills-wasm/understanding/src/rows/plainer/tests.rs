//! Each pattern with a clause that it fits, in a storehouse that has something of everything.

use english::WordClass;
use serde::Deserialize as _;

use super::*;
use world_model::definition::WorldDefinition;

use crate::{
    forms::pattern_form,
    rows::patterns::Construction,
    words::tokens::{Token, text_of, tokens},
};

pub(crate) fn storehouse() -> World {
    let text = include_str!("../../../tests/worlds/storehouse.json");
    let value: narratoria_sdk::Value = text.parse().unwrap();
    let definition = WorldDefinition::deserialize(value).unwrap();
    world_model::check::check(&definition).unwrap();
    let mut world = World::begin(definition);
    // What `it` is.
    world.last.it = Some("notice".to_owned());
    world
}

pub(crate) fn patterns() -> Vec<&'static Construction<'static>> {
    let rules = [&ORDERS, &LIGHT].into_iter().chain(TABLES).flat_map(|table| table.rows);
    rules
        .filter_map(|(_, rule)| match rule {
            PlainerRule::Pattern(construction) => Some(construction),
            _ => None,
        })
        .collect()
}

/// What the first rule that fits makes of a clause.
fn said(world: &World, clause: &[Token]) -> String {
    let plain = plainer(world, clause, false).or_else(|| light_verb(world, clause));
    plain.map_or_else(|| "nothing".to_owned(), |plain| text_of(&plain))
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
        .into_iter()
        .chain(sentence_rows::all())
        .flat_map(|row| {
            pattern_form::faults(row.pattern, row.plain)
                .into_iter()
                .map(|what| format!("{}: {what}", row.pattern))
        })
        .collect();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn each_row_has_its_line() {
    let line_of = |words: &str| {
        let row = rows().find(|row| row.wording.contains(words)).unwrap();
        format!("{}:{}", row.file, row.line)
    };
    assert_eq!(line_of("{open} shut|closed"), "opening.tsv:1");
    assert_eq!(line_of("fn by_way::through"), "going.tsv:19");
    assert_eq!(line_of("my? @dear"), "asides.tsv:4");
    assert_eq!(line_of("off comes|goes|come|go"), "word-order.tsv:16");
    assert_eq!(line_of("i beg your pardon"), "clauses.tsv:6");
}

#[test]
fn patterns_know_the_directions_of_exits() {
    let mut directions = world_model::definition::DIRECTIONS.to_vec();
    directions.sort_unstable();
    assert_eq!(WordClass::Direction.words(), directions);
}
