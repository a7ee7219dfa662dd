//! The journal returns the traces that were written to it.

use std::{sync::Arc, time::Duration};

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    Approval, Arbitration, ArbitrationReason, Attempt, ExecutedBy, Failure, Outcome,
    PassedOverCandidate, SkipReason, StepTrace, Takeover,
    journal::{from_value, to_value},
};
use narratoria_plan::{FailureCategory, StepIdx};
use narratoria_protocol::{Event, LogLevel, Message, Object};
use narratoria_protocol::{Owner, ResourceUsage, StoreWrite};

fn text() -> impl Strategy<Value = String> {
    "[a-zé\" ]{0,6}"
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            proptest::collection::vec((text(), inner), 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Object> {
    proptest::collection::vec((text(), value()), 0..3).prop_map(|f| f.into_iter().collect())
}

fn maybe<T: std::fmt::Debug + Clone>(
    some: impl Strategy<Value = T>,
) -> impl Strategy<Value = Option<T>> {
    proptest::option::of(some)
}

fn event() -> impl Strategy<Value = Event> {
    let level = prop_oneof![
        Just(LogLevel::Debug),
        Just(LogLevel::Info),
        Just(LogLevel::Warn),
        Just(LogLevel::Error)
    ];
    prop_oneof![
        (level, text(), maybe(object())).prop_map(|(level, message, fields)| Event::Log {
            level,
            message,
            fields
        }),
        object().prop_map(|patch| Event::StatePatch { patch }),
        (text(), text(), maybe(object())).prop_map(|(asset_id, path, metadata)| Event::Asset {
            kind: "image".to_owned(),
            media_type: "image/png".to_owned(),
            asset_id,
            path,
            metadata
        }),
        (text(), maybe(value())).prop_map(|(event, payload)| Event::UiEvent { event, payload }),
        (text(), text(), maybe(value())).prop_map(|(error_code, error_message, details)| {
            Event::Error { error_code, error_message, details }
        }),
        (any::<bool>(), maybe(text()), maybe(object()))
            .prop_map(|(ok, summary, output)| Event::Done { ok, summary, output }),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    (maybe(text()), maybe(text()), event()).prop_map(|(request_id, timestamp, event)| Message {
        request_id,
        timestamp,
        event,
    })
}

fn failure() -> impl Strategy<Value = Failure> {
    let category = prop_oneof![
        Just(FailureCategory::ToolFailure),
        Just(FailureCategory::Timeout),
        Just(FailureCategory::ProcessError),
    ];
    ("[A-Z]{1,5}", text(), category).prop_map(|(code, message, category)| Failure::Recorded {
        code,
        message,
        category,
    })
}

fn executed_by() -> impl Strategy<Value = Arc<ExecutedBy>> {
    (text(), text(), text())
        .prop_map(|(skill, script, version)| Arc::new(ExecutedBy { skill, script, version }))
}

fn duration() -> impl Strategy<Value = Duration> {
    (0_u64..1 << 50).prop_map(Duration::from_nanos)
}

prop_compose! {
    fn attempt()(
        executed_by in executed_by(),
        item in maybe(0_usize..9),
        times in (duration(), duration(), duration(), duration()),
        events in proptest::collection::vec(message(), 0..4),
        writes in proptest::collection::vec((any::<bool>(), text(), maybe(text())), 0..3),
        numbers in any::<(u64, u64, u64)>(),
        events_left_off in 0_usize..9,
        stderr_tail in text(),
        files in proptest::collection::vec(text(), 0..3),
        failure in maybe(failure()),
    ) -> Attempt {
        let owner = |is_skill| if is_skill { Owner::Skill } else { Owner::Story };
        let writes = writes.into_iter();
        let writes = writes
            .map(|(is_skill, key, value)| StoreWrite { owner: owner(is_skill), key, value })
            .collect();
        let (started, elapsed, limit, of_usage) = times;
        let (fuel, memory_bytes_peak, stdout_bytes) = numbers;
        let usage = ResourceUsage {
            fuel,
            memory_bytes_peak,
            stdout_bytes,
            elapsed: of_usage,
            network_failures: 0,
        };
        Attempt {
            executed_by, item, started, elapsed, limit, events, events_left_off, writes, files, usage,
            stderr_tail, failure,
        }
    }
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let step = (0_usize..300).prop_map(StepIdx);
    let because = prop_oneof![
        step.clone().prop_map(SkipReason::DependencyFailed),
        step.prop_map(SkipReason::DependencyDenied),
        Just(SkipReason::ConditionFalse),
        Just(SkipReason::Denied),
        Just(SkipReason::SkippedByPlayer),
        Just(SkipReason::SkippedByPlanner),
        Just(SkipReason::PlanTimeout),
        Just(SkipReason::PlanStopped),
        Just(SkipReason::Cancelled),
    ];
    prop_oneof![
        (maybe(text()), value()).prop_map(|(summary, output)| Outcome::Done { summary, output }),
        failure().prop_map(|why| Outcome::Failed { why }),
        failure().prop_map(|why| Outcome::TimedOut { why }),
        because.prop_map(|because| Outcome::Skipped { because }),
    ]
}

prop_compose! {
    fn arbitration()(
        chosen in maybe(executed_by()),
        why in proptest::sample::select(ArbitrationReason::ALL.to_vec()),
        passed_over in proptest::collection::vec((executed_by(), text()), 0..3),
        takeovers in proptest::collection::vec((executed_by(), executed_by(), text(), maybe(0_usize..9)), 0..3),
    ) -> Arbitration {
        let passed = |(candidate, why)| PassedOverCandidate { candidate, why };
        let taken = |(from, to, why, item)| Takeover { from, to, why, item };
        Arbitration {
            chosen,
            why,
            passed_over: passed_over.into_iter().map(passed).collect(),
            takeovers: takeovers.into_iter().map(taken).collect(),
        }
    }
}

prop_compose! {
    fn trace()(
        outcome in outcome(),
        attempts in proptest::collection::vec(attempt(), 0..3),
        approval in maybe(prop_oneof![Just(Approval::Granted), Just(Approval::Denied)]),
        arbitration in maybe(arbitration()),
        items in maybe(0_usize..300),
        reused in any::<bool>(),
    ) -> StepTrace {
        StepTrace { outcome, attempts, approval, arbitration, items, reused }
    }
}

proptest! {
    #[test]
    fn a_trace_reads_back_as_it_was_written(trace in trace()) {
        let text = serde_json::to_string(&to_value(&trace)).unwrap();
        let read = from_value(&serde_json::from_str(&text).unwrap()).unwrap();
        prop_assert_eq!(read, trace);
    }

    #[test]
    fn a_value_that_is_no_journal_is_an_error(value in value()) {
        prop_assert!(from_value(&value).is_err());
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_reads_back_as_people_saw_it() {
    let setup = super::harness::ExecutionSetup { step_timeout_ms: 50, ..Default::default() };
    let ran = super::harness::run("a?@1:t b?:a c?:f1 d", setup).await;
    for step in &ran.trace.steps {
        let read = from_value(&to_value(step)).unwrap();
        let seen = |trace: &StepTrace| {
            let why = trace.outcome.failure();
            why.map(|why| (why.code(), why.to_string(), why.category()))
        };
        assert_eq!((seen(&read), read.outcome.as_str()), (seen(step), step.outcome.as_str()));
        assert_eq!(to_value(&read), to_value(step));
    }
}

#[test]
fn a_newer_journal_is_refused() {
    let error = from_value(&json!({"version": 2})).unwrap_err();
    insta::assert_snapshot!(error, @"its version is 2, this program reads 1");
}
