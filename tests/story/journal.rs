//! The journal of a running plan: its content, and its end.

use std::fs;

use narratoria_plan::PlanRecord;
use narratoria_story::{
    JOURNAL_STEPS_BYTES_MAX, JOURNAL_STEPS_VALUES_MAX, JournalContent, JournalStep, PlanRow,
    PlanStatus, Story, StoryError, StoryName, TURN_BYTES_MAX, TurnRecord,
};
use proptest::prelude::*;
use rusqlite::{Connection, params};
use serde_json::{Value, json};

use super::{at, db, message, open, plan, root, summary, turn};

/// A record with the text `changes`.
pub(super) fn record(id: &str, changes: &str) -> PlanRecord {
    let record = json!({
        "id": id, "task": "go", "status": "in_progress", "version": 2, "previousPlanId": null,
        "createdBy": "lexical", "createdAt": at(1).to_string(), "updatedAt": at(3).to_string(),
        "currentStepIndex": 0, "steps": [], "changes": changes, "reasoning": "why not",
        "metadata": {},
    });
    serde_json::from_value(record).unwrap()
}

/// The last of the plans is about to run, the ones before it have failed.
pub(super) fn content(ids: &[&str]) -> JournalContent {
    let row = |id: &&str| PlanRow {
        status: PlanStatus::InProgress,
        result: None,
        record: Some(record(id, "nothing yet")),
        ..plan(id)
    };
    let (last, earlier) = ids.split_last().unwrap();
    JournalContent {
        prompt: "open the door".to_owned(),
        seed: u64::MAX,
        plan: row(last),
        earlier: earlier
            .iter()
            .map(|id| PlanRow { status: PlanStatus::Failed, ..row(id) })
            .collect(),
        steps: vec![],
        started_at: at(1),
        extra: json!({"disabled": ["dice"]}),
    }
}

fn step(story: &mut Story, plan: &str, tool_id: &str) -> Result<(), StoryError> {
    let changes = format!("{tool_id} is over");
    story.journal_step(tool_id, &json!({"output": tool_id}), &record(plan, &changes))
}

fn steps(story: &Story) -> String {
    let Some(journal) = story.journal().unwrap() else { return "none".to_owned() };
    let steps: Vec<String> =
        journal.content.steps.iter().map(|s| format!("{}={}", s.tool_id, s.step)).collect();
    let changes = journal.content.plan.record.and_then(|record| record.changes);
    format!("{}: {} ({})", journal.content.plan.id, steps.join(" "), changes.unwrap_or_default())
}

/// docs/plans.md, "After a crash": while a plan runs, each finished step's result is journaled.
#[test]
fn a_journal_reads_back_as_it_was_written_and_ends_with_the_turn() {
    let root = root();
    let mut story = open(root.path());
    story.commit(&turn("one", &[json!({"n": 1})])).unwrap();
    let before = summary(&story);
    let written = content(&["p1", "p2"]);
    let ordinal = story.journal_begin(&written).unwrap().ordinal;
    assert_eq!(ordinal, 2);
    step(&mut story, "p2", "b").unwrap();
    step(&mut story, "p2", "a").unwrap();
    // A second result of a step replaces the first and keeps its place.
    story.journal_step("b", &json!([2]), &record("p2", "again")).unwrap();

    let journal = story.journal().unwrap().unwrap();
    assert_eq!((journal.ordinal, journal.head, journal.is_stale), (2, story.head(), false));
    let steps = [("b", json!([2])), ("a", json!({"output": "a"}))]
        .map(|(tool_id, step)| JournalStep { tool_id: tool_id.to_owned(), step });
    let plan = PlanRow { record: Some(record("p2", "again")), ..written.plan.clone() };
    assert_eq!(journal.content, JournalContent { steps: steps.to_vec(), plan, ..written });
    // The story itself has not changed.
    assert_eq!(summary(&story), before);

    let committed =
        TurnRecord { plans: vec![super::plan("p1"), super::plan("p2")], ..turn("two", &[]) };
    story.commit(&committed).unwrap();
    assert_eq!(story.journal().unwrap(), None);
    assert_eq!(story.plan("2").unwrap().row, super::plan("p2"));
    // The next plan is the third, and no journal is in the way.
    assert_eq!(open(root.path()).journal_begin(&content(&["p3"])).unwrap().ordinal, 3);
}

/// S3 startStep: the start of a step is written into the record alone, and only while its plan is the one in progress.
#[test]
fn the_start_of_a_step_changes_the_record_and_no_result() {
    let root = root();
    let mut story = open(root.path());
    story.journal_begin(&content(&["p1"])).unwrap();
    step(&mut story, "p1", "a").unwrap();
    story.journal_start("b", &record("p1", "b has started")).unwrap();
    insta::assert_snapshot!(steps(&story), @r#"p1: a={"output":"a"} (b has started)"#);
    // Another process sees it, too.
    assert_eq!(open(root.path()).journal_summary().unwrap().unwrap().finished, 1);
    let error = story.journal_start("b", &record("p0", "-")).unwrap_err();
    insta::assert_snapshot!(error, @"step `b` is of the plan `p0`, which is not the one in progress in the story `quest`");
}

/// S0 FR-023: the next attempt replaces the one before, and may reuse its finished steps.
#[test]
fn the_next_plan_of_a_turn_reuses_finished_steps() {
    let root = root();
    let mut story = open(root.path());
    story.journal_begin(&content(&["p1"])).unwrap();
    step(&mut story, "p1", "a").unwrap();
    step(&mut story, "p1", "b").unwrap();
    let reused = story.journal().unwrap().unwrap().content.steps.remove(0);
    let next = JournalContent { steps: vec![reused], ..content(&["p1", "p2"]) };
    assert_eq!(story.journal_begin(&next).unwrap().ordinal, 2);
    insta::assert_snapshot!(steps(&story), @r#"p2: a={"output":"a"} (nothing yet)"#);
    let error = step(&mut story, "p1", "c").unwrap_err();
    insta::assert_snapshot!(error, @"step `c` is of the plan `p1`, which is not the one in progress in the story `quest`");
    assert_eq!(story.plan("p1").map(|p| p.ordinal).unwrap_or(1), 1);
}

#[test]
fn an_unfinished_plan_must_be_resumed_or_dropped() {
    let root = root();
    let mut story = open(root.path());
    story.journal_begin(&content(&["p1"])).unwrap();
    step(&mut story, "p1", "a").unwrap();
    drop(story);

    let mut story = open(root.path());
    let refused = [
        story.journal_begin(&content(&["p2"])).unwrap_err(),
        story.commit(&turn("two", &[])).unwrap_err(),
        step(&mut story, "p1", "b").unwrap_err(),
    ];
    insta::assert_snapshot!(refused.map(|error| message(root.path(), &error)).join("\n"), @r#"
    the plan `p1` ("open the door") was cut off; `narratoria plan resume` goes on with it, `narratoria plan resume --drop` gives it up
    the plan `p1` ("open the door") was cut off; `narratoria plan resume` goes on with it, `narratoria plan resume --drop` gives it up
    step `b` is of the plan `p1`, which is not the one in progress in the story `quest`
    "#);
    // The refused calls have changed nothing and hold no lock.
    let mut other = open(root.path());
    assert_eq!(other.journal_resume().unwrap(), story.journal().unwrap());
    step(&mut other, "p1", "b").unwrap();
    insta::assert_snapshot!(steps(&story), @r#"p1: a={"output":"a"} b={"output":"b"} (b is over)"#);
    other.commit(&turn("two", &[])).unwrap();
    assert_eq!(steps(&story), "none");

    let mut story = open(root.path());
    story.journal_begin(&content(&["p3"])).unwrap();
    drop(story);
    let mut story = open(root.path());
    assert_eq!([story.journal_drop().unwrap(), story.journal_drop().unwrap()], [true, false]);
    assert_eq!(story.journal_resume().unwrap(), None);
    story.commit(&turn("three", &[])).unwrap();
}

#[test]
fn a_running_plan_cannot_be_taken_over() {
    let root = root();
    let (mut one, mut two) = (open(root.path()), open(root.path()));
    one.journal_begin(&content(&["p1"])).unwrap();
    let refused = [
        two.journal_begin(&content(&["p2"])).unwrap_err(),
        two.journal_resume().unwrap_err(),
        two.journal_drop().unwrap_err(),
        two.commit(&turn("two", &[])).unwrap_err(),
    ];
    let errors = refused.map(|error| error.to_string());
    insta::assert_snapshot!(errors[0], @"a plan of the story `quest` is running elsewhere; wait for its end or stop it");
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    step(&mut one, "p1", "a").unwrap();
    assert_eq!(steps(&one), steps(&two));
    // Closing the story releases the lock, as the end of its process does.
    drop(one);
    assert!(two.journal_resume().unwrap().is_some());
    assert_eq!(two.journal_resume().unwrap().unwrap().content.steps.len(), 1);
}

#[test]
fn a_stale_plan_can_only_be_dropped() {
    let root = root();
    let mut story = open(root.path());
    story.commit(&turn("one", &[])).unwrap();
    story.journal_begin(&content(&["p1"])).unwrap();
    drop(story);
    Connection::open(db(root.path()))
        .unwrap()
        .execute_batch("UPDATE journal SET head = NULL")
        .unwrap();

    let mut story = open(root.path());
    assert!(story.journal().unwrap().unwrap().is_stale);
    let refused =
        [story.journal_resume().unwrap_err(), story.journal_begin(&content(&["p2"])).unwrap_err()];
    insta::assert_snapshot!(refused.map(|error| error.to_string()).join("\n"), @r#"
    the plan `p1` ("open the door") was cut off, and the story has moved on without it; `narratoria plan resume --drop` gives it up
    the plan `p1` ("open the door") was cut off, and the story has moved on without it; `narratoria plan resume --drop` gives it up
    "#);
    // It does not prevent a commit, and survives it.
    story.commit(&turn("two", &[])).unwrap();
    assert!(story.journal().unwrap().unwrap().is_stale);
    assert!(story.journal_drop().unwrap());
    story.journal_begin(&content(&["p2"])).unwrap();
}

#[test]
fn a_journal_has_limits_and_a_refused_step_changes_nothing() {
    let root = root();
    let mut story = open(root.path());
    story.commit(&TurnRecord { plans: vec![plan("old")], ..turn("one", &[]) }).unwrap();
    let long = |bytes| json!("x".repeat(bytes));
    let many = (0..257).map(|n| JournalStep { tool_id: format!("s{n}"), step: json!(n) }).collect();
    let mut refused = vec![
        story.journal_begin(&JournalContent { steps: many, ..content(&["p1"]) }).unwrap_err(),
        story
            .journal_begin(&JournalContent { extra: long(TURN_BYTES_MAX), ..content(&["p1"]) })
            .unwrap_err(),
        story.journal_begin(&content(&["old"])).unwrap_err(),
        story.journal_begin(&content(&["p1", "p1"])).unwrap_err(),
    ];
    assert_eq!(story.journal().unwrap(), None);
    // None of them holds the lock.
    assert!(!open(root.path()).journal_drop().unwrap());

    story.journal_begin(&content(&["p1"])).unwrap();
    story.journal_step("a", &long(TURN_BYTES_MAX / 2), &record("p1", "a")).unwrap();
    let error = story.journal_step("b", &long(TURN_BYTES_MAX / 2), &record("p1", "b")).unwrap_err();
    refused.push(error);
    for n in 1..256 {
        story.journal_step(&format!("s{n}"), &json!(n), &record("p1", "s")).unwrap();
    }
    refused.push(story.journal_step("s256", &json!(0), &record("p1", "t")).unwrap_err());
    let journal = story.journal().unwrap().unwrap();
    assert_eq!(journal.content.steps.len(), 255, "step `a` is too long to be read again");
    assert_eq!(story.journal_summary().unwrap().unwrap().finished, 256);
    assert_eq!(journal.content.plan.record, Some(record("p1", "s")));
    let _scope = without_lengths();
    insta::assert_snapshot!(
        refused.iter().map(|error| message(root.path(), error)).collect::<Vec<_>>().join("\n"), @"
        the plan in progress has 257 steps, the limit is 256
        the turn's record is N bytes long, the limit is 67108864
        the plan `old` is already in the story; a new plan needs a new id
        the plan `p1` is already in the story; a new plan needs a new id
        the turn's record is N bytes long, the limit is 67108864
        the plan in progress has 257 steps, the limit is 256
        ");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    /// However long a journal is, what is read of it has a sum, and the story does not forget that there is one.
    #[test]
    fn finished_steps_beyond_the_sums_are_read_as_not_finished(
        sizes in prop::collection::vec((1..20_usize, any::<bool>()), 1..5),
    ) {
        let root = root();
        let mut story = open(root.path());
        story.journal_begin(&content(&["p1"])).unwrap();
        for (n, (size, has_values)) in sizes.iter().enumerate() {
            let step = match has_values {
                true => Value::from(vec![0; size * 200_000]),
                false => Value::from("x".repeat(size << 20)),
            };
            // The sum of what is written has a limit of its own.
            let _ = story.journal_step(&format!("s{n}"), &step, &record("p1", "s"));
        }
        let written = story.journal_summary().unwrap().unwrap();
        prop_assert_eq!(written.prompt.as_str(), "open the door");
        let steps = story.journal_resume().unwrap().unwrap().content.steps;
        prop_assert!(steps.len() <= written.finished);
        let bytes: usize = steps.iter().map(|step| step.step.to_string().len()).sum();
        let values = steps.iter().map(|step| step.step.as_array().map_or(1, Vec::len));
        prop_assert!(bytes <= JOURNAL_STEPS_BYTES_MAX);
        prop_assert!(values.sum::<usize>() <= JOURNAL_STEPS_VALUES_MAX);
        let fits = |(size, has_values): &(usize, bool)| !has_values && *size < 10;
        if sizes.iter().all(fits) && sizes.len() < 4 {
            prop_assert_eq!(steps.len(), sizes.len());
        }
    }
}

/// Replaces sizes in snapshots, since the size of a record varies.
fn without_lengths() -> insta::internals::SettingsBindDropGuard {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"\b\d+ bytes", "N bytes");
    settings.bind_to_scope()
}

/// Runs `sql` on a story with an unfinished plan and returns the error of resuming it.
fn check_damage(sql: &str) -> String {
    let root = root();
    let mut story = open(root.path());
    story.journal_begin(&content(&["p1", "p2"])).unwrap();
    step(&mut story, "p2", "a").unwrap();
    step(&mut story, "p2", "b").unwrap();
    drop(story);
    let conn = Connection::open(db(root.path())).unwrap();
    conn.execute_batch(sql).unwrap();
    let mut story = open(root.path());
    let error = story.journal_resume().unwrap_err();
    let message = message(root.path(), &error);
    // Dropping a damaged journal helps.
    assert!(story.journal_drop().unwrap(), "{sql}");
    story.commit(&turn("two", &[])).unwrap();
    message.replace("; `narratoria plan resume --drop` gives it up", " …")
}

#[test]
fn a_journal_with_impossible_values_is_damaged_and_can_be_dropped() {
    let damages = [
        "UPDATE journal SET seed = '-1'",
        "UPDATE journal SET extra = '{'",
        "UPDATE journal SET plan = 'p9'",
        "UPDATE journal SET started_at = 'now'",
        "UPDATE journal_plans SET record = '{}' WHERE id = 'p2'",
        "UPDATE journal_plans SET status = 'won'",
        "UPDATE journal_plans SET attempt = -1",
        "UPDATE journal_steps SET step = CAST(x'ff' AS TEXT) WHERE tool_id = 'b'",
        "INSERT INTO journal_steps (tool_id, step) SELECT hex(randomblob(8)), '1' FROM
            (WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 300) SELECT n FROM n)",
    ];
    let _scope = without_lengths();
    insta::assert_snapshot!(damages.map(check_damage).join("\n"), @"
    the plan in progress in `ROOT/quest/story.db` is damaged: `journal`, row 1: column `seed`: invalid digit found in string …
    the plan in progress in `ROOT/quest/story.db` is damaged: `journal`, row 1: column `extra`: EOF while parsing an object at line 1 column 1 …
    the plan in progress in `ROOT/quest/story.db` is damaged: `journal_plans` has no plan `p9` …
    the plan in progress in `ROOT/quest/story.db` is damaged: `journal`, row 1: column `started_at`: expected four digit year (or leading sign for six digit year), but found end of input …
    the plan in progress in `ROOT/quest/story.db` is damaged: `journal_plans`, row 2: column `record`: missing field `id` at line 1 column 2 …
    the plan in progress in `ROOT/quest/story.db` is damaged: `journal_plans`, row 1: column `status`: `won` is not one of its words …
    the plan in progress in `ROOT/quest/story.db` is damaged: `journal_plans`, row 1: column `attempt`: -1 is out of range …
    the plan in progress in `ROOT/quest/story.db` is damaged: `journal_steps`, row 2: column `step`: invalid utf-8 sequence of N bytes from index 0 …
    the plan in progress in `ROOT/quest/story.db` is damaged: `journal_steps` has 302 rows and the journal N bytes, the limits are 256 and 67108864 …
    ");
}

/// Every text column of the journal.
const COLUMNS: [(&str, &str); 14] = [
    ("journal", "plan"),
    ("journal", "prompt"),
    ("journal", "seed"),
    ("journal", "started_at"),
    ("journal", "extra"),
    ("journal_plans", "id"),
    ("journal_plans", "status"),
    ("journal_plans", "plan"),
    ("journal_plans", "result"),
    ("journal_plans", "errors"),
    ("journal_plans", "updated_at"),
    ("journal_plans", "record"),
    ("journal_steps", "tool_id"),
    ("journal_steps", "step"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Any bytes give a result or an error that names the file, and the journal can be dropped.
    #[test]
    fn no_bytes_in_a_journal_make_it_panic(
        column in 0..COLUMNS.len(),
        bytes in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..40),
            "[\\[\\]{}\",:a0-9-]{0,40}".prop_map(String::into_bytes),
        ],
    ) {
        let root = root();
        let mut story = open(root.path());
        story.journal_begin(&content(&["p1"])).unwrap();
        step(&mut story, "p1", "a").unwrap();
        drop(story);
        let (table, column) = COLUMNS[column];
        let sql = format!("UPDATE {table} SET {column} = CAST(?1 AS TEXT)");
        Connection::open(db(root.path())).unwrap().execute(&sql, params![bytes]).unwrap();
        let mut story =
            Story::open_existing(root.path(), &StoryName::parse("quest").unwrap()).unwrap();
        let check = |error: StoryError| {
            assert!(message(root.path(), &error).contains("story.db"), "{error}");
        };
        story.journal_resume().map(drop).unwrap_or_else(check);
        story.plans(9).map(drop).unwrap_or_else(check);
        story.plan("1").map(drop).unwrap_or_else(check);
        prop_assert!(story.journal_drop().unwrap());
        story.commit(&turn("two", &[])).unwrap();
    }

    /// The journal has the last result of each step, in the order of the first results.
    #[test]
    fn a_journal_holds_the_steps_in_the_order_of_their_first_results(
        results in proptest::collection::vec(("[a-d]", any::<i32>(), any::<bool>()), 0..10),
    ) {
        let root = root();
        let mut story = open(root.path());
        story.journal_begin(&content(&["p1"])).unwrap();
        let mut expect: Vec<(String, Value)> = Vec::new();
        for (tool_id, value, dies) in results {
            let step = json!({"output": value});
            story.journal_step(&tool_id, &step, &record("p1", &tool_id)).unwrap();
            match expect.iter_mut().find(|(known, _)| *known == tool_id) {
                Some((_, known)) => *known = step,
                None => expect.push((tool_id, step)),
            }
            if dies {
                drop(story);
                story = open(root.path());
                story.journal_resume().unwrap().unwrap();
            }
        }
        let found = story.journal().unwrap().unwrap().content.steps;
        let found: Vec<_> = found.into_iter().map(|step| (step.tool_id, step.step)).collect();
        prop_assert_eq!(found, expect);
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_the_lock_is_not_followed() {
    let root = root();
    let mut story = open(root.path());
    let outside = root.path().join("outside");
    std::os::unix::fs::symlink(&outside, root.path().join("quest/plan.lock")).unwrap();
    let error = story.journal_begin(&content(&["p1"])).unwrap_err();
    insta::assert_snapshot!(message(root.path(), &error), @"`ROOT/quest/plan.lock` is a symbolic link, it must be a file; move it away or choose another story's name");
    assert!(fs::symlink_metadata(outside).is_err());
}
