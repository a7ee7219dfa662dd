//! Queries for plans, and the copies of plans for people.

use std::fs;

use narratoria_protocol::JsonBounds;
use narratoria_skills::read_yaml;
use narratoria_story::{PlanRow, PlanStatus, Story, StoryName, TurnRecord, export_plan, to_yaml};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    journal::{content, record},
    message, open, plan, root, try_open, turn,
};

fn lines(story: &Story, limit: usize) -> String {
    let plans = story.plans(limit).unwrap().into_iter().map(|p| {
        format!(
            "{} {} turn {} ({}) attempt {} v{} {} {:?} {:?}",
            p.ordinal,
            p.id,
            p.turn,
            p.turn_id.is_some(),
            p.attempt,
            p.version,
            p.status.as_str(),
            p.task,
            p.changes,
        )
    });
    plans.collect::<Vec<_>>().join("\n")
}

/// S2 "Cancel": the plans of a turn that was stopped are kept, and the story goes on from the turn before it.
#[test]
fn a_turn_that_was_stopped_keeps_its_plans_and_counts_for_nothing() {
    let root = root();
    let mut story = open(root.path());
    let of = |prompt: &str, id: &str| TurnRecord { plans: vec![plan(id)], ..turn(prompt, &[]) };
    story.commit(&turn("one", &[json!({"hp": 3})])).unwrap();
    story.commit_aside(&TurnRecord { patches: Vec::new(), ..of("stopped", "p1") }).unwrap();
    story.commit_aside(&TurnRecord { patches: Vec::new(), ..of("stopped too", "p2") }).unwrap();
    for story in [&story, &open(root.path())] {
        assert_eq!((story.turns(), story.recent_turns(9).unwrap().len()), (1, 1));
        assert_eq!(story.state().as_object()["hp"], json!(3));
        assert_eq!(story.newest_turn().unwrap().unwrap().get(), 3);
    }
    let committed = story.commit(&of("two", "p3")).unwrap();
    assert_eq!((committed.turn.get(), story.turns()), (4, 2));
    assert_eq!(story.state_at(committed.turn).unwrap(), *story.state());
    let prompts = story.recent_turns(9).unwrap().into_iter().map(|turn| turn.prompt);
    assert_eq!(prompts.collect::<Vec<_>>(), ["one", "two"]);
    insta::assert_snapshot!(lines(&story, 9), @r#"
    3 p3 turn 2 (true) attempt 1 v1 complete "two" None
    2 p2 turn 2 (true) attempt 1 v1 complete "stopped too" None
    1 p1 turn 2 (true) attempt 1 v1 complete "stopped" None
    "#);
}

/// S3: every plan is stored, and so is the one in progress.
#[test]
fn plans_are_listed_newest_first_with_the_one_in_progress() {
    let root = root();
    let mut story = open(root.path());
    assert_eq!(lines(&story, 9), "");
    let first = PlanRow { status: PlanStatus::Replanning, ..plan("p1") };
    let second = PlanRow {
        attempt: 2,
        parent_plan_id: Some("p1".to_owned()),
        record: Some(record("p2", "another door")),
        ..plan("p2")
    };
    story.commit(&TurnRecord { plans: vec![first, second.clone()], ..turn("one", &[]) }).unwrap();
    story.journal_begin(&content(&["p3", "p4"])).unwrap();
    insta::assert_snapshot!(lines(&story, 9), @r#"
    4 p4 turn 2 (false) attempt 1 v2 in_progress "open the door" Some("nothing yet")
    3 p3 turn 2 (false) attempt 1 v2 failed "open the door" Some("nothing yet")
    2 p2 turn 1 (true) attempt 2 v2 complete "one" Some("another door")
    1 p1 turn 1 (true) attempt 1 v1 replanning "one" None
    "#);
    assert_eq!(lines(&story, 1), lines(&story, 9).lines().next().unwrap());
    assert_eq!(lines(&story, 0), "");
    let found = story.plan("p2").unwrap();
    assert_eq!((found.row, found.task.as_str(), found.turn), (second, "one", 1));
    assert_eq!(story.plan("plan_004").unwrap().row.id, "p4");
    assert_eq!(story.plan("4").unwrap().turn_id, None);
}

#[test]
fn a_plan_is_found_by_id_by_prefix_and_by_number() {
    let root = root();
    let mut story = open(root.path());
    let unknown = story.plan("1").unwrap_err().to_string();
    let ids = ["abcd-1", "abcd-2", "ab", "12345-6", "\u{10ffff}\u{10ffff}\u{10ffff}\u{10ffff}!"];
    story.commit(&TurnRecord { plans: ids.map(plan).to_vec(), ..turn("one", &[]) }).unwrap();
    let find = |which: &str| match story.plan(which) {
        Ok(found) => format!("{which}: {} {}", found.ordinal, found.row.id),
        Err(error) => error.to_string(),
    };
    let which = [
        "1",
        "002",
        "plan_3",
        "plan_001.json",
        "abcd-2",
        "ab",
        "1234",
        "\u{10ffff}\u{10ffff}\u{10ffff}\u{10ffff}",
        "abcd",
        "abc",
        "nobody",
        "",
        "99",
        "plan_",
        "plan_99999999999999999999",
        "a\nb'%_*c",
    ];
    insta::assert_snapshot!(format!("{unknown}\n{}", which.map(find).join("\n")), @r#"
    the story `quest` has no plan `1`: it has none yet
    1: 1 abcd-1
    002: 2 abcd-2
    plan_3: 3 ab
    plan_001.json: 1 abcd-1
    abcd-2: 2 abcd-2
    ab: 3 ab
    1234: 4 12345-6
    􏿿􏿿􏿿􏿿: 5 􏿿􏿿􏿿􏿿!
    `abcd` is the beginning of more than one plan: `abcd-1`, `abcd-2`; write more of it
    the story `quest` has no plan `abc`: its last is `plan_005` (`􏿿􏿿􏿿􏿿!`); name one by its number, its id, or the first 4 or more characters of that
    the story `quest` has no plan `nobody`: its last is `plan_005` (`􏿿􏿿􏿿􏿿!`); name one by its number, its id, or the first 4 or more characters of that
    the story `quest` has no plan ``: its last is `plan_005` (`􏿿􏿿􏿿􏿿!`); name one by its number, its id, or the first 4 or more characters of that
    the story `quest` has no plan `99`: its last is `plan_005` (`􏿿􏿿􏿿􏿿!`); name one by its number, its id, or the first 4 or more characters of that
    the story `quest` has no plan `plan_`: its last is `plan_005` (`􏿿􏿿􏿿􏿿!`); name one by its number, its id, or the first 4 or more characters of that
    the story `quest` has no plan `plan_99999999999999999999`: its last is `plan_005` (`􏿿􏿿􏿿􏿿!`); name one by its number, its id, or the first 4 or more characters of that
    the story `quest` has no plan `a\nb'%_*c`: its last is `plan_005` (`􏿿􏿿􏿿􏿿!`); name one by its number, its id, or the first 4 or more characters of that
    "#);
}

#[test]
fn open_existing_creates_no_story() {
    let root = root();
    let find = |name: &str| {
        let name = StoryName::parse(name).unwrap();
        Story::open_existing(root.path(), &name).map(|_| ()).map_err(|e| message(root.path(), &e))
    };
    let mut seen = vec![find("quest").unwrap_err()];
    for name in ["quest", "the-long-road", "a", "b", "c", "d"] {
        drop(try_open(root.path(), name).unwrap());
    }
    find("quest").unwrap();
    fs::create_dir(root.path().join("empty")).unwrap();
    fs::write(root.path().join("file"), "").unwrap();
    // A process that dies while it creates the story leaves an empty file.
    fs::create_dir(root.path().join("begun")).unwrap();
    fs::write(root.path().join("begun/story.db"), "").unwrap();
    seen.extend(["qeust", "tavern", "empty", "file", "begun"].map(|name| find(name).unwrap_err()));
    insta::assert_snapshot!(seen.join("\n"), @"
    there is no story `quest` in `ROOT`: there are none yet; `narratoria run --story quest` begins it
    there is no story `qeust` in `ROOT`: did you mean `quest`?
    there is no story `tavern` in `ROOT`: there are `a`, `b`, `c`, `d`, `quest`, …
    there is no story `empty` in `ROOT`: there are `a`, `b`, `c`, `d`, `quest`, …
    `ROOT/file` is a file, it must be a folder; move it away or choose another story's name
    there is no story `begun` in `ROOT`: its file is empty; `narratoria run --story begun` begins it
    ");
    assert!(!root.path().join("qeust").exists());
    assert_eq!(fs::read_dir(root.path().join("empty")).unwrap().count(), 0);
}

/// docs/plans.md, "The record".
#[test]
fn a_plan_is_a_document_that_a_person_can_read() {
    let root = root();
    let mut story = open(root.path());
    story.journal_begin(&content(&["p1"])).unwrap();
    let document = |story: &Story| {
        let stored = story.plan("1").unwrap();
        format!("{:#}", export_plan(stored.row, stored.ordinal, stored.turn))
    };
    insta::assert_snapshot!(document(&story), @r#"
    {
      "id": "p1",
      "task": "go",
      "status": "in_progress",
      "version": 2,
      "createdBy": "lexical",
      "createdAt": "2023-11-14T22:13:21Z",
      "updatedAt": "2023-11-14T22:13:23Z",
      "currentStepIndex": 0,
      "steps": [],
      "changes": "nothing yet",
      "reasoning": "why not",
      "ordinal": 1,
      "turn": 1,
      "attempt": 1,
      "planner": "lexical",
      "errors": [],
      "plan": {
        "requestId": "p1",
        "tools": []
      },
      "result": null
    }
    "#);
    story.commit(&TurnRecord { plans: vec![plan("p1")], ..turn("one", &[]) }).unwrap();
    insta::assert_snapshot!(document(&story), @r#"
    {
      "id": "p1",
      "status": "complete",
      "previousPlanId": null,
      "createdBy": "lexical",
      "createdAt": "2023-11-14T22:13:21Z",
      "ordinal": 1,
      "turn": 1,
      "attempt": 1,
      "planner": "lexical",
      "errors": [],
      "plan": {
        "requestId": "p1",
        "tools": []
      },
      "result": {
        "success": true
      }
    }
    "#);
    // The number of a plan that is dropped, or not in the turn, is free again.
    story.journal_begin(&content(&["p2", "p3"])).unwrap();
    story.commit(&TurnRecord { plans: vec![plan("p3")], ..turn("two", &[]) }).unwrap();
    story.journal_begin(&content(&["p4"])).unwrap();
    assert!(story.journal_drop().unwrap());
    assert_eq!(ordinals(&story.plans(9).unwrap()), [3, 1]);
    // Nothing of it is a file of its own: ten thousand turns would be ten thousand files.
    assert!(!root.path().join("quest/plans").exists());
}

fn ordinals(plans: &[narratoria_story::PlanSummary]) -> Vec<u64> {
    plans.iter().map(|plan| plan.ordinal).collect()
}

/// The folder `plans` belongs to the plans of ticks; an older program has left copies of all plans there.
#[test]
fn copies_of_an_older_program_are_moved_aside_once() {
    let root = root();
    let folder = root.path().join("quest");
    drop(open(root.path()));
    let conn = rusqlite::Connection::open(super::db(root.path())).unwrap();
    conn.execute("DELETE FROM meta WHERE key = 'records'", []).unwrap();
    drop(conn);
    fs::create_dir(folder.join("plans")).unwrap();
    fs::write(folder.join("plans/plan_001.json"), "old").unwrap();
    fs::create_dir(folder.join("records")).unwrap();
    for _ in 0..2 {
        drop(open(root.path()));
        assert_eq!(fs::read_to_string(folder.join("records-2/plan_001.json")).unwrap(), "old");
    }
    fs::create_dir(folder.join("plans")).unwrap();
    fs::write(folder.join("plans/plan_001.json"), "of a tick").unwrap();
    drop(open(root.path()));
    assert_eq!(fs::read_to_string(folder.join("plans/plan_001.json")).unwrap(), "of a tick");
}

#[test]
fn plans_of_undone_turns_and_of_other_branches_are_listed_only_if_asked_for() {
    let root = root();
    let mut story = open(root.path());
    let of = |prompt: &str, id: &str| TurnRecord { plans: vec![plan(id)], ..turn(prompt, &[]) };
    story.commit(&of("one", "p1")).unwrap();
    story.commit(&of("two", "p2")).unwrap();
    story.undo(1).unwrap();
    story
        .commit_aside(&TurnRecord {
            outcome: narratoria_story::TurnOutcome::Cancelled,
            ..of("stopped", "p3")
        })
        .unwrap();
    assert_eq!(ordinals(&story.plans_here(9).unwrap()), [3, 1]);
    story.commit(&of("other", "p4")).unwrap();
    assert_eq!(ordinals(&story.plans_here(9).unwrap()), [4, 3, 1]);
    assert_eq!(ordinals(&story.plans_here(2).unwrap()), [4, 3]);
    assert_eq!(ordinals(&story.plans(9).unwrap()), [4, 3, 2, 1]);
    story.journal_begin(&content(&["p5"])).unwrap();
    assert_eq!(ordinals(&story.plans_here(9).unwrap()), [5, 4, 3, 1]);
}

#[track_caller]
fn check_yaml(value: &Value) {
    let yaml = to_yaml(value);
    let bounds = JsonBounds::of_bytes(1 << 20);
    let back =
        read_yaml(yaml.as_bytes(), bounds).unwrap_or_else(|e| panic!("{e}\n{value}\n{yaml}"));
    assert_eq!(&back, value, "\n{yaml}");
}

/// Texts that a careless writer of YAML does not quote.
const STRANGE: &[&str] = &[
    "",
    " ",
    "yes",
    "No",
    "on",
    "y",
    "null",
    "~",
    "Null",
    "true",
    "1",
    "1e3",
    "0x1f",
    "0o7",
    "1_000",
    ".inf",
    "-.INF",
    ".nan",
    "NaN",
    "1:30",
    "2026-01-23",
    "2026-01-23T10:00:00Z",
    "-",
    "- a",
    "?",
    ":",
    "a: b",
    "a #b",
    "#",
    "&a",
    "*a",
    "!a",
    "|",
    ">",
    "%",
    "@",
    "`",
    "---",
    "...",
    "'",
    "\"",
    "\\",
    "{",
    "[",
    "a\nb",
    "a\n",
    "\na",
    "a\n\n\n",
    "\n",
    "  a\n b",
    "a \n b",
    "\tx",
    "x\t\ny",
    "a\r\nb",
    "\r",
    "\u{0}",
    "\u{7}",
    "\u{1b}[0m",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{feff}",
    "\u{fffe}",
    "\u{1f409}",
    "<<",
    "=",
    "one very long line of words that goes on and on well past any width at which a writer might fold it, and on",
    "one very long line  with  two  spaces between words that goes on and on well past any width and on, and ends ",
];

#[test]
fn yaml_reads_back_as_the_same_json() {
    for text in STRANGE {
        check_yaml(&json!(text));
        check_yaml(&json!([text]));
        check_yaml(&json!({"key": text}));
        check_yaml(&json!({"a": [{"b": text, "c": [text, [text]]}]}));
        check_yaml(&json!({ *text: 1 }));
        check_yaml(&json!({ *text: { *text: [1]} }));
    }
    let numbers = json!([
        0,
        -1,
        i64::MIN,
        i64::MAX,
        u64::MAX,
        0.5,
        1.0,
        -0.0,
        1e300,
        5e-324,
        1e16,
        31.245270191439438
    ]);
    check_yaml(&numbers);
    check_yaml(&json!({"a": {}, "b": [], "c": [[], {}, [[]]], "d": null}));
    check_yaml(&export_plan(PlanRow { record: Some(record("p", "a\nb")), ..plan("p") }, 7, 3));
    let deep = (0..60)
        .fold(json!(1), |value, n| if n % 2 == 0 { json!([value]) } else { json!({"k": value}) });
    check_yaml(&deep);
    insta::assert_snapshot!(to_yaml(&json!({"id": "p", "steps": [{"index": 0, "description": "no"}], "text": "a\nb\n"})), @r#"
    id: p
    steps:
    - index: 0
      description: "no"
    text: |
      a
      b
    "#);
}

fn any_json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        any::<String>(),
        "[ a:#\\-\n\t'\"\\\\|>{}\\[\\],&*!%@?~0-9e.x]{0,12}",
        "([a-z]{1,9} ?){0,30}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(text.clone(), inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_json_reads_back_from_its_yaml(value in any_json()) {
        check_yaml(&value);
    }
}
