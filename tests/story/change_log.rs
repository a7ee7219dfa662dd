//! A story whose changes go to a log first: whatever was done to it, the log alone gives the same story again.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use narratoria_story::{
    ChangeRefused, ChangeSink, LogPosition, LoggedChange, ReplayError, Story, StoryChange,
    StoryName, catch_up, keep_aside, position_of_copy, rebuild,
};
use proptest::prelude::*;
use rusqlite::types::Value as Cell;
use serde_json::json;

use super::{
    at, db,
    export_lines::{carry_out, deed, export, files, rich_story, tables},
    message, open, root, turn,
};

/// Everything that was ever said to a log.
#[derive(Debug, Clone, Default)]
struct MemoryLog(Arc<Mutex<LogContent>>);

#[derive(Debug, Default)]
struct LogContent {
    changes: Vec<LoggedChange>,
    turns: u64,
    refusal: Option<String>,
}

impl ChangeSink for MemoryLog {
    fn admit(&mut self, change: &StoryChange<'_>) -> Result<LogPosition, ChangeRefused> {
        let mut log = self.0.lock().unwrap();
        if let Some(what) = log.refusal.clone() {
            return Err(ChangeRefused { what });
        }
        let ordinal = log.changes.len() as u64 + 1;
        let at = LogPosition { ordinal, digest: format!("d{ordinal}") };
        let (format, lines) = (change.format, change.lines.to_owned());
        log.changes.push(LoggedChange { at: at.clone(), format, lines });
        log.turns += change.turns;
        Ok(at)
    }
}

impl MemoryLog {
    fn len(&self) -> usize {
        self.0.lock().unwrap().changes.len()
    }

    fn refuse(&self, what: Option<&str>) {
        self.0.lock().unwrap().refusal = what.map(str::to_owned);
    }

    /// The changes from that one on.
    fn after(
        &self,
        from: usize,
        to: usize,
    ) -> impl FnMut() -> Result<Option<LoggedChange>, String> + use<> {
        let copied = self.0.lock().unwrap().changes[from..to].to_vec();
        let mut changes = copied.into_iter();
        move || Ok(changes.next())
    }
}

fn named(name: &str) -> StoryName {
    StoryName::parse(name).unwrap()
}

/// The tables of a story without what belongs to its place.
fn content(root: &Path, name: &str) -> Vec<(String, Vec<Vec<Cell>>)> {
    let mut tables = tables(root, name);
    tables.retain(|(table, _)| !table.starts_with("journal"));
    for (table, rows) in &mut tables {
        if table == "meta" {
            rows.retain(|row| row[0] != Cell::Text("logged".to_owned()));
        }
    }
    tables
}

#[track_caller]
fn check_same(root: &Path, again: &Path, name: &str) {
    assert_eq!(content(again, name), content(root, name));
    assert_eq!(files(again, name), files(root, name));
    let (story, copy) = (
        Story::open_existing(root, &named(name)).unwrap(),
        Story::open_existing(again, &named(name)).unwrap(),
    );
    assert_eq!(copy.verify().unwrap(), Vec::<String>::new());
    assert_eq!(export(&copy), export(&story), "the digest of all lines too");
}

#[test]
fn a_story_that_was_there_before_its_log_is_the_first_change() {
    let root = root();
    let mut story = rich_story(root.path());
    let log = MemoryLog::default();
    story.attach_log(Box::new(log.clone())).unwrap();
    assert_eq!((log.len(), log.0.lock().unwrap().turns), (1, 41));
    story.redo(1).unwrap();
    story.commit(&turn("on", &[json!({"n": 7})])).unwrap();
    assert_eq!((log.len(), log.0.lock().unwrap().turns), (3, 42));
    let other = super::root();
    rebuild(other.path(), &named("quest"), at(99), &mut log.after(0, 3)).unwrap();
    check_same(root.path(), other.path(), "quest");
}

#[test]
fn a_refused_change_leaves_file_and_memory_as_they_were() {
    let root = root();
    let mut story = open(root.path());
    let log = MemoryLog::default();
    story.attach_log(Box::new(log.clone())).unwrap();
    story.commit(&turn("one", &[json!({"n": 1})])).unwrap();
    log.refuse(Some("another server has it"));
    let refused = story.commit(&turn("two", &[json!({"n": 2})]));
    insta::assert_snapshot!(message(root.path(), &refused.unwrap_err()), @"the change of the story `quest` is not stored: another server has it");
    assert!(story.undo(1).is_err());
    assert_eq!((story.turns(), story.state().as_object()["n"].clone()), (1, json!(1)));
    log.refuse(None);
    story.commit(&turn("three", &[json!({"n": 3})])).unwrap();
    let position = story.log_position().unwrap().unwrap();
    assert_eq!((position.ordinal, story.turns()), (3, 2));
    drop(story);
    assert_eq!(open(root.path()).verify().unwrap(), Vec::<String>::new());
}

#[test]
fn a_copy_is_built_again_when_it_is_gone_behind_or_damaged() {
    let root = root();
    let mut story = open(root.path());
    let log = MemoryLog::default();
    story.attach_log(Box::new(log.clone())).unwrap();
    for n in 0..6 {
        story.commit(&turn(&format!("turn {n}"), &[json!({"n": n})])).unwrap();
    }
    let (other, name) = (super::root(), named("quest"));
    let copy = other.path();
    assert_eq!(position_of_copy(copy, &name), None);
    let at_three = rebuild(copy, &name, at(99), &mut log.after(0, 4)).unwrap();
    assert_eq!(position_of_copy(copy, &name), Some(at_three.clone()));
    catch_up(copy, &name, &at_three, &mut log.after(4, 7)).unwrap().unwrap();
    check_same(root.path(), copy, "quest");
    // A copy that another process has moved on is left to it.
    assert!(catch_up(copy, &name, &at_three, &mut log.after(4, 7)).unwrap().is_none());

    let file = db(copy);
    let bytes = fs::read(&file).unwrap();
    for damaged in
        [&bytes[..bytes.len() / 2], b"not a database at all, and long enough to be looked at", b""]
    {
        fs::write(&file, damaged).unwrap();
        rebuild(copy, &name, at(99), &mut log.after(0, 7)).unwrap();
        check_same(root.path(), copy, "quest");
    }
    let kept = keep_aside(copy, &name).unwrap();
    assert!(kept.join("story.db").exists() && !copy.join("quest").exists());
}

#[test]
fn a_log_that_is_no_story_is_refused_and_leaves_nothing() {
    let root = root();
    let at_one = LogPosition { ordinal: 1, digest: "d".to_owned() };
    let check = |lines: &str, format: i64| {
        let change = LoggedChange { at: at_one.clone(), format, lines: lines.to_owned() };
        let mut changes = vec![change].into_iter();
        let error: ReplayError =
            rebuild(root.path(), &named("quest"), at(0), &mut || Ok(changes.next())).unwrap_err();
        assert!(!root.path().join("quest").exists());
        error.to_string()
    };
    insta::assert_snapshot!(check("{}\n", 8), @"change 1 of the story cannot be read: line 1 of the export: it has no `kind`");
    insta::assert_snapshot!(check("", 99), @"change 1 of the story has format 99, this program reads up to 8; use a newer narratoria");
    insta::assert_snapshot!(check(r#"{"kind":"removed","of":"house"}"#, 8), @"change 1 of the story cannot be read: the export was cut off after line 0; export the story again, or copy the whole file");
    insta::assert_snapshot!(check("{\"kind\":\"removed\",\"of\":\"house\"}\n", 8), @"change 1 of the story cannot be read: line 1 of the export: it removes a row of no table");
    insta::assert_snapshot!(check("", 8), @"the story of the log is not whole: the export is no whole story: a fact of every story is missing");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// From any point of its log, a copy comes to the same story.
    #[test]
    fn the_log_of_a_random_story_gives_that_story(
        deeds in proptest::collection::vec(deed(), 1..40),
        begun in 0_usize..20,
        copied in any::<prop::sample::Index>(),
    ) {
        let root = root();
        let mut story = open(root.path());
        let log = MemoryLog::default();
        for (n, deed) in deeds.iter().enumerate() {
            if n == begun.min(deeds.len() - 1) {
                story.attach_log(Box::new(log.clone())).unwrap();
            }
            carry_out(&mut story, n, deed);
        }
        drop(story);
        let (other, name) = (super::root(), named("quest"));
        let from = copied.index(log.len()) + 1;
        let at_copy = rebuild(other.path(), &name, at(99), &mut log.after(0, from)).unwrap();
        if from < log.len() {
            catch_up(other.path(), &name, &at_copy, &mut log.after(from, log.len())).unwrap().unwrap();
        }
        check_same(root.path(), other.path(), "quest");
    }
}
