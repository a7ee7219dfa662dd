//! The attempts of a turn as the story stores them, however they ended.

use narratoria_engine::{StepEvent, StepUpdate, Update};
use narratoria_story::{PlanRow, Story, StoryName, TurnOutcome};
use serde_json::{Value, json};
use tokio::{select, sync::Notify};
use tokio_util::sync::CancellationToken;

use super::support::{TurnStage, narrated, plan, play, scripted, tool};

/// The planner of an attempt, its scripts, its status, and its failures with their counts and reasons.
fn shown(row: &PlanRow) -> String {
    let tools = row.plan["tools"].as_array().into_iter().flatten();
    let chosen: Vec<&str> = tools.filter_map(|tool| tool["toolPath"].as_str()).collect();
    let result = row.result.as_ref().unwrap_or(&Value::Null);
    let tools = result["toolResults"].as_array().into_iter().flatten();
    let retried: Vec<String> = tools
        .filter(|tool| result["failedTools"].as_array().unwrap().contains(&tool["toolId"]))
        .map(|tool| {
            format!("{} after {} retries", tool["toolPath"], tool["retryCount"]).replace('"', "")
        })
        .collect();
    format!(
        "{} by {}, {}: chose {chosen:?}, failed {retried:?}, {:?}",
        row.attempt, row.planner, row.status, row.errors
    )
}

/// S0 FR-026, FR-029: each attempt is stored with its time, id, skills and result, also after the process
/// has ended.
#[tokio::test]
async fn every_attempt_is_stored_with_its_result() {
    let stage = TurnStage::new(&[("broken", "fail", json!({})), ("good", "echo", json!({}))]);
    let one = json!([tool("look", "good/echo", &[]), tool("open", "broken/fail", &["look"])]);
    let mut session = stage.session(scripted(json!([
        "no plan",
        {"error": "the model fell asleep"},
        plan(json!([tool("open", "good/open", &[])])),
        plan(one),
        narrated(json!([tool("knock", "good/echo", &[])]), "Nobody is in."),
    ])));
    let (turn, _) = play(&mut session, "I open the door").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 5));
    drop(session);

    let name = StoryName::parse("demo").unwrap();
    let story = Story::open_existing(&stage.home.path().join("stories"), &name).unwrap();
    let rows = story.plans_of_turn(story.head().unwrap()).unwrap();
    insta::assert_snapshot!(rows.iter().map(shown).collect::<Vec<_>>().join("\n"), @r#"
    1 by scripted, draft: chose [], failed [], ["the plan is not JSON: line 1, column 2: expected ident", "without it: no usable skill can answer the player's words"]
    2 by scripted, draft: chose [], failed [], ["the model fell asleep", "without it: no usable skill can answer the player's words"]
    3 by scripted, draft: chose ["good/open"], failed [], ["step `open`: skill `good` has no script `open` (skill `good` has: echo)"]
    4 by scripted, replanning: chose ["good/echo", "broken/fail"], failed ["broken/fail after 1 retries"], ["step `open` (`broken/fail`) failed after 2 attempts: it failed on purpose"]
    5 by scripted, complete: chose ["good/echo"], failed [], []
    "#);
    for (before, after) in rows.iter().zip(&rows[1..]) {
        assert!(before.created_at < after.created_at);
        assert_eq!(after.parent_plan_id.as_ref(), Some(&before.id));
    }
    let listed = story.plans(9).unwrap();
    assert_eq!(listed.len(), 5);
    assert!(listed.iter().all(|plan| plan.task == "I open the door" && plan.turn == 1));
}

/// A process that ends during the grace of running steps has failed no step: when the turn is resumed, the steps
/// that were cut off run again.
#[tokio::test]
async fn a_step_that_was_cut_off_is_no_failure() {
    let stage = TurnStage::new(&[
        ("guard", "asks", json!({})),
        ("slow", "sleep", json!({})),
        ("good", "echo", json!({})),
    ]);
    let mut steps = json!([
        tool("guard", "guard/asks", &[]),
        tool("slow", "slow/sleep", &[]),
        tool("tell", "good/echo", &["guard", "slow"]),
    ]);
    for step in steps.as_array_mut().unwrap() {
        step["async"] = json!(true);
    }
    steps[1]["input"] = json!({"ms": 600});
    let mut plan = narrated(steps, "You pass.");
    plan["parallel"] = json!(true);
    let mut session = stage.session(scripted(json!([plan])));

    // The player leaves when the guard asks, and is gone when the guard has given up.
    let (cancel, gone) = (CancellationToken::new(), Notify::new());
    let mut on_update = |update: Update| match update {
        Update::Step(StepUpdate { event: StepEvent::Asked { .. }, .. }) => cancel.cancel(),
        Update::Step(StepUpdate { tool_id, event: StepEvent::Finished { .. }, .. })
            if tool_id == "guard" =>
        {
            gone.notify_one()
        }
        _ => {}
    };
    select! {
        turn = session.turn("I walk up", &cancel, &mut on_update) => panic!("it ended: {turn:?}"),
        () = gone.notified() => {}
    }
    drop(session);

    let mut session = stage.session(scripted(json!([])));
    assert_eq!(session.unfinished_plan().unwrap().unwrap().finished, 0);
    let (pending, cancel) = (session.pending_requests(), CancellationToken::new());
    let mut on_update = |update: Update| {
        if let Update::Step(StepUpdate { tool_id, event: StepEvent::Asked { .. }, .. }) = &update {
            pending.answer(tool_id, "Ada").unwrap();
        }
    };
    let (turn, _) = session.resume(None, &cancel, &mut on_update).await.unwrap().unwrap();
    assert_eq!((turn.outcome, turn.narration.as_str()), (TurnOutcome::Narrated, "You pass."));
}
