//! What one warm invocation costs, as ratios measured in the same run.
//!
//! `make bench` prints three lines: the sandbox against bare wasmtime on the same engine (what our
//! limits, decoding and reports add), the sandbox against spawning the same program compiled natively
//! (what a sandbox saves), and the medians themselves, which hold only for the machine of the day.
//!
//! The three are measured in turn, batch by batch, so that a slow moment of the machine hits all of
//! them; each ratio is the median over the batches.

#![expect(clippy::print_stdout, reason = "what it measures goes to stdout")]

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use narratoria::{
    protocol::{OPERATION_RUN, Object, Request},
    sandbox::{Ending, Job, Limits, Prepared, Sandbox, SandboxOptions},
    skills::Grants,
};
use serde_json::json;
use wasmtime::{
    Store,
    component::{Component, Linker, ResourceTable},
};
use wasmtime_wasi::{
    WasiCtx, WasiCtxView, WasiView,
    p2::{
        bindings::CommandPre,
        pipe::{MemoryInputPipe, MemoryOutputPipe},
    },
};

/// Batches; each measures all three.
const BATCHES: usize = 40;
/// Invocations of one kind in a batch. Spawning is slow, so there are fewer.
const CALLS: u32 = 200;
const SPAWNS: u32 = 20;

const LIMITS: Limits = Limits {
    time: Duration::from_secs(30),
    fuel: 20_000_000_000,
    memory_bytes: 64 << 20,
    stdout_bytes: 4 << 20,
};

struct Guest {
    wasi: WasiCtx,
    table: ResourceTable,
}

impl WasiView for Guest {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

fn main() -> wasmtime::Result<()> {
    let native = build_natively()?;
    let sandbox = Sandbox::open(&SandboxOptions::default())?;
    let wasm = narratoria_guests::NULL.component;
    let prepared = sandbox.load(wasm, &Grants::default())?;
    let mut linker = Linker::new(sandbox.engine());
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    let component = Component::from_binary(sandbox.engine(), wasm)?;
    let bare = CommandPre::new(linker.instantiate_pre(&component)?)?;
    let line = request().to_line();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;

    let (mut ours, mut bares, mut spawns) = (Vec::new(), Vec::new(), Vec::new());
    for batch in 0..BATCHES + 1 {
        let our = time(CALLS, || runtime.block_on(call_ours(&prepared, &line)))?;
        let bare = time(CALLS, || runtime.block_on(call_bare(&bare, &line)))?;
        let spawn = time(SPAWNS, || spawn(&native, &line))?;
        if batch > 0 {
            // The first batch warms caches, the pool and the page tables.
            ours.push(our);
            bares.push(bare);
            spawns.push(spawn);
        }
    }
    let over_bare = median(ours.iter().zip(&bares).map(|(our, bare)| our / bare));
    let spawn_over = median(spawns.iter().zip(&ours).map(|(spawn, our)| spawn / our));
    println!("warm invocation / bare wasmtime, same engine: {over_bare:.2} (aim: at most 1.25)");
    println!("spawning the native program / warm invocation: {spawn_over:.1} (aim: at least 12)");
    println!(
        "medians here: invocation {:.1} us, bare {:.1} us, spawn {:.1} us",
        median(ours.into_iter()),
        median(bares.into_iter()),
        median(spawns.into_iter())
    );
    Ok(())
}

fn request() -> Request {
    Request {
        request_id: "00000000-0000-4000-8000-000000000000".to_owned(),
        tool: "null".to_owned(),
        operation: OPERATION_RUN.to_owned(),
        input: Object::new(),
        config: Object::new(),
        state: json!({}),
        inputs: Object::new(),
        seed: 7,
    }
}

async fn call_ours(prepared: &Prepared, line: &[u8]) -> wasmtime::Result<()> {
    let job = Job {
        stdin: line.to_vec(),
        seed: 7,
        limits: LIMITS,
        env: Vec::new(),
        preopens: Vec::new(),
        store: None,
        writer: None,
        answers: None,
    };
    let invocation = prepared.run(job, Box::new(|_| {})).await;
    wasmtime::ensure!(matches!(invocation.ending, Ending::Done { .. }), "{:?}", invocation.ending);
    Ok(())
}

async fn call_bare(bare: &CommandPre<Guest>, line: &[u8]) -> wasmtime::Result<()> {
    let stdout = MemoryOutputPipe::new(LIMITS.stdout_bytes as usize);
    let mut wasi = WasiCtx::builder();
    wasi.stdin(MemoryInputPipe::new(line.to_vec())).stdout(stdout.clone());
    let guest = Guest { wasi: wasi.build(), table: ResourceTable::new() };
    let mut store = Store::new(bare.engine(), guest);
    store.set_fuel(LIMITS.fuel)?;
    store.fuel_async_yield_interval(Some(100_000))?;
    let command = bare.instantiate_async(&mut store).await?;
    let returned = command.wasi_cli_run().call_run(&mut store).await?;
    wasmtime::ensure!(returned.is_ok(), "the guest failed");
    wasmtime::ensure!(stdout.contents().ends_with(b"\n"), "the guest said nothing");
    Ok(())
}

fn spawn(program: &Path, line: &[u8]) -> wasmtime::Result<()> {
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    child.stdin.take().expect("stdin is piped").write_all(line)?;
    let output = child.wait_with_output()?;
    wasmtime::ensure!(output.status.success() && output.stdout.ends_with(b"\n"), "{output:?}");
    Ok(())
}

/// Microseconds per call.
fn time(calls: u32, mut call: impl FnMut() -> wasmtime::Result<()>) -> wasmtime::Result<f64> {
    let started = Instant::now();
    for _ in 0..calls {
        call()?;
    }
    Ok(started.elapsed().as_secs_f64() * 1e6 / f64::from(calls))
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// The very same source, for this machine.
fn build_natively() -> wasmtime::Result<PathBuf> {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("native");
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--locked", "-p", "narratoria-guest-programs"])
        .args(["--bin", "null", "--target-dir"])
        .arg(&target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()?;
    wasmtime::ensure!(status.success(), "the native program does not build");
    Ok(target.join("release").join("null"))
}
