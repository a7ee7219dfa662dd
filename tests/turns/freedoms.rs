//! The letter of S0: what a turn does when a player turns off what this host adds to it.

use narratoria_engine::{PlanFreedoms, SessionOptions, StepEvent, StepUpdate, Update};
use narratoria_story::TurnOutcome;
use serde_json::json;

use super::{
    stepwise_planner::{PlannerAction, StepwiseSession},
    support::{TurnStage, narrated, options, plan, play, scripted, tool, with},
    update_lines::lines_of,
};

fn without(freedoms: PlanFreedoms) -> SessionOptions {
    SessionOptions { freedoms, ..options() }
}

/// S0 FR-012: without early steps, nothing runs before the whole plan is checked.
#[tokio::test]
async fn no_step_starts_before_the_plan_is_complete() {
    let stage = TurnStage::new(&[("good", "echo", json!({}))]);
    let acts = || {
        vec![
            PlannerAction::Step(tool("a", "good/echo", &[])),
            PlannerAction::Whole(narrated(json!([tool("a", "good/echo", &[])]), "Done.")),
        ]
    };
    let freedoms = PlanFreedoms { early_steps: false, ..PlanFreedoms::default() };
    let mut stepwise = StepwiseSession::within(&stage, acts(), without(freedoms));
    let (_, updates) = stepwise.play("go").await;
    insta::assert_snapshot!(lines_of(&updates), @"
    plan 1 by writer
    a started: good/echo, attempt 1
    a success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    ");
    assert_eq!(stepwise.requests.lock().unwrap()[0], "attempt 1\nnothing may start early");
}

/// S0 FR-008: without repaired steps, no later plan uses a skill that failed, whatever the input.
#[tokio::test]
async fn a_disabled_skill_stays_out_of_every_later_plan() {
    let ran = async |freedoms| {
        let stage = TurnStage::new(&[("broken", "fail", json!({}))]);
        let idea = |n: usize| {
            plan(json!([with(tool("open", "broken/fail", &[]), json!({"input": {"try": n}}))]))
        };
        let ideas = json!([idea(1), idea(2)]);
        let mut session = stage.session_within(scripted(ideas), without(freedoms));
        let (turn, updates) = play(&mut session, "I open the door").await;
        assert_eq!(turn.outcome, TurnOutcome::Fallback);
        let failed = |update: &&Update| {
            let Update::Step(StepUpdate { event, .. }) = update else { return false };
            matches!(event, StepEvent::Finished { .. })
        };
        updates.iter().filter(failed).count()
    };
    assert_eq!(ran(PlanFreedoms::default()).await, 2);
    assert_eq!(ran(PlanFreedoms { repaired_steps: false, ..PlanFreedoms::default() }).await, 1);
}
