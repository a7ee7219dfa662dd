//! S3's arbiter: which candidate runs a step, and which takes over.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use insta::assert_snapshot;
use serde_json::json;

use super::harness::{ExecutionSetup, ExecutorTestRun, parallel, results, run};
use crate::PlanArbiter;
use narratoria_plan::{Arbiter, ArbitrationRequest, ChoiceFuture};
use narratoria_skills::{HealthSignal, HealthTracker};

fn describe_arbitration(ran: &ExecutorTestRun) -> String {
    let arbitration = ran.trace.steps[0].arbitration.as_ref().unwrap();
    let chosen = arbitration.chosen.as_ref().map_or("none", |chosen| &chosen.skill);
    let mut text = format!("{chosen}: {}", arbitration.why.explanation());
    for passed in &arbitration.passed_over {
        text.push_str(&format!("\nnot {}: {}", passed.candidate.skill, passed.why));
    }
    for takeover in &arbitration.takeovers {
        text.push_str(&format!(
            "\n{} after {}: {}",
            takeover.to.skill, takeover.from.skill, takeover.why
        ));
    }
    text
}

fn health_after_failures(skills: &[(&str, usize)]) -> HealthTracker {
    let mut health = HealthTracker::default();
    for (skill, failures) in skills {
        (0..*failures).for_each(|_| _ = health.record(skill, HealthSignal::Failed));
    }
    health
}

/// S3.
#[tokio::test(start_paused = true)]
async fn healthy_candidates_come_first_and_permanent_failures_are_not_tried() {
    let health = health_after_failures(&[("a", 6), ("b", 3)]);
    let ran = run("s%a|b|c:f1|d1|d1", ExecutionSetup { health, ..ExecutionSetup::default() }).await;
    assert_snapshot!(describe_arbitration(&ran), @"
    c: first by health, the plan's suggestion, priority and name
    not a: permanentFailure
    not b: degraded
    ");
    assert_eq!(ran.trace.steps[0].executed_by().unwrap().to_string(), "c@1.2.3");
}

#[tokio::test(start_paused = true)]
async fn permanent_failures_are_tried_if_no_other_candidate_is_left() {
    let health = health_after_failures(&[("a", 6), ("b", 6)]);
    let ran = run("s%a|b:d1|d1", ExecutionSetup { health, ..ExecutionSetup::default() }).await;
    assert_snapshot!(describe_arbitration(&ran), @"a: first by health, the plan's suggestion, priority and name");
}

/// S2 strategy 2, S3: this comes before a replan.
#[tokio::test(start_paused = true)]
async fn the_next_candidate_takes_over_after_the_last_retry() {
    let ran = run("s@1%a|b:f5|f5/d5 t<-s", ExecutionSetup::default()).await;
    assert_snapshot!(ran.timeline, @"
      0 s starts
      5 s the door is stuck; again in 100 ms
    105 s starts, try 2
    110 s the door is stuck; b takes over from a
    110 s starts, try 3
    115 s success
    115 t starts
    115 t success
    115 plan success
    ");
    assert_snapshot!(describe_arbitration(&ran), @"
    a: first by health, the plan's suggestion, priority and name
    b after a: the door is stuck
    ");
    assert!(ran.trace.success && ran.trace.disabled_skills.contains("a"));
    assert_eq!(ran.trace.steps[0].retry_count(), 2);
}

#[tokio::test(start_paused = true)]
async fn in_a_loop_the_next_candidate_goes_on_at_the_failed_item() {
    let more = json!({"s": {"forEach": [1, 2, 3]}});
    let ran =
        run("s%a|b:d5/f5|d5", ExecutionSetup { tool_fields: more, ..ExecutionSetup::default() })
            .await;
    assert_snapshot!(ran.timeline, @"
     0 s starts
     5 s starts
    10 s the door is stuck; b takes over from a
    10 s starts, try 2
    15 s starts
    20 s success
    20 plan success
    ");
    let by: Vec<&str> = ran.trace.steps[0]
        .attempts
        .iter()
        .map(|attempt| attempt.executed_by.skill.as_str())
        .collect();
    assert_eq!(by, ["a", "a", "b", "b"]);
}

#[tokio::test(start_paused = true)]
async fn no_candidate_takes_over_once_the_plan_stops() {
    let setup = ExecutionSetup { stop: true, ..parallel() };
    assert_snapshot!(run("s&%a|b:f20|d5 t&:f10", setup).await.timeline, @"
     0 s starts
     0 t starts
    10 t failed: the door is stuck
    20 s failed: the door is stuck
    20 plan failure
    ");
}

struct DelayedArbiter(Duration, Option<usize>);

impl Arbiter for DelayedArbiter {
    fn choose(&self, request: ArbitrationRequest) -> ChoiceFuture {
        assert_eq!((request.current, request.task.as_str()), (0, "I open the door"));
        let DelayedArbiter(delay, choice) = *self;
        Box::pin(async move {
            tokio::time::sleep(delay).await;
            assert_ne!(choice, Some(99), "who is that?");
            let name = |at: usize| request.candidates.get(at).map(|one| one.skill.clone());
            choice.map(|at| name(at).unwrap_or_else(|| "nobody".to_owned()))
        })
    }
}

fn plan_arbiter(arbiter: impl Arbiter + 'static) -> PlanArbiter {
    PlanArbiter {
        arbiter: Arc::new(arbiter),
        task: "I open the door".to_owned(),
        last_error: Some("the key broke".to_owned()),
    }
}

/// Leaves every choice to the rule, and keeps the requests.
#[derive(Clone, Default)]
struct ListeningArbiter(Arc<Mutex<Vec<ArbitrationRequest>>>);

impl Arbiter for ListeningArbiter {
    fn choose(&self, request: ArbitrationRequest) -> ChoiceFuture {
        self.0.lock().unwrap().push(request);
        Box::pin(std::future::ready(None))
    }
}

fn shown(request: &ArbitrationRequest) -> String {
    let steps = request.steps.iter().map(|step| {
        let result = step.result.as_deref().unwrap_or("-");
        format!("\n  {} {}: {result}", step.description, step.status)
    });
    let current = &request.steps[request.current];
    let skills: Vec<&str> = request.candidates.iter().map(|one| &*one.skill).collect();
    format!(
        "{} {:?}, last error: {}\n  at {} {:?} {:?}, history {:?}{}",
        request.status,
        request.progress(),
        request.last_error.as_deref().unwrap_or("-"),
        request.current,
        current.acceptance_criteria,
        skills,
        request.history,
        steps.collect::<String>(),
    )
}

/// S3 "Plan in Arbiter Context", history, lastError: history and the last error are those of the moment of the choice, in the order in which
/// steps ended.
#[tokio::test(start_paused = true)]
async fn the_arbiter_sees_what_has_happened_so_far() {
    let arbiter = ListeningArbiter::default();
    let fields = json!({"d": {"description": "Open it", "suggestedSkill": "y",
        "acceptanceCriteria": ["it is open", {"text": "in time", "holds": "true"}]}});
    let setup = ExecutionSetup {
        arbiter: Some(plan_arbiter(arbiter.clone())),
        tool_fields: fields,
        ..parallel()
    };
    run("a%x|y:d1|d1 b?&<-a:f30 c&<-a:d20 d%x|y<-b,c:d1|d1 e<-d", setup).await;
    let requests = arbiter.0.lock().unwrap();
    assert_snapshot!(requests.iter().map(shown).collect::<Vec<_>>().join("\n"), @r#"
    in_progress (0, 5), last error: the key broke
      at 0 [] ["x", "y"], history []
      capability:a in_progress: -
      b/run pending: -
      c/run pending: -
      Open it pending: -
      e/run pending: -
    replanning (2, 5), last error: step `b`: the door is stuck
      at 3 ["it is open", "in time"] ["y", "x"], history [0, 2, 1]
      capability:a complete: -
      b/run failed: the door is stuck
      c/run complete: -
      Open it in_progress: -
      e/run pending: -
    "#);
}

async fn run_with_arbiter(ms: u64, choice: Option<usize>) -> ExecutorTestRun {
    let arbiter = plan_arbiter(DelayedArbiter(Duration::from_millis(ms), choice));
    let setup = ExecutionSetup {
        arbiter: Some(arbiter),
        health: health_after_failures(&[("d", 3)]),
        ..ExecutionSetup::default()
    };
    run("s%a|b|c|d:d1|d1|d1|d1 t%a", setup).await
}

/// S3.
#[tokio::test(start_paused = true)]
async fn the_arbiter_may_choose_any_healthy_candidate() {
    let ran = run_with_arbiter(20, Some(1)).await;
    assert_snapshot!(describe_arbitration(&ran), @"
    b: the arbiter chose it
    not a: the arbiter chose another
    ");
    assert_snapshot!(ran.timeline, @"
    20 s starts
    21 s success
    21 t starts
    21 t success
    21 plan success
    ");
}

#[tokio::test(start_paused = true)]
async fn the_rule_chooses_if_the_arbiter_is_slow_or_wrong_or_panics() {
    for (ms, choice) in [(9_000, Some(1)), (0, Some(3)), (0, None), (0, Some(99))] {
        let ran = run_with_arbiter(ms, choice).await;
        let arbitration = ran.trace.steps[0].arbitration.as_ref().unwrap();
        assert_eq!(arbitration.chosen.as_ref().unwrap().skill, "a");
        let words = ["arbiter_slow", "arbiter_wrong", "arbiter_silent"];
        assert!(
            words.contains(&arbitration.why.as_str()),
            "{ms} {choice:?}: {:?}",
            arbitration.why
        );
        assert!(results(&ran).contains("success"));
    }
}
