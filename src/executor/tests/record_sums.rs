//! The record of a turn is bounded in sum, over all steps, items, attempts and plans.

use std::{future::Future, num::NonZeroUsize, pin::Pin, sync::Arc};

use proptest::prelude::*;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::harness::{object, start};
use crate::{
    Attempt, AttemptCall, Execution, ExecutionOptions, Outcome, PendingRequests, ReusedResults,
    Runner, StateRules, StoreSnapshots, TURN_CONTENT_BYTES_MAX, TURN_CONTENT_VALUES_MAX,
    TURN_EVENT_BYTES_MAX, TURN_EVENTS_MAX, Trace, TurnRecordBudget, execute,
    record_budget::RecordSize,
};
use narratoria_plan::testing::{PLAN_ID, build, catalog, skill};
use narratoria_protocol::{
    Event, InvocationEnding, InvocationOutcome, InvocationOutput, InvocationOutputSink, LogLevel,
    Message, Owner, ResourceUsage, StoreWrite,
};
use narratoria_skills::HealthTracker;

/// Output of every attempt of a step.
#[derive(Debug, Clone)]
struct Flood {
    logs: usize,
    log_bytes: usize,
    shows: usize,
    show_bytes: usize,
    show_values: usize,
    write_bytes: usize,
    /// How many attempts fail before one succeeds.
    failures: usize,
    retries: usize,
    items: Option<usize>,
}

impl Flood {
    const NOTHING: Flood = Flood {
        logs: 0,
        log_bytes: 0,
        shows: 0,
        show_bytes: 0,
        show_values: 0,
        write_bytes: 0,
        failures: 0,
        retries: 0,
        items: None,
    };

    fn events(&self) -> impl Iterator<Item = Event> {
        let message = "m".repeat(self.log_bytes);
        let payload =
            json!({"text": "t".repeat(self.show_bytes), "list": vec![0; self.show_values]});
        let log = Event::Log { level: LogLevel::Info, message, fields: None };
        let show = Event::UiEvent { event: "show".to_owned(), payload: Some(payload) };
        std::iter::repeat_n(log, self.logs).chain(std::iter::repeat_n(show, self.shows))
    }
}

struct FloodRunner(Vec<Flood>);

impl Runner for FloodRunner {
    fn is_cpu_bound(&self) -> bool {
        false
    }

    fn run(
        &self,
        call: AttemptCall,
        mut sink: InvocationOutputSink,
    ) -> Pin<Box<dyn Future<Output = InvocationOutcome> + Send>> {
        let flood = self.0[call.step_idx.0].clone();
        let attempt = call.attempt as usize;
        Box::pin(async move {
            for event in flood.events() {
                sink(InvocationOutput::Event(Message { request_id: None, timestamp: None, event }));
                tokio::task::yield_now().await;
            }
            let output = object(json!({"n": attempt}));
            let ending = match attempt > flood.failures {
                true => InvocationEnding::Done { summary: None, output },
                false => InvocationEnding::Failed { summary: None, error_code: None, output },
            };
            let write = StoreWrite {
                owner: Owner::Skill,
                key: "k".to_owned(),
                value: Some("v".repeat(flood.write_bytes)),
            };
            let (stderr_tail, usage) = ("e".repeat(100), ResourceUsage::default());
            InvocationOutcome { ending, usage, stderr_tail, writes: vec![write], files: Vec::new() }
        })
    }
}

/// Runs one plan of a turn whose steps do not depend on each other.
async fn run(floods: &[Flood], record: &TurnRecordBudget, reused: ReusedResults) -> Trace {
    let tools: Vec<Value> = floods
        .iter()
        .enumerate()
        .map(|(n, flood)| {
            let mut tool = json!({"toolId": format!("s{n}"), "toolPath": format!("skill{n}/run"),
                "async": true, "required": false, "input": {},
                "retryPolicy": {"maxRetries": flood.retries, "backoffMs": 1}});
            if let Some(items) = flood.items {
                tool["forEach"] = json!(vec![json!({}); items]);
                tool["maxItems"] = json!(256);
            }
            tool
        })
        .collect();
    let json = json!({"requestId": PLAN_ID, "tools": tools, "parallel": true});
    let skills: Vec<_> = (0..floods.len()).map(|n| skill(&format!("skill{n}"), &["run"])).collect();
    let plan = build(serde_json::from_value(json).unwrap(), &catalog(skills)).unwrap();
    let options = ExecutionOptions {
        record: record.clone(),
        ..ExecutionOptions::new(NonZeroUsize::new(4).unwrap(), 7)
    };
    let execution = Execution {
        plan: &plan,
        start: &start(),
        rules: &StateRules::default(),
        stores: &StoreSnapshots::new(),
        entities: Arc::new(narratoria_protocol::NoEntities),
        reused_results: reused,
        runner: Arc::new(FloodRunner(floods.to_vec())),
        health: &mut HealthTracker::default(),
        cancel: CancellationToken::new(),
        options: &options,
        pending: &PendingRequests::new(),
        arbiter: None,
    };
    execute(execution, &mut |_| ()).await
}

/// The contents of a trace, counted without the code that bounds it: logs, their bytes, bytes and values of the rest.
fn held(trace: &Trace) -> [usize; 4] {
    let mut sums = [0; 4];
    for attempt in trace.steps.iter().flat_map(|step| &step.attempts) {
        for message in &attempt.events {
            match &message.event {
                Event::Log { message, .. } => {
                    sums[0] += 1;
                    sums[1] += message.len();
                }
                Event::UiEvent { payload: Some(payload), .. } => {
                    sums[2] += payload["text"].as_str().unwrap().len();
                    sums[3] += payload["list"].as_array().unwrap().len();
                }
                _ => {}
            }
        }
        let values = attempt.writes.iter().filter_map(|write| write.value.as_ref());
        sums[2] += values.map(String::len).sum::<usize>();
    }
    sums
}

fn flood() -> impl Strategy<Value = Flood> {
    let sizes = (
        prop_oneof![0..20_usize, 2_000..9_999_usize],
        prop_oneof![0..50_usize, Just(2_000)],
        0..20_usize,
        prop_oneof![0..500_usize, Just(1_000_000)],
        prop_oneof![0..50_usize, Just(150_000)],
        prop_oneof![0..500_usize, Just(60_000)],
    );
    (sizes, 0..4_usize, 0..4_usize, prop::option::of(1..20_usize)).prop_map(
        |(
            (logs, log_bytes, shows, show_bytes, show_values, write_bytes),
            failures,
            retries,
            items,
        )| Flood {
            logs: if items.is_some() || failures > 0 { logs.min(3_000) } else { logs },
            shows: if show_bytes + show_values > 10_000 { shows.min(12) } else { shows },
            log_bytes,
            show_bytes,
            show_values,
            write_bytes,
            failures,
            retries,
            items,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    /// Up to three plans of one turn, with every mixture of retries, loops and sizes.
    #[test]
    fn no_turn_holds_more_than_its_sums(
        plans in prop::collection::vec(prop::collection::vec(flood(), 1..4), 1..4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time().start_paused(true).build().unwrap();
        let record = TurnRecordBudget::whole();
        let mut sums = [0; 4];
        for floods in &plans {
            let trace = runtime.block_on(run(floods, &record, ReusedResults::new()));
            for (sum, held) in sums.iter_mut().zip(held(&trace)) {
                *sum += held;
            }
            for (flood, step) in floods.iter().zip(&trace.steps) {
                let shows = |attempt: &Attempt| {
                    let is_show = |it: &&Message| matches!(it.event, Event::UiEvent { .. });
                    attempt.events.iter().filter(is_show).count()
                };
                let recorded = step.attempts.iter()
                    .all(|attempt| attempt.failure.is_some() || shows(attempt) == flood.shows);
                prop_assert!(recorded, "a successful attempt has everything that counts");
                for attempt in step.attempts.iter().filter(|it| it.failure.is_none()) {
                    let logs = attempt.events.len() - flood.shows;
                    prop_assert_eq!(logs + attempt.events_left_off, flood.logs);
                }
                let full = step.outcome.failure().is_some_and(|why| why.code() == "RECORD_EXCEEDED");
                let gave_up = flood.failures > flood.retries;
                prop_assert_eq!(
                    matches!(step.outcome, Outcome::Done { .. }), !full && !gave_up, "{:?}", step.outcome
                );
            }
        }
        let limits =
            [TURN_EVENTS_MAX, TURN_EVENT_BYTES_MAX, TURN_CONTENT_BYTES_MAX, TURN_CONTENT_VALUES_MAX];
        for (sum, limit) in sums.into_iter().zip(limits) {
            prop_assert!(sum <= limit, "{sums:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn eleven_attempts_of_a_megabyte_each_leave_what_explains_them() {
    let flood = Flood { logs: 3_000, log_bytes: 400, failures: 99, retries: 10, ..Flood::NOTHING };
    let trace = run(&[flood], &TurnRecordBudget::whole(), ReusedResults::new()).await;
    let attempts = &trace.steps[0].attempts;
    assert_eq!(attempts.len(), 11);
    let kept: Vec<usize> = attempts.iter().map(|attempt| attempt.events.len()).collect();
    assert!(kept[..10].iter().all(|kept| *kept < 200 && *kept > 100), "{kept:?}");
    assert_eq!(kept[10], 3_000, "the last attempt has room for all");
    assert!(attempts.iter().all(|it| it.events.len() + it.events_left_off == 3_000));
}

/// The step that floods is the one that fails; the others have their part.
#[tokio::test(start_paused = true)]
async fn a_step_that_floods_starves_no_other() {
    let floods = Flood { shows: 40, show_bytes: 500_000, ..Flood::NOTHING };
    let modest = Flood { shows: 3, show_bytes: 300_000, ..Flood::NOTHING };
    let (floods, record) = ([floods, modest.clone(), modest], TurnRecordBudget::whole());
    let trace = run(&floods, &record, ReusedResults::new()).await;
    let ends: Vec<String> = trace
        .steps
        .iter()
        .map(|step| step.outcome.failure().map_or("done".to_owned(), |why| why.code()))
        .collect();
    assert_eq!(ends, ["RECORD_EXCEEDED", "done", "done"]);
    assert_eq!(trace.steps[0].attempts.len(), 1, "another attempt would write as much");
    let attempt = &trace.steps[0].attempts[0];
    assert_eq!(
        (attempt.events.len(), attempt.events_left_off),
        (11, 1),
        "the one that is too much is counted"
    );
    insta::assert_snapshot!(trace.steps[0].outcome.failure().unwrap(), @"wrote more than its part of what a turn records: all steps together have 16777216 bytes and 400000 JSON values for patches, assets, UI events, outputs and store writes");
}

#[tokio::test(start_paused = true)]
async fn one_step_may_write_as_many_values_as_an_invocation_may() {
    let flood = Flood { shows: 1, show_values: 199_950, ..Flood::NOTHING };
    let trace = run(&[flood], &TurnRecordBudget::whole(), ReusedResults::new()).await;
    assert!(trace.success && trace.failed_steps().next().is_none());
}

/// An object takes the memory of eight numbers, whatever its text is.
#[test]
fn the_smallest_objects_count_for_what_they_take() {
    let size = |payload: Value| {
        let event = Event::UiEvent { event: "show".to_owned(), payload: Some(payload) };
        RecordSize::of_message(&Message { request_id: None, timestamp: None, event }).content_values
    };
    assert_eq!(size(json!([0, 0, null, "long"])), 4 + 4);
    assert_eq!(size(json!([{}, {"": {}}, []])), 4 + 3 * 8 + 4);
}

/// A plan can write a scene even if the plans before it have used up the record.
#[tokio::test(start_paused = true)]
async fn a_plan_after_plans_that_took_everything_still_has_room() {
    let record = TurnRecordBudget::whole();
    let greedy = Flood { shows: 20, show_bytes: 350_000, ..Flood::NOTHING };
    let modest = Flood { logs: 30, shows: 2, show_bytes: 10_000, ..Flood::NOTHING };
    for _ in 0..12 {
        run(std::slice::from_ref(&greedy), &record, ReusedResults::new()).await;
    }
    let trace = run(&[modest], &record, ReusedResults::new()).await;
    assert_eq!(trace.failed_steps().count(), 0);
}

/// A result that a later version reuses is recorded again, so it counts again.
#[tokio::test(start_paused = true)]
async fn a_reused_result_counts_in_the_plan_that_reuses_it() {
    let record = TurnRecordBudget::whole();
    let flood = Flood { shows: 15, show_bytes: 500_000, ..Flood::NOTHING };
    let first = run(std::slice::from_ref(&flood), &record, ReusedResults::new()).await;
    assert_eq!(first.failed_steps().count(), 0);
    let reused = ReusedResults::from([(narratoria_plan::StepIdx(0), first.steps[0].clone())]);
    let second = run(&[flood.clone(), flood], &record, reused).await;
    let failed: Vec<usize> = second.failed_steps().map(|idx| idx.0).collect();
    assert_eq!(failed, [1], "the turn has no room for as much again");
}
