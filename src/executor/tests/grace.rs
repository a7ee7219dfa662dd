//! The grace of a stopped plan is for finishing: a script that floods its output loses it.

use std::{future::Future, num::NonZeroUsize, pin::Pin, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::harness::start;
use crate::{
    AttemptCall, Execution, ExecutionOptions, GRACE_EVENTS_MAX, Outcome, PendingRequests,
    ReusedResults, Runner, StateRules, StoreSnapshots, execute,
};
use narratoria_plan::testing::{PLAN_ID, build, catalog, skill};
use narratoria_protocol::{
    Event, InvocationEnding, InvocationOutcome, InvocationOutput, InvocationOutputSink, LogLevel,
    Message, Object, ResourceUsage,
};
use narratoria_skills::HealthTracker;

/// Every script cancels its plan, then writes so many events, one a millisecond, and is done.
struct LateWriter {
    events: Vec<usize>,
    narrates: bool,
    cancel: CancellationToken,
}

impl Runner for LateWriter {
    fn is_cpu_bound(&self) -> bool {
        false
    }

    fn run(
        &self,
        call: AttemptCall,
        mut sink: InvocationOutputSink,
    ) -> Pin<Box<dyn Future<Output = InvocationOutcome> + Send>> {
        let (events, narrates) = (self.events[call.step_idx.0], self.narrates);
        let cancel = self.cancel.clone();
        Box::pin(async move {
            // All scripts are running, and the executor sees the stop before the first event.
            sleep(Duration::from_millis(10)).await;
            cancel.cancel();
            for _ in 0..events {
                sleep(Duration::from_millis(1)).await;
                let message = "still here".to_owned();
                sink(match narrates {
                    true => InvocationOutput::Narration(message),
                    false => InvocationOutput::Event(Message {
                        request_id: None,
                        timestamp: None,
                        event: Event::Log { level: LogLevel::Info, message, fields: None },
                    }),
                });
            }
            InvocationOutcome {
                ending: InvocationEnding::Done { summary: None, output: Object::new() },
                usage: ResourceUsage::default(),
                stderr_tail: String::new(),
                writes: Vec::new(),
                files: Vec::new(),
            }
        })
    }
}

/// Returns how each step ended, and the milliseconds until the plan was over.
async fn run(events: &[usize], narrates: bool) -> (Vec<String>, u128) {
    let tools: Vec<Value> = (0..events.len())
        .map(|n| {
            json!({"toolId": format!("s{n}"), "toolPath": "late/run", "async": true, "input": {}})
        })
        .collect();
    let json = json!({"requestId": PLAN_ID, "tools": tools, "parallel": true});
    let skills = catalog([skill("late", &["run"])]);
    let plan = build(serde_json::from_value(json).unwrap(), &skills).unwrap();
    let cancel = CancellationToken::new();
    let runner = LateWriter { events: events.to_vec(), narrates, cancel: cancel.clone() };
    let options = ExecutionOptions::new(NonZeroUsize::new(4).unwrap(), 7);
    let started = Instant::now();
    let execution = Execution {
        plan: &plan,
        start: &start(),
        rules: &StateRules::default(),
        stores: &StoreSnapshots::new(),
        entities: Arc::new(narratoria_protocol::NoEntities),
        reused_results: ReusedResults::default(),
        runner: Arc::new(runner),
        health: &mut HealthTracker::default(),
        cancel,
        options: &options,
        pending: &PendingRequests::new(),
        arbiter: None,
    };
    let trace = execute(execution, &mut |_| ()).await;
    let ends = trace.steps.iter().map(|step| match &step.outcome {
        Outcome::Done { .. } => "done".to_owned(),
        Outcome::Skipped { because } => because.as_str().to_owned(),
        outcome => outcome.failure().unwrap().to_string(),
    });
    (ends.collect(), started.elapsed().as_millis())
}

/// S0 "closes application": a script that finishes in time counts.
#[tokio::test(start_paused = true)]
async fn a_script_that_finishes_within_the_grace_counts() {
    for narrates in [false, true] {
        let (ends, _) = run(&[GRACE_EVENTS_MAX], narrates).await;
        assert_eq!(ends, ["done"], "narrates: {narrates}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_script_that_floods_its_output_after_the_stop_loses_its_grace() {
    for narrates in [false, true] {
        let (ends, took) = run(&[GRACE_EVENTS_MAX + 1], narrates).await;
        assert_eq!(ends, ["was cancelled"], "narrates: {narrates}");
        assert!(took < 1_000, "the player waited {took} ms for a flood");
        let (ends, took) = run(&[usize::MAX], narrates).await;
        assert_eq!(ends, ["was cancelled"], "narrates: {narrates}");
        assert!(took < 1_000, "the player waited {took} ms for a flood");
    }
}

/// The sum is over all scripts: two that write half each finish, and a flood ends only itself.
#[tokio::test(start_paused = true)]
async fn the_scripts_of_a_stopped_plan_share_their_events() {
    let half = GRACE_EVENTS_MAX / 2;
    let (ends, _) = run(&[half, half], false).await;
    assert_eq!(ends, ["done", "done"]);
    let (ends, _) = run(&[10, usize::MAX], false).await;
    assert_eq!(ends, ["done", "was cancelled"]);
}
