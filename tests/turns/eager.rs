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
    update_lines::told,
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

/// Each step starts as soon as it is written and all that it needs is over, and runs once; the record and the
/// result are those of any plan that ran.
#[tokio::test]
async fn steps_start_while_the_plan_is_being_written() {
    let stage = stage();
    let look = patches("look", json!({"seen": {"door": "open"}}));
    let tell = tool("tell", "good/echo", &["look", "count"]);
    let mut desk = StepwiseSession::new(
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
    let (turn, updates) = desk.play("go").await;
    assert_eq!((turn.outcome, turn.narration.as_str()), (TurnOutcome::Narrated, "Done."));
    insta::assert_snapshot!(told(&updates), @r"
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
    assert_eq!(store_of(&desk.session, "counter"), json!({"count": 1}));
    assert_eq!(output_of(&updates, "end")["state"], json!({"seen": {"door": "open"}}));
    assert_eq!(desk.session.story().state().as_object()["seen"], json!({"door": "open"}));

    let rows = plans_of(&desk.session);
    assert_eq!(rows.len(), 1);
    let record = rows[0].record.as_ref().unwrap();
    assert_eq!(record.status, PlanStatus::Complete);
    assert!(record.steps.iter().all(|step| step.started_at < step.completed_at));
    let result = rows[0].result.as_ref().unwrap();
    for step in result["toolResults"].as_array().unwrap() {
        assert!(step["kept"].is_null() && step["startedAt"].is_string(), "{step:#}");
    }
}

/// The planner goes on while steps run, and steps that still run when it has ended are waited for. Those that
/// were written meanwhile are part of the plan and nothing else.
#[tokio::test]
async fn a_step_that_outlasts_the_planner_is_waited_for() {
    let stage = TurnStage::new(&[("slow", "sleep", json!({})), ("counter", "counts", keeps())]);
    let slow = with(tool("slow", "slow/sleep", &[]), json!({"input": {"ms": 60}}));
    let mut desk = StepwiseSession::new(
        &stage,
        vec![
            PlannerAction::Step(slow.clone()),
            PlannerAction::Until("slow started: slow/sleep, attempt 1"),
            PlannerAction::Step(count()),
            PlannerAction::Until("count written: counter/counts, plan 1 by writer"),
            PlannerAction::Whole(narrated(json!([slow, count()]), "Done.")),
        ],
    );
    let (_, updates) = desk.play("go").await;
    insta::assert_snapshot!(told(&updates), @r"
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
    assert_eq!(store_of(&desk.session, "counter"), json!({"count": 1}));
}

/// That it started early gives a step no other chance, and costs its skill's health no more.
#[tokio::test]
async fn a_step_that_fails_early_has_failed() {
    let stage = stage();
    let open = tool("open", "broken/fail", &[]);
    let after = tool("after", "good/echo", &["open"]);
    let mut desk = StepwiseSession::new(
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
    let (turn, updates) = desk.play("go").await;
    assert_eq!((turn.attempts, turn.narration.as_str()), (2, "It stays shut."));
    insta::assert_snapshot!(told(&updates), @r#"
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
    insta::assert_snapshot!(desk.heard.lock().unwrap()[1], @r#"
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
    assert_eq!(store_of(&desk.session, "counter"), json!({"count": 1}));
}

/// Health hears of an attempt once, whether its step ran early or not.
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
        let mut desk = StepwiseSession::within(&stage, acts, options);
        let (_, updates) = desk.play("go").await;
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

/// A result belongs to the step as it was written: the plan that has it otherwise runs it anew, and one that
/// does without it does without what came of it.
#[tokio::test]
async fn a_plan_that_has_a_step_otherwise_drops_what_it_came_to() {
    let stage = stage();
    let lost = patches("lost", json!({"lost": true}));
    let mut desk = StepwiseSession::new(
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
    let (_, updates) = desk.play("go").await;
    insta::assert_snapshot!(told(&updates), @r"
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
    assert_eq!(store_of(&desk.session, "counter"), json!({"count": 1}));
    assert!(desk.session.story().state().as_object().is_empty());
}

/// What needs a person's approval waits for the plan, and so does all that needs it.
#[tokio::test]
async fn a_step_that_needs_approval_does_not_start_early() {
    let stage = stage();
    let asks = with(tool("asks", "good/echo", &[]), json!({"requiresApproval": true}));
    let after = with(tool("after", "good/echo", &[]), json!({"input": {"given": "$asks.seed"}}));
    let options = SessionOptions { approvals: ApprovalPolicy::Grant, ..options() };
    let mut desk = StepwiseSession::within(
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
    let (turn, updates) = desk.play("go").await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    insta::assert_snapshot!(told(&updates), @r"
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

/// What cannot be a plan is judged once it is whole; until then nothing more of it starts.
#[tokio::test]
async fn nothing_starts_early_after_a_step_that_cannot_be() {
    let stage = stage();
    let bad = tool("bad", "good/open", &[]);
    let mut desk = StepwiseSession::new(
        &stage,
        vec![
            PlannerAction::Step(bad),
            PlannerAction::Step(count()),
            PlannerAction::Until("count written: counter/counts, plan 1 by writer"),
            PlannerAction::Whole(narrated(json!([count()]), "Done.")),
        ],
    );
    let (_, updates) = desk.play("go").await;
    insta::assert_snapshot!(told(&updates), @r"
    bad written: good/open, plan 1 by writer
    count written: counter/counts, plan 1 by writer
    plan 1 by writer
    count started: counter/counts, attempt 1
    count success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    ");
}

/// S0 FR-008: nor does a disabled skill. What an earlier plan of the turn has done is not run again early.
#[tokio::test]
async fn a_repair_keeps_what_is_done_also_while_it_is_being_written() {
    let stage = stage();
    let open = tool("open", "broken/fail", &["count"]);
    let mut desk = StepwiseSession::new(
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
    let (_, updates) = desk.play("go").await;
    insta::assert_snapshot!(told(&updates), @r#"
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
    assert_eq!(store_of(&desk.session, "counter"), json!({"count": 1}));
}

/// A script may ask the player something, also before its plan is whole.
#[tokio::test]
async fn a_step_that_starts_early_may_ask_the_player() {
    let stage = TurnStage::new(&[("guard", "asks", json!({}))]);
    let guard = tool("guard", "guard/asks", &[]);
    let mut desk = StepwiseSession::new(
        &stage,
        vec![
            PlannerAction::Step(guard.clone()),
            PlannerAction::Until("guard success"),
            PlannerAction::Whole(narrated(json!([guard]), "You pass.")),
        ],
    );
    let people = desk.session.pending_requests();
    let answers = |update: &Update, _: &_| {
        if let Update::Step(StepUpdate { tool_id, event: StepEvent::Asked { .. }, .. }) = update {
            people.answer(tool_id, "Ada").unwrap();
        }
    };
    let (turn, updates) = desk.play_until("I walk up", answers).await;
    assert_eq!(turn.narration, "You pass.");
    insta::assert_snapshot!(told(&updates), @r#"
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

/// Who looks at a plan first sees it before anything of it has run.
#[tokio::test]
async fn nothing_starts_early_where_somebody_looks_first() {
    let stage = stage();
    let mut desk = StepwiseSession::new(
        &stage,
        vec![
            PlannerAction::Step(count()),
            PlannerAction::Whole(narrated(json!([count()]), "Done.")),
        ],
    );
    let request = TurnRequest { prompt: "go", plan: None, reviewer: Some(&mut ApprovingReviewer) };
    let cancel = CancellationToken::new();
    let mut updates = Vec::new();
    desk.session.play(request, &cancel, &mut |update| updates.push(update)).await.unwrap();
    insta::assert_snapshot!(told(&updates), @r"
    plan 1 by writer
    reviewed: start
    count started: counter/counts, attempt 1
    count success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    ");
    assert_eq!(desk.heard.lock().unwrap()[0], "attempt 1\nnothing may start early");
}
