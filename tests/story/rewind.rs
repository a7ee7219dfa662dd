//! The tree of turns: undo, redo, branches and switches move everything together and lose nothing.

use std::collections::BTreeMap;

use narratoria_protocol::{Object, merge};
use narratoria_story::{BranchName, HeadMove, StoreRow, Story, StoryError, TurnId, TurnRecord};
use proptest::prelude::*;
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
    format!(
        "{:?} {} {} {:?} {assets:?} {plans:?} {:?}",
        story.head(),
        story.turns(),
        story.state().to_json(),
        story.stores().unwrap(),
        story.recent_turns(9).unwrap()
    )
}

#[test]
fn undo_and_redo_of_every_turn_change_no_byte() {
    let root = root();
    let mut story = open(root.path());
    let mut after = vec![bytes(&story)];
    for n in 1..=200 {
        story.commit(&rich(n)).unwrap();
        after.push(bytes(&story));
    }
    for n in (0..200).rev() {
        let HeadMove { left, entered, .. } = story.undo(1).unwrap();
        assert_eq!((left, entered), (1, 0));
        assert_eq!(bytes(&story), after[n], "undone to {n}");
        if n % 20 == 0 {
            story = open(root.path());
            assert_eq!(bytes(&story), after[n], "opened at {n}");
        }
    }
    assert_eq!(story.redoable().unwrap(), 200);
    for after in &after[1..] {
        story.redo(1).unwrap();
        assert_eq!(bytes(&story), *after);
    }
    story.undo(150).unwrap();
    assert_eq!(bytes(&story), after[50]);
    story.redo(150).unwrap();
    assert_eq!(bytes(&story), after[200]);
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

/// A verb of a random sequence.
#[derive(Debug, Clone)]
enum StoryVerb {
    Turn(u8),
    /// So many turns are undone, and another one is played in their place.
    Edit(u64, u8),
    /// A turn that the player stopped.
    Stop,
    Undo(u64),
    Redo(u64),
    Branch(u8, u8),
    Switch(u8),
    Rename(u8, u8),
    Delete(u8),
    Reopen,
}

fn verb() -> impl Strategy<Value = StoryVerb> {
    prop_oneof![
        5 => any::<u8>().prop_map(StoryVerb::Turn),
        2 => (1..4_u64, any::<u8>()).prop_map(|(back, n)| StoryVerb::Edit(back, n)),
        1 => Just(StoryVerb::Stop),
        3 => (1..4_u64).prop_map(StoryVerb::Undo),
        3 => (1..4_u64).prop_map(StoryVerb::Redo),
        1 => (0..4_u8, any::<u8>()).prop_map(|(name, at)| StoryVerb::Branch(name, at)),
        2 => (0..4_u8).prop_map(StoryVerb::Switch),
        1 => (0..4_u8, 0..4_u8).prop_map(|(from, to)| StoryVerb::Rename(from, to)),
        1 => (0..4_u8).prop_map(StoryVerb::Delete),
        1 => Just(StoryVerb::Reopen),
    ]
}

/// A turn of the model: all that the story is after it, as a whole.
#[derive(Debug, Clone, Default)]
struct ModelTurn {
    parent: usize,
    depth: u64,
    state: Object,
    stores: BTreeMap<String, BTreeMap<String, String>>,
}

/// The tree in memory, without folds and logs. Turn 0 is the beginning.
#[derive(Debug)]
struct TreeModel {
    turns: Vec<ModelTurn>,
    /// The turn of each branch, and the turns that can be redone, the nearest last.
    branches: BTreeMap<String, (usize, Vec<usize>)>,
    current: String,
}

impl TreeModel {
    /// Carries out a verb, and returns whether it can be. Long because each verb has its rule here.
    fn apply(&mut self, verb: &StoryVerb) -> bool {
        let (head, redo) = self.branches[&self.current].clone();
        match verb {
            StoryVerb::Turn(n) => {
                let mut next = ModelTurn { parent: head, ..self.turns[head].clone() };
                next.depth += 1;
                merge(&mut next.state, &object(patch(*n)));
                for (key, value) in writes(*n) {
                    let store = next.stores.entry("lamp".to_owned()).or_default();
                    match value {
                        Some(value) => _ = store.insert(key, value),
                        None => _ = store.remove(&key),
                    }
                    next.stores.retain(|_, store| !store.is_empty());
                }
                self.turns.push(next);
                self.branches.insert(self.current.clone(), (self.turns.len() - 1, Vec::new()));
                true
            }
            StoryVerb::Edit(back, n) => {
                self.apply(&StoryVerb::Undo(*back)) && self.apply(&StoryVerb::Turn(*n))
            }
            StoryVerb::Stop => {
                let depth = self.turns[head].depth + 1;
                self.turns.push(ModelTurn { parent: head, depth, ..self.turns[head].clone() });
                true
            }
            StoryVerb::Undo(n) if *n <= self.turns[head].depth => {
                let (mut head, mut redo) = (head, redo);
                for _ in 0..*n {
                    redo.push(head);
                    head = self.turns[head].parent;
                }
                self.branches.insert(self.current.clone(), (head, redo));
                true
            }
            StoryVerb::Redo(n) if *n <= redo.len() as u64 => {
                let (mut head, mut redo) = (head, redo);
                for _ in 0..*n {
                    head = redo.pop().unwrap();
                }
                self.branches.insert(self.current.clone(), (head, redo));
                true
            }
            StoryVerb::Branch(new, at) => {
                let new = branch_name(*new);
                // Turn 0 stands for the head.
                let at = usize::from(*at) % self.turns.len();
                let at = if at == 0 { head } else { at };
                let is_new = !self.branches.contains_key(&new);
                if is_new {
                    self.branches.insert(new, (at, Vec::new()));
                }
                is_new
            }
            StoryVerb::Switch(to) => {
                let is_there = self.branches.contains_key(&branch_name(*to));
                if is_there {
                    self.current = branch_name(*to);
                }
                is_there
            }
            StoryVerb::Rename(from, to) => {
                let (from, to) = (branch_name(*from), branch_name(*to));
                if self.branches.contains_key(&to) || !self.branches.contains_key(&from) {
                    return false;
                }
                let branch = self.branches.remove(&from).unwrap();
                self.branches.insert(to.clone(), branch);
                if self.current == from {
                    self.current = to;
                }
                true
            }
            StoryVerb::Delete(which) => {
                let which = branch_name(*which);
                which != self.current && self.branches.remove(&which).is_some()
            }
            StoryVerb::Reopen => true,
            StoryVerb::Undo(_) | StoryVerb::Redo(_) => false,
        }
    }
}

fn branch_name(n: u8) -> String {
    ["main", "tower", "cellar", "road"][usize::from(n)].to_owned()
}

fn patch(n: u8) -> Value {
    json!({"n": n, format!("k{}", n % 4): (!n.is_multiple_of(3)).then(|| json!({"at": n, "list": [null, n]}))})
}

fn writes(n: u8) -> Vec<(String, Option<String>)> {
    vec![(format!("k{}", n % 3), (!n.is_multiple_of(5)).then(|| n.to_string()))]
}

fn apply(story: &mut Story, verb: &StoryVerb) -> Result<(), StoryError> {
    let named = |n: &u8| name(&branch_name(*n));
    match verb {
        StoryVerb::Turn(n) => {
            let row = |(key, value)| StoreRow { skill: "lamp".to_owned(), key, value };
            let store_writes = writes(*n).into_iter().map(row).collect();
            story.commit(&TurnRecord { store_writes, ..turn("go", &[patch(*n)]) }).map(drop)
        }
        StoryVerb::Edit(back, n) => {
            story.undo(*back)?;
            apply(story, &StoryVerb::Turn(*n))
        }
        StoryVerb::Stop => {
            let outcome = narratoria_story::TurnOutcome::Cancelled;
            story.commit_aside(&TurnRecord { outcome, ..turn("go", &[]) }).map(drop)
        }
        StoryVerb::Undo(n) => story.undo(*n).map(drop),
        StoryVerb::Redo(n) => story.redo(*n).map(drop),
        StoryVerb::Branch(new, at) => {
            let turns = story.turns_ever()? + 1;
            let at = i64::try_from(u64::from(*at) % turns).unwrap();
            let found = story.all_turns(usize::MAX)?.into_iter().find(|turn| turn.id.get() == at);
            let at: Option<TurnId> = found.map(|turn| turn.id);
            story.create_branch(&named(new), at)
        }
        StoryVerb::Switch(to) => story.switch(&named(to)).map(drop),
        StoryVerb::Rename(from, to) => story.rename_branch(&named(from), &named(to)),
        StoryVerb::Delete(which) => story.delete_branch(&named(which)),
        StoryVerb::Reopen => Ok(()),
    }
}

/// Sequences: `STORY_SEQUENCES` sets how many.
fn sequences() -> u32 {
    std::env::var("STORY_SEQUENCES").ok().and_then(|count| count.parse().ok()).unwrap_or(96)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sequences()))]

    /// No branch leaks into another one: after every verb the story is what a plain tree of whole states says.
    #[test]
    fn the_story_is_the_tree_that_its_verbs_make(verbs in proptest::collection::vec(verb(), 0..40)) {
        let root = root();
        let mut story = open(root.path());
        let branches = BTreeMap::from([("main".to_owned(), (0, Vec::new()))]);
        let mut model =
            TreeModel { turns: vec![ModelTurn::default()], branches, current: "main".to_owned() };
        for verb in &verbs {
            if let StoryVerb::Reopen = verb {
                drop(story);
                story = open(root.path());
            }
            let done = apply(&mut story, verb);
            prop_assert_eq!(done.is_ok(), model.apply(verb), "{:?}: {:?}", verb, done);
            let (head, redo) = &model.branches[&model.current];
            let expected = &model.turns[*head];
            prop_assert_eq!(story.branch().as_str(), &model.current);
            prop_assert_eq!((story.turns(), story.redoable().unwrap()), (expected.depth, redo.len() as u64));
            prop_assert_eq!(story.state().as_object(), &expected.state);
            prop_assert_eq!(&story.stores().unwrap(), &expected.stores);
        }
        prop_assert_eq!(story.verify().unwrap(), Vec::<String>::new());
        let branches: Vec<(String, u64)> =
            story.branches().unwrap().into_iter().map(|it| (it.name.to_string(), it.turns)).collect();
        let expected: Vec<(String, u64)> = model
            .branches
            .iter()
            .map(|(name, (turn, _))| (name.clone(), model.turns[*turn].depth))
            .collect();
        prop_assert_eq!(branches, expected);
        for (id, turn) in model.turns.iter().enumerate().skip(1) {
            let found = story.all_turns(usize::MAX).unwrap();
            let node = found.iter().find(|node| node.id.get() == id as i64).unwrap();
            let state = story.state_at(node.id).unwrap();
            prop_assert_eq!(state.as_object(), &turn.state);
            prop_assert_eq!(&story.stores_at(node.id).unwrap(), &turn.stores);
        }
    }
}
