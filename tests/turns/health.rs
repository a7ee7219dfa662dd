//! The health of skills from turn to turn: what planners see of it, and the way back.

use std::sync::{Arc, Mutex};

use narratoria_engine::{TurnErrorKind, Update};
use narratoria_narrator::{PlanFuture, PlanRequest, PlanResponse, Planner, PlannerError, Proposal};
use serde_json::{Value, json};

use super::support::{TurnStage, plan, play, tool};

/// Proposes the same plan in each turn, once, and logs the skills that its requests call disabled and unreliable.
struct StubbornPlanner {
    plan: Value,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Planner for StubbornPlanner {
    fn name(&self) -> &str {
        "stubborn"
    }

    fn propose<'a>(&'a mut self, request: PlanRequest<'a>) -> PlanFuture<'a> {
        if request.attempt > 1 {
            let reason = "enough".to_owned();
            let response = PlanResponse::from_planner("stubborn", Proposal::Abort { reason });
            return Box::pin(std::future::ready(Ok(response)));
        }
        let [disabled, unreliable] =
            [request.disabled_skills, request.unreliable_skills].map(|names| names.join(" "));
        self.seen.lock().unwrap().push(format!("disabled [{disabled}], unreliable [{unreliable}]"));
        let plan = serde_json::from_value(self.plan.clone())
            .map_err(|error| PlannerError::Failed { reason: error.to_string() });
        let response =
            plan.map(|plan| PlanResponse::from_planner("stubborn", Proposal::Plan(plan)));
        Box::pin(std::future::ready(response))
    }
}

fn stubborn(plan: Value) -> (StubbornPlanner, Arc<Mutex<Vec<String>>>) {
    let seen = Arc::default();
    (StubbornPlanner { plan, seen: Arc::clone(&seen) }, seen)
}

/// The health that changed, and the reasons of steps, in order.
fn news(updates: &[Update]) -> String {
    let lines = updates.iter().filter_map(|update| match update {
        Update::HealthChanged { skill, from, to, .. } => {
            Some(format!("{skill}: {} -> {}", from.as_str(), to.as_str()))
        }
        Update::PlanProposed { plan, .. } => {
            Some(format!("reason: {}", plan.tools[0].reason.as_deref().unwrap_or("none")))
        }
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// S1 "Planner Behavior": a degraded skill is selected with caution, and its planner says so; one that failed for
/// good is disabled.
#[tokio::test]
async fn a_planner_sees_which_skills_are_unreliable_and_the_plan_says_that_it_uses_one() {
    let three = json!({"retryPolicy": {"maxRetries": 2, "backoffMs": 0}});
    let stage = TurnStage::new(&[("fails", "fail", three), ("good", "echo", json!({}))]);
    let (planner, seen) = stubborn(plan(json!([tool("a", "fails/fail", &[])])));
    let mut session = stage.session(planner);
    let mut told = Vec::new();
    for sentence in ["one", "two", "three"] {
        told.push(news(&play(&mut session, sentence).await.1));
    }
    insta::assert_snapshot!(told.join("\n--\n"), @"
    reason: none
    fails: healthy -> degraded
    --
    reason: with caution, since `fails` has failed often lately
    fails: degraded -> permanentFailure
    --
    reason: none
    ");
    insta::assert_snapshot!(seen.lock().unwrap().join("\n"), @"
    disabled [], unreliable []
    disabled [], unreliable [fails]
    disabled [fails], unreliable []
    ");
}

/// S0 FR-028: a skill that failed for good comes back when the player says so, and the notice names the way.
#[tokio::test]
async fn a_skill_that_failed_for_good_can_be_brought_back() {
    let six = json!({"retryPolicy": {"maxRetries": 5, "backoffMs": 0}});
    let stage = TurnStage::new(&[("fails", "fail", six)]);
    let (planner, seen) = stubborn(plan(json!([tool("a", "fails/fail", &[])])));
    let mut session = stage.session(planner);
    let (turn, _) = play(&mut session, "one").await;
    assert!(turn.narration.contains("`/enable fails` brings it back"), "{}", turn.narration);
    let health = |session: &narratoria_engine::Session| session.skill_statuses()[0].health.as_str();
    assert_eq!(health(&session), "permanentFailure");

    let error = session.enable_skill("fail").unwrap_err();
    assert_eq!(error.kind, TurnErrorKind::NotFound);
    insta::assert_snapshot!(format!("{error}; {}", error.hints.join("; ")), @"there is no skill `fail` in play; did you mean `fails`?");
    let back = session.enable_skill("fails").unwrap();
    assert_eq!(news(back.as_slice()), "fails: permanentFailure -> healthy");
    assert_eq!(health(&session), "healthy");
    assert_eq!(session.enable_skill("fails").unwrap(), None, "it is in play already");

    let (_, updates) = play(&mut session, "two").await;
    assert!(updates.iter().any(|update| matches!(update, Update::PlanStarted { .. })));
    insta::assert_snapshot!(seen.lock().unwrap().join("\n"), @"
    disabled [], unreliable []
    disabled [], unreliable []
    ");
}

/// S1 §3.1: a script whose request finds no server has failed for a time. Nothing listens at port 9.
#[tokio::test]
async fn a_script_that_fails_on_the_network_is_a_transient_failure() {
    let web = json!({
        "retryPolicy": {"maxRetries": 1, "backoffMs": 0},
        "scripts": [{"grants": {"http": ["127.0.0.1:9"]}}],
    });
    let stage = TurnStage::new(&[("web", "fetches", web)]);
    let (planner, _) = stubborn(plan(json!([tool("a", "web/fetches", &[])])));
    let mut session = stage.session(planner);
    let (_, updates) = play(&mut session, "I look at the sky").await;
    insta::assert_snapshot!(news(&updates), @"
    reason: none
    web: healthy -> temporaryFailure
    web: temporaryFailure -> permanentFailure
    ");
}

/// S1 "Planner Behavior": the planner without a model takes another script that matches as well.
#[tokio::test]
async fn the_lexical_planner_prefers_a_reliable_skill_to_one_of_higher_priority() {
    let trigger = |script: &str| json!([{"script": script, "phrases": ["open"], "narrate": false}]);
    let first = json!({
        "priority": 90, "triggers": trigger("fail"),
        "retryPolicy": {"maxRetries": 2, "backoffMs": 0},
    });
    let second = json!({"priority": 10, "triggers": trigger("echo")});
    let stage = TurnStage::new(&[("first", "fail", first), ("second", "echo", second)]);
    let mut session = stage.session(narratoria_narrator::LexicalPlanner::new());
    let mut chosen = Vec::new();
    for _ in 0..2 {
        let (_, updates) = play(&mut session, "I open the door").await;
        chosen.push(updates.iter().find_map(|update| match update {
            Update::PlanProposed { plan, .. } => Some(plan.tools[0].tool_path.clone()),
            _ => None,
        }));
    }
    let chosen: Vec<&str> = chosen.iter().flatten().map(String::as_str).collect();
    assert_eq!(chosen, ["first/fail", "second/echo"]);
}
