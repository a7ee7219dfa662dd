//! A story's file that has something of its own in its schema: nothing of it runs.

use std::fs;

use narratoria_story::{Story, StoryError, StoryName, list};
use rusqlite::Connection;
use serde_json::json;

use super::{db, message, open, root, try_open, turn};

/// A story of one turn with `sql` in its file.
fn story_with(sql: &str) -> tempfile::TempDir {
    let root = root();
    open(root.path()).commit(&turn("one", &[json!({"n": 1})])).unwrap();
    let conn = Connection::open(db(root.path())).unwrap();
    conn.execute_batch(sql).unwrap();
    root
}

const ENDLESS: &str =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

/// SQLite would run it: a view when it is read, a trigger or an index with an expression when a turn is written.
#[test]
fn a_file_with_another_schema_is_refused_by_every_way_to_open_it_and_unchanged() {
    let view =
        format!("DROP VIEW head; CREATE VIEW head (branch, turn) AS SELECT 'main', ({ENDLESS})");
    let trigger = "CREATE TRIGGER rewrite AFTER INSERT ON turns BEGIN UPDATE turns SET narration = 'mine' WHERE id = 1; END";
    let schemas = [
        view.as_str(),
        trigger,
        "CREATE VIEW turns_of_mine AS SELECT * FROM turns",
        "CREATE INDEX slow ON turns (length(narration) + 1)",
        "CREATE TABLE mine (x)",
        "CREATE VIRTUAL TABLE mine USING fts5 (x)",
        "ALTER TABLE turns ADD COLUMN mine TEXT AS (upper(prompt))",
        "DROP INDEX plans_by_turn",
        "DROP INDEX plans_by_turn; CREATE INDEX plans_by_turn ON plans (plan)",
    ];
    let mut messages = Vec::new();
    for sql in schemas {
        let root = story_with(sql);
        let before = fs::read(db(root.path())).unwrap();
        let error = try_open(root.path(), "quest").unwrap_err();
        assert!(matches!(error, StoryError::Damaged { .. }), "{sql}: {error}");
        messages.push(message(root.path(), &error));
        let name = StoryName::parse("quest").unwrap();
        assert!(Story::open_existing(root.path(), &name).is_err(), "{sql}");
        let listed = list(root.path()).unwrap();
        assert!(listed.stories[0].summary.is_err(), "{sql}");
        assert_eq!(fs::read(db(root.path())).unwrap(), before, "{sql}");
    }
    insta::assert_snapshot!(messages.join("\n"));
}
