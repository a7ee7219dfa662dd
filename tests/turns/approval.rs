//! Steps that wait for a person before they start (S2 "requestApproval").

use std::{num::NonZeroUsize, time::Duration};

use narratoria_engine::{FinishedTurn, Session, SessionOptions, StepEvent, StepUpdate, Update};
use narratoria_executor::{ApprovalPolicy, PendingRequests};
use narratoria_story::TurnOutcome;
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

use super::{
    support::{TurnStage, narrated, options, output_of, play, scripted, tool},
    update_lines::lines_of,
};

/// `door` needs approval by its manifest, `good` only if the plan says so.
fn stage() -> TurnStage {
    TurnStage::new(&[
        ("door", "echo", json!({"scripts": [{"requiresApproval": true}]})),
        ("good", "echo", json!({})),
        ("broken", "fail", json!({})),
    ])
}

fn asked(id: &str, needs: &[&str]) -> Value {
    let mut tool = tool(id, "good/echo", needs);
    tool["requiresApproval"] = json!(true);
    tool
}

fn optional(mut tool: Value) -> Value {
    tool["required"] = json!(false);
    tool
}

/// All steps may overlap.
fn parallel(tools: Value, narrative: &str) -> Value {
    let mut plan = narrated(tools, narrative);
    plan["parallel"] = json!(true);
    for tool in plan["tools"].as_array_mut().unwrap() {
        tool["async"] = json!(true);
    }
    plan
}

/// Plays a turn; `decide` gets every update and the pending requests.
async fn play_deciding(
    session: &mut Session,
    mut decide: impl FnMut(&PendingRequests, &Update) + Send,
) -> (FinishedTurn, Vec<Update>) {
    let (pending, mut updates) = (session.pending_requests(), Vec::new());
    let cancel = CancellationToken::new();
    let mut on_update = |update: Update| {
        decide(&pending, &update);
        updates.push(update);
    };
    let turn = session.turn("I open the door", &cancel, &mut on_update).await.unwrap();
    (turn, updates)
}

fn is_waiting(update: &Update) -> Option<&str> {
    match update {
        Update::Step(StepUpdate { tool_id, event: StepEvent::Waiting { .. }, .. }) => Some(tool_id),
        _ => None,
    }
}

/// A manifest or a plan makes a step wait for approval, and a plan cannot lift the manifest's rule. The request
/// shows the filled input.
#[tokio::test]
async fn a_manifest_or_a_plan_makes_a_step_wait_for_its_own_approval() {
    let mut lowered = tool("open", "door/echo", &["look"]);
    lowered["requiresApproval"] = json!(false);
    lowered["input"] = json!({"seed": "$look.seed"});
    let steps = json!([tool("look", "good/echo", &[]), lowered, asked("enter", &["open"])]);
    let stage = stage();
    let mut session = stage.session(scripted(json!([narrated(steps, "You are in.")])));
    let (turn, updates) = play_deciding(&mut session, |pending, update| {
        if let Some(tool_id) = is_waiting(update) {
            pending.approve(tool_id).unwrap();
        }
    })
    .await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    let seed = output_of(&updates, "look")["seed"].to_string();
    insta::assert_snapshot!(lines_of(&updates).replace(&seed, "SEED"), @r#"
    plan 1 by scripted
    look started: good/echo, attempt 1
    look success
    open waits: {"seed":SEED}
    open approved by player
    open started: door/echo, attempt 1
    open success
    enter waits: {}
    enter approved by player
    enter started: good/echo, attempt 1
    enter success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    "#);
}

/// Another task decides about all waiting steps at once, while steps without approval go on. A waiting step
/// holds no slot.
#[tokio::test]
async fn another_task_approves_waiting_steps_while_others_use_the_only_slot() {
    let stage = stage();
    let steps = json!([asked("a", &[]), asked("b", &[]), tool("c", "good/echo", &[])]);
    let options = SessionOptions::new(NonZeroUsize::MIN);
    let planner = scripted(json!([parallel(steps, "Done.")]));
    let mut session = stage.session_within(planner, options);
    let (sender, mut receiver) = unbounded_channel();
    let pending = session.pending_requests();
    let person = tokio::spawn(async move {
        // `c` is over before the first decision.
        while receiver.recv().await != Some("c".to_owned()) {}
        pending.approve_all()
    });
    let (turn, updates) = play_deciding(&mut session, move |_, update| {
        if let Update::Step(StepUpdate { tool_id, event: StepEvent::Finished { .. }, .. }) = update
        {
            let _ = sender.send(tool_id.clone());
        }
    })
    .await;
    assert_eq!(person.await.unwrap(), ["a", "b"]);
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    insta::assert_snapshot!(lines_of(&updates), @r"
    plan 1 by scripted
    a waits: {}
    b waits: {}
    c started: good/echo, attempt 1
    c success
    a approved by player
    b approved by player
    a started: good/echo, attempt 1
    a success
    b started: good/echo, attempt 1
    b success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    ");
}

/// Dependents of a denied required step are skipped, those of a denied optional step run without it. A denial
/// is no failure and disables no skill.
#[tokio::test]
async fn dependents_of_a_denied_step_are_skipped_or_run_with_null() {
    let stage = stage();
    let steps = json!([
        asked("must", &[]),
        tool("after-must", "good/echo", &["must"]),
        optional(asked("may", &[])),
        tool("after-may", "good/echo", &["may"]),
    ]);
    let mut session = stage.session(scripted(json!([narrated(steps, "Nobody moves.")])));
    let (turn, updates) = play_deciding(&mut session, |pending, update| {
        if let Some(tool_id) = is_waiting(update) {
            pending.deny(tool_id).unwrap();
        }
    })
    .await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 1));
    insta::assert_snapshot!(lines_of(&updates), @r"
    plan 1 by scripted
    must waits: {}
    may waits: {}
    must denied by player
    must skipped: denied
    after-must skipped: dependency_denied
    may denied by player
    may skipped: denied
    after-may started: good/echo, attempt 1
    after-may success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    ");
    assert_eq!(output_of(&updates, "after-may")["inputs"], json!({"may": null}));
}

#[tokio::test]
async fn a_turn_in_which_everything_is_denied_still_ends_in_a_story() {
    let stage = stage();
    let plan = super::support::plan(json!([asked("a", &[]), asked("b", &["a"])]));
    let mut session = stage.session(scripted(json!([plan])));
    let (turn, _) = play_deciding(&mut session, |pending, update| {
        if is_waiting(update).is_some() {
            pending.deny_all();
        }
    })
    .await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    assert!(!turn.narration.is_empty());
    assert_eq!(session.story().state().as_object().len(), 0);
}

/// The options may decide, without a request.
#[tokio::test]
async fn options_approve_or_deny_in_a_persons_place() {
    let stage = stage();
    let mut seen = Vec::new();
    for approvals in [ApprovalPolicy::Grant, ApprovalPolicy::Deny] {
        let steps = json!([asked("a", &[]), tool("b", "good/echo", &["a"])]);
        let planner = scripted(json!([narrated(steps, "Done.")]));
        let home = tempfile::tempdir().unwrap();
        let options = SessionOptions { approvals, ..options() };
        let skills = stage.skills.path();
        let mut session =
            super::support::session_within(home.path(), skills, Box::new(planner), options);
        let (turn, updates) = play(&mut session, "go").await;
        assert_eq!(turn.outcome, TurnOutcome::Narrated);
        seen.push(lines_of(&updates));
    }
    insta::assert_snapshot!(seen.join("\n--\n"), @r"
    plan 1 by scripted
    a approved by settings
    a started: good/echo, attempt 1
    a success
    b started: good/echo, attempt 1
    b success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    --
    plan 1 by scripted
    a denied by settings
    a skipped: denied
    b skipped: dependency_denied
    plan over: success, can replan false, failed [], disabled []
    told after 1
    ");
}

/// A decision that fits no request is an error that says what would fit.
#[tokio::test]
async fn decisions_that_fit_no_request_are_clear_errors() {
    let stage = stage();
    let steps = json!([asked("a", &[]), asked("b", &["a"]), tool("c", "good/echo", &["b"])]);
    let mut session = stage.session(scripted(json!([narrated(steps, "Done.")])));
    let pending = session.pending_requests();
    let mut results = vec![pending.approve("a")];
    play_deciding(&mut session, |pending, update| match update {
        Update::Step(StepUpdate { tool_id, event: StepEvent::Waiting { .. }, .. })
            if tool_id == "a" =>
        {
            results.extend([
                pending.approve("no such step"),
                pending.approve("b"),
                pending.deny("c"),
                pending.answer("a", "yes"),
                pending.approve("a"),
                pending.approve("a"),
                pending.deny("a"),
            ])
        }
        Update::Step(StepUpdate { event: StepEvent::Waiting { .. }, .. }) => {
            results.extend([pending.deny("b"), pending.approve("b")])
        }
        _ => {}
    })
    .await;
    results.push(pending.deny("a"));
    let results: Vec<String> = results
        .into_iter()
        .map(|result| result.map_or_else(|error| error.to_string(), |()| "done".to_owned()))
        .collect();
    insta::assert_snapshot!(results.join("\n"), @r"
    no plan is running, so nothing waits for step `a`
    the plan has no step `no such step`; waiting now: `a`
    step `b` is not waiting for a decision yet; waiting now: `a`
    step `c` is not waiting for a decision yet; waiting now: `a`
    step `a` waits to be approved or denied, not for an answer
    done
    step `a` was approved already
    step `a` was approved already
    done
    step `b` was denied already
    no plan is running, so nothing waits for step `a`
    ");
}

/// The plan's time stands still while the plan waits only for people, and so does the step's own limit.
#[tokio::test(start_paused = true)]
async fn a_plan_does_not_time_out_while_a_person_decides() {
    let stage = stage();
    let steps = json!([asked("a", &[]), tool("b", "good/echo", &["a"])]);
    let mut session = stage.session(scripted(json!([narrated(steps, "At last.")])));
    let pending = session.pending_requests();
    let (sender, mut receiver) = unbounded_channel();
    let person = tokio::spawn(async move {
        receiver.recv().await;
        tokio::time::sleep(Duration::from_secs(3_600)).await;
        pending.approve("a")
    });
    let (turn, updates) = play_deciding(&mut session, move |_, update| {
        if is_waiting(update).is_some() {
            let _ = sender.send(());
        }
    })
    .await;
    person.await.unwrap().unwrap();
    assert_eq!(turn.narration, "At last.");
    assert_eq!(output_of(&updates, "b")["inputs"]["a"]["input"], json!({}));
}

/// A sequential plan runs in its own order, whichever step is approved first; but all requests are made at once.
#[tokio::test]
async fn a_sequential_plan_asks_early_and_still_runs_in_order() {
    let stage = stage();
    let steps = json!([asked("a", &[]), tool("b", "good/echo", &[]), asked("c", &[])]);
    let mut session = stage.session(scripted(json!([narrated(steps, "Done.")])));
    let (_, updates) = play_deciding(&mut session, |pending, update| {
        if is_waiting(update) == Some("c") {
            pending.approve("c").unwrap();
            pending.approve("a").unwrap();
        }
    })
    .await;
    insta::assert_snapshot!(lines_of(&updates), @r"
    plan 1 by scripted
    a waits: {}
    c waits: {}
    c approved by player
    a approved by player
    a started: good/echo, attempt 1
    a success
    b started: good/echo, attempt 1
    b success
    c started: good/echo, attempt 1
    c success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    ");
}

/// S0 "closes application": a player who leaves while a step waits loses nothing, and nothing waits afterwards.
#[tokio::test]
async fn leaving_while_a_step_waits_ends_the_turn() {
    let stage = stage();
    let again = narrated(json!([tool("a", "good/echo", &[])]), "On we go.");
    let mut session = stage.session(scripted(json!([
        narrated(json!([asked("a", &[]), tool("b", "good/echo", &["a"])]), "Never."),
        again,
    ])));
    let (cancel, pending, mut updates) =
        (CancellationToken::new(), session.pending_requests(), Vec::new());
    let mut on_update = |update: Update| {
        if is_waiting(&update).is_some() {
            cancel.cancel();
        }
        updates.push(update);
    };
    let turn = session.turn("I wait", &cancel, &mut on_update).await.unwrap();
    assert_eq!(turn.outcome, TurnOutcome::Cancelled);
    insta::assert_snapshot!(lines_of(&updates), @r"
    plan 1 by scripted
    a waits: {}
    a skipped: cancelled
    b skipped: cancelled
    plan over: failure, can replan false, failed [], disabled []
    cancelled after 1
    ");
    assert_eq!(pending.pending(), []);
    assert_eq!(play(&mut session, "go on").await.0.narration, "On we go.");
}

/// A denial also holds in the repair of a plan that failed at another step.
#[tokio::test]
async fn a_denied_step_is_not_asked_again_in_a_repair() {
    let stage = stage();
    let plan = |last: &str| {
        let steps = json!([asked("a", &[]), tool("b", last, &[])]);
        narrated(steps, "Done.")
    };
    let planner = scripted(json!([plan("broken/fail"), plan("good/echo")]));
    let mut session = stage.session(planner);
    let (turn, updates) = play_deciding(&mut session, |pending, update| {
        if let Some(tool_id) = is_waiting(update) {
            pending.deny(tool_id).unwrap();
        }
    })
    .await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by scripted
    a waits: {}
    a denied by player
    a skipped: denied
    b started: broken/fail, attempt 1
    b retries: it failed on purpose
    b started: broken/fail, attempt 2
    b failed: it failed on purpose
    plan over: failure, can replan true, failed ["b"], disabled ["broken"]
    plan 2 by scripted
    version 2: changed step `b` (toolPath: "broken/fail" -> "good/echo")
    a kept: skipped
    b started: good/echo, attempt 1
    b success
    plan over: success, can replan false, failed [], disabled ["broken"]
    told after 2
    "#);
}
