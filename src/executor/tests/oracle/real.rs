//! Runs a random plan with the executor.

use std::{
    collections::BTreeMap,
    future::{Future, poll_fn},
    num::NonZeroUsize,
    pin::{Pin, pin},
    sync::{Arc, LazyLock},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::random_plan::{
    AttemptAct, RandomCondition, RandomInput, RandomLoop, RandomPlan, RandomStep, SKILLS,
};
use crate::{
    ApprovalPolicy, AttemptCall, Execution, ExecutionOptions, PendingRequests, ReusedResults,
    Runner, StateRules, StoreSnapshots, Trace, execute, tests::harness::object,
};
use narratoria_plan::{
    Candidate, ForEach, PathPart, Plan, Reference, ReferenceSlot, ReferenceSource, Step, StepIdx,
    ValueTemplate,
    testing::{condition, plan_of, script, skill, value_template},
};
use narratoria_protocol::{
    Event, InvocationEnding, InvocationError, InvocationOutcome, InvocationOutput,
    InvocationOutputSink, Message, Owner, ResourceUsage, StoreWrite, StoryState,
};
use narratoria_skills::{HealthSignal, HealthTracker, RetryPolicy, Schema, Skill};

/// How often a person approves all waiting steps once the list of decisions is used up.
pub(super) const APPROVE_INTERVAL_MS: u64 = 1_000;

pub(super) const USAGE: ResourceUsage = ResourceUsage {
    fuel: 3,
    memory_bytes_peak: 5,
    stdout_bytes: 7,
    elapsed: Duration::from_millis(9),
    network_failures: 0,
};

/// One script for each skill. The last skill has no store, and odd ones accept no object.
static SKILL_LIST: LazyLock<Vec<Arc<Skill>>> = LazyLock::new(|| {
    let made = |idx: usize| {
        let mut made = skill(&format!("k{idx}"), &[]);
        let x = if takes_objects(idx) { json!({}) } else { json!({"type": ["integer", "null"]}) };
        let mut script = script("run", json!({"type": "object", "properties": {"x": x}}));
        script.reads = vec!["/total".to_owned()];
        script.grants.store = has_store(idx);
        made.scripts.push(script);
        Arc::new(made)
    };
    (0..SKILLS).map(made).collect()
});

static EXPECTATIONS: LazyLock<Vec<Schema>> = LazyLock::new(|| {
    (0..5)
        .map(|least| Schema::build(json!({"properties": {"n": {"minimum": least}}})).unwrap())
        .collect()
});

pub(super) fn takes_objects(skill: usize) -> bool {
    skill.is_multiple_of(2)
}

pub(super) fn has_store(skill: usize) -> bool {
    skill + 1 < SKILLS
}

pub(super) fn start() -> StoryState {
    StoryState::new(object(json!({"total": 1})))
}

pub(super) fn stores() -> StoreSnapshots {
    let store = BTreeMap::from([("c".to_owned(), "1".to_owned())]);
    StoreSnapshots::from([("k1".to_owned(), Arc::new(store))])
}

pub(super) fn health(rough: &RandomPlan) -> HealthTracker {
    let mut tracker = HealthTracker::default();
    for (skill, failures) in rough.history.iter().enumerate() {
        for failure in 0..*failures {
            let signal = if failure == 0 { HealthSignal::TimedOut } else { HealthSignal::Failed };
            tracker.record(&format!("k{skill}"), signal);
        }
        if *failures == 7 {
            tracker.record(&format!("k{skill}"), HealthSignal::RetriesExhausted);
        }
    }
    tracker
}

pub(super) fn plan(rough: &RandomPlan) -> Plan {
    let steps = rough.steps.iter().enumerate().map(|(idx, step)| real_step(idx, step)).collect();
    plan_of(steps, rough.parallel, rough.stop)
}

fn real_step(idx: usize, rough: &RandomStep) -> Step {
    let candidates = rough
        .by
        .iter()
        .map(|by| Candidate {
            skill: SKILL_LIST[by.skill].clone(),
            script_idx: 0,
            retry: RetryPolicy {
                retries_max: by.retries,
                backoff: Duration::from_millis(by.backoff),
            },
            timeout: Duration::from_millis(by.timeout),
        })
        .collect();
    Step {
        tool_id: format!("s{idx}"),
        tool_path: String::new(),
        candidates,
        input: input(rough.input),
        needs: rough.all_needs().into_iter().map(StepIdx).collect(),
        when: rough.when.map(|when| condition(&text(when))),
        for_each: rough.each.map(|each| ForEach {
            items_max: match each {
                RandomLoop::List(_, max) => max,
                _ => 32,
            },
            items: items(each),
        }),
        expect: rough.expect.map(|least| EXPECTATIONS[least as usize].clone()),
        requires_approval: rough.approval,
        skip: rough.skip,
        is_planners_skip: false,
        required: !rough.optional,
        is_async: rough.is_async,
        description: None,
        reason: None,
        instructions: None,
        acceptance_criteria: Vec::new(),
        suggested_skill: None,
        asked_by: None,
    }
}

fn hole(pointer: &str, source: ReferenceSource, path: Vec<PathPart>) -> Vec<ReferenceSlot> {
    let reference = Reference { text: "$".to_owned(), source, path };
    vec![ReferenceSlot { pointer: pointer.to_owned(), reference }]
}

fn input(input: RandomInput) -> ValueTemplate {
    let n = || PathPart::Key("n".to_owned());
    let of = |step: usize| ReferenceSource::Step(StepIdx(step));
    let holes = match input {
        RandomInput::Nothing => return ValueTemplate::literal(json!({})),
        RandomInput::Literal(x) => return ValueTemplate::literal(json!({"x": x})),
        RandomInput::Whole(step) => hole("/x", of(step), Vec::new()),
        RandomInput::Field(step) => hole("/x", of(step), vec![n()]),
        RandomInput::First(step) => hole("/x", of(step), vec![PathPart::Index(0), n()]),
        RandomInput::Item => hole("/x", ReferenceSource::Item, Vec::new()),
        RandomInput::Index => hole("/x", ReferenceSource::Index, Vec::new()),
    };
    value_template(json!({"x": "$"}), holes)
}

fn items(each: RandomLoop) -> ValueTemplate {
    let of = |step: usize| ReferenceSource::Step(StepIdx(step));
    match each {
        RandomLoop::Literal(items) => ValueTemplate::literal((0..items).collect()),
        RandomLoop::List(step, _) => {
            let list = PathPart::Key("list".to_owned());
            value_template(json!("$"), hole("", of(step), vec![list]))
        }
        RandomLoop::Whole(step) => value_template(json!("$"), hole("", of(step), Vec::new())),
    }
}

fn text(when: RandomCondition) -> String {
    match when {
        RandomCondition::More(step, k) => format!("steps.s{step}.n > {k}"),
        RandomCondition::Nothing(step) => format!("steps.s{step} == null"),
        RandomCondition::State(k) => format!("has(state.total) && state.total > {k}"),
        RandomCondition::Input(k) => format!("input.x != null && input.x > {k}"),
    }
}

/// The trace, and the health of the skills after it.
pub(super) async fn run(
    rough: &RandomPlan,
    plan: &Plan,
    reused_results: ReusedResults,
) -> (Trace, HealthTracker) {
    let (pending, cancel, mut tracker) =
        (PendingRequests::new(), CancellationToken::new(), health(rough));
    let options = ExecutionOptions {
        plan_timeout: Duration::from_millis(rough.plan_ms),
        shutdown_grace: Duration::from_millis(rough.grace_ms),
        approvals: match rough.preset_approval {
            None => ApprovalPolicy::Ask,
            Some(true) => ApprovalPolicy::Grant,
            Some(false) => ApprovalPolicy::Deny,
        },
        ..ExecutionOptions::new(NonZeroUsize::new(rough.slots).unwrap(), 7)
    };
    let (start, stores) = (start(), stores());
    let runner = Arc::new(OracleRunner { plan: Arc::new(rough.clone()) });
    let execution = Execution {
        plan,
        start: &start,
        rules: &StateRules::default(),
        stores: &stores,
        entities: Arc::new(narratoria_protocol::NoEntities),
        reused_results,
        runner,
        health: &mut tracker,
        cancel: cancel.clone(),
        options: &options,
        pending: &pending,
        arbiter: None,
    };
    let mut on_event = |_: crate::ExecutionEvent<'_>| {};
    let trace = {
        let mut people = pin!(people(rough, &pending, &cancel));
        let mut executed = pin!(execute(execution, &mut on_event));
        // People first: at any moment, their decisions come before everything else.
        poll_fn(|context| {
            let _ = people.as_mut().poll(context);
            executed.as_mut().poll(context)
        })
        .await
    };
    (trace, tracker)
}

async fn people(
    rough: &RandomPlan,
    pending: &PendingRequests,
    cancel: &CancellationToken,
) -> std::convert::Infallible {
    let started = Instant::now();
    let mut acts: Vec<(u64, Option<(usize, bool)>)> =
        rough.people.iter().map(|(at, step, yes)| (*at, Some((*step, *yes)))).collect();
    acts.extend(rough.cancel_at.map(|at| (at, None)));
    acts.sort_by_key(|(at, _)| *at);
    for (at, act) in acts {
        if at > 0 {
            sleep_until(started + Duration::from_millis(at)).await;
        }
        match act {
            None => cancel.cancel(),
            // The decision is an error for a step that does not wait.
            Some((step, true)) => _ = pending.approve(&format!("s{step}")),
            Some((step, false)) => _ = pending.deny(&format!("s{step}")),
        }
    }
    loop {
        sleep(Duration::from_millis(APPROVE_INTERVAL_MS)).await;
        pending.approve_all();
    }
}

struct OracleRunner {
    plan: Arc<RandomPlan>,
}

impl Runner for OracleRunner {
    fn is_cpu_bound(&self) -> bool {
        false
    }

    fn run(
        &self,
        call: AttemptCall,
        mut sink: InvocationOutputSink,
    ) -> Pin<Box<dyn Future<Output = InvocationOutcome> + Send>> {
        let by = &self.plan.steps[call.step_idx.0].by[call.candidate];
        let turn = call.item.unwrap_or(0) + call.attempt as usize - 1;
        let (act, ms) = by.acts[turn % by.acts.len()];
        let n = input_checksum(&call);
        let patch = object(json!({"total": n, "by": {call.request.tool.clone(): call.attempt}}));
        let event = Event::StatePatch { patch };
        sink(InvocationOutput::Event(Message { request_id: None, timestamp: None, event }));
        let stored = call.store.as_ref().map(|store| store.get("c").cloned());
        let (limit, took) = (call.timeout, Duration::from_millis(ms));
        let alarm = Instant::now() + took.min(limit);
        Box::pin(async move {
            match act {
                AttemptAct::Hangs => std::future::pending().await,
                _ => sleep_until(alarm).await,
            }
            let ending = match act {
                _ if took > limit => InvocationEnding::Aborted(InvocationError::TimedOut { limit }),
                AttemptAct::Panics => panic!("fell over"),
                AttemptAct::GivesUp => gives_up(),
                AttemptAct::Traps => {
                    InvocationEnding::Aborted(InvocationError::Trapped { what: "oops".to_owned() })
                }
                AttemptAct::Done | AttemptAct::Hangs => {
                    let list: Vec<i64> = (0..n % 4).collect();
                    InvocationEnding::Done {
                        summary: None,
                        output: object(json!({"n": n, "list": list})),
                    }
                }
            };
            let writes = stored.map(written).unwrap_or_default();
            InvocationOutcome {
                ending,
                usage: USAGE,
                stderr_tail: String::new(),
                writes,
                files: Vec::new(),
            }
        })
    }
}

pub(super) fn gives_up() -> InvocationEnding {
    InvocationEnding::Failed { summary: None, error_code: None, output: Default::default() }
}

pub(super) fn written(stored: Option<String>) -> Vec<StoreWrite> {
    let count = stored.map_or(0, |count| count.parse::<i64>().unwrap()) + 1;
    let value = (count % 5 != 0).then(|| count.to_string());
    vec![StoreWrite { owner: Owner::Skill, key: "c".to_owned(), value }]
}

/// A number computed from everything in the request.
fn input_checksum(call: &AttemptCall) -> i64 {
    let total = call.request.state.get("total").and_then(Value::as_i64).unwrap_or(0);
    let stored = call.store.as_ref().and_then(|store| store.get("c")).map(|c| c.parse::<i64>());
    let inputs: i64 = call.request.inputs.values().map(number).sum();
    let x = number(call.request.input.get("x").unwrap_or(&Value::Null));
    (total + 3 * stored.map_or(0, Result::unwrap) + 5 * inputs + 7 * x) % 8
}

pub(super) fn number(value: &Value) -> i64 {
    match value {
        Value::Number(number) => number.as_i64().unwrap(),
        Value::Object(fields) => 1 + fields.get("n").map_or(0, number),
        Value::Array(items) => 2 + items.iter().map(number).sum::<i64>(),
        _ => 0,
    }
}
