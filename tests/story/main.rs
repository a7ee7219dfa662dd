//! The story store on real files: a player's story survives crashes and damaged files.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]

mod books;
mod campaign;
mod change_log;
mod damage;
mod entities;
mod export_lines;
mod folder;
mod foreign_schema;
mod journal;
mod long;
mod memory_dataset;
mod memory_recall;
mod migration;
mod plans;
mod repair;
mod rewind;
mod stored_files;
mod stores;
mod verb_model;
mod verbs;

use std::{fs, path::Path};

use jiff::Timestamp;
use narratoria_protocol::Object;
use narratoria_protocol::{STATE_BYTES_MAX, StoryState, merge};
use narratoria_story::{
    self as story, AssetRow, PlanRow, PlanStatus, SNAPSHOT_EVERY, Story, StoryError, StoryName,
    TURN_BYTES_MAX, TURN_PROMPT_BYTES_MAX, TurnOutcome, TurnRecord,
};
use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

const SEED: u64 = 0xfeed_0000_0000_0042;

fn root() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + second).unwrap()
}

fn try_open(root: &Path, name: &str) -> Result<Story, StoryError> {
    Story::open(root, &StoryName::parse(name).unwrap(), at(0), SEED)
}

fn open(root: &Path) -> Story {
    try_open(root, "quest").unwrap()
}

fn db(root: &Path) -> std::path::PathBuf {
    root.join("quest/story.db")
}

fn object(value: Value) -> Object {
    value.as_object().unwrap().clone()
}

fn turn(prompt: &str, patches: &[Value]) -> TurnRecord {
    TurnRecord {
        prompt: prompt.to_owned(),
        narration: format!("You {prompt}."),
        outcome: TurnOutcome::Narrated,
        choices: vec![],
        patches: patches.iter().cloned().map(object).collect(),
        plans: vec![],
        assets: vec![],
        store_writes: vec![],
        seed: 7,
        started_at: at(1),
        finished_at: at(2),
    }
}

fn plan(id: &str) -> PlanRow {
    PlanRow {
        id: id.to_owned(),
        attempt: 1,
        parent_plan_id: None,
        planner: "lexical".to_owned(),
        status: PlanStatus::Complete,
        plan: json!({"requestId": id, "tools": []}),
        result: Some(json!({"success": true})),
        errors: vec![],
        created_at: at(1),
        record: None,
        seen: None,
    }
}

fn asset(plan: &str, asset_id: &str) -> AssetRow {
    AssetRow {
        plan: plan.to_owned(),
        tool_id: "draw".to_owned(),
        asset_id: asset_id.to_owned(),
        kind: "image".to_owned(),
        media_type: "image/png".to_owned(),
        path: format!("assets/{asset_id}.png"),
        metadata: Some(object(json!({"width": 64}))),
    }
}

fn state(story: &Story) -> Value {
    Value::Object(story.state().as_object().clone())
}

/// Everything that a player can see of a story.
fn summary(story: &Story) -> String {
    let prompts: Vec<String> =
        story.recent_turns(99).unwrap().into_iter().map(|t| t.prompt).collect();
    let plans = story.head().map(|head| story.plans_of_turn(head).unwrap().len());
    format!("{} turns {prompts:?}, {plans:?} plans, {}", story.turns(), state(story))
}

/// The error and its cause as a player reads them. `ROOT` stands for the folder, which differs from run to run.
fn message(root: &Path, error: &StoryError) -> String {
    let cause =
        std::error::Error::source(error).map_or(String::new(), |cause| format!(": {cause}"));
    format!("{error}{cause}").replace(&root.display().to_string(), "ROOT")
}

#[test]
fn reopening_a_story_restores_state_turns_and_seed() {
    let root = root();
    let mut story = open(root.path());
    assert_eq!((story.turns(), story.seed(), state(&story)), (0, SEED, json!({})));
    assert_eq!(story.folder(), root.path().join("quest"));
    // A float that a careless reader rounds in its last digit.
    story.commit(&turn("enter", &[json!({"x": 31.245270191439438, "hp": 7})])).unwrap();
    story.commit(&turn("fight", &[json!({"hp": 3}), json!({"x": null})])).unwrap();
    story.commit(&turn("flee", &[json!({"x": 31.245270191439438, "big": u64::MAX})])).unwrap();
    let before = summary(&story);
    drop(story);

    let name = StoryName::parse("quest").unwrap();
    let story = Story::open(root.path(), &name, at(99), 1).unwrap();
    assert_eq!(summary(&story), before);
    assert_eq!(story.seed(), SEED);
    assert_eq!(story.name().as_str(), "quest");
    insta::assert_snapshot!(before, @r#"3 turns ["enter", "fight", "flee"], Some(0) plans, {"hp":3,"x":31.245270191439438,"big":18446744073709551615}"#);
}

#[test]
fn stories_of_different_names_are_independent() {
    let root = root();
    try_open(root.path(), "a").unwrap().commit(&turn("go", &[json!({"a": 1})])).unwrap();
    assert_eq!(state(&try_open(root.path(), "b").unwrap()), json!({}));
}

#[test]
fn a_turn_reads_back_as_it_was_committed() {
    let root = root();
    let mut story = open(root.path());
    let mut committed = turn("draw\0 a \u{1f409}", &[json!({"a": {"b": null}}), json!({})]);
    committed.outcome = TurnOutcome::Fallback;
    committed.choices = vec![json!("left"), json!({"id": 2, "text": "right"})];
    committed.plans = vec![
        PlanRow {
            status: PlanStatus::Draft,
            plan: json!("not a plan"),
            result: None,
            errors: vec!["step `a` needs `b`".to_owned(), "two".to_owned()],
            ..plan("first")
        },
        PlanRow {
            attempt: 2,
            parent_plan_id: Some("first".to_owned()),
            status: PlanStatus::Replanning,
            result: Some(Value::Null),
            ..plan("second")
        },
        PlanRow { attempt: 3, parent_plan_id: Some("second".to_owned()), ..plan("alpha") },
    ];
    committed.assets =
        vec![asset("alpha", "map"), AssetRow { metadata: None, ..asset("alpha", "face") }];
    let id = story.commit(&committed).unwrap().turn;

    let story = open(root.path());
    let read = story.recent_turns(1).unwrap().remove(0);
    assert_eq!(read.id, id);
    assert_eq!((read.prompt, read.narration), (committed.prompt, committed.narration));
    assert_eq!((read.outcome, read.choices), (committed.outcome, committed.choices));
    assert_eq!(read.finished_at, committed.finished_at);
    assert_eq!(story.plans_of_turn(id).unwrap(), committed.plans);
    assert_eq!(story.assets_of_turn(id).unwrap(), committed.assets);
    assert_eq!(state(&story), json!({"a": {"b": null}}));
}

#[test]
fn recent_turns_come_oldest_first_up_to_the_limit() {
    let root = root();
    let mut story = open(root.path());
    assert_eq!(story.recent_turns(5).unwrap(), []);
    for prompt in ["a", "b", "c"] {
        story.commit(&turn(prompt, &[])).unwrap();
    }
    let prompts =
        |n| story.recent_turns(n).unwrap().iter().map(|t| t.prompt.clone()).collect::<String>();
    assert_eq!([0, 1, 2, 3, usize::MAX].map(prompts), ["", "c", "bc", "abc", "abc"]);
}

/// docs/architecture.md, "The story": a turn is one transaction.
#[test]
fn a_turn_that_fails_in_the_middle_changes_nothing() {
    let root = root();
    let mut story = open(root.path());
    story
        .commit(&TurnRecord { plans: vec![plan("p1")], ..turn("one", &[json!({"n": 1})]) })
        .unwrap();
    let before = summary(&story);

    let twice = TurnRecord {
        plans: vec![plan("p2"), plan("p3"), plan("p1")],
        ..turn("two", &[json!({"n": 2})])
    };
    let error = story.commit(&twice).unwrap_err();
    insta::assert_snapshot!(error, @"the plan `p1` is already in the story; a new plan needs a new id");
    let stray =
        TurnRecord { assets: vec![asset("nobody", "map")], ..turn("two", &[json!({"n": 2})]) };
    let error = story.commit(&stray).unwrap_err();
    insta::assert_snapshot!(message(root.path(), &error), @"cannot write `ROOT/quest/story.db`: FOREIGN KEY constraint failed");

    assert_eq!(summary(&story), before);
    assert_eq!(summary(&open(root.path())), before);
    // The open story still works, and the id of the plan that was rolled back is free again.
    story
        .commit(&TurnRecord { plans: vec![plan("p2")], ..turn("two", &[json!({"n": 2})]) })
        .unwrap();
    assert_eq!(state(&open(root.path())), json!({"n": 2}));
}

#[test]
fn the_second_of_two_writers_gets_an_error() {
    let root = root();
    let (mut one, mut two) = (open(root.path()), open(root.path()));
    one.commit(&turn("left", &[json!({"way": "left"})])).unwrap();
    let error = two.commit(&turn("right", &[json!({"way": "right"})])).unwrap_err();
    insta::assert_snapshot!(error, @"the story `quest` was played on elsewhere, so this turn is not kept; start again to go on from there");
    assert_eq!((two.turns(), state(&two)), (0, json!({})));
    assert_eq!(summary(&open(root.path())), summary(&one));
    // Opening the story again helps, as the message says.
    let mut two = open(root.path());
    two.commit(&turn("right", &[json!({"way": "right"})])).unwrap();
    assert!(matches!(one.commit(&turn("up", &[])), Err(StoryError::HeadMoved { .. })));
}

#[test]
fn the_state_has_a_size_limit() {
    let root = root();
    let mut story = open(root.path());
    story.commit(&turn("one", &[json!({"n": 1})])).unwrap();
    let before = summary(&story);
    let error =
        story.commit(&turn("two", &[json!({"s": "x".repeat(STATE_BYTES_MAX)})])).unwrap_err();
    insta::assert_snapshot!(error, @"the turn would make the story's state 8388622 bytes long, the limit is 8388608; a skill must delete or replace what it no longer needs");
    assert_eq!(summary(&story), before);
    assert_eq!(summary(&open(root.path())), before);
    // A state of exactly the limit is accepted: `{"n":1,"s":"…"}`.
    let rest = STATE_BYTES_MAX - r#"{"n":1,"s":""}"#.len();
    story.commit(&turn("two", &[json!({"s": "x".repeat(rest)})])).unwrap();
    assert_eq!(state(&open(root.path()))["s"].as_str().unwrap().len(), rest);
}

#[test]
fn a_turn_has_size_and_depth_limits() {
    let root = root();
    let mut story = open(root.path());
    let deep = (0..narratoria_protocol::STATE_DEPTH_MAX).fold(json!(1), |value, _| json!([value]));
    let mut long = turn("", &[]);
    long.narration = "x".repeat(TURN_BYTES_MAX + 1);
    let bad = [
        turn(&"x".repeat(TURN_PROMPT_BYTES_MAX + 1), &[]),
        long,
        turn("dig", &[json!({"deep": deep})]),
        TurnRecord { choices: vec![json!([deep])], ..turn("dig", &[]) },
        TurnRecord {
            plans: vec![PlanRow { plan: json!([deep]), ..plan("p") }],
            ..turn("dig", &[])
        },
    ];
    let errors = bad.map(|turn| story.commit(&turn).unwrap_err().to_string());
    insta::assert_snapshot!(errors.join("\n"), @"
    the prompt is 65537 bytes long, the limit is 65536; shorten it
    the turn's record is 67108865 bytes long, the limit is 67108864
    a state patch nests deeper than 96 levels
    a choice nests deeper than 96 levels
    a plan nests deeper than 96 levels
    ");
    assert_eq!(summary(&open(root.path())), summary(&story));
    // A value of exactly the allowed depth can be read again.
    story.commit(&turn("dig", &[json!({"deep": deep[0]})])).unwrap();
    let story = open(root.path());
    assert_eq!(state(&story), json!({"deep": deep[0]}));
    assert_eq!(story.state_at(story.head().unwrap()).unwrap(), *story.state());
}

#[test]
fn the_list_shows_all_stories_even_if_one_is_damaged() {
    let root = root();
    assert!(story::list(&root.path().join("nowhere")).unwrap().stories.is_empty());
    let mut played = try_open(root.path(), "played").unwrap();
    for _ in 0..3 {
        played.commit(&turn("go", &[])).unwrap();
    }
    drop(try_open(root.path(), "new").unwrap());
    for (folder, bytes) in [("bad", b"garbage".as_slice()), ("empty", b""), ("Not a name", b"")] {
        fs::create_dir(root.path().join(folder)).unwrap();
        fs::write(root.path().join(folder).join("story.db"), bytes).unwrap();
    }
    fs::create_dir(root.path().join("no-database")).unwrap();
    fs::write(root.path().join("file"), "").unwrap();

    // `played` is still open, and the list does not disturb it.
    let listed = story::list(root.path()).unwrap();
    assert_eq!(listed.left_off, 0);
    assert!(
        listed.stories.iter().all(|story| (story.bytes == 0) == (story.name.as_str() == "empty"))
    );
    let lines = listed.stories.into_iter().map(|listed| match listed.summary {
        Ok(found) => format!("{}: {} turns, {}", listed.name, found.turns, found.updated_at),
        Err(error) => format!("{}: {}", listed.name, message(root.path(), &error)),
    });
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @"
    bad: `ROOT/bad/story.db` is not a story: it is not an SQLite file; move it away or choose another story's name
    empty: `ROOT/empty/story.db` is not a story: it is empty; move it away or choose another story's name
    new: 0 turns, 2023-11-14T22:13:20Z
    played: 3 turns, 2023-11-14T22:13:22Z
    ");
    played.commit(&turn("go", &[])).unwrap();
}

#[test]
fn the_state_of_every_turn_folds_from_the_nearest_snapshot() {
    let root = root();
    let mut story = open(root.path());
    let mut states = Vec::new();
    for n in 0..SNAPSHOT_EVERY * 2 + 3 {
        let patches =
            [json!({"n": n, n.to_string(): n}), json!({ n.saturating_sub(5).to_string(): null })];
        let id = story.commit(&turn("go", &patches)).unwrap().turn;
        states.push((id, story.state().clone()));
    }
    for (id, state) in &states {
        assert_eq!(story.state_at(*id).unwrap(), *state, "turn {id}");
    }
    let conn = Connection::open(db(root.path())).unwrap();
    let snapshots: i64 =
        conn.query_one("SELECT count(*) FROM snapshots", [], |r| r.get(0)).unwrap();
    assert_eq!(snapshots, 2);
    // Without snapshots, the fold starts at the first turn.
    conn.execute_batch("DELETE FROM snapshots").unwrap();
    for (id, state) in &states {
        assert_eq!(story.state_at(*id).unwrap(), *state, "turn {id}");
    }
    let other = root.path().join("other");
    let error = try_open(&other, "quest").unwrap().state_at(states[9].0).unwrap_err();
    insta::assert_snapshot!(error, @"the story `quest` has no turn 10");
}

/// Objects, arrays, scalars and nulls under few keys, so that patches overlap.
fn patch() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![any::<i32>().prop_map(Value::from), Just(Value::Null), Just(json!([1, {}]))];
    let value = leaf.prop_recursive(3, 16, 3, |inner| {
        proptest::collection::btree_map("[a-c]", inner, 0..3).prop_map(|members| json!(members))
    });
    proptest::collection::btree_map("[a-c]", value, 0..3).prop_map(|members| json!(members))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// For any distribution of patches over turns, even if the story is closed between turns.
    #[test]
    fn the_state_is_the_fold_of_all_patches(
        turns in proptest::collection::vec((proptest::collection::vec(patch(), 0..4), any::<bool>()), 0..6),
    ) {
        let root = root();
        let mut story = open(root.path());
        let mut fold = Object::new();
        for (patches, reopens) in &turns {
            story.commit(&turn("go", patches)).unwrap();
            patches.iter().for_each(|patch| merge(&mut fold, patch.as_object().unwrap()));
            prop_assert_eq!(story.state().as_object(), &fold);
            if *reopens {
                drop(story);
                story = open(root.path());
            }
        }
        let reopened = open(root.path());
        prop_assert_eq!(reopened.state().as_object(), &fold);
        if let Some(head) = story.head() {
            prop_assert_eq!(story.state_at(head).unwrap(), StoryState::new(fold));
        }
    }
}
