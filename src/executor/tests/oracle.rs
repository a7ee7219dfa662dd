//! Random plans against a model of the rules: the whole traces must be equal, to the millisecond.

mod model;
mod random_plan;
mod real;

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Mutex,
};

use tokio::runtime::{Builder, Runtime};

use self::{
    model::{ReferenceModel, code, recorded_failure},
    random_plan::{RandomPlan, SKILLS, random_plan},
};
use crate::{Failure, Outcome, ReusedResults, StepTrace, Trace};
use narratoria_plan::StepIdx;
use narratoria_skills::HealthTracker;

/// Plans of `cargo test`, all shards together.
const PLANS: u64 = 20_000;

const SHARDS: u64 = 4;

fn clock() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

/// Replaces failures whose details the model does not predict.
fn normalized(mut trace: Trace) -> Trace {
    let simplify = |why: &mut Failure| {
        if let Failure::Reference(_)
        | Failure::Condition(_)
        | Failure::InputMismatch { .. }
        | Failure::NotAList { .. }
        | Failure::TooManyItems { .. }
        | Failure::UnexpectedOutput { .. } = why
        {
            *why = recorded_failure(&why.code());
        }
    };
    for step in &mut trace.steps {
        match &mut step.outcome {
            Outcome::Failed { why } | Outcome::TimedOut { why } => simplify(why),
            Outcome::Done { .. } | Outcome::Skipped { .. } => {}
        }
        if let Some(arbitration) = &mut step.arbitration {
            let why = step.attempts.iter().filter_map(|attempt| attempt.failure.as_ref());
            let codes: BTreeMap<String, String> =
                why.map(|why| (why.to_string(), code(why))).collect();
            for takeover in &mut arbitration.takeovers {
                if let Some(code) = codes.get(&takeover.why) {
                    takeover.why.clone_from(code);
                }
            }
            for passed in &mut arbitration.passed_over {
                if passed.why.starts_with("its input is not what") {
                    passed.why = "input".to_owned();
                }
            }
        }
        step.attempts.iter_mut().filter_map(|attempt| attempt.failure.as_mut()).for_each(simplify);
    }
    trace
}

fn health(tracker: &HealthTracker) -> Vec<&'static str> {
    (0..SKILLS).map(|skill| tracker.health(&format!("k{skill}")).as_str()).collect()
}

/// The difference between the executor and the model, if any.
fn difference(clock: &Runtime, rough: &RandomPlan, reused: &ReusedResults) -> Option<String> {
    let plan = real::plan(rough);
    let (real, real_health) = clock.block_on(real::run(rough, &plan, reused.clone()));
    let (modelled, model_health) = ReferenceModel::run(rough, reused.clone());
    let (real, modelled) = (normalized(real), normalized(modelled));
    if real == modelled && health(&real_health) == health(&model_health) {
        return None;
    }
    let step = real.steps.iter().zip(&modelled.steps).position(|(real, model)| real != model);
    Some(match step {
        Some(at) => format!("step s{at}: {:#?}\nmodel: {:#?}", real.steps[at], modelled.steps[at]),
        None => format!(
            "{:#?} {:?}\nmodel: {:#?} {:?}",
            Trace { steps: Vec::new(), ..real },
            health(&real_health),
            Trace { steps: Vec::new(), ..modelled },
            health(&model_health)
        ),
    })
}

/// The steps to reuse, with their results from a first execution: only successful steps whose needs are
/// reused too.
fn reused_results(rough: &RandomPlan) -> ReusedResults {
    if rough.reused.is_empty() {
        return ReusedResults::new();
    }
    let (trace, _) =
        ReferenceModel::run(&RandomPlan { cancel_at: None, ..rough.clone() }, ReusedResults::new());
    let mut reused: BTreeSet<usize> = BTreeSet::new();
    for (idx, step) in trace.steps.iter().enumerate() {
        let wanted = rough.reused.contains(&idx);
        let needs_reused = rough.steps[idx].all_needs().iter().all(|need| reused.contains(need));
        if wanted && needs_reused && matches!(step.outcome, Outcome::Done { .. }) {
            reused.insert(idx);
        }
    }
    let result = |idx: usize| -> (StepIdx, StepTrace) { (StepIdx(idx), trace.steps[idx].clone()) };
    reused.into_iter().map(result).collect()
}

fn differs(clock: &Runtime, rough: &RandomPlan) -> Option<String> {
    difference(clock, rough, &reused_results(rough))
}

/// Removes steps as long as the difference remains.
fn reduced(clock: &Runtime, rough: RandomPlan) -> RandomPlan {
    for removed in (0..rough.steps.len()).rev() {
        let fewer = rough.without(removed);
        if differs(clock, &fewer).is_some() {
            return reduced(clock, fewer);
        }
    }
    rough
}

fn check(seeds: impl Iterator<Item = u64>) {
    let clock = clock();
    for seed in seeds {
        let plan = random_plan(seed);
        if differs(&clock, &plan).is_none() {
            continue;
        }
        let plan = reduced(&clock, plan);
        let what = differs(&clock, &plan).unwrap_or_default();
        panic!("seed {seed}: {plan:#?}\n{what}");
    }
}

/// Prints no panics of the scripted runner, which are intended; panics of the tests stay visible.
fn quietly(run: impl FnOnce()) {
    static HOOKED: Mutex<bool> = Mutex::new(false);
    let mut hooked = HOOKED.lock().unwrap();
    if !std::mem::replace(&mut *hooked, true) {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if panic.payload().downcast_ref::<&str>() != Some(&"fell over") {
                before(panic);
            }
        }));
    }
    drop(hooked);
    if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
        std::panic::resume_unwind(panic);
    }
}

fn shard(of: u64) {
    quietly(|| check((0..PLANS / SHARDS).map(|at| at * SHARDS + of)));
}

/// S0 FR-011 to FR-022, docs/plans.md, "Order, time and failure".
#[test]
fn plans_end_as_the_model_says() {
    shard(0);
}

#[test]
fn plans_end_as_the_model_says_1() {
    shard(1);
}

#[test]
fn plans_end_as_the_model_says_2() {
    shard(2);
}

#[test]
fn plans_end_as_the_model_says_3() {
    shard(3);
}

/// Found by `make soak`: an attempt that ends at the very moment of a cancel without grace.
#[test]
fn plans_that_once_differed_agree() {
    quietly(|| check([26_046, 46_595].into_iter()));
}

/// Without this, the model might agree only because nothing happens.
#[test]
fn the_plans_meet_every_rule() {
    let mut words: BTreeMap<String, u32> = BTreeMap::new();
    for seed in 0..1_500 {
        let plan = random_plan(seed);
        let (trace, _) = ReferenceModel::run(&plan, reused_results(&plan));
        let mut count = |word: &str| *words.entry(word.to_owned()).or_default() += 1;
        for step in &trace.steps {
            match &step.outcome {
                Outcome::Skipped { because } => count(because.as_str()),
                Outcome::Done { .. } if step.items.is_some() => count("loop"),
                outcome => count(outcome.failure().map_or("success", |why| leak(code(why)))),
            }
            step.approval.iter().for_each(|approval| count(approval.as_str()));
            let arbitration = step.arbitration.iter();
            arbitration
                .flat_map(|arbitration| &arbitration.takeovers)
                .for_each(|_| count("takeover"));
            step.reused.then(|| count("reused"));
            (step.retry_count() > 0).then(|| count("retry"));
        }
    }
    let rare: Vec<_> = words.iter().filter(|(_, count)| **count < 5).collect();
    let words: Vec<&str> = words.keys().map(String::as_str).collect();
    insta::assert_snapshot!(words.join(" "), @"CANCELLED CONDITION_UNANSWERED CUT_SHORT HOST_CRASHED INPUT_MISMATCH NOT_A_LIST PLAN_TIMEOUT REFERENCE_MISSING REFERENCE_NO_OUTPUT TOOL_FAILED TOOL_TIMEOUT TOO_MANY_ITEMS TRAP UNEXPECTED_OUTPUT cancelled condition_false denied dependency_denied dependency_failed granted loop plan_stopped plan_timeout retry reused skipped_by_player success takeover");
    assert!(rare.is_empty(), "{rare:?}");
}

fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// Without limits, the latencies, the number of slots and the moments of decisions change only the times.
#[test]
fn the_result_never_depends_on_the_interleaving() {
    let clock = clock();
    quietly(|| {
        for seed in 0..500 {
            let plan = random_plan::unhurried(random_plan(seed), seed);
            let other = random_plan::unhurried(random_plan(seed), seed + 1_000_000);
            assert_eq!(
                untimed_trace(&clock, &plan),
                untimed_trace(&clock, &other),
                "seed {seed}: {plan:#?}"
            );
        }
    });
}

/// The trace without its times.
fn untimed_trace(clock: &Runtime, rough: &RandomPlan) -> String {
    let (trace, tracker) =
        clock.block_on(real::run(rough, &real::plan(rough), ReusedResults::new()));
    let trace = normalized(trace);
    let mut text = format!("{:?} {:?}\n", trace.state, health(&tracker));
    for step in &trace.steps {
        let attempts = step.attempts.iter().map(|attempt| {
            (
                &attempt.executed_by.skill,
                attempt.item,
                &attempt.events,
                &attempt.writes,
                &attempt.failure,
            )
        });
        text.push_str(&format!("{:?} {:?}\n", step.outcome, attempts.collect::<Vec<_>>()));
    }
    text
}

/// `make soak`: as many plans as `SOAK_PLANS` says, on two threads, from `SOAK_FROM` on.
#[test]
#[ignore = "takes minutes, `make soak` runs it"]
fn a_million_plans_end_as_the_model_says() {
    let number = |name: &str, default: u64| match std::env::var(name) {
        Ok(text) => text.parse().expect("a number"),
        Err(_) => default,
    };
    let (plans, from) = (number("SOAK_PLANS", 1_000_000), number("SOAK_FROM", PLANS));
    quietly(|| {
        std::thread::scope(|scope| {
            let half = |of: u64| (from..from + plans).filter(move |seed| seed % 2 == of);
            scope.spawn(move || check(half(0)));
            scope.spawn(move || check(half(1)));
        });
    });
}
