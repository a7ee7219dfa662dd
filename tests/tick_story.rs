//! Checks of every story that has ticked: its tables, files and scenes agree, and each has the form of its contract.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use narratoria_protocol::{
    Character, Entity, Location, Memory, OpenLoop, Relationship, Scene, Stored, TickRecord,
};
use narratoria_skills::Schema;
use narratoria_story::Story;
use serde::Serialize;
use serde_json::Value;

fn schema(stem: &str) -> Schema {
    let contracts: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|at| at.join("contracts"))
        .find(|folder| folder.join("tick-plan.schema.json").is_file())
        .unwrap();
    let text = fs::read_to_string(contracts.join(format!("{stem}.schema.json"))).unwrap();
    Schema::build(serde_json::from_str(&text).unwrap()).unwrap()
}

#[track_caller]
pub(crate) fn check_contract(stem: &str, value: &Value) {
    let mismatches = schema(stem).mismatches(value);
    assert!(mismatches.is_empty(), "{stem}: {mismatches:?}\n{value:#}");
}

/// All of a kind, each in the form of its contract.
fn entities<T: Entity + Serialize>(story: &Story, stem: &str) -> Vec<Stored<T>> {
    let all: Vec<Stored<T>> = story.entities().unwrap();
    for one in &all {
        check_contract(stem, &serde_json::to_value(&one.value).unwrap());
    }
    all
}

/// The file of each tick by its number, such as those of `plans/plan_NNN.json`.
fn numbered(folder: &Path, prefix: &str, suffix: &str) -> BTreeMap<u64, String> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeMap::new() };
    let files = entries.filter_map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let number = name.strip_prefix(prefix)?.strip_suffix(suffix)?.parse().ok()?;
        Some((number, fs::read_to_string(&path).unwrap()))
    });
    files.collect()
}

/// Checks the tables: the counter and the scenes agree, every name and pair occurs once, and every named character
/// exists in the story. Returns the number of the last tick.
pub(crate) fn check_tables(story: &Story, place: &str) -> u64 {
    let tick = story.novel().unwrap().current_tick;
    let records: Vec<Stored<TickRecord>> = story.entities().unwrap();
    let numbers: Vec<u64> = records.iter().map(|record| record.id.number).collect();
    assert_eq!(numbers, (1..=tick).collect::<Vec<u64>>(), "{place}: the ticks");
    let scenes: Vec<Stored<Scene>> = entities(story, "entity-scene");
    let told: Vec<_> = records.iter().filter_map(|record| record.value.scene).collect();
    assert_eq!(told, scenes.iter().map(|scene| scene.id).collect::<Vec<_>>(), "{place}");
    assert!(scenes.is_sorted_by(|one, next| one.value.tick < next.value.tick), "{place}");
    let characters: Vec<Stored<Character>> = entities(story, "entity-character");
    let locations: Vec<Stored<Location>> = entities(story, "entity-location");
    let people = characters.iter().map(|one| one.value.name.to_lowercase());
    assert_eq!(people.collect::<BTreeSet<_>>().len(), characters.len(), "{place}: names");
    let places = locations.iter().map(|one| one.value.name.to_lowercase());
    assert_eq!(places.collect::<BTreeSet<_>>().len(), locations.len(), "{place}: places");
    let is_known = |id| characters.iter().any(|one| one.id == id);
    let relationships: Vec<Stored<Relationship>> = entities(story, "entity-relationship");
    let mut pairs = BTreeSet::new();
    for Stored { value, id } in &relationships {
        let (a, b) = (value.character_a, value.character_b);
        assert!(is_known(a) && is_known(b) && a != b, "{place}: {id} is of {a} and {b}");
        assert!(pairs.insert([a.min(b), a.max(b)]), "{place}: {a} and {b} have two relationships");
    }
    for scene in &scenes {
        let Scene { characters, pov_character, location, .. } = &scene.value;
        assert!(characters.iter().chain(pov_character).all(|id| is_known(*id)), "{place}");
        assert!(location.is_none_or(|id| locations.iter().any(|one| one.id == id)), "{place}");
    }
    entities::<OpenLoop>(story, "entity-loop");
    entities::<Memory>(story, "entity-memory");
    tick
}

/// Checks the files: each is whole and has the form of its contract. There is none of a tick that is not part of the story;
/// only the last tick may lack some, until the next start of the program.
pub(crate) fn check_files(story: &Story, place: &str, is_synced: bool) {
    let folder = story.folder();
    let tick = story.novel().unwrap().current_tick;
    let plans = numbered(&folder.join("plans"), "plan_", ".json");
    let scenes = numbered(&folder.join("scenes"), "scene_", ".md");
    let records: Vec<Stored<TickRecord>> = story.entities().unwrap();
    for Stored { id, value } in &records {
        let number = id.number;
        let may_lack = !is_synced && number == tick;
        match plans.get(&number) {
            Some(text) => {
                assert_eq!(*text, value.plan_file, "{place}: plan {number}");
                let file: Value = serde_json::from_str(text).unwrap();
                check_contract("tick-record", &file);
                check_contract("tick-plan", &file["plan"]);
                assert_eq!(file["tick"], number, "{place}");
            }
            None => assert!(may_lack || value.plan_file.is_empty(), "{place}: plan {number}"),
        }
        let Some(scene) = value.scene else { continue };
        let scene: Scene = story.entity(scene).unwrap().unwrap();
        match scenes.get(&number) {
            Some(text) => {
                let starts = text.starts_with(&format!("# {}\n", scene.title));
                assert!(starts && text.contains(&scene.text), "{place}: scene {number}\n{text}");
            }
            None => assert!(may_lack, "{place}: scene {number}"),
        }
    }
    let last = plans.keys().chain(scenes.keys()).max().copied().unwrap_or(0);
    assert!(last <= tick, "{place}: files of tick {last}, and the story is at {tick}");
    match fs::read_to_string(folder.join("state.json")) {
        Ok(text) => {
            let state: Value = serde_json::from_str(&text).unwrap();
            check_contract("tick-state", &state);
            let found = state["current_tick"].as_u64().unwrap();
            let is_late = !is_synced && found + 1 == tick;
            assert!(found == tick || is_late, "{place}: state.json is at {found}, not at {tick}");
        }
        Err(_) => assert!(tick == 0 || (!is_synced && tick == 1), "{place}: no state.json"),
    }
    let errors = numbered(&folder.join("errors"), "error_", ".json");
    errors.values().for_each(|text| {
        check_contract("tick-error", &serde_json::from_str(text).unwrap());
    });
}
