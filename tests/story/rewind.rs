//! The tree of turns: undo, redo, branches and switches move everything together and lose nothing.

use std::{collections::BTreeMap, env, fs};

use narratoria_protocol::{Character, EntityId, EntityKind, Memory, MemoryQuery};
use narratoria_sdk::Rng;
use narratoria_story::{
    AssetFolder, BranchName, HeadMove, StoreRow, Story, StoryError, TurnRecord,
};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::{asset, db, journal::content, object, open, plan, root, turn};

fn name(text: &str) -> BranchName {
    BranchName::parse(text).unwrap()
}

/// A turn that changes the state and two stores, and creates an asset.
fn rich(n: u64) -> TurnRecord {
    let row = |skill: &str, key: String, value: Option<String>| StoreRow {
        skill: skill.to_owned(),
        key,
        value,
    };
    let id = format!("p{n}");
    TurnRecord {
        plans: vec![plan(&id)],
        assets: vec![asset(&id, "map")],
        store_writes: vec![
            row("lamp", format!("k{}", n % 3), (!n.is_multiple_of(4)).then(|| n.to_string())),
            row("(memory)", format!("m{n}"), Some(json!({"text": n, "by": "lamp"}).to_string())),
        ],
        seed: n,
        ..turn(&n.to_string(), &[json!({"n": n, format!("k{}", n % 5): [n, null], "k2": null})])
    }
}

/// Everything that a turn of the story leaves, byte by byte.
fn bytes(story: &Story) -> String {
    let assets = story.head().map(|head| story.assets_of_turn(head).unwrap());
    let plans = story.head().map(|head| story.plans_of_turn(head).unwrap());
    let found = MemoryQuery { words: "bell".to_owned(), limit: 9, ..MemoryQuery::default() };
    format!(
        "{:?} {} {} {:?} {assets:?} {plans:?} {:?} {:?} {:?} {:?} {:?}",
        story.head(),
        story.turns(),
        story.state().to_json(),
        story.stores().unwrap(),
        story.recent_turns(9).unwrap(),
        story.entities::<Memory>().unwrap(),
        story.entities::<Character>().unwrap(),
        story.search_memories(&found).unwrap(),
        story.remembered_texts().unwrap(),
    )
}

/// Random numbers of a seed that a failing test prints.
struct TurnRng(Rng);

impl TurnRng {
    fn below(&mut self, end: u64) -> u64 {
        self.0.next_u64() % end
    }

    /// A turn with changes of everything that a story has, or of a part of it.
    fn turn(&mut self, story: &Story, n: u64) -> TurnRecord {
        let mut record = rich(n);
        let folder = AssetFolder::create(story.folder()).unwrap();
        for asset in &mut record.assets {
            let bytes = format!("map {}", self.below(40));
            asset.path = folder.store(&mut bytes.as_bytes(), "txt", 99).unwrap().0.path();
        }
        let (place, key) = (self.below(20), format!("k{}", self.below(9)));
        let value = match self.below(4) {
            0 => Value::Null,
            1 => json!({"list": [n, null, {"deep": self.below(9)}], "text": "é\u{1}".repeat(9)}),
            2 => json!(self.below(u64::MAX)),
            _ => json!({ key.clone(): {"n": n as f64 / 7.0} }),
        };
        record.patches.push(object(json!({ format!("p{place}"): value })));
        let memory = |number| EntityId::new(EntityKind::Memory, number);
        let text = |n: u64| Memory {
            summary: format!("Bela rang the bell {n} times."),
            turn: n,
            ..Memory::default()
        };
        let id = memory(self.below(30));
        record.store_writes.push(match self.below(4) {
            0 => StoreRow::entity_deleted(id),
            _ => StoreRow::entity(id, &text(n)),
        });
        let person = Character { name: format!("Bela {}", n % 5), ..Character::default() };
        let id = EntityId::new(EntityKind::Character, n % 5);
        record.store_writes.push(StoreRow::entity(id, &person));
        if self.below(3) == 0 {
            record.patches.clear();
            record.assets.clear();
        }
        record
    }
}

/// Names and bytes of the story's files.
fn files(story: &Story) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(story.folder().join("assets")).unwrap();
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.display().to_string(), fs::read(&path).unwrap())
    };
    entries.map(read).collect()
}

#[test]
fn undo_and_redo_of_each_of_200_random_turns_change_no_byte() {
    let root = root();
    let seed = env::var("STORY_SEED").map_or(1, |seed| seed.parse().unwrap());
    let mut random = TurnRng(Rng::new(seed));
    let mut story = open(root.path());
    let mut after = vec![bytes(&story)];
    for n in 1..=200 {
        let record = random.turn(&story, n);
        story.commit(&record).unwrap();
        after.push(bytes(&story));
        // Each turn is undone and redone at once, too.
        story.undo(1).unwrap();
        assert_eq!(bytes(&story), after[after.len() - 2], "seed {seed}, turn {n} undone");
        story.redo(1).unwrap();
        assert_eq!(bytes(&story), after[after.len() - 1], "seed {seed}, turn {n} redone");
    }
    let stored = files(&story);
    for n in (0..200).rev() {
        let HeadMove { left, entered, .. } = story.undo(1).unwrap();
        assert_eq!((left, entered), (1, 0));
        assert_eq!(bytes(&story), after[n], "seed {seed}, undone to {n}");
        if n % 20 == 0 {
            story = open(root.path());
            assert_eq!(bytes(&story), after[n], "seed {seed}, opened at {n}");
        }
    }
    assert_eq!(story.redoable().unwrap(), 200);
    for after in &after[1..] {
        story.redo(1).unwrap();
        assert_eq!(bytes(&story), *after, "seed {seed}");
    }
    story.undo(150).unwrap();
    assert_eq!(bytes(&story), after[50], "seed {seed}");
    story.redo(150).unwrap();
    assert_eq!(bytes(&story), after[200], "seed {seed}");
    assert_eq!(files(&story), stored, "seed {seed}");
    assert_eq!(story.verify().unwrap(), Vec::<String>::new(), "seed {seed}");
}

#[test]
fn a_turn_that_is_played_after_an_undo_begins_another_line_and_loses_none() {
    let root = root();
    let mut story = open(root.path());
    for n in 1..=3 {
        story.commit(&rich(n)).unwrap();
    }
    let (third, before) = (story.head().unwrap(), bytes(&story));
    assert_eq!(story.next_take().unwrap(), 0);
    story.undo(1).unwrap();
    assert_eq!(story.next_take().unwrap(), 1);
    story.commit(&rich(4)).unwrap();
    let fourth = story.turn(story.head().unwrap()).unwrap();
    assert_eq!((fourth.number, fourth.take, fourth.seed), (3, 1, Some(4)));
    let error = story.redo(1).unwrap_err();
    insta::assert_snapshot!(error, @"cannot redo 1: 0 turns of the story `quest` were undone at this point");
    // The turn that was undone is still in the tree, and a branch leads to it.
    let other = bytes(&story);
    story.create_branch(&name("before"), Some(third)).unwrap();
    let moved = story.switch(&name("before")).unwrap();
    assert_eq!((moved.left, moved.entered), (1, 1));
    assert_eq!(bytes(&story), before);
    story.switch(&name("main")).unwrap();
    assert_eq!(bytes(&story), other);
    let prompts: Vec<String> =
        story.all_turns(9).unwrap().into_iter().map(|turn| turn.prompt).collect();
    assert_eq!(prompts, ["4", "3", "2", "1"]);
    assert_eq!(story.turns_ever().unwrap(), 4);
}

#[test]
fn what_cannot_be_done_is_refused_with_a_reason_and_changes_nothing() {
    let root = root();
    let mut story = open(root.path());
    let mut refused = vec![story.undo(1).unwrap_err()];
    for n in 1..=2 {
        story.commit(&rich(n)).unwrap();
    }
    let before = bytes(&story);
    refused.push(story.undo(3).unwrap_err());
    refused.push(story.undo(0).unwrap_err());
    refused.push(story.redo(1).unwrap_err());
    refused.push(story.switch(&name("tower")).unwrap_err());
    refused.push(story.create_branch(&name("main"), None).unwrap_err());
    refused.push(story.delete_branch(&name("main")).unwrap_err());
    refused.push(story.rename_branch(&name("main"), &name("main")).unwrap_err());
    refused.push(BranchName::parse("The Tower").unwrap_err().into());
    story.journal_begin(&content(&["p9"])).unwrap();
    let mut other = open(root.path());
    refused.push(other.undo(1).unwrap_err());
    drop(story);
    refused.push(other.undo(1).unwrap_err());
    other.journal_drop().unwrap();
    let mut late = open(root.path());
    late.undo(1).unwrap();
    refused.push(other.undo(1).unwrap_err());
    late.redo(1).unwrap();
    assert_eq!(bytes(&late), before);
    let refused: Vec<String> = refused.iter().map(StoryError::to_string).collect();
    insta::assert_snapshot!(refused.join("\n"), @r#"
    cannot undo 1: the story `quest` has 0 turns before this point
    cannot undo 3: the story `quest` has 2 turns before this point
    cannot undo 0: the story `quest` has 2 turns before this point
    cannot redo 1: 0 turns of the story `quest` were undone at this point
    the story `quest` has no branch `tower`; it has `main`
    the story `quest` has a branch `main` already; take another name
    the branch `main` is the one that is played; switch to another one first
    the story `quest` has a branch `main` already; take another name
    `The Tower` is not a branch's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `the-tower` would do
    a plan of the story `quest` is running elsewhere; wait for its end or stop it
    the plan `p9` ("open the door") was cut off; `narratoria plan resume` goes on with it, `narratoria plan resume --drop` gives it up
    the story `quest` was played on elsewhere, so this turn is not kept; start again to go on from there
    "#);
}

/// A commit writes what the turn has changed; the whole state goes into a snapshot when the turns since the last one weigh
/// as much as it does.
#[test]
fn a_large_state_is_not_written_with_every_turn() {
    let root = root();
    let mut story = open(root.path());
    story.commit(&turn("fill", &[json!({"large": "x".repeat(2 << 20)})])).unwrap();
    let pages = || -> i64 {
        let conn = Connection::open(db(root.path())).unwrap();
        conn.query_one("SELECT page_count FROM pragma_page_count()", [], |row| row.get(0)).unwrap()
    };
    let before = pages();
    for n in 0..100 {
        story.commit(&turn("go", &[json!({"n": n})])).unwrap();
    }
    assert!(pages() - before < 100, "{} pages", pages() - before);
    assert_eq!(open(root.path()).state(), story.state());
}

/// A turn is told with everything that it changed, and two turns are compared on either side of the fork.
#[test]
fn a_turn_and_the_difference_of_two_turns_are_told_from_the_file() {
    let root = root();
    let mut story = open(root.path());
    for n in 1..=2 {
        story.commit(&rich(n)).unwrap();
    }
    let seen = json!({"recentTurns": [1, 2], "memories": [], "cut": []});
    let plans = vec![narratoria_story::PlanRow { seen: Some(seen.clone()), ..plan("p3") }];
    story.commit(&TurnRecord { plans, ..rich(3) }).unwrap();
    let three = story.head().unwrap();
    let report = story.turn_report(three).unwrap();
    assert_eq!((report.node.prompt.as_str(), report.plans[0].0), ("3", 3));
    assert_eq!(report.plans[0].1.seen, Some(seen));
    assert_eq!((report.assets.len(), report.stores.len()), (1, 2));
    let changed: Vec<&str> = report.state.changes.iter().map(|it| it.pointer.as_str()).collect();
    assert_eq!(changed, ["/k3", "/n"]);
    let remembered = story.remembered_texts().unwrap();
    assert_eq!(
        remembered.iter().map(|it| it.turn).collect::<Vec<_>>(),
        [Some(1), Some(2), Some(3)]
    );
    story.undo(2).unwrap();
    story.commit(&rich(7)).unwrap();
    let found = story.compare(Some(three), story.head()).unwrap();
    let prompts = |side: &[(narratoria_story::TurnNode, String)]| -> Vec<String> {
        side.iter().map(|(turn, _)| turn.prompt.clone()).collect()
    };
    assert_eq!(
        (prompts(&found.left), prompts(&found.entered)),
        (vec!["2".to_owned(), "3".to_owned()], vec!["7".to_owned()])
    );
    assert!(found.stores.iter().any(|it| it.key == "m7" && it.before.is_none()));
    assert_eq!(story.remembered_texts().unwrap().len(), 2);
    let same = story.compare(Some(three), Some(three)).unwrap();
    assert!(same.state.is_empty() && same.stores.is_empty() && same.left_count == 0);
    assert!(matches!(story.compare(None, story.head()).unwrap().entered_count, 2));
}

/// The times of scripts are read once, and commits add theirs.
#[test]
fn the_times_of_scripts_are_those_of_the_file() {
    let root = root();
    let mut story = open(root.path());
    for n in 0..40_u64 {
        let tool = |path: &str, ms: u64| json!({"toolPath": path, "state": "success", "executionTimeMs": ms, "items": 2});
        let result = json!({"toolResults": [tool("a/b", n), tool(&format!("c/{}", n / 20), n), {"toolPath": "x/y", "state": "failed", "executionTimeMs": 1}]});
        let row = narratoria_story::PlanRow { result: Some(result), ..plan(&format!("t{n}")) };
        story.commit(&TurnRecord { plans: vec![row], ..turn("go", &[]) }).unwrap();
        assert_eq!(story.script_times().unwrap(), open(root.path()).script_times().unwrap());
    }
}
