//! Repairing a story whose state cannot be read, and dropping what a skill has left in it.

use std::collections::BTreeSet;

use narratoria_protocol::{EntityKind, EntityReader, MEMORY_OWNER, Memory, STATE_BYTES_MAX};
use narratoria_story::{RepairRequest, StoreRow, Story, StoryName, StoryRepair, TurnRecord};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::{at, db, message, open, root, try_open, turn};

fn repair(root: &std::path::Path) -> StoryRepair {
    StoryRepair::open(root, &StoryName::parse("quest").unwrap()).unwrap()
}

fn state(story: &Story) -> Value {
    Value::Object(story.state().as_object().clone())
}

fn write_state(root: &std::path::Path, text: &str) {
    let sql = "INSERT INTO snapshots (turn, state) SELECT turn, ?1 FROM head WHERE true
               ON CONFLICT (turn) DO UPDATE SET state = excluded.state";
    Connection::open(db(root)).unwrap().execute(sql, [text]).unwrap();
}

#[test]
fn a_state_that_nests_too_deep_is_repaired() {
    let root = root();
    open(root.path()).commit(&turn("one", &[json!({"n": 1, "deep": 2})])).unwrap();
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    write_state(root.path(), &format!(r#"{{"n":1,"deep":{deep}}}"#));
    let error = try_open(root.path(), "quest").unwrap_err();
    insta::assert_snapshot!(message(root.path(), &error), @"the state in `ROOT/quest/story.db` cannot be read: recursion limit exceeded at line 1 column 141; `narratoria story repair quest` keeps what can be read");
    let opened = repair(root.path());
    assert_eq!(state(opened.story()), json!({"n": 1}));
    let faults: Vec<String> = opened.faults().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(faults.join("\n"), @"the member `deep` of the state cannot be read: recursion limit exceeded at line 1 column 128");
    // Looking at it has changed nothing.
    assert!(try_open(root.path(), "quest").is_err());
    let receipt = repair(root.path()).repair(&RepairRequest::default()).unwrap();
    let mut story = open(root.path());
    assert_eq!(state(&story), json!({"n": 1}));
    story.commit(&turn("two", &[json!({"n": 2})])).unwrap();
    assert_eq!(&story.state_at(story.head().unwrap()).unwrap(), story.state());
    // The copy is the story as it was.
    let copy: String = Connection::open(receipt.backup)
        .unwrap()
        .query_row("SELECT state FROM snapshots", [], |row| row.get(0))
        .unwrap();
    assert!(copy.len() > 100_000);
}

/// The state of an older program may be as long as today's programs allow no skill to make it.
#[test]
fn a_state_beyond_the_limit_of_skills_opens_and_one_beyond_all_limits_is_repaired() {
    let root = root();
    open(root.path()).commit(&turn("one", &[json!({"n": 1})])).unwrap();
    let long = |bytes: usize| json!({"n": 1, "long": "x".repeat(bytes)}).to_string();
    write_state(root.path(), &long(STATE_BYTES_MAX + 9));
    let mut story = open(root.path());
    story.commit(&turn("two", &[json!({"n": 2})])).unwrap();
    drop(story);
    write_state(root.path(), &long(2 * STATE_BYTES_MAX));
    let error = try_open(root.path(), "quest").unwrap_err().to_string();
    assert!(error.contains("the limit is 16777216; `narratoria story repair quest`"), "{error}");
    // As it is it cannot be written.
    let error = repair(root.path()).repair(&RepairRequest::default()).unwrap_err();
    insta::assert_snapshot!(error, @"the turn would make the story's state 16777233 bytes long, the limit is 16777216; a skill must delete or replace what it no longer needs");
    let patch = json!({"long": null}).as_object().unwrap().clone();
    repair(root.path()).repair(&RepairRequest { patch, ..RepairRequest::default() }).unwrap();
    assert_eq!(state(&open(root.path())), json!({"n": 1}));
}

#[test]
fn the_store_and_the_texts_of_a_skill_are_dropped_with_the_turns_before_as_they_were() {
    let root = root();
    let row = |skill: &str, key: &str, value: &str| StoreRow {
        skill: skill.to_owned(),
        key: key.to_owned(),
        value: Some(value.to_owned()),
    };
    let mut story = open(root.path());
    let store_writes = vec![
        row("flood", "a", "1"),
        row("lamp", "a", "2"),
        row(MEMORY_OWNER, "m1", r#"{"text":"A flood.","by":"flood"}"#),
        row(MEMORY_OWNER, "m2", r#"{"text":"A lamp.","by":"lamp"}"#),
        row(MEMORY_OWNER, "m3", r#"{"text":"Of an older program."}"#),
    ];
    story
        .commit(&TurnRecord { store_writes, ..turn("one", &[json!({"flood": 1, "n": 1})]) })
        .unwrap();
    let one = story.head().unwrap();
    story.commit(&turn("two", &[json!({"n": 2})])).unwrap();
    let before = story.stores().unwrap();
    drop(story);
    let patch = json!({"flood": null}).as_object().unwrap().clone();
    let skills = BTreeSet::from(["flood".to_owned()]);
    let receipt = repair(root.path())
        .repair(&RepairRequest { patch, skills, ..RepairRequest::default() })
        .unwrap();
    assert_eq!((receipt.store_entries, receipt.remembered, receipt.dropped_plan), (1, 1, false));
    let mut story = open(root.path());
    assert_eq!((story.turns(), state(&story)), (2, json!({"n": 2})));
    let stores = story.stores().unwrap();
    assert_eq!(stores.keys().collect::<Vec<_>>(), [MEMORY_OWNER, "lamp"]);
    assert_eq!(stores[MEMORY_OWNER].keys().collect::<Vec<_>>(), ["m2", "m3"]);
    // The turn before still is what it was, and going back to it would bring everything back.
    assert_eq!(story.stores_at(one).unwrap(), before);
    assert_eq!(
        Value::Object(story.state_at(one).unwrap().as_object().clone()),
        json!({"flood": 1, "n": 1})
    );
    assert_eq!(&story.state_at(story.head().unwrap()).unwrap(), story.state());
    story.commit(&turn("three", &[json!({"n": 3})])).unwrap();
    assert_eq!(&story.state_at(story.head().unwrap()).unwrap(), story.state());
    // Each repair has a copy of its own.
    drop(story);
    let second = repair(root.path()).repair(&RepairRequest::default()).unwrap();
    assert_ne!(second.backup, receipt.backup);
}

#[test]
fn the_memories_of_a_skill_are_dropped_and_their_ids_stay_taken() {
    let root = root();
    let memory = |id: &str, by: &str| {
        let memory = Memory {
            summary: format!("Known by {by}."),
            pinned: true,
            by: by.to_owned(),
            ..Memory::default()
        };
        StoreRow::entity(id.parse().unwrap(), &memory)
    };
    let mut story = open(root.path());
    let one = vec![memory("M0", "flood"), memory("M1", "lamp")];
    story.commit(&TurnRecord { store_writes: one, ..turn("one", &[]) }).unwrap();
    let two = vec![memory("M2", "flood"), memory("M0", "flood")];
    story.commit(&TurnRecord { store_writes: two, ..turn("two", &[]) }).unwrap();
    let authors = |story: &Story| format!("{:?}", story.memory_authors().unwrap());
    assert_eq!(authors(&story), r#"{"flood": 2, "lamp": 1}"#);
    drop(story);
    let skills = BTreeSet::from(["flood".to_owned()]);
    let receipt =
        repair(root.path()).repair(&RepairRequest { skills, ..RepairRequest::default() }).unwrap();
    assert_eq!(receipt.remembered, 2);
    let mut story = open(root.path());
    assert_eq!(authors(&story), r#"{"lamp": 1}"#);
    let entities = story.entity_access().unwrap();
    assert_eq!(entities.amounts().unwrap().pinned, 1);
    assert_eq!(entities.next_number(EntityKind::Memory).unwrap(), 3);
    assert_eq!(story.verify().unwrap(), [""; 0]);
    // The turn before still is what it was.
    story.undo(1).unwrap();
    assert_eq!(authors(&story), r#"{"flood": 1, "lamp": 1}"#);
    assert_eq!(story.verify().unwrap(), [""; 0]);
}

#[test]
fn a_story_that_is_being_played_is_not_repaired() {
    let root = root();
    let mut story = open(root.path());
    story.commit(&turn("one", &[json!({"n": 1})])).unwrap();
    let opened = repair(root.path());
    story.commit(&turn("two", &[json!({"n": 2})])).unwrap();
    let error = opened.repair(&RepairRequest::default()).unwrap_err();
    insta::assert_snapshot!(error, @"the story `quest` was played on elsewhere, so this turn is not kept; start again to go on from there");
}

/// A story that somebody plays is not repaired under their hands.
#[test]
fn a_story_is_not_repaired_while_another_process_plays_it() {
    let root = root();
    let mut played = open(root.path());
    played.hold(at(0)).unwrap();
    let error = repair(root.path()).hold(at(1)).unwrap_err();
    assert!(error.to_string().contains("is open elsewhere"), "{error}");
    drop(played);
    repair(root.path()).hold(at(2)).unwrap();
}
