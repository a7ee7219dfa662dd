//! Files that are no story, and damaged stories: the store refuses each with a reason and changes none.

use std::{collections::BTreeSet, fs};

use narratoria_protocol::{EntityId, EntityKind, Memory};
use narratoria_story::{
    AssetRow, FORMAT_VERSION, RepairRequest, STORY_NUMBER_MAX, StoreRow, Story, StoryError,
    StoryName, StoryRepair, TurnRecord, import,
};
use rusqlite::Connection;
use serde_json::json;

use super::{asset, at, db, export_lines::NO_CHECKS, message, open, plan, root, try_open, turn};

#[test]
fn a_newer_format_is_refused_even_while_the_story_is_open() {
    let root = root();
    let mut story = open(root.path());
    story.commit(&turn("one", &[])).unwrap();
    Connection::open(db(root.path())).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = story.commit(&turn("two", &[])).unwrap_err();
    let text =
        message(root.path(), &error).replace(&format!("up to {FORMAT_VERSION};"), "up to N;");
    insta::assert_snapshot!(text, @"`ROOT/quest/story.db` has story format 99, this program reads up to N; use a newer narratoria to play it");
    drop(story);
    let before = fs::read(db(root.path())).unwrap();
    assert!(matches!(
        try_open(root.path(), "quest"),
        Err(StoryError::NewerFormat { found: 99, .. })
    ));
    assert_eq!(fs::read(db(root.path())).unwrap(), before);
}

/// Puts `bytes` in the place of the database and returns the error. The file must not change.
fn check_refused(bytes: &[u8]) -> String {
    let root = root();
    fs::create_dir(root.path().join("quest")).unwrap();
    fs::write(db(root.path()), bytes).unwrap();
    let error = try_open(root.path(), "quest").unwrap_err();
    assert_eq!(fs::read(db(root.path())).unwrap(), bytes);
    let entries: Vec<_> = fs::read_dir(root.path().join("quest")).unwrap().collect();
    assert_eq!(entries.len(), 1, "{entries:?}");
    message(root.path(), &error)
}

#[test]
fn a_file_that_is_no_story_is_refused_and_unchanged() {
    let other = root();
    let path = other.path().join("other.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    let mut damaged = fs::read(&path).unwrap();
    damaged[100..].fill(0xff);
    let found = [
        b"x".to_vec(),
        b"Once upon a time there was a text file.\n".repeat(99),
        vec![0; 8192],
        fs::read(&path).unwrap(),
        damaged,
    ];
    insta::assert_snapshot!(found.map(|bytes| check_refused(&bytes)).join("\n"), @"
    `ROOT/quest/story.db` is not a story: it is not an SQLite file; move it away or choose another story's name
    `ROOT/quest/story.db` is not a story: it is not an SQLite file; move it away or choose another story's name
    `ROOT/quest/story.db` is not a story: it is not an SQLite file; move it away or choose another story's name
    `ROOT/quest/story.db` is not a story: it is an SQLite file of another program (application id 0); move it away or choose another story's name
    `ROOT/quest/story.db` is damaged: database disk image is malformed; `narratoria story restore quest FILE` puts a copy in its place
    ");
}

#[test]
fn an_empty_file_becomes_a_story() {
    let root = root();
    fs::create_dir(root.path().join("quest")).unwrap();
    fs::write(db(root.path()), b"").unwrap();
    open(root.path()).commit(&turn("one", &[])).unwrap();
    assert_eq!(open(root.path()).turns(), 1);
}

#[test]
fn a_truncated_story_is_refused_and_unchanged() {
    let root = root();
    let mut story = open(root.path());
    for n in 0..50 {
        story.commit(&turn("go", &[json!({ n.to_string(): "x".repeat(500) })])).unwrap();
    }
    drop(story);
    let whole = fs::read(db(root.path())).unwrap();
    insta::assert_snapshot!(check_refused(&whole[..whole.len() / 2]), @"`ROOT/quest/story.db` is damaged: database disk image is malformed; `narratoria story restore quest FILE` puts a copy in its place");
}

/// Runs `sql` on a story of one turn and returns the error of opening it or of reading its turns.
fn check_damage(sql: &str) -> String {
    let root = root();
    open(root.path()).commit(&turn("one", &[json!({"n": 1})])).unwrap();
    let conn = Connection::open(db(root.path())).unwrap();
    conn.execute_batch(&format!("PRAGMA foreign_keys = OFF; {sql}")).unwrap();
    drop(conn);
    let error = match try_open(root.path(), "quest") {
        Ok(story) => match story.recent_turns(9) {
            Ok(_) => story.log(story.head(), 9).unwrap_err(),
            Err(error) => error,
        },
        Err(error) => error,
    };
    message(root.path(), &error)
}

#[test]
fn a_story_with_impossible_values_is_damaged() {
    let damages = [
        "DELETE FROM meta",
        "UPDATE meta SET value = 'lucky' WHERE key = 'seed'",
        "DELETE FROM branches",
        "INSERT INTO snapshots (turn, state) VALUES (1, '[1]')",
        "UPDATE turns SET depth = -1",
        "UPDATE turns SET patch = '[{\"n\":'",
        "UPDATE turns SET seed = 'lucky'",
        "UPDATE branches SET turn = 9",
        "UPDATE meta SET value = 'nowhere' WHERE key = 'branch'",
        "UPDATE turns SET outcome = 'won'",
        "UPDATE turns SET choices = '[1,'",
        "UPDATE turns SET finished_at = 'yesterday'",
        "PRAGMA user_version = 0",
        "DROP VIEW head",
    ];
    insta::assert_snapshot!(damages.map(check_damage).join("\n"), @"
    `ROOT/quest/story.db` is damaged: a row that every story has is missing; `narratoria story restore quest FILE` puts a copy in its place
    `ROOT/quest/story.db` is damaged: its seed is `lucky`; `narratoria story restore quest FILE` puts a copy in its place
    `ROOT/quest/story.db` is damaged: a row that every story has is missing; `narratoria story restore quest FILE` puts a copy in its place
    the state in `ROOT/quest/story.db` cannot be read: invalid type: sequence, expected a map at line 1 column 0; `narratoria story repair quest` keeps what can be read
    `ROOT/quest/story.db` is damaged: its depth is -1; `narratoria story restore quest FILE` puts a copy in its place
    the state in `ROOT/quest/story.db` cannot be read: the patch of turn 1: EOF while parsing a value at line 1 column 6; `narratoria story repair quest` keeps what can be read
    `ROOT/quest/story.db` is damaged: `turns`, row 1: column `seed`: invalid digit found in string; `narratoria story restore quest FILE` puts a copy in its place
    `ROOT/quest/story.db` is damaged: its last turn is missing; `narratoria story restore quest FILE` puts a copy in its place
    `ROOT/quest/story.db` is damaged: a row that every story has is missing; `narratoria story restore quest FILE` puts a copy in its place
    `ROOT/quest/story.db` is damaged: `turns`, row 1: column `outcome`: `won` is not one of its words; `narratoria story restore quest FILE` puts a copy in its place
    `ROOT/quest/story.db` is damaged: `turns`, row 1: column `choices`: EOF while parsing a value at line 1 column 3; `narratoria story restore quest FILE` puts a copy in its place
    `ROOT/quest/story.db` is damaged: `turns`, row 1: column `finished_at`: failed to parse four digit integer as year: invalid digit, expected 0-9 but got y; `narratoria story restore quest FILE` puts a copy in its place
    `ROOT/quest/story.db` is damaged: it has story format 0, the first is 1; `narratoria story restore quest FILE` puts a copy in its place
    `ROOT/quest/story.db` is damaged: its view `head` is missing; `narratoria story restore quest FILE` puts a copy in its place
    ");
}

/// Such a story opens without a word, so only a check of all of it finds the fault. Nothing is repaired by looking.
#[test]
fn what_is_not_what_the_turns_have_made_is_found_by_a_check_and_left_as_it_is() {
    let damages = [
        "INSERT INTO snapshots (turn, state) VALUES (2, '{\"gold\":99}')",
        "UPDATE snapshots SET state = '{'",
        "INSERT INTO store_now (skill, key, value) VALUES ('lamp', 'oil', '9')",
        "INSERT INTO entity_now (kind, number, value, turn) VALUES ('memory', 1, 'null', 0)",
        "INSERT INTO branches (name, turn) VALUES ('lost', 77)",
    ];
    let found = damages.map(|sql| {
        let root = root();
        let mut story = open(root.path());
        for n in 0..40 {
            story.commit(&turn("go", &[json!({"n": n})])).unwrap();
        }
        let conn = Connection::open(db(root.path())).unwrap();
        conn.execute_batch(&format!("PRAGMA foreign_keys = OFF; {sql}")).unwrap();
        let faults = story.verify().unwrap();
        assert_eq!(story.verify().unwrap(), faults);
        faults.join("; ")
    });
    insta::assert_snapshot!(found.join("\n"), @"
    the snapshot of turn id 2 is not what the turns before it make; the snapshot of turn id 32 is not what the turns before it make
    the state after turn id 32: EOF while parsing an object at line 1 column 1; the state of the branch `main`: EOF while parsing an object at line 1 column 1
    the store of `lamp` is not what the turns have written; the stores have 8 bytes, the file says [0]
    the entity `M1` is not what the turns have written
    the database: a row of `branches` names a row that is missing; the state of the branch `lost`: its turn is missing
    ");
}

/// Every table with rows of a turn is there: its sentence, its plan, a file, a store and an entity.
fn told_story(root: &std::path::Path) -> Story {
    let memory = Memory { summary: "A gull.".to_owned(), ..Memory::default() };
    let oil =
        StoreRow { skill: "lamp".to_owned(), key: "oil".to_owned(), value: Some("1".to_owned()) };
    let mut story = open(root);
    let full = TurnRecord {
        plans: vec![plan("p1")],
        assets: vec![AssetRow {
            path: "assets/p1/step-draw/map.png".to_owned(),
            ..asset("p1", "map")
        }],
        store_writes: vec![oil, StoreRow::entity(EntityId::new(EntityKind::Memory, 1), &memory)],
        ..turn("one", &[json!({"n": 1})])
    };
    story.commit(&full).unwrap();
    story.commit(&turn("two", &[])).unwrap();
    story.undo(1).unwrap();
    story.commit_aside(&turn("stopped", &[])).unwrap();
    story.commit(&turn("three", &[])).unwrap();
    story.commit(&turn("four", &[])).unwrap();
    story
}

fn changed(root: &std::path::Path, sql: &str) -> String {
    let conn = Connection::open(db(root)).unwrap();
    conn.execute_batch(&format!("PRAGMA foreign_keys = OFF; {sql}")).unwrap();
    drop(conn);
    format!("{sql}: {}", open(root).changed_turns().unwrap().join("; "))
}

/// docs/stories.md, "Copies, damage, and other programs".
#[test]
fn a_changed_letter_of_a_turn_and_a_removed_turn_are_found_by_a_check() {
    let damages = [
        "SELECT 1",
        "UPDATE turns SET narration = narration || '.' WHERE id = 1",
        "UPDATE turns SET prompt = 'twp' WHERE prompt = 'two'",
        "UPDATE turns SET choices = '[1]' WHERE id = 3",
        "UPDATE turns SET started_at = '2023-11-14T22:13:22Z' WHERE id = 5",
        "UPDATE turns SET take = 7 WHERE id = 4",
        "UPDATE turns SET digest = NULL WHERE id = 5",
        "UPDATE plans SET plan = '{}'",
        "UPDATE assets SET asset_id = 'mop'",
        "UPDATE store_log SET value_after = '2'; UPDATE store_now SET value = '2'",
        "UPDATE entity_log SET value_after = replace(value_after, 'gull', 'bull')",
        "DELETE FROM turns WHERE id = 2",
        "DELETE FROM turns WHERE id = 5; UPDATE branches SET turn = 4",
    ];
    let found = damages.map(|sql| {
        let root = root();
        drop(told_story(root.path()));
        changed(root.path(), sql)
    });
    insta::assert_snapshot!(found.join("\n"), @"
    SELECT 1: 
    UPDATE turns SET narration = narration || '.' WHERE id = 1: turn id 1 is not as it was stored
    UPDATE turns SET prompt = 'twp' WHERE prompt = 'two': turn id 2 is not as it was stored
    UPDATE turns SET choices = '[1]' WHERE id = 3: turn id 3 is not as it was stored
    UPDATE turns SET started_at = '2023-11-14T22:13:22Z' WHERE id = 5: turn id 5 is not as it was stored
    UPDATE turns SET take = 7 WHERE id = 4: turn id 4 is not as it was stored
    UPDATE turns SET digest = NULL WHERE id = 5: turn id 5 has no digest
    UPDATE plans SET plan = '{}': turn id 1 is not as it was stored
    UPDATE assets SET asset_id = 'mop': turn id 1 is not as it was stored
    UPDATE store_log SET value_after = '2'; UPDATE store_now SET value = '2': turn id 1 is not as it was stored
    UPDATE entity_log SET value_after = replace(value_after, 'gull', 'bull'): turn id 1 is not as it was stored
    DELETE FROM turns WHERE id = 2: turn id 3 is not as it was stored, or a turn before it is gone
    DELETE FROM turns WHERE id = 5; UPDATE branches SET turn = 4: turn id 5, the newest one, is gone
    ");
}

#[test]
fn a_repair_changes_the_digests_of_what_it_changes_and_accepts_other_changes_if_it_is_asked_to() {
    let root = root();
    drop(told_story(root.path()));
    let name = StoryName::parse("quest").unwrap();
    let repair = |request: &RepairRequest| {
        StoryRepair::open(root.path(), &name).unwrap().repair(request).unwrap();
        open(root.path()).changed_turns().unwrap()
    };
    let files = open(root.path()).damaged_files().unwrap().into_iter().collect();
    let drops = RepairRequest {
        patch: json!({"n": null}).as_object().unwrap().clone(),
        skills: BTreeSet::from(["lamp".to_owned()]),
        files,
        ..RepairRequest::default()
    };
    assert!(repair(&drops).is_empty());
    assert!(open(root.path()).verify().unwrap().is_empty());
    let told = "UPDATE turns SET narration = 'You win.' WHERE id = 2";
    let fault = format!("{told}: turn id 2 is not as it was stored");
    assert_eq!(changed(root.path(), told), fault);
    assert_eq!(repair(&drops), ["turn id 2 is not as it was stored"]);
    assert!(repair(&RepairRequest { accept_turns: true, ..RepairRequest::default() }).is_empty());
}

#[test]
fn an_older_story_gets_its_digests_and_an_export_keeps_them() {
    let root = root();
    drop(told_story(root.path()));
    let digests = |root: &std::path::Path| -> Vec<String> {
        let conn = Connection::open(db(root)).unwrap();
        let mut select = conn.prepare("SELECT digest FROM turns ORDER BY id").unwrap();
        select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let before = digests(root.path());
    let mut lines = Vec::new();
    open(root.path()).export_lines(&mut lines).unwrap();
    let conn = Connection::open(db(root.path())).unwrap();
    let older = "ALTER TABLE turns DROP COLUMN digest; PRAGMA user_version = 7;";
    conn.execute_batch(older).unwrap();
    drop(conn);
    assert!(open(root.path()).changed_turns().unwrap().is_empty());
    assert_eq!(digests(root.path()), before);
    let copy = super::root();
    import(copy.path(), None, &mut lines.as_slice(), at(9), NO_CHECKS).unwrap();
    assert_eq!(digests(copy.path()), before);
}

#[test]
fn a_cycle_of_turns_does_not_hang() {
    let root = root();
    let mut story = open(root.path());
    for prompt in ["a", "b", "c"] {
        story.commit(&turn(prompt, &[])).unwrap();
    }
    let conn = Connection::open(db(root.path())).unwrap();
    conn.execute_batch("UPDATE turns SET parent = 3 WHERE id = 2").unwrap();
    assert_eq!(story.recent_turns(usize::MAX).unwrap().len(), 2);
    let error = story.state_at(story.head().unwrap()).unwrap_err();
    insta::assert_snapshot!(message(root.path(), &error), @"`ROOT/quest/story.db` is damaged: nothing leads to turn 3 before its depth 2; `narratoria story restore quest FILE` puts a copy in its place");
}

#[test]
fn the_error_names_the_file_in_the_way() {
    let root = root();
    let quest = root.path().join("quest");
    let mut seen = Vec::new();
    let mut refused = || {
        let error = try_open(root.path(), "quest").unwrap_err();
        seen.push(message(root.path(), &error));
    };
    fs::write(&quest, "mine").unwrap();
    refused();
    assert_eq!(fs::read(&quest).unwrap(), b"mine");
    fs::remove_file(&quest).unwrap();
    fs::create_dir_all(quest.join("story.db")).unwrap();
    refused();
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        let elsewhere = tempfile::tempdir().unwrap();
        drop(open(elsewhere.path()));
        fs::remove_dir(quest.join("story.db")).unwrap();
        symlink(db(elsewhere.path()), quest.join("story.db")).unwrap();
        refused();
        fs::remove_file(quest.join("story.db")).unwrap();
        symlink("/dev/null", quest.join("story.db-wal")).unwrap();
        refused();
        fs::remove_file(quest.join("story.db-wal")).unwrap();
        fs::remove_dir(&quest).unwrap();
        symlink(elsewhere.path(), &quest).unwrap();
        refused();
        assert_eq!(seen.len(), 5);
        insta::assert_snapshot!(seen.join("\n"), @"
        `ROOT/quest` is a file, it must be a folder; move it away or choose another story's name
        `ROOT/quest/story.db` is a folder, it must be a file; move it away or choose another story's name
        `ROOT/quest/story.db` is a symbolic link, it must be a file; move it away or choose another story's name
        `ROOT/quest/story.db-wal` is a symbolic link, it must be a file; move it away or choose another story's name
        `ROOT/quest` is a symbolic link, it must be a folder; move it away or choose another story's name
        ");
    }
}

#[test]
fn the_error_names_a_root_that_cannot_be_created() {
    let root = root();
    fs::write(root.path().join("file"), "").unwrap();
    let error = try_open(&root.path().join("file"), "quest").unwrap_err();
    insta::assert_snapshot!(message(root.path(), &error), @"cannot create the folder `ROOT/file`: File exists (os error 17)");
}

/// A number near the end of what SQLite can hold leaves no room for the next turn.
#[test]
fn a_story_whose_numbers_are_at_their_end_is_damaged_before_it_is_played() {
    let last = i64::MAX;
    let at_open = [
        format!("UPDATE sqlite_sequence SET seq = {last}"),
        format!("UPDATE sqlite_sequence SET seq = {}", STORY_NUMBER_MAX + 1),
        format!("UPDATE turns SET id = {last}"),
        "UPDATE turns SET id = -1".to_owned(),
        format!("UPDATE plans SET ordinal = {last}"),
    ];
    for sql in at_open {
        let root = root();
        let record = TurnRecord { plans: vec![plan("p1")], ..turn("one", &[]) };
        open(root.path()).commit(&record).unwrap();
        let conn = Connection::open(db(root.path())).unwrap();
        conn.execute_batch(&format!("PRAGMA foreign_keys = OFF; {sql}")).unwrap();
        drop(conn);
        let error = message(root.path(), &try_open(root.path(), "quest").unwrap_err());
        assert!(error.contains("is no number from 0 to 9007199254740992"), "{sql}: {error}");
    }
    // What is no counter is left to the check of the whole story.
    let root = root();
    let mut story = open(root.path());
    story.commit(&turn("one", &[])).unwrap();
    let conn = Connection::open(db(root.path())).unwrap();
    conn.execute_batch(&format!("UPDATE turns SET take = {last}")).unwrap();
    let faults = story.verify().unwrap();
    assert!(
        faults.iter().any(|fault| fault.starts_with("the column `take` of `turns`: ")),
        "{faults:?}"
    );
}
