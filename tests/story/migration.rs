//! Files of earlier versions of the format: they are brought up to date and played on.

use std::{fs, path::Path};

use narratoria_story::{FORMAT_VERSION, Story, StoryError, StoryName, TurnRecord};
use rusqlite::Connection;
use serde_json::json;

use super::{db, journal::begin, look, open, plan, root, state, told, turn};

fn put_version_1(root: &Path) {
    fs::create_dir(root.join("quest")).unwrap();
    let conn = Connection::open(db(root)).unwrap();
    conn.execute_batch(include_str!("version-1.sql")).unwrap();
}

/// DESIGN §6
#[test]
fn a_story_of_version_1_is_brought_up_to_date_and_played_on() {
    let root = root();
    put_version_1(root.path());
    let mut story = open(root.path());
    insta::assert_snapshot!(look(&story), @r#"2 turns ["enter", "fight"], Some(2) plans, {"hp":3,"foe":"rat"}"#);
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

    story.journal_begin(&begin(&["p4"])).unwrap();
    let next = TurnRecord { plans: vec![plan("p4")], ..turn("flee", &[json!({"foe": null})]) };
    let id = story.commit(&next).unwrap().turn;
    assert_eq!(story.plan("4").unwrap().row.id, "p4");
    let again = open(root.path());
    assert_eq!((again.turns(), state(&again)), (3, json!({"hp": 3})));
    assert_eq!(again.state_at(id).unwrap(), *again.state());
    let version: i64 = Connection::open(db(root.path()))
        .unwrap()
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(version, FORMAT_VERSION);
}

#[test]
fn a_question_brings_an_older_story_up_to_date_too() {
    let root = root();
    put_version_1(root.path());
    let name = StoryName::parse("quest").unwrap();
    let story = Story::open_existing(root.path(), &name).unwrap();
    assert_eq!((story.plans(9).unwrap().len(), story.seed()), (3, 42));
}

#[cfg(unix)]
#[test]
fn a_story_that_cannot_be_written_can_be_asked_if_it_is_up_to_date() {
    use std::os::unix::fs::PermissionsExt;
    let root = root();
    put_version_1(root.path());
    let name = StoryName::parse("quest").unwrap();
    let set =
        |mode| fs::set_permissions(db(root.path()), fs::Permissions::from_mode(mode)).unwrap();
    set(0o444);
    // Whoever may write everything is not told no.
    if fs::OpenOptions::new().write(true).open(db(root.path())).is_ok() {
        return;
    }
    let error = Story::open_existing(root.path(), &name).unwrap_err();
    assert!(matches!(error, StoryError::ReadOnly { .. }), "{}", told(root.path(), &error));
    set(0o644);
    drop(open(root.path()));
    set(0o444);
    assert_eq!(Story::open_existing(root.path(), &name).unwrap().plans(9).unwrap().len(), 3);
}

#[test]
fn a_step_that_fails_leaves_the_file_as_it_was() {
    let root = root();
    put_version_1(root.path());
    let conn = Connection::open(db(root.path())).unwrap();
    conn.execute_batch("CREATE TABLE store_size (mine TEXT)").unwrap();
    let error = super::try_open(root.path(), "quest").unwrap_err();
    insta::assert_snapshot!(told(root.path(), &error), @"`ROOT/quest/story.db` is damaged: table store_size already exists; restore it from a copy or choose another story's name");
    let version: i64 = conn.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    let plans: Vec<String> = conn
        .prepare("SELECT name FROM pragma_table_info('plans')")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!((version, plans.contains(&"ordinal".to_owned())), (1, false));
}
