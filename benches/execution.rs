//! The executor's overhead for each step of a plan, compared with the crate dagx on the same graph in the same run.
//!
//! `make bench` prints a line for each kind of graph and each size: microseconds a step with scripts that end at once, on
//! the product's runtime, and microseconds a step of dagx, whose tasks do nothing. dagx has no state, trace, limits or
//! retries, so it shows the cost of the graph alone. The last line of a graph compares the cost of a step in large plans
//! with the cost in small ones: 1.0 is linear.
//!
//! The two sides alternate, so that a slow moment of the machine hits both. Plans are built beforehand.

#![expect(clippy::print_stdout, reason = "what it measures goes to stdout")]

use std::{
    future::Future,
    num::NonZeroUsize,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use dagx::{DagRunner, TaskHandle, task_fn};
use narratoria_executor::{
    AttemptCall, Execution, ExecutionOptions, PendingRequests, ReusedResults, Runner, StateRules,
    StoreSnapshots, execute,
};
use narratoria_plan::{BuildOptions, Plan};
use narratoria_protocol::Object;
use narratoria_protocol::StoryState;
use narratoria_protocol::{
    InvocationEnding, InvocationOutcome, InvocationOutputSink, ResourceUsage,
};
use narratoria_skills::{
    Catalog, ComponentFile, Grants, HealthTracker, PackageOrigin, RetryPolicy, Schema, Script,
    ScriptLimits, Skill,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Steps of a plan. The last size exceeds the limit of a plan, to show how the cost grows.
const SIZES: [usize; 3] = [16, 256, 4_096];

/// How often each plan is measured.
const BATCHES: usize = 21;

/// Steps run in one batch.
const STEPS_PER_BATCH: usize = 8_192;

/// For each step the steps that it needs.
type Graph = Vec<Vec<usize>>;

fn main() {
    let slots = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.expect("the runtime starts");
    println!("executor: microseconds a step, medians of {BATCHES} batches, {slots} slots");
    for (name, shape) in
        [("chain", chain as fn(usize) -> Graph), ("wide", wide), ("layers", layers)]
    {
        for is_parallel in [false, true] {
            let how = if is_parallel { "parallel" } else { "sequential" };
            let per_step = SIZES.map(|steps| {
                let graph = shape(steps);
                let plan = plan(&graph, is_parallel);
                let (mut ours, mut peers) = (Vec::new(), Vec::new());
                for batch in 0..=BATCHES {
                    let our = time(steps, || runtime.block_on(run(&plan, slots)));
                    let peer = peer(&runtime, &graph);
                    if batch > 0 {
                        ours.push(our);
                        peers.push(peer);
                    }
                }
                let (our, peer) = (median(ours), median(peers));
                println!("{name:>7} {how:>10} {steps:>5}: {our:>6.2} us, dagx {peer:>6.2} us");
                our
            });
            println!(
                "{name:>7} {how:>10}: 256 / 16 {:.2}, 4096 / 256 {:.2} (aim: at most 10 us, 1.0 is linear)",
                per_step[1] / per_step[0],
                per_step[2] / per_step[1]
            );
        }
    }
}

fn chain(steps: usize) -> Graph {
    (0..steps).map(|step| step.checked_sub(1).into_iter().collect()).collect()
}

fn wide(steps: usize) -> Graph {
    vec![Vec::new(); steps]
}

/// Layers of eight; each step needs one or two of the layer before.
fn layers(steps: usize) -> Graph {
    let mut dice = 7_u64;
    let mut below = move |limit: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) as usize % limit
    };
    (0..steps)
        .map(|step| {
            let Some(before) = (step / 8).checked_sub(1) else { return Vec::new() };
            let mut needs = vec![before * 8 + below(8), before * 8 + below(8)];
            needs.dedup();
            needs
        })
        .collect()
}

fn plan(graph: &Graph, is_parallel: bool) -> Plan {
    let tools: Vec<Value> = graph
        .iter()
        .enumerate()
        .map(|(step, needs)| {
            let needs: Vec<String> = needs.iter().map(|need| format!("s{need}")).collect();
            json!({"toolId": format!("s{step}"), "toolPath": "null/run", "dependencies": needs,
                "input": {"sides": 6}, "async": true})
        })
        .collect();
    let plan = json!({"requestId": "00000000-0000-4000-8000-000000000000", "tools": tools,
        "parallel": is_parallel});
    let plan = serde_json::from_value(plan).expect("it is a plan");
    let options = BuildOptions { steps_max: Some(graph.len()), ..BuildOptions::default() };
    Plan::build(plan, &catalog(), &options).expect("it can run")
}

fn catalog() -> Catalog {
    let script = Script {
        name: "run".to_owned(),
        path: "scripts/run.wasm".to_owned(),
        description: String::new(),
        input_schema: Schema::build(json!({"type": "object"})).expect("it is a schema"),
        output_schema: None,
        timeout: Duration::from_secs(30),
        required: true,
        is_async: true,
        requires_approval: false,
        is_offered: true,
        is_heavy: false,
        input_errors: Vec::new(),
        reads: Vec::new(),
        limits: ScriptLimits { fuel: 1, memory_bytes: 1, stdout_bytes: 1 },
        grants: Grants::default(),
        component: ComponentFile::in_memory(&[]),
    };
    let mut catalog = Catalog::default();
    catalog.insert(Skill {
        name: "null".to_owned(),
        display_name: "Null".to_owned(),
        description: String::new(),
        version: semver::Version::new(1, 0, 0),
        author: None,
        license: None,
        prompt: String::new(),
        capabilities: Vec::new(),
        priority: 50,
        retry: RetryPolicy { retries_max: 0, backoff: Duration::ZERO },
        names_backoff: true,
        triggers: Vec::new(),
        examples: Vec::new(),
        scripts: vec![script],
        writes: Vec::new(),
        config: Object::new(),
        secrets: Vec::new(),
        setting_variables: Default::default(),
        origin: PackageOrigin::BuiltIn,
        signer: None,
    });
    catalog
}

struct Null;

impl Runner for Null {
    fn run(
        &self,
        _: AttemptCall,
        _: InvocationOutputSink,
    ) -> Pin<Box<dyn Future<Output = InvocationOutcome> + Send>> {
        Box::pin(std::future::ready(InvocationOutcome {
            ending: InvocationEnding::Done { summary: None, output: Object::new() },
            usage: ResourceUsage::default(),
            stderr_tail: String::new(),
            writes: Vec::new(),
            files: Vec::new(),
        }))
    }
}

async fn run(plan: &Plan, slots: NonZeroUsize) {
    let execution = Execution {
        plan,
        start: &StoryState::default(),
        rules: &StateRules::default(),
        stores: &StoreSnapshots::new(),
        entities: Arc::new(narratoria_protocol::NoEntities),
        reused_results: ReusedResults::new(),
        runner: Arc::new(Null),
        health: &mut HealthTracker::default(),
        cancel: CancellationToken::new(),
        options: &ExecutionOptions::new(slots, 7),
        pending: &PendingRequests::new(),
        arbiter: None,
    };
    let trace = execute(execution, &mut |_| {}).await;
    assert!(trace.success, "every step of the bench succeeds");
}

/// Microseconds a step. A graph of dagx runs only once, so each run builds it again, outside the measured time.
fn peer(runtime: &tokio::runtime::Runtime, graph: &Graph) -> f64 {
    let repeats = (STEPS_PER_BATCH / graph.len()).max(1);
    let mut took = Duration::ZERO;
    for _ in 0..repeats {
        let dag = DagRunner::new();
        let mut steps: Vec<TaskHandle<i32>> = Vec::with_capacity(graph.len());
        for needs in graph {
            let step = match needs[..] {
                [] => dag.add_task(task_fn(|(): ()| async { 1 })).into(),
                [need] => {
                    let task = task_fn(|need: i32| async move { need.wrapping_add(1) });
                    dag.add_task(task).depends_on(steps[need])
                }
                [one, other, ..] => {
                    let task = task_fn(|(a, b): (i32, i32)| async move { a.wrapping_add(b) });
                    dag.add_task(task).depends_on((&steps[one], &steps[other]))
                }
            };
            steps.push(step);
        }
        let started = Instant::now();
        let ran = runtime.block_on(dag.run(|task| drop(tokio::spawn(task))));
        took += started.elapsed();
        ran.expect("every task of the bench succeeds");
    }
    took.as_secs_f64() * 1e6 / (repeats * graph.len()) as f64
}

/// Microseconds a step.
fn time(steps: usize, mut run: impl FnMut()) -> f64 {
    let repeats = (STEPS_PER_BATCH / steps).max(1);
    let started = Instant::now();
    for _ in 0..repeats {
        run();
    }
    started.elapsed().as_secs_f64() * 1e6 / (repeats * steps) as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
