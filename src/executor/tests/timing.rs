//! Random plans against a model of the rules without time.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::harness::{ExecutionSetup, ExecutorTestRun, object, parallel, results, run, start};
use crate::{Outcome, StepTrace};
use narratoria_plan::{Plan, StepIdx};
use narratoria_protocol::Object;
use narratoria_protocol::merge;

/// A step without its latencies.
#[derive(Debug, Clone)]
struct TimingStep {
    needs: Vec<usize>,
    optional: bool,
    is_async: bool,
    retries: usize,
    /// How many attempts fail before the first success.
    failures: usize,
    skill: usize,
}

fn timing_step(idx: usize) -> impl Strategy<Value = TimingStep> {
    let needs = proptest::collection::btree_set(0..idx.max(1), 0..=idx.min(3));
    (needs, any::<bool>(), any::<bool>(), 0_usize..3, 0_usize..4, 0_usize..4).prop_map(
        move |(needs, optional, is_async, retries, failures, skill)| TimingStep {
            needs: needs.into_iter().filter(|need| *need < idx).collect(),
            optional,
            is_async,
            retries,
            failures: failures.saturating_sub(1),
            skill,
        },
    )
}

fn plans() -> impl Strategy<Value = Vec<TimingStep>> {
    (0_usize..=12).prop_flat_map(|steps| (0..steps).map(timing_step).collect::<Vec<_>>())
}

/// In the mini language, each attempt with its own latency.
fn plan_text(plan: &[TimingStep], latencies: &[u64]) -> String {
    let step = |(idx, step): (usize, &TimingStep)| {
        let needs: Vec<String> = step.needs.iter().map(|need| format!("s{need}")).collect();
        let act = |attempt: usize| {
            let how = if attempt < step.failures { 'f' } else { 'd' };
            format!("{how}{}", latencies[(idx * 3 + attempt) % latencies.len()])
        };
        format!(
            "s{idx}{}{}@{}%k{}{}{}:{}",
            if step.optional { "?" } else { "" },
            if step.is_async { "&" } else { "" },
            step.retries,
            step.skill,
            if needs.is_empty() { "" } else { "<-" },
            needs.join(","),
            (0..=step.failures).map(act).collect::<Vec<_>>().join("/"),
        )
    };
    plan.iter().enumerate().map(step).collect::<Vec<_>>().join(" ")
}

/// The expected result: one line for each step, and the state.
fn expected_result(plan: &Plan, rough: &[TimingStep]) -> (Vec<String>, Object) {
    let mut state = start().as_object().clone();
    let mut lines: Vec<String> = Vec::new();
    for (idx, step) in plan.steps().iter().enumerate() {
        let own = &rough[step.tool_id[1..].parse::<usize>().unwrap()];
        let closed = step.needs.iter().any(|need| {
            let line = &lines[need.0];
            line == "skipped" || (line == "failed" && plan.step(*need).required)
        });
        if closed || own.failures > own.retries {
            lines.push(if closed { "skipped" } else { "failed" }.to_owned());
            continue;
        }
        let saw = (0..idx)
            .rev()
            .find(|other| is_ancestor(plan, *other, idx) && lines[*other].starts_with('{'));
        let saw = saw.map_or("nobody", |other| &plan.steps()[other].tool_id);
        let gave = step.needs.iter().filter(|need| lines[need.0] != "failed");
        let got: Vec<&String> = gave.map(|need| &plan.step(*need).tool_id).collect();
        lines.push(json!({"saw": saw, "got": got}).to_string());
        let id = &step.tool_id;
        merge(&mut state, &object(json!({"last": id, "steps": {id: own.failures + 1}})));
    }
    (lines, state)
}

fn is_ancestor(plan: &Plan, maybe: usize, of: usize) -> bool {
    let needs = &plan.steps()[of].needs;
    needs.iter().any(|need| need.0 == maybe || is_ancestor(plan, maybe, need.0))
}

fn short(trace: &StepTrace) -> String {
    match &trace.outcome {
        Outcome::Done { output, .. } => output.to_string(),
        outcome => outcome.as_str().to_owned(),
    }
}

fn health(ran: &ExecutorTestRun) -> BTreeMap<&str, &'static str> {
    let name = |step: &'_ narratoria_plan::Step| {
        ran.health.health(&step.first_candidate().skill.name).as_str()
    };
    ran.plan
        .steps()
        .iter()
        .map(|step| (step.first_candidate().skill.name.as_str(), name(step)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// S0 FR-013 to FR-016, FR-019, docs/plans.md, "Order, time and failure".
    #[test]
    fn the_result_follows_from_the_plan_and_never_from_timing(
        rough in plans(),
        slow in proptest::collection::vec(0_u64..50, 1..20),
        fast in proptest::collection::vec(0_u64..50, 1..20),
        slots in 1_usize..5,
    ) {
        let clock = tokio::runtime::Builder::new_current_thread()
            .enable_time().start_paused(true).build().unwrap();
        clock.block_on(async {
            let one = run(&plan_text(&rough, &slow), ExecutionSetup::default()).await;
            let other = run(&plan_text(&rough, &fast), ExecutionSetup { slots, ..parallel() }).await;
            prop_assert_eq!(results(&one), results(&other));
            prop_assert_eq!(health(&one), health(&other));
            let (lines, state) = expected_result(&one.plan, &rough);
            let ended: Vec<String> = one.trace.steps.iter().map(short).collect();
            prop_assert_eq!(&ended, &lines);
            prop_assert_eq!(one.trace.state.as_object(), &state);
            let required_done = (0..lines.len())
                .all(|idx| !one.plan.step(StepIdx(idx)).required || lines[idx].starts_with('{'));
            prop_assert_eq!(one.trace.success, required_done);
            Ok(())
        })?;
    }
}

/// Real threads, a real clock and one task for each attempt, panics included.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overlap_on_threads_changes_only_the_times() {
    let plan = "a&:d1 b&@1:x1/d1 c&?:p0 d&<-a,c:d2 e&<-b:d1 f&?<-d,e:f1 g&<-f,a:d0 h&?:p1";
    let more = json!({"e": {"forEach": [1, 2, 3]}, "b": {"retryPolicy": {"maxRetries": 1, "backoffMs": 1}}});
    let threads =
        ExecutionSetup { cpu_bound: true, slots: 4, tool_fields: more.clone(), ..parallel() };
    let (one, other) = (
        run(plan, ExecutionSetup { tool_fields: more, ..ExecutionSetup::default() }).await,
        run(plan, threads).await,
    );
    assert_eq!(results(&one), results(&other));
    assert!(results(&one).contains("h failed the host crashed while it ran: the runner fell over"));
}
