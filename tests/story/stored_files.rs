//! The files of a story: named by their content, kept through every move, found when they are gone, removed on request only.

use std::{fs, path::Path, slice};

use narratoria_story::{
    AssetFolder, AssetName, AssetRow, BranchName, Story, TurnRecord, UnlistedFile,
};
use rusqlite::Connection;
use serde_json::json;

use super::{asset, db, journal::content, open, plan, root, turn};

/// Plays a turn with a file.
fn draw(story: &mut Story, id: &str, bytes: &[u8]) -> AssetRow {
    let folder = AssetFolder::create(story.folder()).unwrap();
    let (name, _) = folder.store(&mut &*bytes, "txt", 1 << 20).unwrap();
    let row = AssetRow { path: name.path(), ..asset(id, "map") };
    let record = TurnRecord {
        plans: vec![plan(id)],
        assets: vec![row.clone()],
        ..turn(id, &[json!({ id: 1 })])
    };
    story.commit(&record).unwrap();
    row
}

/// Every file below the folder of assets, with its bytes.
fn files(root: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(root.join("quest/assets")).into_iter().flatten();
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_file())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn undo_redo_and_branches_leave_the_bytes_of_files_alone() {
    let root = root();
    let mut story = open(root.path());
    let rows: Vec<AssetRow> = (0..6)
        .map(|n| draw(&mut story, &format!("p{n}"), format!("map {}", n % 4).as_bytes()))
        .collect();
    let before = files(root.path());
    assert_eq!(before.len(), 4, "the same bytes are stored once");
    let tower = BranchName::parse("tower").unwrap();
    story.create_branch(&tower, None).unwrap();
    story.undo(4).unwrap();
    draw(&mut story, "other", b"another map");
    story.switch(&tower).unwrap();
    for (n, row) in rows.iter().enumerate().rev() {
        assert_eq!(story.turns(), n as u64 + 1);
        assert_eq!(story.assets_of_turn(story.head().unwrap()).unwrap(), slice::from_ref(row));
        assert_eq!(
            fs::read(story.folder().join(&row.path)).unwrap(),
            format!("map {}", n % 4).as_bytes()
        );
        story.undo(1).unwrap();
    }
    story.redo(6).unwrap();
    let after = files(root.path());
    assert!(before.iter().all(|file| after.contains(file)) && after.len() == 5);
    assert_eq!(story.verify().unwrap(), Vec::<String>::new());
    assert_eq!(story.unlisted_files().unwrap(), []);
}

#[test]
fn a_missing_and_a_changed_file_are_named_with_their_turns() {
    let root = root();
    let mut story = open(root.path());
    let one = draw(&mut story, "p1", b"one");
    let two = draw(&mut story, "p2", b"two");
    draw(&mut story, "p3", b"two");
    fs::remove_file(story.folder().join(&one.path)).unwrap();
    fs::write(story.folder().join(&two.path), "scribbled").unwrap();
    let short = |text: &str| text.replace(&one.path, "ONE").replace(&two.path, "TWO");
    let faults: Vec<String> = story.verify().unwrap().iter().map(|it| short(it)).collect();
    insta::assert_snapshot!(faults.join("\n"), @"
    the file `TWO` of turn id 2, 3 has other bytes than when it was stored
    the file `ONE` of turn id 1 is missing
    ");
    // The way out: the same bytes put back.
    fs::write(story.folder().join(&one.path), "one").unwrap();
    fs::write(story.folder().join(&two.path), "two").unwrap();
    assert_eq!(story.verify().unwrap(), Vec::<String>::new());
}

#[test]
fn only_files_that_no_turn_and_no_copy_lists_are_removed() {
    let root = root();
    let mut story = open(root.path());
    draw(&mut story, "p1", b"listed");
    draw(&mut story, "p2", b"listed by a copy");
    let copy = story.back_up().unwrap();
    // As a repair would.
    let conn = Connection::open(db(root.path())).unwrap();
    conn.execute_batch("DELETE FROM assets WHERE plan = 'p2'").unwrap();
    let folder = AssetFolder::create(story.folder()).unwrap();
    let (left, _) = folder.store(&mut &b"left by a crash"[..], "txt", 99).unwrap();
    let assets = story.folder().join("assets");
    fs::write(assets.join(".part-1-1"), "half").unwrap();
    fs::write(assets.join("notes of a player.txt"), "mine").unwrap();
    for plan in ["dead", "p9"] {
        fs::create_dir_all(assets.join(plan).join("step-a")).unwrap();
        fs::write(assets.join(plan).join("step-a/map.txt"), "12345").unwrap();
    }
    story.journal_begin(&content(&["p9"])).unwrap();

    let unlisted = story.unlisted_files().unwrap();
    let shown: Vec<String> = unlisted
        .iter()
        .map(|file| format!("{} {}", file.path.replace(left.sha256(), "DIGEST"), file.bytes))
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    assets/.part-1-1 4
    assets/dead 5
    assets/DIGEST.txt 15
    ");
    story.remove_unlisted(&unlisted).unwrap();
    assert_eq!(story.unlisted_files().unwrap(), []);
    assert!(assets.join("p9/step-a/map.txt").is_file());
    assert_eq!(files(root.path()).len(), 3);
    // Without the copy its file goes too.
    fs::remove_file(copy).unwrap();
    assert_eq!(story.unlisted_files().unwrap().len(), 1);
}

/// A story of another person may have a link in the place of a folder.
#[cfg(unix)]
#[test]
fn nothing_behind_a_link_is_listed_or_removed() {
    let root = root();
    let elsewhere = super::root();
    let mut story = open(root.path());
    draw(&mut story, "p1", b"listed");
    let mine = format!("{}.png", narratoria_protocol::digest::sha256(b"a picture of the player's"));
    for name in [mine.as_str(), ".part-1-1"] {
        fs::write(elsewhere.path().join(name), "mine").unwrap();
    }
    fs::create_dir(elsewhere.path().join("holidays")).unwrap();
    let assets = story.folder().join("assets");
    fs::remove_dir_all(&assets).unwrap();
    // Out of the story, and within it.
    for target in [elsewhere.path(), story.folder()] {
        std::os::unix::fs::symlink(target, &assets).unwrap();
        let error = super::message(root.path(), &story.unlisted_files().unwrap_err());
        assert!(error.starts_with("`ROOT/quest/assets` is a symbolic link"), "{error}");
        let file = |name: &str| UnlistedFile { path: format!("assets/{name}"), bytes: 4 };
        assert!(story.remove_unlisted(&[file(&mine), file("holidays")]).is_err());
        assert!(story.verify().is_err());
        fs::remove_file(&assets).unwrap();
    }
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 3);
    assert!(story.folder().join("story.db").is_file());
}

/// A file of a plan's folder, as programs before version 4 kept it.
fn put_older_file(story: &Path, path: &str, bytes: &[u8]) {
    let path = story.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

#[test]
fn the_files_of_an_older_story_come_along_and_stay_with_its_copy() {
    let root = root();
    super::migration::put_version_1(root.path());
    let conn = Connection::open(db(root.path())).unwrap();
    let paths: Vec<String> = conn
        .prepare("SELECT path FROM assets")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(paths.len(), 1);
    let older = "assets/mm-fighting/step-draw/MAP.PNG";
    conn.execute("UPDATE assets SET path = ?1", [older]).unwrap();
    drop(conn);
    let folder = root.path().join("quest");
    put_older_file(&folder, older, b"a map");
    put_older_file(&folder, "assets/unfinished/step-draw/map.txt", b"not over");

    let story = open(root.path());
    let row = story.assets_of_turn(story.head().unwrap()).unwrap().remove(0);
    let name = AssetName::of_path(&row.path).unwrap();
    assert_eq!(
        (name.ending(), fs::read(folder.join(&row.path)).unwrap()),
        ("png", b"a map".to_vec())
    );
    assert_eq!(story.verify().unwrap(), Vec::<String>::new());
    let aside = folder.join("assets.version-1/mm-fighting/step-draw/MAP.PNG");
    assert_eq!(fs::read(&aside).unwrap(), b"a map");
    assert!(!folder.join("assets/mm-fighting").exists());
    assert!(folder.join("assets/unfinished/step-draw/map.txt").is_file());
    drop(story);

    // The copy of the older version finds its files, even after the new ones are gone.
    fs::remove_dir_all(folder.join("assets")).unwrap();
    let copy = folder.join("story.version-1.db");
    let quest = narratoria_story::StoryName::parse("quest").unwrap();
    narratoria_story::restore(root.path(), &quest, &copy, super::at(1)).unwrap();
    assert_eq!(open(root.path()).verify().unwrap(), Vec::<String>::new());
    assert_eq!(fs::read(folder.join(&row.path)).unwrap(), b"a map");
}
