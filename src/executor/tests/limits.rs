//! Time limits and cancels.

use insta::assert_snapshot;

use super::harness::{ExecutionSetup, parallel, run};
use narratoria_skills::{Health, HealthSignal, HealthTracker};

/// S0 FR-017.
#[tokio::test(start_paused = true)]
async fn a_slow_step_ends_as_a_timeout() {
    let ran =
        run("a:t b<-a c:d10", ExecutionSetup { step_timeout_ms: 50, ..ExecutionSetup::default() })
            .await;
    assert_snapshot!(ran.timeline, @"
     0 a starts
    50 a timeout: ran past its time limit of 50 ms
    50 skill a: healthy -> temporaryFailure
    50 skill a: temporaryFailure -> permanentFailure
    50 b skipped: a failed
    50 c starts
    60 c success
    60 plan failure
    ");
}

/// S0 FR-017: a runner that ignores its limit cannot freeze the turn.
#[tokio::test(start_paused = true)]
async fn a_runner_that_hangs_is_abandoned_after_the_margin() {
    let ran =
        run("a@1:h b:d10", ExecutionSetup { step_timeout_ms: 50, ..ExecutionSetup::default() })
            .await;
    assert_snapshot!(ran.timeline, @"
       0 a starts
    1050 a did not end within its time limit of 50 ms and was abandoned; again in 100 ms
    1150 a starts, try 2
    2200 a timeout: did not end within its time limit of 50 ms and was abandoned
    2200 skill a: healthy -> temporaryFailure
    2200 skill a: temporaryFailure -> permanentFailure
    2200 b starts
    2210 b success
    2210 plan failure
    ");
}

/// S0 FR-018.
#[tokio::test(start_paused = true)]
async fn the_plans_timeout_ends_running_steps_and_skips_the_rest() {
    let setup = ExecutionSetup { plan_timeout_ms: 100, ..parallel() };
    let ran = run("a&:d10 b&:t c&<-b d&<-a:d200 e", setup).await;
    assert_snapshot!(ran.timeline, @"
      0 a starts
      0 b starts
      0 e starts
      0 e success
     10 a success
     10 d starts
    100 c skipped: plan_timeout
    100 b timeout: ran until the plan's time limit of 100 ms was over
    100 d timeout: ran until the plan's time limit of 100 ms was over
    100 plan failure
    ");
}

/// S0 FR-018: the executor abandons a runner that ignores the plan's timeout.
#[tokio::test(start_paused = true)]
async fn the_plans_timeout_also_ends_a_runner_that_hangs() {
    let ran =
        run("a:h b", ExecutionSetup { plan_timeout_ms: 100, ..ExecutionSetup::default() }).await;
    assert_snapshot!(ran.timeline, @"
       0 a starts
     100 b skipped: plan_timeout
    1100 a timeout: ran until the plan's time limit of 100 ms was over
    1100 plan failure
    ");
}

/// docs/plans.md, "Order, time and failure". The second retry would start at 320 ms.
#[tokio::test(start_paused = true)]
async fn nothing_retries_past_the_plans_deadline() {
    let ran =
        run("a@5:f10 b", ExecutionSetup { plan_timeout_ms: 320, ..ExecutionSetup::default() })
            .await;
    assert_snapshot!(ran.timeline, @"
      0 a starts
     10 a the door is stuck; again in 100 ms
    110 a starts, try 2
    120 a failed: the door is stuck
    120 b starts
    120 b success
    120 plan failure
    ");
}

/// S0 FR-015, FR-018: the other side of that bound. A millisecond later than the retry begins is enough.
#[tokio::test(start_paused = true)]
async fn a_retry_just_before_the_plans_deadline_is_made() {
    let ran =
        run("a@5:f10 b", ExecutionSetup { plan_timeout_ms: 321, ..ExecutionSetup::default() })
            .await;
    assert_snapshot!(ran.timeline, @"
      0 a starts
     10 a the door is stuck; again in 100 ms
    110 a starts, try 2
    120 a the door is stuck; again in 200 ms
    320 a starts, try 3
    321 b skipped: plan_timeout
    321 a timeout: ran until the plan's time limit of 321 ms was over
    321 plan failure
    ");
}

/// S0 FR-024: the plan ran out of time; the skill may be as quick as ever, but this plan has failed with it.
#[tokio::test(start_paused = true)]
async fn a_limit_cut_short_by_the_plan_does_not_hurt_the_skills_health() {
    let ran =
        run("a:t", ExecutionSetup { plan_timeout_ms: 100, ..ExecutionSetup::default() }).await;
    assert_eq!(ran.health.health("a"), Health::Healthy);
    assert!(ran.trace.disabled_skills.contains("a"), "the next plan should do without it");
}

/// Without this, a skill could delay every turn by a minute and stay healthy.
#[tokio::test(start_paused = true)]
async fn a_step_that_asks_for_as_long_as_its_plan_may_take_is_late() {
    let setup = ExecutionSetup { step_timeout_ms: 60_000, ..ExecutionSetup::default() };
    let ran = run("a@0:t", setup).await;
    assert_snapshot!(ran.timeline, @"
        0 a starts
    60000 a timeout: ran past its time limit of 60000 ms
    60000 skill a: healthy -> temporaryFailure
    60000 skill a: temporaryFailure -> permanentFailure
    60000 plan failure
    ");
    assert_eq!(ran.health.health("a"), Health::PermanentFailure);
}

/// S1 §3.1: only a skill whose retries are used up has failed permanently.
#[tokio::test(start_paused = true)]
async fn a_retry_that_the_plans_deadline_forbids_is_not_used_up() {
    let setup =
        ExecutionSetup { step_timeout_ms: 50, plan_timeout_ms: 120, ..ExecutionSetup::default() };
    let ran = run("a@1:t", setup).await;
    assert_eq!(ran.trace.steps[0].retry_count(), 0);
    assert_eq!(ran.health.health("a"), Health::TemporaryFailure);
    let mut health = HealthTracker::default();
    health.record("a", HealthSignal::TimedOut);
    let setup = ExecutionSetup { plan_timeout_ms: 100, health, ..ExecutionSetup::default() };
    let ran = run("a:t", setup).await;
    assert_eq!(ran.health.health("a"), Health::TemporaryFailure, "the attempt was cut short");
}

#[tokio::test(start_paused = true)]
async fn a_plan_without_time_starts_no_step() {
    let ran = run("a b?", ExecutionSetup { plan_timeout_ms: 0, ..ExecutionSetup::default() }).await;
    assert_snapshot!(ran.timeline, @"
    0 a skipped: plan_timeout
    0 b skipped: plan_timeout
    0 plan failure
    ");
}

/// S0 "closes application": in-flight steps may finish within the grace.
#[tokio::test(start_paused = true)]
async fn after_a_cancel_running_steps_may_finish() {
    let setup = ExecutionSetup { cancel_at_ms: Some(20), ..parallel() };
    let ran = run("a&:d4000 b&@1:f30/d1 c&@1:f10/d1 d<-a", setup).await;
    assert_snapshot!(ran.timeline, @"
       0 a starts
       0 b starts
       0 c starts
      10 c the door is stuck; again in 100 ms
      20 c failed: the door is stuck
      20 d skipped: cancelled
      30 b failed: the door is stuck
    4000 a success
    4000 plan failure, cancelled
    ");
    assert!(!ran.trace.can_replan());
}

/// S0 "closes application": after the grace the executor drops them.
#[tokio::test(start_paused = true)]
async fn after_the_grace_running_steps_are_dropped() {
    let ran =
        run("a:d20000 b", ExecutionSetup { cancel_at_ms: Some(20), ..ExecutionSetup::default() })
            .await;
    assert_snapshot!(ran.timeline, @"
       0 a starts
      20 b skipped: cancelled
    5020 a failed: was cancelled
    5020 plan failure, cancelled
    ");
    assert!(ran.trace.disabled_skills.is_empty());
    assert_eq!(ran.health.health("a"), Health::Healthy);
}

/// A person who leaves at once does not wait for the grace. A cut before the cancel cuts nothing yet.
#[tokio::test(start_paused = true)]
async fn a_cut_ends_the_grace_and_nothing_else() {
    let setup = |cancel_at_ms, cut_at_ms| ExecutionSetup {
        cancel_at_ms: Some(cancel_at_ms),
        cut_at_ms: Some(cut_at_ms),
        ..ExecutionSetup::default()
    };
    assert_snapshot!(run("a:d20000", setup(20, 270)).await.timeline, @"
      0 a starts
    270 a failed: was cancelled
    270 plan failure, cancelled
    ");
    assert_snapshot!(run("a:d20000", setup(300, 20)).await.timeline, @"
      0 a starts
    300 a failed: was cancelled
    300 plan failure, cancelled
    ");
    assert_snapshot!(run("a:d30", setup(20, 270)).await.timeline, @"
     0 a starts
    30 a success
    30 plan success, cancelled
    ");
}

#[tokio::test(start_paused = true)]
async fn a_plan_cancelled_before_its_start_starts_no_step() {
    let ran =
        run("a:d5 b<-a", ExecutionSetup { cancel_at_ms: Some(0), ..ExecutionSetup::default() })
            .await;
    assert_snapshot!(ran.timeline, @"
    0 a skipped: cancelled
    0 b skipped: cancelled
    0 plan failure, cancelled
    ");
}

#[tokio::test(start_paused = true)]
async fn a_cancel_after_the_end_changes_nothing() {
    let ran =
        run("a:d5", ExecutionSetup { cancel_at_ms: Some(20), ..ExecutionSetup::default() }).await;
    assert_snapshot!(ran.timeline, @"
    0 a starts
    5 a success
    5 plan success
    ");
}
