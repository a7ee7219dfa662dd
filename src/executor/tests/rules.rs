//! S0 §4.2 and docs/plans.md, "Order, time and failure": order, overlap, retries, failures, the state as a step sees
//! it.

use std::{collections::HashSet, num::NonZeroUsize};

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::harness::{ExecutionSetup, parallel, results, run};
use crate::{
    ExecutionOptions, Outcome, PLAN_TIMEOUT, record_budget::EVENTS_OF_FAILED_MAX, seed::step_seed,
};
use narratoria_plan::{STEPS_MAX, StepIdx};
use narratoria_protocol::Request;
use narratoria_skills::{Health, HealthSignal, HealthTracker};

/// S0 FR-011, §5.3(4).
#[tokio::test(start_paused = true)]
async fn a_sequential_plan_runs_one_at_a_time_in_run_order() {
    let ran = run("c&<-a:d10 a&:d20 b&:d30", ExecutionSetup::default()).await;
    assert_snapshot!(ran.timeline, @"
     0 a starts
    20 a success
    20 c starts
    30 c success
    30 b starts
    60 b success
    60 plan success
    ");
}

/// The narration starts again with each attempt and each skill; the number names the attempt.
#[tokio::test(start_paused = true)]
async fn narration_of_a_step_is_reported_at_once() {
    let ran = run("a@1%bard|crier:w10/w10|s20 b<-a:s5", ExecutionSetup::default()).await;
    assert_snapshot!(ran.timeline, @"
      0 a starts
      0 a speaks, try 1: bard tells
      0 a speaks, try 1:  tale 1
     10 a the door is stuck; again in 100 ms
    110 a starts, try 2
    110 a speaks, try 2: bard tells
    110 a speaks, try 2:  tale 2
    120 a the door is stuck; crier takes over from bard
    120 a starts, try 3
    120 a speaks, try 3: crier tells
    120 a speaks, try 3:  tale 3
    140 a success
    140 b starts
    140 b speaks, try 1: b tells
    140 b speaks, try 1:  tale 1
    145 b success
    145 plan success
    ");
}

/// S0 FR-014, §5.3(2), §5.3(3), S1 §4.3.
#[tokio::test(start_paused = true)]
async fn async_steps_of_a_parallel_plan_overlap() {
    let ran = run("a&:d10 b&<-a:d20 c&<-a:d30 d&<-b,c:d5", parallel()).await;
    assert_snapshot!(ran.timeline, @"
     0 a starts
    10 a success
    10 b starts
    10 c starts
    30 b success
    40 c success
    40 d starts
    45 d success
    45 plan success
    ");
}

/// S0 FR-014: the diamond's result is the same whether B and C overlap or not.
#[tokio::test(start_paused = true)]
async fn overlap_changes_only_the_times() {
    let diamond = "a&:d10 b&<-a:d30 c&<-a:d20 d&<-b,c:d5";
    let (one_by_one, at_once) =
        (run(diamond, ExecutionSetup::default()).await, run(diamond, parallel()).await);
    assert_snapshot!(results(&at_once), @r#"
    a success {"saw":"nobody","got":[]}, 1 tries
    b success {"saw":"a","got":["a"]}, 1 tries
    c success {"saw":"a","got":["a"]}, 1 tries
    d success {"saw":"c","got":["b","c"]}, 1 tries
    {"last":"d","secret":"not read","steps":{"a":1,"b":1,"c":1,"d":1}}
    success, disabled:
    "#);
    assert_eq!(results(&one_by_one), results(&at_once));
    assert!(at_once.trace.elapsed < one_by_one.trace.elapsed);
}

/// S0 FR-014.
#[tokio::test(start_paused = true)]
async fn no_step_starts_beside_a_step_that_is_not_async() {
    let ran = run("a&:d10 b:d20 c&:d5 d:d5 e&<-a:d5", parallel()).await;
    assert_snapshot!(ran.timeline, @"
     0 a starts
     0 b starts
    10 a success
    20 b success
    20 c starts
    20 d starts
    25 c success
    25 d success
    25 e starts
    30 e success
    30 plan success
    ");
}

/// S0 §5.3(3).
#[tokio::test(start_paused = true)]
async fn no_more_steps_run_at_once_than_there_are_slots() {
    let setup = ExecutionSetup { slots: 2, ..parallel() };
    let ran = run("a&:d10 b&:d30 c&:d10 d&:d10", setup).await;
    assert_snapshot!(ran.timeline, @"
     0 a starts
     0 b starts
    10 a success
    10 c starts
    20 c success
    20 d starts
    30 b success
    30 d success
    30 plan success
    ");
}

/// S0 FR-015, §5.3(5), S1 §2.1, S2 "Strategy 2".
#[tokio::test(start_paused = true)]
async fn each_retry_waits_twice_as_long() {
    let ran = run(
        "a@3:f10/x10/t/d10",
        ExecutionSetup { step_timeout_ms: 50, ..ExecutionSetup::default() },
    )
    .await;
    assert_snapshot!(ran.timeline, @"
      0 a starts
     10 a the door is stuck; again in 100 ms
    110 a starts, try 2
    120 a trapped: unreachable; again in 200 ms
    320 a starts, try 3
    370 a ran past its time limit of 50 ms; again in 400 ms
    770 a starts, try 4
    780 a success
    780 skill a: healthy -> temporaryFailure
    780 skill a: temporaryFailure -> healthy
    780 plan success
    ");
}

/// S0 FR-015, FR-016.
#[tokio::test(start_paused = true)]
async fn a_step_fails_once_its_retries_are_used_up() {
    let ran = run("a@2:f10", ExecutionSetup::default()).await;
    assert_snapshot!(ran.timeline, @"
      0 a starts
     10 a the door is stuck; again in 100 ms
    110 a starts, try 2
    120 a the door is stuck; again in 200 ms
    320 a starts, try 3
    330 a failed: the door is stuck
    330 skill a: healthy -> degraded
    330 plan failure
    ");
    assert_eq!(ran.trace.steps[0].retry_count(), 2);
}

/// The caller's mistake is not the skill's failure.
#[tokio::test(start_paused = true)]
async fn input_that_a_script_declares_wrong_is_neither_tried_again_nor_a_failure_of_the_skill() {
    let ran = run("a@2:i10 b@2?:i10/d10", ExecutionSetup::default()).await;
    assert_snapshot!(ran.timeline, @"
     0 a starts
    10 a failed: there is no such door
    10 b starts
    20 b failed: there is no such door
    20 plan failure
    ");
    assert_eq!(ran.trace.steps[0].retry_count(), 0);
}

/// S0 §5.3(7): only a successful attempt counts.
#[tokio::test(start_paused = true)]
async fn a_failed_attempt_leaves_neither_patch_nor_asset() {
    let ran = run("a@1:x10/d10 b?:f10", ExecutionSetup::default()).await;
    assert_snapshot!(results(&ran), @r#"
    a success {"saw":"nobody","got":[]}, 2 tries
    b failed the door is stuck, 1 tries
    {"last":"a","secret":"not read","steps":{"a":2}}
    success, disabled: b
    "#);
    assert_eq!(ran.trace.assets().count(), 1);
    assert_eq!(ran.trace.steps[0].attempts[0].events.len(), 3);
}

/// S0 FR-013, §5.3(6), S1 §4.4.
#[tokio::test(start_paused = true)]
async fn a_required_failure_skips_its_dependents_only() {
    let ran = run("a:f10 b<-a c?<-b d:d10 e<-c,d", ExecutionSetup::default()).await;
    assert_snapshot!(ran.timeline, @"
     0 a starts
    10 a failed: the door is stuck
    10 b skipped: a failed
    10 c skipped: a failed
    10 d starts
    20 d success
    20 e skipped: a failed
    20 plan failure
    ");
}

/// S0 FR-013, FR-019, §5.3(6), S1 §4.4.
#[tokio::test(start_paused = true)]
async fn dependents_of_an_optional_failure_get_null() {
    let tool_fields = json!({"c": {"input": {"whole": "$a", "part": "$b.saw"}}});
    let setup = ExecutionSetup { tool_fields, ..ExecutionSetup::default() };
    let ran = run("a?:f10 b:d5 c<-a,b:d10", setup).await;
    assert_snapshot!(results(&ran), @r#"
    a failed the door is stuck, 1 tries
    b success {"saw":"nobody","got":[]}, 1 tries
    c success {"saw":"b","got":["b"],"in":{"whole":null,"part":"nobody"}}, 1 tries
    {"last":"c","secret":"not read","steps":{"b":1,"c":1}}
    success, disabled: a
    "#);
    let inputs = Value::Object(ran.requests[2].inputs.clone());
    assert_eq!(inputs, json!({"a": null, "b": {"saw": "nobody", "got": []}}));
}

/// docs/plans.md, "Order, time and failure".
#[tokio::test(start_paused = true)]
async fn on_failure_stop_starts_no_more_steps() {
    let plan = "a&:f10 b&:d30 c&@1:f5/d5 d<-a e<-b f&:d1";
    let ran = run(plan, ExecutionSetup { stop: true, slots: 3, ..parallel() }).await;
    assert_snapshot!(ran.timeline, @"
     0 a starts
     0 b starts
     0 c starts
     5 c the door is stuck; again in 100 ms
    10 a failed: the door is stuck
    10 d skipped: a failed
    10 c failed: the door is stuck
    10 e skipped: plan_stopped
    10 f skipped: plan_stopped
    30 b success
    30 plan failure
    ");
}

/// docs/plans.md, "Order, time and failure".
#[tokio::test(start_paused = true)]
async fn on_failure_stop_ignores_an_optional_failure() {
    let ran = run("a?:f10 b:d10", ExecutionSetup { stop: true, ..ExecutionSetup::default() }).await;
    assert_snapshot!(ran.timeline, @"
     0 a starts
    10 a failed: the door is stuck
    10 b starts
    20 b success
    20 plan success
    ");
}

/// S4 "STOP on first tool error": a success stops nothing.
#[tokio::test(start_paused = true)]
async fn on_failure_stop_goes_on_until_a_step_fails() {
    let ran =
        run("a:d10 b:d10 c:f5 d:d10", ExecutionSetup { stop: true, ..ExecutionSetup::default() });
    assert_snapshot!(ran.await.timeline, @"
     0 a starts
    10 a success
    10 b starts
    20 b success
    20 c starts
    25 c failed: the door is stuck
    25 d skipped: plan_stopped
    25 plan failure
    ");
}

/// S0 "the same piece of state", §5.3(7), docs/plans.md, "Order, time and failure": `b` ends last, but stands before
/// `c` in the plan.
#[tokio::test(start_paused = true)]
async fn a_step_sees_only_its_ancestors_in_plan_order() {
    let ran = run("a&:d1 b&:d30 c&:d2 d<-b,c:d1 e&<-a:d1", parallel()).await;
    assert_snapshot!(results(&ran), @r#"
    a success {"saw":"nobody","got":[]}, 1 tries
    b success {"saw":"nobody","got":[]}, 1 tries
    c success {"saw":"nobody","got":[]}, 1 tries
    d success {"saw":"c","got":["b","c"]}, 1 tries
    e success {"saw":"a","got":["a"]}, 1 tries
    {"last":"e","secret":"not read","steps":{"a":1,"b":1,"c":1,"d":1,"e":1}}
    success, disabled:
    "#);
}

/// docs/architecture.md, "The wire".
#[tokio::test(start_paused = true)]
async fn an_asset_id_used_twice_is_a_failure() {
    assert_snapshot!(run("a:a10", ExecutionSetup::default()).await.timeline, @"
     0 a starts
    10 a failed: broke the protocol: it used the asset id `map` twice
    10 plan failure
    ");
}

/// S0 FR-021, FR-022.
#[tokio::test(start_paused = true)]
async fn partial_results_survive_a_failure() {
    let ran = run("a:d10 b<-a:f10 c:d10", ExecutionSetup::default()).await;
    assert_snapshot!(results(&ran), @r#"
    a success {"saw":"nobody","got":[]}, 1 tries
    b failed the door is stuck, 1 tries
    c success {"saw":"nobody","got":[]}, 1 tries
    {"last":"c","secret":"not read","steps":{"a":1,"c":1}}
    failure, disabled: b
    "#);
    assert_eq!(ran.trace.failed_steps().collect::<Vec<_>>(), [StepIdx(1)]);
    assert!(ran.trace.can_replan());
}

#[tokio::test(start_paused = true)]
async fn a_plan_without_steps_succeeds_at_once() {
    assert_snapshot!(run("", ExecutionSetup::default()).await.timeline, @"     0 plan success");
}

/// S0 FR-020: the last output of an attempt counts, even if the loop must yield before it receives it.
#[tokio::test(start_paused = true)]
async fn no_output_is_lost_when_the_loop_must_yield() {
    let ran = run("a:b b:b c:b", ExecutionSetup::default()).await;
    for step in &ran.trace.steps {
        assert_eq!((step.events().count(), step.patches().count()), (3, 1));
    }
}

/// S0 FR-022: a fault of the host must not lose the turn.
#[tokio::test(start_paused = true)]
async fn a_runner_that_panics_fails_only_its_own_step() {
    assert_snapshot!(run("a:p b:d10", ExecutionSetup::default()).await.timeline, @"
     0 a starts
     0 a failed: the host crashed while it ran: the runner fell over
     0 b starts
    10 b success
    10 plan failure
    ");
}

/// S1 §3.1, S0 FR-024.
#[tokio::test(start_paused = true)]
async fn a_skill_that_exhausts_its_retries_is_disabled() {
    let setup = ExecutionSetup { step_timeout_ms: 50, ..ExecutionSetup::default() };
    let ran = run("a@1%slow:t b@2%weak:f1/f1/d1 c%weak:f1 d:d1", setup).await;
    assert_snapshot!(ran.timeline, @"
      0 a starts
     50 a ran past its time limit of 50 ms; again in 100 ms
    150 a starts, try 2
    200 a timeout: ran past its time limit of 50 ms
    200 skill slow: healthy -> temporaryFailure
    200 skill slow: temporaryFailure -> permanentFailure
    200 b starts
    201 b the door is stuck; again in 100 ms
    301 b starts, try 2
    302 b the door is stuck; again in 200 ms
    502 b starts, try 3
    503 b success
    503 c starts
    504 c failed: the door is stuck
    504 d starts
    505 d success
    505 plan failure
    ");
    assert_snapshot!(ran.trace.disabled_skills.iter().cloned().collect::<Vec<_>>().join(" "), @"slow weak");
    assert_eq!(ran.health.health("slow"), Health::PermanentFailure);
}

/// S1 §3.1, S0 FR-024: the input of a step decides whether it can succeed, and a trigger writes the input.
#[tokio::test(start_paused = true)]
async fn a_failure_counts_against_the_skill_that_asked_for_the_step() {
    for (acts, expect) in [
        ("f1/f1/f1", Health::Degraded),
        ("f1/f1/d1", Health::Healthy),
        ("t/t/t", Health::PermanentFailure),
    ] {
        let tool_fields = json!({"a": {"askedBy": "stranger"}});
        let setup = ExecutionSetup { tool_fields, step_timeout_ms: 50, ..Default::default() };
        let ran = run(&format!("a?@2%dice:{acts} b%dice:d1"), setup).await;
        assert_eq!(ran.health.health("dice"), Health::Healthy, "{acts}");
        let stranger = ran.health.health("stranger");
        assert_eq!(stranger, expect, "{acts}");
        let disabled: Vec<&str> = ran.trace.disabled_skills.iter().map(String::as_str).collect();
        let is_blamed = expect != Health::Healthy;
        assert_eq!(disabled, if is_blamed { vec!["stranger"] } else { Vec::new() }, "{acts}");
    }
}

/// S1 "§3.1": an attempt that fails after a request of it failed on the network (`n`) is a transient failure, from which a
/// retry may recover.
#[tokio::test(start_paused = true)]
async fn a_network_error_makes_a_skill_fail_for_a_time_and_used_up_retries_for_good() {
    let ran = run("a@1%web:n10/d10 b@1%down:n10/n10", ExecutionSetup::default()).await;
    assert_snapshot!(ran.timeline, @"
      0 a starts
     10 a the door is stuck; again in 100 ms
    110 a starts, try 2
    120 a success
    120 skill web: healthy -> temporaryFailure
    120 skill web: temporaryFailure -> healthy
    120 b starts
    130 b the door is stuck; again in 100 ms
    230 b starts, try 2
    240 b failed: the door is stuck
    240 skill down: healthy -> temporaryFailure
    240 skill down: temporaryFailure -> permanentFailure
    240 plan failure
    ");
    assert_eq!(ran.health.health("down"), Health::PermanentFailure);
}

/// S1 §5.2: a permanent failure lasts for the session.
#[tokio::test(start_paused = true)]
async fn skills_that_failed_permanently_stay_disabled() {
    let mut health = HealthTracker::default();
    health.record("old", HealthSignal::TimedOut);
    health.record("old", HealthSignal::RetriesExhausted);
    let ran = run("a", ExecutionSetup { health, ..ExecutionSetup::default() }).await;
    assert_eq!(ran.trace.disabled_skills.iter().collect::<Vec<_>>(), ["old"]);
}

/// The success ends first here, before four failures in a row; in plan order it stands between them. The
/// order in which attempts end must not change a skill's health.
#[tokio::test(start_paused = true)]
async fn health_is_recorded_in_plan_order() {
    let ran = run("a&%s:f30 b&%s:f30 c&%s:d5 d&%s:f30 e&%s:f30", parallel()).await;
    assert_eq!(ran.health.health("s"), Health::Healthy);
}

/// docs/architecture.md, "The wire": the state that the manifest asks for, and the outputs of dependencies.
#[tokio::test(start_paused = true)]
async fn a_request_holds_only_what_the_script_may_know() {
    let ran = run("a:d1 b?:f1 c@1<-a,b:f1/d1", ExecutionSetup::default()).await;
    let requests: Vec<String> = ran.requests.iter().map(request).collect();
    assert_snapshot!(requests.join("\n"), @r#"
    {"requestId":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","tool":"a","operation":"run","input":{},"config":{},"state":{"last":"nobody"},"inputs":{},"seed":2626788533191228}
    {"requestId":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","tool":"b","operation":"run","input":{},"config":{},"state":{"last":"nobody"},"inputs":{},"seed":1037572331737982}
    {"requestId":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","tool":"c","operation":"run","input":{},"config":{},"state":{"last":"a"},"inputs":{"a":{"saw":"nobody","got":[]},"b":null},"seed":6974237898008467}
    {"requestId":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","tool":"c","operation":"run","input":{},"config":{},"state":{"last":"a"},"inputs":{"a":{"saw":"nobody","got":[]},"b":null},"seed":6974237898008467}
    "#);
}

fn request(request: &Request) -> String {
    String::from_utf8(request.to_line()).unwrap().trim_end().to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_retried_attempt_keeps_only_its_last_events() {
    let ran = run("a@1:f10/d10", ExecutionSetup::default()).await;
    let mut attempt = ran.trace.steps[0].attempts[0].clone();
    let first = attempt.events[0].clone();
    attempt.events = vec![first; EVENTS_OF_FAILED_MAX + 5];
    attempt.truncate();
    assert_eq!((attempt.events.len(), attempt.events_left_off), (EVENTS_OF_FAILED_MAX, 5));
}

#[tokio::test(start_paused = true)]
async fn the_largest_plan_runs() {
    let plan: Vec<String> = (0..STEPS_MAX)
        .map(|step| match step {
            0 => "s0&%s:d1".to_owned(),
            _ => format!("s{step}&%s<-s{}:d1", step / 2),
        })
        .collect();
    let ran = run(&plan.join(" "), ExecutionSetup { slots: 300, ..parallel() }).await;
    assert!(ran.trace.steps.iter().all(|step| matches!(step.outcome, Outcome::Done { .. })));
    assert_eq!(ran.trace.elapsed.as_millis(), 9);
}

#[test]
fn each_step_has_its_own_seed_and_keeps_it() {
    let seeds: HashSet<u64> =
        (0..50).flat_map(|turn| [step_seed(turn, "a"), step_seed(turn, "b")]).collect();
    assert_eq!(seeds.len(), 100);
    assert!(seeds.iter().all(|seed| *seed < 1 << 53));
    // A story must be repeatable, so seeds must not change between versions.
    assert_eq!(step_seed(7, "roll"), 3_149_709_375_364_570);
}

/// S0 FR-018.
#[test]
fn the_defaults_are_those_of_the_specification() {
    let options = ExecutionOptions::new(NonZeroUsize::MIN, 0);
    assert_eq!((options.plan_timeout, PLAN_TIMEOUT.as_secs()), (PLAN_TIMEOUT, 60));
    assert_eq!(options.shutdown_grace.as_secs(), 5);
}
