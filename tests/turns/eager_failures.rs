//! Steps that started early, when the rest of their plan never comes or cannot run.

use std::time::Duration;

use narratoria_engine::{SessionOptions, StepEvent, StepUpdate, Update};
use narratoria_story::{PlanRow, PlanStatus, TurnOutcome};
use serde_json::{Value, json};
use tokio::{select, sync::Notify};
use tokio_util::sync::CancellationToken;

use super::{
    recovery::stage,
    stepwise_planner::{PlannerAction, StepwiseSession},
    support::{TurnStage, keeps, narrated, options, plans_of, scripted, store_of, tool, with},
    update_lines::lines_of,
};

fn count() -> Value {
    tool("count", "counter/counts", &[])
}

/// All versions, as their records describe them.
fn versions(rows: &[PlanRow]) -> String {
    let line = |row: &PlanRow| {
        let steps = row.record.iter().flat_map(|record| &record.steps);
        let steps: Vec<String> =
            steps.map(|step| format!("{} {}", step.tool_id, step.status)).collect();
        let parent = rows.iter().position(|other| Some(&other.id) == row.parent_plan_id.as_ref());
        let ran = if row.result.is_some() { "ran" } else { "did not run" };
        format!(
            "{} by {}, after {:?}, {}, {ran}: {steps:?}, {:?}",
            row.attempt, row.planner, parent, row.status, row.errors
        )
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The steps that started are a version of its own. The next request mentions it, and its results are reused.
#[tokio::test]
async fn the_started_steps_of_an_invalid_plan_keep_their_results() {
    let stage = stage();
    let bad = tool("bad", "good/open", &["count"]);
    let tell = tool("tell", "good/echo", &["count"]);
    let mut stepwise = StepwiseSession::new(
        &stage,
        vec![
            PlannerAction::Step(count()),
            PlannerAction::Until("count success"),
            PlannerAction::Whole(narrated(json!([count(), bad]), "Never told.")),
            PlannerAction::Whole(narrated(json!([count(), tell]), "Done.")),
        ],
    );
    let (turn, updates) = stepwise.play("go").await;
    assert_eq!((turn.attempts, turn.narration.as_str()), (2, "Done."));
    insta::assert_snapshot!(lines_of(&updates), @r#"
    count written: counter/counts, plan 1 by writer
    count started: counter/counts, attempt 1
    count success
    plan 1 by writer
    version 2: added step `bad`; changed the plan (narrative: nothing -> "Never told.", parallel: true -> false)
    plan 1 rejected: step `bad`: skill `good` has no script `open` (skill `good` has: echo)
    plan 2 by writer
    version 3: removed step `bad`; added step `tell`; changed the plan (narrative: "Never told." -> "Done.")
    count kept: success
    tell started: good/echo, attempt 1
    tell success
    plan over: success, can replan false, failed [], disabled []
    told after 2
    "#);
    insta::assert_snapshot!(stepwise.requests.lock().unwrap()[1], @r#"
    attempt 2
    failure: step `bad`: skill `good` has no script `open` (skill `good` has: echo)
    Steps of the plan so far:
    - count: success {"count":1}

    A step that is a success keeps its result and is not run again, if the new plan has it under the same id and unchanged.
    "#);
    insta::assert_snapshot!(versions(&plans_of(&stepwise.session)), @r#"
    1 by writer, after None, replanning, ran: ["count complete"], ["only the first steps of the plan were written: step `bad`: skill `good` has no script `open` (skill `good` has: echo)"]
    1 by writer, after Some(0), draft, did not run: ["count pending", "bad pending"], ["step `bad`: skill `good` has no script `open` (skill `good` has: echo)"]
    2 by writer, after Some(1), complete, ran: ["count complete", "tell complete"], []
    "#);
    assert_eq!(store_of(&stepwise.session, "counter"), json!({"count": 1}));
}

/// The same when the rest is no plan at all, or the planner fails.
#[tokio::test]
async fn a_plan_that_breaks_off_leaves_its_started_steps() {
    let stage = stage();
    let mut stepwise = StepwiseSession::new(
        &stage,
        vec![
            PlannerAction::Step(count()),
            PlannerAction::Until("count success"),
            PlannerAction::Text("{\"tools\": ["),
            PlannerAction::Step(count()),
            PlannerAction::Until("count kept: success"),
            PlannerAction::Step(tool("open", "broken/fail", &[])),
            PlannerAction::Until("open failed: it failed on purpose"),
            PlannerAction::Error("the model fell asleep"),
            PlannerAction::Whole(narrated(json!([count()]), "Done.")),
        ],
    );
    let (turn, _) = stepwise.play("go").await;
    assert_eq!((turn.attempts, turn.narration.as_str()), (3, "Done."));
    let rows = plans_of(&stepwise.session);
    insta::assert_snapshot!(versions(&rows), @r#"
    1 by writer, after None, replanning, ran: ["count complete"], ["only the first steps of the plan were written: the plan is not JSON: line 1, column 11: EOF while parsing a list"]
    1 by writer, after Some(0), draft, did not run: [], ["the plan is not JSON: line 1, column 11: EOF while parsing a list", "without it: no usable skill can answer the player's words"]
    2 by writer, after Some(1), replanning, ran: ["count complete", "open failed"], ["only the first steps of the plan were written: the model fell asleep", "step `open` (`broken/fail`) failed after 2 attempts: it failed on purpose"]
    2 by writer, after Some(2), draft, did not run: [], ["the model fell asleep", "without it: no usable skill can answer the player's words"]
    3 by writer, after Some(3), complete, ran: ["count complete"], []
    "#);
    assert_eq!(rows[4].plan["disabledSkills"], json!(["broken"]));
    assert_eq!(store_of(&stepwise.session, "counter"), json!({"count": 1}));
}

/// S0 FR-005, FR-006: when the time is over, the lexical planner answers, once, and steps that its plan shares
/// do not run again.
#[tokio::test]
async fn a_planner_that_runs_out_of_time_leaves_its_started_steps() {
    let trigger = json!([{"script": "counts", "phrases": ["open"], "narrate": false}]);
    let counter = json!({"triggers": trigger, "scripts": [{"grants": {"store": true}}]});
    let stage = TurnStage::new(&[("counter", "counts", counter)]);
    let options = SessionOptions { generation_timeout: Duration::from_millis(300), ..options() };
    let counts = tool("counts", "counter/counts", &[]);
    let acts = vec![
        PlannerAction::Step(counts),
        PlannerAction::Until("counts success"),
        PlannerAction::Never,
    ];
    let mut stepwise = StepwiseSession::within(&stage, acts, options);
    let (turn, updates) = stepwise.play("I open the door").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 1));
    insta::assert_snapshot!(lines_of(&updates), @r#"
    counts written: counter/counts, plan 1 by writer
    counts started: counter/counts, attempt 1
    counts success
    plan 1 by lexical in place of writer: it made no plan within 300ms
    plan 1 by lexical
    version 2: changed step `counts` (required: nothing -> true, async: nothing -> false, reason: nothing -> "the player's words contain `open`"); changed the plan (metadata.insteadOf: nothing -> {"voice":"writer","why":"it made no plan within 300ms"}, metadata.planner: nothing -> "lexical", narrative: nothing -> "You pause and take in where you stand.", parallel: true -> false)
    counts started: counter/counts, attempt 1
    counts success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    "#);
    let rows = plans_of(&stepwise.session);
    insta::assert_snapshot!(versions(&rows), @r#"
    1 by writer, after None, replanning, ran: ["counts complete"], ["only the first steps of the plan were written: it made no plan within 300ms"]
    1 by lexical, after Some(0), complete, ran: ["counts complete"], []
    "#);
    let why = "it made no plan within 300ms";
    assert_eq!(rows[1].plan["metadata"]["insteadOf"], json!({"voice": "writer", "why": why}));
    assert_eq!(rows[0].plan["metadata"].get("insteadOf"), None);
}

/// A planner may let another planner answer in its place.
#[tokio::test]
async fn a_planner_that_falls_back_leaves_its_started_steps() {
    let stage = stage();
    let mut stepwise = StepwiseSession::new(
        &stage,
        vec![
            PlannerAction::Step(count()),
            PlannerAction::Until("count success"),
            PlannerAction::Instead(narrated(json!([count()]), "Done.")),
        ],
    );
    let (turn, updates) = stepwise.play("go").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 1));
    insta::assert_snapshot!(lines_of(&updates), @r#"
    count written: counter/counts, plan 1 by writer
    count started: counter/counts, attempt 1
    count success
    plan 1 by lexical in place of writer: its model fell asleep
    plan 1 by lexical
    version 2: changed the plan (metadata.insteadOf: nothing -> {"voice":"writer","why":"its model fell asleep"}, narrative: nothing -> "Done.", parallel: true -> false)
    count kept: success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    "#);
    assert_eq!(store_of(&stepwise.session, "counter"), json!({"count": 1}));
}

/// S0 "closes application": the player leaves while a step runs and the planner still writes. Both end, and nothing counts.
#[tokio::test]
async fn a_cancel_ends_the_planner_and_its_started_steps() {
    let stage = TurnStage::new(&[
        ("slow", "says-then-sleeps", json!({"scripts": [{"timeout": 300_000}]})),
        ("good", "echo", json!({})),
    ]);
    let look = with(tool("look", "good/echo", &[]), json!({"input": {"patch": {"seen": 1}}}));
    let acts = vec![
        PlannerAction::Step(look),
        PlannerAction::Step(tool("wait", "slow/says-then-sleeps", &["look"])),
        PlannerAction::Never,
    ];
    let options = SessionOptions {
        shutdown_grace: Duration::from_millis(30),
        generation_timeout: Duration::from_secs(60),
        ..options()
    };
    let mut stepwise = StepwiseSession::within(&stage, acts, options);
    let leaves = |update: &Update, cancel: &CancellationToken| {
        if matches!(update, Update::Step(StepUpdate { tool_id, event: StepEvent::Logged { .. }, .. }) if tool_id == "wait")
        {
            cancel.cancel();
        }
    };
    let (turn, updates) = stepwise.play_until("I wait", leaves).await;
    assert_eq!((turn.outcome, turn.narration.as_str()), (TurnOutcome::Cancelled, ""));
    insta::assert_snapshot!(lines_of(&updates), @r"
    look written: good/echo, plan 1 by writer
    wait written: slow/says-then-sleeps, plan 1 by writer
    look started: good/echo, attempt 1
    look success
    wait started: slow/says-then-sleeps, attempt 1
    wait failed: was cancelled
    cancelled after 0
    ");
    let rows = plans_of(&stepwise.session);
    insta::assert_snapshot!(versions(&rows), @r#"1 by writer, after None, failed, ran: ["look complete", "wait failed"], ["only the first steps of the plan were written: the player stopped the turn", "step `wait` (`slow/says-then-sleeps`) failed after 1 attempt: was cancelled"]"#);
    assert_eq!(rows[0].status, PlanStatus::Failed);
    assert!(stepwise.session.story().state().as_object().is_empty());
}

/// docs/turns.md, "Eager execution": a process that ends in the middle of a generation has not started the turn. If it
/// ends later, the journal has the results of the eager steps.
#[tokio::test]
async fn the_journal_starts_with_the_complete_plan_and_the_eager_results() {
    let stage = TurnStage::new(&[("counter", "counts", keeps()), ("slow", "sleep", json!({}))]);
    let slow = with(tool("slow", "slow/sleep", &["count"]), json!({"input": {"ms": 300}}));
    let whole = narrated(json!([count(), slow]), "Done.");
    for (ends_at, unfinished) in [("count", None), ("slow", Some(1))] {
        let acts = vec![
            PlannerAction::Step(count()),
            PlannerAction::Until("count success"),
            PlannerAction::Whole(whole.clone()),
        ];
        let mut stepwise = StepwiseSession::new(&stage, acts);
        let (cancel, ended, seen) =
            (CancellationToken::new(), Notify::new(), stepwise.seen.clone());
        let mut on_update = |update: Update| {
            let is_end = match &update {
                Update::Step(StepUpdate { tool_id, event: StepEvent::Finished { .. }, .. }) => {
                    ends_at == "count" && tool_id == ends_at
                }
                Update::Step(StepUpdate { tool_id, event: StepEvent::Started { .. }, .. }) => {
                    ends_at == "slow" && tool_id == ends_at
                }
                _ => false,
            };
            match is_end {
                true => ended.notify_one(),
                false => seen.send_modify(|seen| seen.push(lines_of(&[update]))),
            }
        };
        select! {
            turn = stepwise.session.turn("go", &cancel, &mut on_update) => panic!("it ended: {turn:?}"),
            () = ended.notified() => {}
        }
        drop(stepwise);
        let session = stage.session(scripted(json!([])));
        let finished = session.unfinished_plan().unwrap().map(|unfinished| unfinished.finished);
        assert_eq!(finished, unfinished, "{ends_at}");
    }
    let mut session = stage.session(scripted(json!([])));
    let (cancel, mut updates) = (CancellationToken::new(), Vec::new());
    session.resume(None, &cancel, &mut |update| updates.push(update)).await.unwrap().unwrap();
    insta::assert_snapshot!(lines_of(&updates), @r"
    count kept: success
    slow started: slow/sleep, attempt 1
    slow success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    ");
    assert_eq!(store_of(&session, "counter"), json!({"count": 1}));
}

/// S0 FR-018: the plan's time covers its eager steps and the complete plan together.
#[tokio::test]
async fn eager_steps_use_the_time_of_the_plan() {
    let stage = TurnStage::new(&[("slow", "sleep", json!({})), ("counter", "counts", keeps())]);
    let once =
        json!({"input": {"ms": 60_000}, "retryPolicy": {"maxRetries": 0}, "required": false});
    let slow = with(tool("slow", "slow/sleep", &[]), once);
    let acts = vec![
        PlannerAction::Step(slow.clone()),
        PlannerAction::Until("slow started: slow/sleep, attempt 1"),
        PlannerAction::Whole(narrated(json!([slow, count()]), "Never told.")),
    ];
    let options =
        SessionOptions { plan_timeout: Duration::from_millis(100), attempts_max: 1, ..options() };
    let mut stepwise = StepwiseSession::within(&stage, acts, options);
    let (turn, updates) = stepwise.play("go").await;
    assert_eq!(turn.outcome, TurnOutcome::Fallback);
    let lines = lines_of(&updates);
    assert!(lines.contains("slow timeout: ran until the plan's time limit of 100 ms"), "{lines}");
    assert!(lines.contains("count skipped: plan_timeout"), "{lines}");
}
