//! The folder of a story: its files belong to one player and one process, and no story takes the place of a lost one.

use std::{fs, path::Path};

use narratoria_story::{self as story, Story, StoryError, StoryName, TurnRecord};
use serde_json::json;

use super::{at, db, message, open, plan, root, try_open, turn};

fn played(root: &Path) {
    let mut story = open(root);
    story.commit(&TurnRecord { plans: vec![plan("p1")], ..turn("one", &[]) }).unwrap();
    // A tick leaves its plan beside the database.
    fs::create_dir(root.join("quest/plans")).unwrap();
    fs::write(root.join("quest/plans/plan_001.json"), "of a tick").unwrap();
}

#[test]
fn a_story_that_has_lost_its_database_is_not_begun_again() {
    let root = root();
    played(root.path());
    let name = StoryName::parse("quest").unwrap();
    let mut refused = Vec::new();
    let mut check = || {
        let played = try_open(root.path(), "quest").unwrap_err();
        assert!(matches!(played, StoryError::DatabaseLost { .. }), "{played}");
        let read = Story::open_existing(root.path(), &name).unwrap_err();
        let listed = story::list(root.path()).unwrap().stories.remove(0).summary.unwrap_err();
        let texts = [played, read, listed].map(|error| message(root.path(), &error));
        assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
        refused.push(texts[0].clone());
    };
    fs::remove_file(db(root.path())).unwrap();
    check();
    fs::write(db(root.path()), "").unwrap();
    check();
    // Without plans, the log alone shows that a story was here.
    fs::rename(root.path().join("quest/plans"), root.path().join("plans")).unwrap();
    fs::write(root.path().join("quest/story.db-wal"), "pages").unwrap();
    check();
    assert!(root.path().join("quest/story.db-wal").exists());
    fs::remove_file(root.path().join("quest/story.db-wal")).unwrap();
    fs::create_dir_all(root.path().join("quest/assets/p1")).unwrap();
    check();
    insta::assert_snapshot!(refused.join("\n"), @"
    `ROOT/quest/story.db` is missing, and its folder still has `plans` of a story; `narratoria story restore quest FILE` puts a copy of the database back, `narratoria story delete quest` moves the rest to the trash
    `ROOT/quest/story.db` is empty, and its folder still has `plans` of a story; `narratoria story restore quest FILE` puts a copy of the database back, `narratoria story delete quest` moves the rest to the trash
    `ROOT/quest/story.db` is empty, and its folder still has `story.db-wal` of a story; `narratoria story restore quest FILE` puts a copy of the database back, `narratoria story delete quest` moves the rest to the trash
    `ROOT/quest/story.db` is empty, and its folder still has `assets` of a story; `narratoria story restore quest FILE` puts a copy of the database back, `narratoria story delete quest` moves the rest to the trash
    ");
    fs::rename(root.path().join("plans"), root.path().join("quest/plans")).unwrap();
    let kept = fs::read_to_string(root.path().join("quest/plans/plan_001.json")).unwrap();
    assert_eq!(kept, "of a tick");
}

/// A database that no table was written to, as a copy without its log is when the log has them all.
#[test]
fn a_database_without_tables_beside_a_filled_folder_is_refused() {
    let root = root();
    played(root.path());
    fs::remove_file(db(root.path())).unwrap();
    let empty = rusqlite::Connection::open(db(root.path())).unwrap();
    empty.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).unwrap();
    drop(empty);
    let bytes = fs::read(db(root.path())).unwrap();
    assert!(!bytes.is_empty());
    let error = try_open(root.path(), "quest").unwrap_err();
    assert!(matches!(error, StoryError::DatabaseLost { .. }), "{error}");
    assert_eq!(fs::read(db(root.path())).unwrap(), bytes);
}

/// A player copies `story.db` and knows nothing of the files beside it.
#[test]
fn the_file_of_the_database_alone_is_the_whole_story_after_each_turn() {
    let root = root();
    let mut story = open(root.path());
    for n in 1..=3 {
        let writes = turn("go", &[json!({"n": n})]);
        story.commit(&writes).unwrap();
        let copy = super::root();
        fs::create_dir(copy.path().join("quest")).unwrap();
        fs::copy(db(root.path()), db(copy.path())).unwrap();
        let copied = open(copy.path());
        assert_eq!((copied.turns(), copied.state()), (n, story.state()));
    }
}

#[test]
fn files_that_a_player_has_put_there_are_no_story() {
    let root = root();
    fs::create_dir_all(root.path().join("quest/plans")).unwrap();
    fs::write(root.path().join("quest/notes.txt"), "mine").unwrap();
    fs::write(root.path().join("quest/plan.lock"), "").unwrap();
    assert_eq!(open(root.path()).turns(), 0);
}

#[cfg(unix)]
#[test]
fn other_users_read_neither_a_new_story_nor_a_migrated_one() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let root = root();
    let stories = root.path().join("home/stories");
    let mut story = open(&stories);
    story.commit(&turn("one", &[])).unwrap();
    assert_eq!(
        [mode(&stories), mode(&stories.join("quest")), mode(&db(&stories))],
        [0o700, 0o700, 0o600]
    );
    assert_eq!(mode(&stories.join("quest/story.db-wal")), 0o600);
    let older = super::root();
    super::migration::put_version_1(older.path());
    fs::set_permissions(db(older.path()), fs::Permissions::from_mode(0o644)).unwrap();
    drop(open(older.path()));
    assert_eq!([mode(&older.path().join("quest")), mode(&db(older.path()))], [0o700, 0o600]);
}

#[test]
fn a_second_process_reads_a_story_that_is_played_and_is_told_by_whom() {
    let root = root();
    let mut story = open(root.path());
    story.hold(at(0)).unwrap();
    story.hold(at(1)).unwrap();
    let mut second = open(root.path());
    assert_eq!(second.turns(), 0);
    let error = second.hold(at(2)).unwrap_err().to_string();
    let error = error.replace(&std::process::id().to_string(), "PID");
    insta::assert_snapshot!(error, @"the story `quest` is open elsewhere (process PID since 2023-11-14 22:13 UTC); leave it there first, or play another story with `narratoria run --story NAME`");
    drop(story);
    second.hold(at(2)).unwrap();
    // A lock whose line was lost still holds.
    fs::write(root.path().join("quest/play.lock"), "\u{1b}[2J so what").unwrap();
    let error = open(root.path()).hold(at(3)).unwrap_err();
    insta::assert_snapshot!(error, @"the story `quest` is open elsewhere (another process); leave it there first, or play another story with `narratoria run --story NAME`");
}
