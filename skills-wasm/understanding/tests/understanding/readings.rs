//! The sentences of `tests/sentences`, read and compared with `tests/readings`.

use std::{fs, path::Path};

use narratoria_sdk::Value;
use serde::Deserialize as _;
use understanding::testing::{
    assert_all_read, assert_same_readings, changed_readings, readings, sentence_lines,
};
use world_model::{definition::WorldDefinition, world::World};

/// A world of `tests/worlds` as it begins.
pub(crate) fn load(name: &str) -> World {
    let text = fs::read_to_string(format!("tests/worlds/{name}.json")).unwrap();
    let value: Value = text.parse().unwrap();
    let definition = WorldDefinition::deserialize(value).unwrap();
    world_model::check::check(&definition).unwrap();
    World::begin(definition)
}

/// Reads sets of sentences, given as file and world.
#[track_caller]
pub(crate) fn check(sets: &[(&str, &str)]) {
    let mut changed = Vec::new();
    for (file, world) in sets {
        let text = fs::read_to_string(format!("tests/sentences/{file}.txt")).unwrap();
        let read = readings(&load(world), sentence_lines(&text));
        changed.extend(changed_readings(Path::new(&format!("tests/readings/{file}.txt")), &read));
    }
    assert_same_readings(&changed);
}

/// Reads the sets of one kind, which are named by their worlds.
#[track_caller]
pub(crate) fn check_worlds(kind: &str, worlds: &[&str]) {
    let files: Vec<String> = worlds.iter().map(|world| format!("{kind}-{world}")).collect();
    let sets = files.iter().map(String::as_str).zip(worlds.iter().copied());
    check(&sets.collect::<Vec<_>>());
}

#[test]
fn each_set_of_sentences_has_its_readings() {
    assert_all_read(Path::new("tests/sentences"), Path::new("tests/readings"));
}
