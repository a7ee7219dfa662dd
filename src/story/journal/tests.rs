//! Processes that die in mid-plan. Each test runs itself a second time as the process that dies.

use std::{
    env,
    path::Path,
    process::{Command, Output},
};

use jiff::Timestamp;
use serde_json::json;

use super::*;
use crate::{PlanRow, StoreRow, StoryName, TurnOutcome, TurnRecord};
use narratoria_plan::PlanStatus;

/// Set in the child process: the folder of the story, and the write at which the process dies: `3-` before
/// the commit of write 3, `3+` right after it.
const CRASH_IN: &str = "NARRATORIA_TEST_CRASH_IN";
const CRASH_AT: &str = "NARRATORIA_TEST_CRASH_AT";

const STEPS: [&str; 4] = ["a", "b", "c", "d"];

fn open(root: &Path) -> Story {
    let name = StoryName::parse("crash").unwrap();
    Story::open(root, &name, Timestamp::UNIX_EPOCH, 7).unwrap()
}

fn record() -> PlanRecord {
    let record = json!({
        "id": "p", "task": "go", "status": "in_progress", "version": 1, "previousPlanId": null,
        "createdBy": "lexical", "createdAt": "1970-01-01T00:00:00Z",
        "updatedAt": "1970-01-01T00:00:00Z", "currentStepIndex": 0, "steps": [], "changes": null,
        "reasoning": null, "metadata": {},
    });
    serde_json::from_value(record).unwrap()
}

fn content() -> JournalContent {
    let plan = PlanRow {
        id: "p".to_owned(),
        attempt: 1,
        parent_plan_id: None,
        planner: "lexical".to_owned(),
        status: PlanStatus::InProgress,
        plan: json!({}),
        result: None,
        errors: Vec::new(),
        created_at: Timestamp::UNIX_EPOCH,
        record: Some(record()),
        seen: None,
    };
    JournalContent {
        prompt: "go".to_owned(),
        seed: 9,
        plan,
        earlier: Vec::new(),
        steps: Vec::new(),
        started_at: Timestamp::UNIX_EPOCH,
        extra: json!(null),
    }
}

/// The turn of the steps: each step writes one member of the state and one key of the store.
fn turn() -> TurnRecord {
    let word = |step: &str| StoreRow {
        skill: "s".to_owned(),
        key: step.to_owned(),
        value: Some("done".to_owned()),
    };
    TurnRecord {
        prompt: "go".to_owned(),
        narration: String::new(),
        outcome: TurnOutcome::Narrated,
        choices: Vec::new(),
        patches: STEPS.map(|step| json!({step: 1}).as_object().unwrap().clone()).to_vec(),
        plans: vec![PlanRow { status: PlanStatus::Complete, ..content().plan }],
        assets: Vec::new(),
        store_writes: STEPS.map(word).to_vec(),
        seed: 7,
        started_at: Timestamp::UNIX_EPOCH,
        finished_at: Timestamp::UNIX_EPOCH,
    }
}

/// Journals the unfinished steps, then commits the turn. Dies at the write `at`.
fn play(story: &mut Story, done: usize, at: &str) {
    let dies = |write: usize, when: &str| {
        if at == format!("{write}{when}") {
            std::process::abort();
        }
    };
    for (write, tool_id) in STEPS.iter().enumerate().skip(done) {
        let step = json!({"output": tool_id});
        story.journal_step_after(tool_id, &step, &record(), || dies(write, "-")).unwrap();
        dies(write, "+");
    }
    story.commit_after(&turn(), || dies(STEPS.len(), "-")).unwrap();
}

fn run_itself(test: &str, root: &Path, at: &str) -> Output {
    let child = Command::new(env::current_exe().unwrap())
        .args([&format!("journal::tests::{test}"), "--exact", "--nocapture"])
        .env(CRASH_IN, root)
        .env(CRASH_AT, at)
        .output()
        .unwrap();
    assert!(!child.status.success());
    assert!(!String::from_utf8_lossy(&child.stderr).contains("panicked"), "{child:?}");
    child
}

/// docs/plans.md, "After a crash": the journal has exactly the finished steps, and the story continues from there
/// as if there had been no crash.
#[test]
fn a_process_that_dies_in_mid_plan_leaves_its_finished_steps() {
    if let Some(root) = env::var_os(CRASH_IN) {
        let mut story = open(Path::new(&root));
        story.journal_begin(&content()).unwrap();
        play(&mut story, 0, &env::var(CRASH_AT).unwrap());
        unreachable!("the process has ended");
    }
    for (at, done) in [("0-", 0), ("0+", 1), ("1-", 1), ("2+", 3), ("3-", 3), ("3+", 4), ("4-", 4)]
    {
        let root = tempfile::tempdir().unwrap();
        let test = "a_process_that_dies_in_mid_plan_leaves_its_finished_steps";
        run_itself(test, root.path(), at);

        let mut story = open(root.path());
        assert_eq!((story.turns(), story.stores().unwrap().len()), (0, 0), "{at}");
        let journal = story.journal_resume().unwrap().unwrap();
        let steps: Vec<&str> = journal.content.steps.iter().map(|s| s.tool_id.as_str()).collect();
        assert_eq!(steps, STEPS[..done], "{at}");
        assert_eq!(
            journal.content,
            JournalContent { steps: journal.content.steps.clone(), ..content() }
        );
        play(&mut story, done, "never");

        let story = open(root.path());
        assert_eq!((story.turns(), story.journal().unwrap()), (1, None), "{at}");
        assert_eq!(story.state().as_object().len(), STEPS.len());
        assert_eq!(story.stores().unwrap()["s"].len(), STEPS.len());
    }
}

/// docs/architecture.md, "The story": a step survives its process, a turn survives a power failure.
#[test]
fn only_the_journal_is_not_forced_to_the_disk() {
    let root = tempfile::tempdir().unwrap();
    let mut story = open(root.path());
    let how = |conn: &Connection| -> i64 { conn.pragma_query_one(None, "synchronous").unwrap() };
    let (normal, full) = (1, 2);
    assert_eq!(how(story.conn()), full);
    let seen = std::cell::Cell::new(0);
    let refused = story.write(Durability::Process, |story| {
        seen.set(how(story.tx));
        Err::<(), _>(StoryError::TurnTooBig { bytes: 2, limit: 1 })
    });
    assert!(refused.is_err());
    assert_eq!((seen.get(), how(story.conn())), (normal, full));
    story.journal_begin(&content()).unwrap();
    assert_eq!(how(story.conn()), full);
}
