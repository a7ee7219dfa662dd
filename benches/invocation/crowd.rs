//! Concurrent invocations, without queueing.
//!
//! With 64 callers on two cores each caller mostly waits for the others, which no implementation can avoid. So the bench
//! measures the time in which the runtime polls an invocation, added up. It contains the extra cost of locks, the pool
//! and the page tables under load, but not the time spent waiting for a core or for admission.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use narratoria_guests::ECHO;
use narratoria_sandbox::{LoadedComponent, Sandbox, SandboxOptions};
use narratoria_skills::Grants;
use tokio::{runtime::Runtime, task::JoinSet};

use crate::{job, median, percentile};

const CALLERS: [usize; 4] = [1, 16, 64, 256];
const BATCHES: usize = 9;
/// Invocations in a batch, over all callers.
const CALLS: usize = 1_024;

/// Results of one batch.
struct Batch {
    /// Invocations a second.
    throughput: f64,
    /// Microseconds of work.
    worked: Vec<f64>,
    /// Microseconds from the call to the answer.
    waited: Vec<f64>,
}

pub(crate) fn run() -> wasmtime::Result<()> {
    let cores = thread::available_parallelism()?.get();
    // Their memory limits exceed the host's budget; here the pool decides.
    let memory_budget = Some(1 << 40);
    let sandbox = Sandbox::open(&SandboxOptions { memory_budget, ..SandboxOptions::default() })?;
    let prepared = sandbox.load(ECHO.component, &Grants::default())?;
    let line: Arc<[u8]> = job::request().into();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(cores).enable_all().build()?;
    let mut batches: [Vec<Batch>; CALLERS.len()] = Default::default();
    for batch in 0..=BATCHES {
        for (callers, batches) in CALLERS.into_iter().zip(&mut batches) {
            let measured = measure(&runtime, &prepared, &line, callers)?;
            if batch > 0 {
                batches.push(measured);
            }
        }
    }
    let [alone, ..] = &batches;
    let usual = |batch: &Batch| percentile(batch.worked.iter().copied(), 0.5);
    for (callers, batches) in CALLERS.into_iter().zip(&batches) {
        let pairs = || batches.iter().zip(alone);
        let throughput =
            median(pairs().map(|(b, a)| b.throughput / (a.throughput * cores.min(callers) as f64)));
        let slowest =
            median(pairs().map(|(b, a)| percentile(b.worked.iter().copied(), 0.99) / usual(a)));
        let answered = median(batches.iter().map(|b| percentile(b.waited.iter().copied(), 0.99)));
        println!(
            "crowd {callers:>3}: throughput {throughput:.2} x cores x one alone (aim: at least 0.9); \
             p99 of work {slowest:.1} x p50 alone (aim: at most 10 at 64); p99 with queueing {answered:.0} us"
        );
    }
    Ok(())
}

fn measure(
    runtime: &Runtime,
    prepared: &LoadedComponent,
    line: &Arc<[u8]>,
    callers: usize,
) -> wasmtime::Result<Batch> {
    runtime.block_on(async {
        let started = Instant::now();
        let mut crowd = JoinSet::new();
        for _ in 0..callers {
            let (prepared, line) = (prepared.clone(), Arc::clone(line));
            crowd.spawn(async move {
                let mut times = Vec::new();
                for _ in 0..CALLS / callers {
                    let called = Instant::now();
                    let (done, worked) = working(job::call(&prepared, &line)).await;
                    done?;
                    times.push((worked, called.elapsed()));
                }
                Ok::<_, wasmtime::Error>(times)
            });
        }
        let (mut worked, mut waited) = (Vec::new(), Vec::new());
        while let Some(times) = crowd.join_next().await {
            for (work, wait) in times?? {
                worked.push(work.as_secs_f64() * 1e6);
                waited.push(wait.as_secs_f64() * 1e6);
            }
        }
        let throughput = worked.len() as f64 / started.elapsed().as_secs_f64();
        Ok(Batch { throughput, worked, waited })
    })
}

/// The future's output, and the time spent polling it.
async fn working<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let (mut work, mut worked) = (pin!(work), Duration::ZERO);
    poll_fn(|context| {
        let taken_up = Instant::now();
        let polled = work.as_mut().poll(context);
        worked += taken_up.elapsed();
        polled.map(|value| (value, worked))
    })
    .await
}
