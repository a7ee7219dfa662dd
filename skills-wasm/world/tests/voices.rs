//! Sentences in the voices of ten different people, with the effect on the world that must hold afterwards.

#![expect(clippy::unwrap_used, reason = "a test may panic, in a helper too")]

#[path = "sentences/effects.rs"]
mod effects;

use std::{fmt::Write as _, fs};

use narratoria_sdk::Value;
use serde::Deserialize as _;
use world::{definition::WorldDefinition, world::World};

use effects::{SentenceLine, SentenceScore, measure};

fn load(name: &str) -> World {
    let text = fs::read_to_string(format!("tests/worlds/{name}.json")).unwrap();
    let value: Value = text.parse().unwrap();
    let definition = WorldDefinition::deserialize(value).unwrap();
    world::check::check(&definition).unwrap();
    World::begin(definition)
}

/// A set in a person's voice: `## veteran`, then lines as in the other sets.
fn measure_voice(world: &World, text: &str) -> SentenceScore {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let lines = lines.map(|line| match line.strip_prefix('@') {
        Some(setting) => SentenceLine::Scene(setting),
        None => {
            let (sentence, effects) = line.split_once(" => ").unwrap();
            SentenceLine::Case(sentence, effects)
        }
    });
    let mut score = SentenceScore::default();
    measure(world, lines, &mut score);
    score
}

/// Fails where fewer than `floor` sentences of a set have their effect.
#[expect(clippy::print_stderr, reason = "the figures are what a person runs this for")]
fn check(name: &str, floor: usize) {
    let world = load(name);
    let text = fs::read_to_string(format!("tests/sentences/voices-{name}.txt")).unwrap();
    let (mut right, mut all, mut report) = (0, 0, String::new());
    for section in text.split("\n## ").skip(1) {
        let (voice, lines) = section.split_once('\n').unwrap();
        let score = measure_voice(&world, lines);
        let _ = writeln!(report, "{voice}: {} of {}\n{}", score.right, score.all, score.wrong);
        right += score.right;
        all += score.all;
    }
    eprintln!("{name}: understood {right} of {all}\n{report}");
    assert!(
        right >= floor,
        "{name}: understood {right} of {all}, and no fewer than {floor}:\n{report}"
    );
}

#[test]
fn ten_voices_in_a_roof_greenhouse_have_their_effect() {
    check("rooftop", 29);
}

#[test]
fn ten_voices_in_a_puppet_theatre_have_their_effect() {
    check("puppets", 40);
}

/// Prints how each sentence of the file `SENTENCES` is read in the world `WORLD` (a name in `tests/worlds`).
#[test]
#[ignore = "prints the readings of a file that a person names"]
#[expect(clippy::print_stderr, reason = "the readings are what a person runs this for")]
fn readings_of_a_file_are_printed() {
    let world = load(&std::env::var("WORLD").unwrap());
    let text = fs::read_to_string(std::env::var("SENTENCES").unwrap()).unwrap();
    let blind: Vec<String> = text
        .lines()
        .map(|line| match line.split_once(" => ") {
            Some((sentence, _)) => format!("{sentence} => refused: none"),
            None => line.to_owned(),
        })
        .collect();
    eprintln!("{}", measure_voice(&world, &blind.join("\n")).wrong);
}
