//! Stories as lines of JSON, there and back: nothing is lost, and nothing but a whole export becomes a story.

use std::{env, fs, io::Cursor, path::Path};

use narratoria_story::{
    AssetFolder, AssetRow, BranchName, ImportChecks, ImportError, ImportReceipt, StoreRow, Story,
    StoryName, TurnOutcome, TurnRecord, import,
};
use proptest::prelude::*;
use rusqlite::{Connection, types::Value as Cell};
use serde_json::{Value, json};

use super::{at, db, message, object, open, plan, root, turn};

/// How many random stories go there and back, without `STORY_EXPORTS`.
const EXPORTS: u32 = 50;

pub(crate) fn export(story: &Story) -> String {
    let mut lines = Vec::new();
    let receipt = story.export_lines(&mut lines).unwrap();
    assert_eq!(receipt.bytes, lines.len() as u64);
    String::from_utf8(lines).unwrap()
}

pub(crate) const NO_CHECKS: ImportChecks<'static> =
    ImportChecks { file: &|_, _, _| None, campaign: &|_| None };

fn import_as(root: &Path, name: &str, lines: &str) -> Result<ImportReceipt, ImportError> {
    let name = StoryName::parse(name).unwrap();
    import(root, Some(&name), &mut Cursor::new(lines), at(99), NO_CHECKS)
}

/// All rows of all tables of a story.
pub(crate) fn tables(root: &Path, name: &str) -> Vec<(String, Vec<Vec<Cell>>)> {
    let conn = Connection::open(root.join(name).join("story.db")).unwrap();
    let names: Vec<String> = conn
        .prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table'
                  AND name NOT LIKE 'memory_%' ORDER BY name",
        )
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let read = |name: String| {
        let order = if name == "plans" || name == "assets" { "rowid" } else { "1, 2" };
        let mut select = conn.prepare(&format!("SELECT * FROM {name} ORDER BY {order}")).unwrap();
        let columns = select.column_count();
        let rows = select
            .query_map([], |row| (0..columns).map(|at| row.get(at)).collect())
            .unwrap()
            .map(Result::unwrap)
            .collect();
        (name, rows)
    };
    names.into_iter().map(read).collect()
}

/// Names and bytes of all files.
pub(crate) fn files(root: &Path, name: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(root.join(name).join("assets")).into_iter().flatten();
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// Stores a file as a turn does.
fn stored(story: &Story, plan: &str, bytes: &[u8]) -> AssetRow {
    let folder = AssetFolder::create(story.folder()).unwrap();
    let (name, _) = folder.store(&mut &*bytes, "txt", 1 << 20).unwrap();
    AssetRow { media_type: "text/plain".to_owned(), path: name.path(), ..super::asset(plan, "map") }
}

/// A story with two branches, stores, files and a text that no terminal likes.
pub(crate) fn rich_story(root: &Path) -> Story {
    let mut story = open(root);
    for n in 0..40 {
        let id = format!("p{n}");
        let file = stored(&story, &id, format!("map {}", n % 3).as_bytes());
        let record = TurnRecord {
            narration: format!("<script>alert({n})</script>\u{1}\n\u{202e}"),
            plans: vec![plan(&id)],
            assets: vec![file],
            store_writes: vec![StoreRow {
                skill: "lamp".to_owned(),
                key: format!("k{}", n % 3),
                value: (n % 4 != 0).then(|| "\u{2}".repeat(n)),
            }],
            ..turn(&n.to_string(), &[json!({"n": n, "x": 31.245_270_191_439_438, "big": u64::MAX})])
        };
        story.commit(&record).unwrap();
    }
    story.create_branch(&BranchName::parse("tower").unwrap(), None).unwrap();
    story.undo(5).unwrap();
    story.commit(&turn("another way", &[json!({"n": null})])).unwrap();
    story.undo(1).unwrap();
    story
}

fn check_round_trip(root: &Path, story: &Story) {
    let lines = export(story);
    let receipt = import_as(root, "again", &lines).unwrap();
    assert_eq!(receipt.missing_files, Vec::<String>::new());
    assert_eq!(tables(root, "again"), tables(root, "quest"));
    assert_eq!(files(root, "again"), files(root, "quest"));
    let again = Story::open_existing(root, &receipt.name).unwrap();
    assert_eq!(again.verify().unwrap(), Vec::<String>::new());
    assert_eq!(again.state().to_json(), story.state().to_json());
    // Only the name differs, and with it the digest of all lines.
    let renamed = lines.replacen(r#""name":"quest""#, r#""name":"again""#, 1);
    assert_eq!(export(&again), close(&renamed));
}

/// The digest in the last line, which follows from the name in the first.
fn last_digest(lines: &str) -> String {
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    last["sha256"].as_str().unwrap().to_owned()
}

#[test]
fn an_exported_story_comes_back_with_every_row_and_every_byte() {
    let root = root();
    let story = rich_story(root.path());
    check_round_trip(root.path(), &story);
    // The imported story can be played on, undone and redone.
    let name = StoryName::parse("again").unwrap();
    let mut again = Story::open_existing(root.path(), &name).unwrap();
    assert_eq!(again.redoable().unwrap(), 1);
    again.redo(1).unwrap();
    again.switch(&BranchName::parse("tower").unwrap()).unwrap();
    assert_eq!(again.turns(), 40);
    again.commit(&turn("go on", &[])).unwrap();
    assert_eq!(again.verify().unwrap(), Vec::<String>::new());
}

#[test]
fn the_lines_of_a_small_story() {
    let root = root();
    let mut story = open(root.path());
    let file = stored(&story, "p1", b"here be dragons");
    let record = TurnRecord {
        plans: vec![plan("p1")],
        assets: vec![file],
        store_writes: vec![StoreRow {
            skill: "lamp".to_owned(),
            key: "lit".to_owned(),
            value: Some("\u{1}".repeat(60)),
        }],
        ..turn("look", &[json!({"n": 1})])
    };
    story.commit(&record).unwrap();
    let lines = export(&story)
        .replace(&format!(r#""format":{}"#, narratoria_story::FORMAT_VERSION), r#""format":N"#);
    let last = last_digest(&lines);
    insta::assert_snapshot!(lines.replace(&last, "DIGEST"));
}

/// A story of an empty branch, and one whose only turn was undone.
#[test]
fn a_story_without_turns_comes_back() {
    let root = root();
    check_round_trip(root.path(), &open(root.path()));
}

#[test]
fn an_export_that_was_cut_off_anywhere_is_refused_and_leaves_nothing() {
    let root = root();
    let lines = export(&rich_story(root.path()));
    let ends: Vec<usize> = lines.match_indices('\n').map(|(at, _)| at + 1).collect();
    for end in
        ends.iter().take(ends.len() - 1).copied().chain([0, 10, lines.len() - 1, lines.len() - 30])
    {
        let refused = import_as(root.path(), "again", &lines[..end]);
        assert!(refused.is_err(), "cut after {end} bytes of {}", lines.len());
    }
    let names: Vec<_> =
        fs::read_dir(root.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(names, ["quest"]);
}

#[test]
fn whatever_is_no_whole_export_is_refused_with_a_reason() {
    let root = root();
    let mut story = open(root.path());
    let file = stored(&story, "p1", b"here be dragons");
    let record = TurnRecord {
        plans: vec![plan("p1")],
        assets: vec![file],
        ..turn("look", &[json!({"n": 1})])
    };
    story.commit(&record).unwrap();
    let lines = export(&story);
    // Changes the lines, and makes the last line fit them.
    let change = |from: &str, to: &str| {
        assert!(lines.contains(from), "{from}");
        close(&lines.replacen(from, to, 1))
    };
    let version = format!(r#""format":{}"#, narratoria_story::FORMAT_VERSION);
    let newest = format!("reads up to {};", narratoria_story::FORMAT_VERSION);
    let spoilt = [
        String::new(),
        "once upon a time\n".to_owned(),
        "{}\n".to_owned(),
        change(r#""version":1"#, r#""version":2"#),
        change(&version, r#""format":999"#),
        lines.replacen("look", "leap", 1),
        format!("{lines}{{}}\n"),
        change(r#""kind":"turn""#, r#""kind":"spell""#),
        change(r#""outcome":"told""#, r#""outcome":"lost""#),
        change(r#""depth":1"#, r#""depth":2"#),
        change(r#""parent":null"#, r#""parent":7"#),
        change(r#""finishedAt":"2023"#, r#""finishedAt":"late"#),
        change(r#""take":0"#, r#""take":0,"extra":1"#),
        change(r#""prompt":"look","#, ""),
        change(r#"[{"n":1}]"#, r#"[{"n":1},2]"#),
        change(r#""key":"branch","value":"main""#, r#""key":"branch","value":"tower""#),
        change(r#""path":"assets/"#, r#""path":"../assets/"#),
        change(r#""bytes":15"#, r#""bytes":14"#),
        change(r#""base64":"aGVy"#, r#""base64":"aGVz"#),
        change(r#""kind":"asset","turn":1"#, r#""kind":"asset","turn":9"#),
        change(r#""seed":"7""#, r#""seed":"7","seed":"8""#),
    ];
    let refused: Vec<String> = spoilt
        .iter()
        .map(|lines| {
            let error = import_as(root.path(), "again", lines).unwrap_err();
            let text = match &error {
                ImportError::Story(error) => message(root.path(), error),
                error => error.to_string(),
            };
            text.replace(&newest, "reads up to N;")
        })
        .collect();
    insta::assert_snapshot!(refused.join("\n"));
    assert!(matches!(import_as(root.path(), "quest", &lines), Err(ImportError::NameTaken { .. })));
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    // The story itself was not touched, and its export is fine.
    import_as(root.path(), "again", &lines).unwrap();
}

/// The lines with a last line that fits them.
fn close(lines: &str) -> String {
    let all: Vec<&str> = lines.lines().collect();
    let before: String = all[..all.len() - 1].iter().map(|line| format!("{line}\n")).collect();
    let sha256 = narratoria_protocol::digest::sha256(before.as_bytes());
    let end = json!({"kind": "end", "lines": all.len() - 1, "sha256": sha256});
    format!("{before}{end}\n")
}

#[test]
fn a_file_that_is_missing_or_changed_is_left_out_with_a_note() {
    let root = root();
    let story = rich_story(root.path());
    let files = files(root.path(), "quest");
    let path = |n: usize| root.path().join("quest/assets").join(&files[n].0);
    fs::remove_file(path(0)).unwrap();
    fs::write(path(1), "scribbled").unwrap();
    let mut lines = Vec::new();
    let receipt = story.export_lines(&mut lines).unwrap();
    assert_eq!(
        receipt.notes,
        [
            format!("the file `assets/{}` is missing and is left out", files[0].0),
            format!("the file `assets/{}` was changed and is left out", files[1].0),
        ]
    );
    let lines = String::from_utf8(lines).unwrap();
    let receipt = import_as(root.path(), "again", &lines).unwrap();
    assert_eq!(receipt.missing_files.len(), 2);
    assert_eq!(tables(root.path(), "again"), tables(root.path(), "quest"));
}

#[test]
fn a_file_is_judged_before_it_becomes_part_of_a_story() {
    let root = root();
    let lines = export(&rich_story(root.path()));
    let name = StoryName::parse("again").unwrap();
    let refuse = ImportChecks {
        file: &|_, _, media_type| Some(format!("it is `{media_type}`")),
        ..NO_CHECKS
    };
    let error =
        import(root.path(), Some(&name), &mut Cursor::new(&lines), at(1), refuse).unwrap_err();
    insta::assert_snapshot!(error, @"the export is no whole story: it is `text/plain`");
}

/// `{}` has two bytes and takes many times as much memory, so values count as well as bytes.
#[test]
fn a_story_whose_state_takes_too_much_memory_is_refused() {
    let root = root();
    let mut story = open(root.path());
    story.commit(&turn("one", &[json!({"n": 1})])).unwrap();
    story.commit(&turn("two", &[json!({"list": vec![json!({}); 400_000]})])).unwrap();
    let error = import_as(root.path(), "again", &export(&story)).unwrap_err();
    insta::assert_snapshot!(error, @"the export is no whole story: the state after turn id 2 folds from 3200029 JSON values, the limit is 3000000");
    assert!(!root.path().join("again").join("story.db").exists());
}

#[test]
fn an_unfinished_import_is_removed_by_the_next_one() {
    let root = root();
    let lines = export(&rich_story(root.path()));
    let left = root.path().join(".import-1-0/again");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("story.db"), "half").unwrap();
    import_as(root.path(), "again", &lines).unwrap();
    let mut names: Vec<_> =
        fs::read_dir(root.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["again", "quest"]);
}

/// What a player does, in a form that can be drawn.
#[derive(Debug, Clone)]
pub(crate) enum Deed {
    Play { text: String, patch: Value, key: String, value: Option<String>, file: Option<Vec<u8>> },
    Undo,
    Redo,
    Branch(String),
    Switch(usize),
}

pub(crate) fn deed() -> impl Strategy<Value = Deed> {
    let play = (
        "\\PC{0,12}|.{0,8}",
        super::patch(),
        "[a-c]",
        proptest::option::of(".{0,60}|[\u{1}-\u{5}]{0,200}"),
        proptest::option::of(proptest::collection::vec(any::<u8>(), 1..40)),
    );
    prop_oneof![
        6 => play.prop_map(|(text, patch, key, value, file)| Deed::Play { text, patch, key, value, file }),
        2 => Just(Deed::Undo),
        1 => Just(Deed::Redo),
        1 => "[a-z]{1,4}".prop_map(Deed::Branch),
        1 => (0..9_usize).prop_map(Deed::Switch),
    ]
}

pub(crate) fn carry_out(story: &mut Story, n: usize, deed: &Deed) {
    match deed {
        Deed::Play { text, patch, key, value, file } => {
            let id = format!("p{n}");
            let assets = file.iter().map(|bytes| stored(story, &id, bytes)).collect();
            let outcome =
                if n.is_multiple_of(3) { TurnOutcome::Fallback } else { TurnOutcome::Narrated };
            let record = TurnRecord {
                narration: text.repeat(3),
                outcome,
                choices: vec![json!(text)],
                plans: vec![plan(&id)],
                assets,
                store_writes: vec![StoreRow {
                    skill: "lamp".to_owned(),
                    key: key.clone(),
                    value: value.clone(),
                }],
                patches: vec![object(patch.clone())],
                ..turn(text, &[])
            };
            match n % 7 {
                0 => story.commit_aside(&TurnRecord {
                    patches: vec![],
                    store_writes: vec![],
                    ..record
                }),
                _ => story.commit(&record),
            }
            .unwrap();
        }
        // What cannot be done changes nothing.
        Deed::Undo => drop(story.undo(1)),
        Deed::Redo => drop(story.redo(1)),
        Deed::Branch(name) => drop(story.create_branch(&BranchName::parse(name).unwrap(), None)),
        Deed::Switch(at) => {
            let branches = story.branches().unwrap();
            let name = branches[at % branches.len()].name.clone();
            story.switch(&name).unwrap();
        }
    }
}

fn exports() -> u32 {
    env::var("STORY_EXPORTS").map_or(EXPORTS, |text| text.parse().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(exports()))]

    #[test]
    fn random_stories_come_back_identical(deeds in proptest::collection::vec(deed(), 1..60)) {
        let root = root();
        let mut story = open(root.path());
        for (n, deed) in deeds.iter().enumerate() {
            carry_out(&mut story, n, deed);
        }
        check_round_trip(root.path(), &story);
    }

    /// No bytes make the reader panic or leave anything.
    #[test]
    fn any_change_of_an_export_is_refused(at in any::<prop::sample::Index>(), byte in 0_u8..128) {
        let root = root();
        let mut story = open(root.path());
        story.commit(&turn("look", &[json!({"n": 1})])).unwrap();
        let mut lines = export(&story).into_bytes();
        let at = at.index(lines.len());
        prop_assume!(lines[at] != byte);
        lines[at] = byte;
        let name = StoryName::parse("again").unwrap();
        let refused = import(root.path(), Some(&name), &mut Cursor::new(&lines), at_now(), NO_CHECKS);
        prop_assert!(refused.is_err());
        prop_assert!(!root.path().join("again").exists());
        prop_assert!(db(root.path()).exists());
    }
}

fn at_now() -> jiff::Timestamp {
    at(99)
}
