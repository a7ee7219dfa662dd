//! Files of earlier versions of the format: the store migrates them, and the story continues.

use std::{fs, path::Path};

use narratoria_story::{FORMAT_VERSION, Story, StoryError, StoryName, TurnRecord};
use rusqlite::Connection;
use serde_json::json;

use super::{db, journal::content, message, open, plan, root, state, summary, turn};

pub(crate) fn put_version_1(root: &Path) {
    fs::create_dir(root.join("quest")).unwrap();
    let conn = Connection::open(db(root)).unwrap();
    conn.execute_batch(include_str!("version-1.sql")).unwrap();
}

/// docs/stories.md, "Copies, damage, and other programs".
#[test]
fn a_story_of_version_1_is_migrated_and_continues() {
    let root = root();
    put_version_1(root.path());
    let mut story = open(root.path());
    insta::assert_snapshot!(summary(&story), @r#"2 turns ["enter", "fight"], Some(2) plans, {"hp":3,"foe":"rat"}"#);
    assert_eq!(story.seed(), 42);
    let line = |story: &Story| {
        let plans = story.plans(9).unwrap().into_iter();
        let plans = plans.map(|p| {
            format!(
                "{} {} turn {} v{} {} {}",
                p.ordinal,
                p.id,
                p.turn,
                p.version,
                p.status.as_str(),
                p.updated_at
            )
        });
        plans.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(line(&story), @"
    3 aa-fighting turn 2 v1 complete 2023-11-14T22:14:22Z
    2 mm-fighting turn 2 v1 replanning 2023-11-14T22:14:21Z
    1 zz-entering turn 1 v1 complete 2023-11-14T22:13:21Z
    ");
    assert_eq!(story.plan("plan_001").unwrap().row.id, "zz-entering");
    assert_eq!(story.assets_of_turn(story.head().unwrap()).unwrap().len(), 1);
    assert!(story.stores().unwrap().is_empty() && story.journal().unwrap().is_none());

    story.journal_begin(&content(&["p4"])).unwrap();
    let next = TurnRecord { plans: vec![plan("p4")], ..turn("flee", &[json!({"foe": null})]) };
    let id = story.commit(&next).unwrap().turn;
    assert_eq!(story.plan("4").unwrap().row.id, "p4");
    let reopened = open(root.path());
    assert_eq!((reopened.turns(), state(&reopened)), (3, json!({"hp": 3})));
    assert_eq!(reopened.state_at(id).unwrap(), *reopened.state());
    let version: i64 = Connection::open(db(root.path()))
        .unwrap()
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(version, FORMAT_VERSION);
}

#[test]
fn a_query_migrates_an_older_story_too() {
    let root = root();
    put_version_1(root.path());
    let name = StoryName::parse("quest").unwrap();
    let story = Story::open_existing(root.path(), &name).unwrap();
    assert_eq!((story.plans(9).unwrap().len(), story.seed()), (3, 42));
}

#[cfg(unix)]
#[test]
fn a_read_only_story_can_be_queried_if_it_needs_no_migration() {
    use std::os::unix::fs::PermissionsExt;
    let root = root();
    put_version_1(root.path());
    let name = StoryName::parse("quest").unwrap();
    let set =
        |mode| fs::set_permissions(db(root.path()), fs::Permissions::from_mode(mode)).unwrap();
    set(0o444);
    // A user who may write every file, such as root, gets no error.
    if fs::OpenOptions::new().write(true).open(db(root.path())).is_ok() {
        return;
    }
    let error = Story::open_existing(root.path(), &name).unwrap_err();
    assert!(matches!(error, StoryError::ReadOnly { .. }), "{}", message(root.path(), &error));
    set(0o644);
    drop(open(root.path()));
    set(0o444);
    assert_eq!(Story::open_existing(root.path(), &name).unwrap().plans(9).unwrap().len(), 3);
}

#[test]
fn a_failed_migration_leaves_the_file_unchanged() {
    let root = root();
    put_version_1(root.path());
    let conn = Connection::open(db(root.path())).unwrap();
    conn.execute_batch("INSERT INTO meta (key, value) VALUES ('branch', 'mine')").unwrap();
    let error = super::try_open(root.path(), "quest").unwrap_err();
    insta::assert_snapshot!(message(root.path(), &error), @"cannot set up `ROOT/quest/story.db`: UNIQUE constraint failed: meta.key");
    let version: i64 = conn.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    let plans: Vec<String> = conn
        .prepare("SELECT name FROM pragma_table_info('plans')")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!((version, plans.contains(&"ordinal".to_owned())), (1, false));
    assert!(!root.path().join("quest/story.version-1.db").exists());
}

/// Puts a file of `tests/story/old` in the place of the database.
fn put_old(root: &Path, bytes: &[u8]) {
    fs::create_dir(root.join("quest")).unwrap();
    fs::write(db(root), bytes).unwrap();
}

/// A story that the program of version 2 wrote: forty turns with stores, memories and assets, and a plan that was cut off.
#[test]
fn a_story_of_version_2_comes_along_whole_and_with_a_copy() {
    let old = include_bytes!("old/version-2-quest.db");
    let root = root();
    put_old(root.path(), old);
    let before: String = Connection::open(db(root.path()))
        .unwrap()
        .query_row("SELECT state FROM head", [], |row| row.get(0))
        .unwrap();
    let mut story = open(root.path());
    assert_eq!(story.state().to_json(), before);
    assert_eq!((story.turns(), story.branch().as_str(), story.seed()), (40, "main", 42));
    assert_eq!(story.recent_turns(99).unwrap().len(), 40);
    assert_eq!(story.plans(99).unwrap().len(), 41);
    let stores = story.stores().unwrap();
    assert_eq!((stores["lamp"].len(), stores["(memory)"].len()), (3, 40));
    assert_eq!(story.assets_of_turn(story.head().unwrap()).unwrap().len(), 1);
    let missing: Vec<String> = story.verify().unwrap();
    // The test has no files of assets.
    assert!(missing.len() == 4 && missing.iter().all(|it| it.contains("map.txt")), "{missing:?}");
    // The copy is the file as it was: the program of version 2 could go on with it.
    let copy = Connection::open(root.path().join("quest/story.version-2.db")).unwrap();
    let version: i64 = copy.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    let copied: String = copy.query_row("SELECT state FROM head", [], |row| row.get(0)).unwrap();
    assert_eq!((version, copied), (2, before));
    // Its unfinished plan can still go on, and its turns can be undone, back to the first one.
    assert_eq!(story.journal().unwrap().unwrap().content.prompt, "unfinished");
    story.journal_drop().unwrap();
    let last = story.state().to_json();
    for n in (0..40).rev() {
        story.undo(1).unwrap();
        assert_eq!(story.turns(), n);
    }
    assert!(story.state().as_object().is_empty() && story.stores().unwrap().is_empty());
    story.redo(40).unwrap();
    assert_eq!((story.state().to_json(), story.stores().unwrap()), (last, stores));
    let root = super::root();
    put_old(root.path(), include_bytes!("old/version-2-played.db"));
    let story = open(root.path());
    assert_eq!((story.turns(), story.verify().unwrap()), (5, Vec::new()));
    insta::assert_snapshot!(state(&story)["dice"], @r#"{"last":{"formula":"3d8","kept":[3,6,3],"maximum":24,"minimum":3,"mode":"normal","modifier":0,"rolls":[3,6,3],"total":12}}"#);
}
