//! Steps that start while the rest of their plan is still being written.

use narratoria_engine::{
    PlanDraft, ReviewFuture, ReviewVerdict, Reviewer, SessionOptions, StepEvent, StepUpdate,
    TurnRequest, Update,
};
use narratoria_executor::ApprovalPolicy;
use narratoria_story::{PlanStatus, TurnOutcome};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    recovery::stage,
    stepwise_planner::{PlannerAction, StepwiseSession},
    support::{TurnStage, keeps, narrated, options, output_of, plans_of, store_of, tool, with},
    update_lines::lines_of,
};

fn count() -> Value {
    tool("count", "counter/counts", &[])
}

fn tell() -> Value {
    tool("tell", "good/echo", &["count"])
}

fn patches(id: &str, patch: Value) -> Value {
    with(tool(id, "good/echo", &[]), json!({"input": {"patch": patch}}))
}

/// Each step starts as soon as it is written and its needs are over, and runs once. The record and the result
/// are those of any plan.
#[tokio::test]
async fn steps_start_while_the_plan_is_being_written() {
    let stage = stage();
    let look = patches("look", json!({"seen": {"door": "open"}}));
    let tell = tool("tell", "good/echo", &["look", "count"]);
    let mut stepwise = StepwiseSession::new(
        &stage,
        vec![
            PlannerAction::Step(look.clone()),
            PlannerAction::Until("look success"),
            PlannerAction::Step(count()),
            PlannerAction::Step(tell.clone()),
            PlannerAction::Until("tell success"),
            PlannerAction::Whole(narrated(
                json!([look, count(), tell, tool("end", "good/echo", &["look", "tell"])]),
                "Done.",
            )),
        ],
    );
    let (turn, updates) = stepwise.play("go").await;
    assert_eq!((turn.outcome, turn.narration.as_str()), (TurnOutcome::Narrated, "Done."));
    insta::assert_snapshot!(lines_of(&updates), @r"
    look written: good/echo, plan 1 by writer
    look started: good/echo, attempt 1
    look success
    count written: counter/counts, plan 1 by writer
    tell written: good/echo, plan 1 by writer
    count started: counter/counts, attempt 1
    count success
    tell started: good/echo, attempt 1
    tell success
    plan 1 by writer
    end started: good/echo, attempt 1
    end success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    ");
    assert_eq!(store_of(&stepwise.session, "counter"), json!({"count": 1}));
    assert_eq!(output_of(&updates, "end")["state"], json!({"seen": {"door": "open"}}));
    assert_eq!(stepwise.session.story().state().as_object()["seen"], json!({"door": "open"}));

    let rows = plans_of(&stepwise.session);
    assert_eq!(rows.len(), 1);
    let record = rows[0].record.as_ref().unwrap();
    assert_eq!(record.status, PlanStatus::Complete);
    assert!(record.steps.iter().all(|step| step.started_at < step.completed_at));
    let result = rows[0].result.as_ref().unwrap();
    for step in result["toolResults"].as_array().unwrap() {
        assert!(step["kept"].is_null() && step["startedAt"].is_string(), "{step:#}");
    }
}

/// The planner writes on while steps run, and the turn waits for steps that still run when it has ended. Steps
/// that were written meanwhile run as part of the plan.
#[tokio::test]
async fn a_step_that_outlasts_the_planner_is_waited_for() {
    let stage = TurnStage::new(&[("slow", "sleep", json!({})), ("counter", "counts", keeps())]);
    let slow = with(tool("slow", "slow/sleep", &[]), json!({"input": {"ms": 60}}));
    let mut stepwise = StepwiseSession::new(
        &stage,
        vec![
            PlannerAction::Step(slow.clone()),
            PlannerAction::Until("slow started: slow/sleep, attempt 1"),
            PlannerAction::Step(count()),
            PlannerAction::Until("count written: counter/counts, plan 1 by writer"),
            PlannerAction::Whole(narrated(json!([slow, count()]), "Done.")),
        ],
    );
    let (_, updates) = stepwise.play("go").await;
    insta::assert_snapshot!(lines_of(&updates), @r"
    slow written: slow/sleep, plan 1 by writer
    slow started: slow/sleep, attempt 1
    count written: counter/counts, plan 1 by writer
    slow success
    plan 1 by writer
    count started: counter/counts, attempt 1
    count success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    ");
    assert_eq!(store_of(&stepwise.session, "counter"), json!({"count": 1}));
}

/// An early start gives a step no second chance, and does not cost its skill's health twice.
#[tokio::test]
async fn a_step_that_fails_early_has_failed() {
    let stage = stage();
    let open = tool("open", "broken/fail", &[]);
    let after = tool("after", "good/echo", &["open"]);
    let mut stepwise = StepwiseSession::new(
        &stage,
        vec![
            PlannerAction::Step(count()),
            PlannerAction::Step(open.clone()),
            PlannerAction::Step(after.clone()),
            PlannerAction::Until("after skipped: dependency_failed"),
            // Another order of the same steps.
            PlannerAction::Whole(narrated(json!([open, after, count()]), "It opens.")),
            PlannerAction::Whole(narrated(json!([count()]), "It stays shut.")),
        ],
    );
    let (turn, updates) = stepwise.play("go").await;
    assert_eq!((turn.attempts, turn.narration.as_str()), (2, "It stays shut."));
    insta::assert_snapshot!(lines_of(&updates), @r#"
    count written: counter/counts, plan 1 by writer
    open written: broken/fail, plan 1 by writer
    after written: good/echo, plan 1 by writer
    count started: counter/counts, attempt 1
    count success
    open started: broken/fail, attempt 1
    open retries: it failed on purpose
    open started: broken/fail, attempt 2
    open failed: it failed on purpose
    after skipped: dependency_failed
    plan 1 by writer
    plan over: failure, can replan true, failed ["open"], disabled ["broken"]
    plan 2 by writer
    version 2: removed steps `open`, `after`; changed the plan (narrative: "It opens." -> "It stays shut.")
    count kept: success
    plan over: success, can replan false, failed [], disabled ["broken"]
    told after 2
    "#);
    insta::assert_snapshot!(stepwise.requests.lock().unwrap()[1], @r#"
    attempt 2
    failure: step `open` (`broken/fail`) failed after 2 attempts: it failed on purpose
    Step failed: open (broken/fail)
    Id: open
    Error: it failed on purpose

    Steps of the plan so far:
    - after: skipped (dependency_failed)
    - count: success {"count":1}

    A step that is a success keeps its result and is not run again, if the new plan has it under the same id and unchanged.
    "#);
    assert_eq!(store_of(&stepwise.session, "counter"), json!({"count": 1}));
}

/// An attempt counts for health once, whether its step ran early or not.
#[tokio::test]
async fn a_failure_costs_the_health_of_a_skill_once() {
    let thrice = json!({"retryPolicy": {"maxRetries": 2, "backoffMs": 0}});
    let mut stage = TurnStage::new(&[("broken", "fail", thrice), ("good", "echo", json!({}))]);
    let (open, look) = (tool("open", "broken/fail", &[]), tool("look", "good/echo", &[]));
    let whole = narrated(json!([open, look]), "It opens.");
    let mut changes = Vec::new();
    for early in [false, true] {
        stage.home = tempfile::tempdir().unwrap();
        let mut acts = vec![PlannerAction::Whole(whole.clone()), PlannerAction::Text("give up")];
        if early {
            let steps = [
                PlannerAction::Step(open.clone()),
                PlannerAction::Until("open failed: it failed on purpose"),
            ];
            acts.splice(0..0, steps);
        }
        let options = SessionOptions { attempts_max: 2, ..options() };
        let mut stepwise = StepwiseSession::within(&stage, acts, options);
        let (_, updates) = stepwise.play("go").await;
        let change = |update: &Update| match update {
            Update::HealthChanged { skill, from, to, .. } => {
                Some(format!("{skill}: {} -> {}", from.as_str(), to.as_str()))
            }
            _ => None,
        };
        changes.push(updates.iter().filter_map(change).collect::<Vec<_>>());
    }
    assert!(!changes[0].is_empty());
    assert_eq!(changes[0], changes[1]);
}

/// A result belongs to the step as it was written: a plan that changes the step runs it again, and a plan
/// without the step drops its result.
#[tokio::test]
async fn a_plan_that_changes_a_step_drops_its_result() {
    let stage = stage();
    let lost = patches("lost", json!({"lost": true}));
    let mut stepwise = StepwiseSession::new(
        &stage,
        vec![
            PlannerAction::Step(lost),
            PlannerAction::Step(count()),
            PlannerAction::Step(tell()),
            PlannerAction::Until("tell success"),
            PlannerAction::Whole(narrated(
                json!([with(count(), json!({"input": {"again": true}})), tell()]),
                "Done.",
            )),
        ],
    );
    let (_, updates) = stepwise.play("go").await;
    insta::assert_snapshot!(lines_of(&updates), @r"
    lost written: good/echo, plan 1 by writer
    count written: counter/counts, plan 1 by writer
    tell written: good/echo, plan 1 by writer
    lost started: good/echo, attempt 1
    lost success
    count started: counter/counts, attempt 1
    count success
    tell started: good/echo, attempt 1
    tell success
    plan 1 by writer
    count started: counter/counts, attempt 1
    count success
    tell started: good/echo, attempt 1
    tell success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    ");
    assert_eq!(store_of(&stepwise.session, "counter"), json!({"count": 1}));
    assert!(stepwise.session.story().state().as_object().is_empty());
}

/// A step that needs approval waits for the complete plan, and so do its dependents.
#[tokio::test]
async fn a_step_that_needs_approval_does_not_start_early() {
    let stage = stage();
    let asks = with(tool("asks", "good/echo", &[]), json!({"requiresApproval": true}));
    let after = with(tool("after", "good/echo", &[]), json!({"input": {"given": "$asks.seed"}}));
    let options = SessionOptions { approvals: ApprovalPolicy::Grant, ..options() };
    let mut stepwise = StepwiseSession::within(
        &stage,
        vec![
            PlannerAction::Step(asks.clone()),
            PlannerAction::Step(after.clone()),
            PlannerAction::Step(count()),
            PlannerAction::Until("count success"),
            PlannerAction::Whole(narrated(json!([asks, after, count()]), "Done.")),
        ],
        options,
    );
    let (turn, updates) = stepwise.play("go").await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    insta::assert_snapshot!(lines_of(&updates), @r"
    asks written: good/echo, plan 1 by writer
    after written: good/echo, plan 1 by writer
    count written: counter/counts, plan 1 by writer
    count started: counter/counts, attempt 1
    count success
    plan 1 by writer
    asks approved by settings
    asks started: good/echo, attempt 1
    asks success
    after started: good/echo, attempt 1
    after success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    ");
}

/// An invalid plan is rejected when it is complete; until then no more of its steps start.
#[tokio::test]
async fn nothing_starts_early_after_an_invalid_step() {
    let stage = stage();
    let bad = tool("bad", "good/open", &[]);
    let mut stepwise = StepwiseSession::new(
        &stage,
        vec![
            PlannerAction::Step(bad),
            PlannerAction::Step(count()),
            PlannerAction::Until("count written: counter/counts, plan 1 by writer"),
            PlannerAction::Whole(narrated(json!([count()]), "Done.")),
        ],
    );
    let (_, updates) = stepwise.play("go").await;
    insta::assert_snapshot!(lines_of(&updates), @r"
    bad written: good/open, plan 1 by writer
    count written: counter/counts, plan 1 by writer
    plan 1 by writer
    count started: counter/counts, attempt 1
    count success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    ");
}

/// S0 FR-008: a disabled skill does not start early either. Results of earlier plans of the turn are reused early.
#[tokio::test]
async fn a_repair_reuses_results_while_it_is_being_written() {
    let stage = stage();
    let open = tool("open", "broken/fail", &["count"]);
    let mut stepwise = StepwiseSession::new(
        &stage,
        vec![
            PlannerAction::Whole(narrated(json!([count(), open.clone()]), "It opens.")),
            PlannerAction::Step(count()),
            PlannerAction::Step(tell()),
            PlannerAction::Until("tell success"),
            PlannerAction::Step(open),
            PlannerAction::Step(tool("more", "good/echo", &[])),
            PlannerAction::Until("more written: good/echo, plan 2 by writer"),
            PlannerAction::Whole(narrated(json!([count(), tell()]), "It stays shut.")),
        ],
    );
    let (_, updates) = stepwise.play("go").await;
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by writer
    count started: counter/counts, attempt 1
    count success
    open started: broken/fail, attempt 1
    open retries: it failed on purpose
    open started: broken/fail, attempt 2
    open failed: it failed on purpose
    plan over: failure, can replan true, failed ["open"], disabled ["broken"]
    count written: counter/counts, plan 2 by writer
    tell written: good/echo, plan 2 by writer
    count kept: success
    tell started: good/echo, attempt 1
    tell success
    open written: broken/fail, plan 2 by writer
    more written: good/echo, plan 2 by writer
    plan 2 by writer
    version 2: removed step `open`; added step `tell`; changed the plan (narrative: "It opens." -> "It stays shut.")
    plan over: success, can replan false, failed [], disabled ["broken"]
    told after 2
    "#);
    assert_eq!(store_of(&stepwise.session, "counter"), json!({"count": 1}));
}

/// A script may ask the player before its plan is complete.
#[tokio::test]
async fn a_step_that_starts_early_may_ask_the_player() {
    let stage = TurnStage::new(&[("guard", "asks", json!({}))]);
    let guard = tool("guard", "guard/asks", &[]);
    let mut stepwise = StepwiseSession::new(
        &stage,
        vec![
            PlannerAction::Step(guard.clone()),
            PlannerAction::Until("guard success"),
            PlannerAction::Whole(narrated(json!([guard]), "You pass.")),
        ],
    );
    let pending = stepwise.session.pending_requests();
    let answers = |update: &Update, _: &_| {
        if let Update::Step(StepUpdate { tool_id, event: StepEvent::Asked { .. }, .. }) = update {
            pending.answer(tool_id, "Ada").unwrap();
        }
    };
    let (turn, updates) = stepwise.play_until("I walk up", answers).await;
    assert_eq!(turn.narration, "You pass.");
    insta::assert_snapshot!(lines_of(&updates), @r#"
    guard written: guard/asks, plan 1 by writer
    guard started: guard/asks, attempt 1
    guard asks: Who goes there? ["A friend", "Nobody"]
    guard answered
    guard asks: And what does Ada want? []
    guard answered
    guard success
    plan 1 by writer
    plan over: success, can replan false, failed [], disabled []
    told after 1
    "#);
}

struct ApprovingReviewer;

impl Reviewer for ApprovingReviewer {
    fn review<'a>(&'a mut self, _: &'a PlanDraft, _: Option<&'a str>) -> ReviewFuture<'a> {
        Box::pin(async { ReviewVerdict::Start })
    }
}

/// A reviewer sees a plan before any of its steps has run.
#[tokio::test]
async fn nothing_starts_early_before_a_review() {
    let stage = stage();
    let mut stepwise = StepwiseSession::new(
        &stage,
        vec![
            PlannerAction::Step(count()),
            PlannerAction::Whole(narrated(json!([count()]), "Done.")),
        ],
    );
    let request = TurnRequest { prompt: "go", plan: None, reviewer: Some(&mut ApprovingReviewer) };
    let cancel = CancellationToken::new();
    let mut updates = Vec::new();
    stepwise.session.play(request, &cancel, &mut |update| updates.push(update)).await.unwrap();
    insta::assert_snapshot!(lines_of(&updates), @r"
    plan 1 by writer
    reviewed: start
    count started: counter/counts, attempt 1
    count success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    ");
    assert_eq!(stepwise.requests.lock().unwrap()[0], "attempt 1\nnothing may start early");
}
