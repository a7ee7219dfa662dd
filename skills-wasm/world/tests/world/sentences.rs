//! Every sentence of the dataset, with the effect on the world that must hold afterwards.

use std::fs;

use narratoria_sdk::Value;
use serde::Deserialize as _;
use world::{definition::WorldDefinition, world::World};

use super::effects::{SentenceScore, measure, read};

/// The percentage of sentences that must be understood.
const GOAL_PERCENT: usize = 95;

fn load(name: &str) -> World {
    let text = fs::read_to_string(format!("tests/worlds/{name}.json")).unwrap();
    let value: Value = text.parse().unwrap();
    let definition = WorldDefinition::deserialize(value).unwrap();
    World::begin(definition)
}

/// Adds the sentences of a file.
fn measure_file(file: &str, world: &str, score: &mut SentenceScore) {
    let text = fs::read_to_string(format!("tests/sentences/{file}.txt")).unwrap();
    measure(&load(world), read(&text), score);
}

#[expect(clippy::print_stderr, reason = "the figure is what a person runs this for")]
fn check(files: &[(&str, &str)]) {
    let mut score = SentenceScore::default();
    for (file, world) in files {
        measure_file(file, world, &mut score);
    }
    let SentenceScore { right, all, wrong } = score;
    eprintln!("understood {right} of {all}\n{wrong}");
    assert!(right * 100 >= all * GOAL_PERCENT, "understood {right} of {all}:\n{wrong}");
}

#[test]
fn sentences_have_their_effect() {
    check(&[("lighthouse", "lighthouse"), ("train", "train"), ("garden", "garden")]);
}

/// Two worlds and their sentences, written in one go before the parser was asked: the first score is in the page on worlds.
#[test]
fn sentences_of_two_later_worlds_have_their_effect() {
    check(&[("held-out-pool", "pool"), ("held-out-cistern", "cistern")]);
}

/// A question finds nobody, a pronoun means nobody; only what the program is asked for means nothing in the story.
#[test]
fn what_is_meant_for_people_says_so_where_nobody_is() {
    check(&[("nobody-lighthouse", "lighthouse")]);
}

/// Another world, and sentences that no rule was made for.
#[test]
fn sentences_of_a_world_that_was_written_later_have_their_effect() {
    check(&[("held-out", "abbey")]);
}
