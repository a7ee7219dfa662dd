//! How late a runaway is stopped while sixty-four other invocations run, all of which succeed.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use narratoria_sandbox::{InvocationLimits, LoadedComponent};
use tokio::task::JoinSet;

use super::support::{self, ending_text};

/// Concurrent loops of invocations beside the runaway.
const BESIDE: usize = 64;

/// Guests that run without end in different ways: in their own code, in cheap host calls, in expensive host calls, in
/// polls, in output, and before `run` starts.
const KINDS: [&str; 6] =
    ["loop-forever", "empty-writes", "draws-random", "polls-many", "stderr-flood", "start-loops"];

const LIMITS: InvocationLimits =
    InvocationLimits { time: Duration::from_millis(20), ..support::LIMITS };

/// Longer for the others, which share the processors with each other.
const LIMITS_BESIDE: InvocationLimits =
    InvocationLimits { time: Duration::from_secs(60), ..support::LIMITS };

/// The project's own bounds for the median and the maximum.
const LATE_MAX: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(50));

fn runaways() -> Vec<(&'static str, LoadedComponent)> {
    let sandbox = support::sandbox();
    let load = |name: &'static str| {
        let crafted = super::crafted::ALL.iter().find(|crafted| crafted.name == name);
        let component = match crafted {
            Some(crafted) => {
                sandbox.load(&crafted.bytes(), &narratoria_guests::host::grants_of(name)).unwrap()
            }
            None => support::load(&sandbox, name),
        };
        (name, component)
    };
    KINDS.into_iter().map(load).collect()
}

/// `RUNAWAYS=1000` runs as many of each kind.
#[test]
#[ignore = "it measures time: `make hostile`"]
fn a_runaway_is_stopped_in_time_beside_sixty_four_others_that_all_finish() {
    let each: usize = std::env::var("RUNAWAYS").map_or(50, |each| each.parse().unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let runaways = runaways();
    let busy = support::load(&support::sandbox(), "tallies");
    runtime.block_on(async move {
        let (over, finished) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let mut beside = JoinSet::new();
        for _ in 0..BESIDE {
            let (busy, over, finished) = (busy.clone(), Arc::clone(&over), Arc::clone(&finished));
            beside.spawn(async move {
                while !over.load(Ordering::Relaxed) {
                    let ended = support::run(&busy, "tallies", LIMITS_BESIDE).await.ending;
                    assert_eq!(ending_text(&ended), "ok");
                    finished.fetch_add(1, Ordering::Relaxed);
                    // The executor runs each invocation as a task, so other tasks run between two of them.
                    tokio::task::yield_now().await;
                }
            });
        }
        let mut worst = Vec::new();
        for (name, component) in &runaways {
            let mut late = Vec::new();
            for _ in 0..each {
                let component = component.clone();
                let job = support::job(name, LIMITS);
                // A task of its own, as in the executor.
                let running = tokio::spawn(async move {
                    let began = Instant::now();
                    let ending = component.run(job, Box::new(|_| {})).await.ending;
                    (ending_text(&ending), began.elapsed())
                });
                let (ending, took) = running.await.unwrap();
                assert_eq!(ending, "ran past its time limit of 20 ms", "{name}");
                late.push(took.saturating_sub(LIMITS.time));
            }
            late.sort();
            let (median, last) = (late[each / 2], late[each - 1]);
            println!("{name}: {each} runaways late by {median:?} (median), {last:?} (worst)");
            worst.push((name, median, last));
        }
        over.store(true, Ordering::Relaxed);
        while let Some(ended) = beside.join_next().await {
            ended.unwrap();
        }
        println!("{} others finished beside them", finished.load(Ordering::Relaxed));
        for (name, median, last) in worst {
            assert!(median <= LATE_MAX.0 && last <= LATE_MAX.1, "{name}: {median:?}, {last:?}");
        }
    });
}
