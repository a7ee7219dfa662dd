//! One invocation after the other, against three peers.

use std::{path::Path, time::Instant};

use narratoria_guests::{ECHO, Guest, NULL};
use narratoria_sandbox::{Sandbox, SandboxOptions};
use narratoria_skills::Grants;

use crate::{bare::Bare, job, median, native, peer::Peer, recorded};

/// Batches; each measures all of them.
const BATCHES: usize = 40;
/// Invocations of one kind in a batch. Spawning is slow, so there are fewer.
const CALLS: u32 = 200;
const SPAWNS: u32 = 20;

/// Microseconds a call, one for each batch.
#[derive(Default)]
struct Times {
    ours: Vec<f64>,
    bare: Vec<f64>,
    /// Bare instances that never run.
    instance: Vec<f64>,
    native: Vec<f64>,
    extism: Vec<f64>,
}

pub(crate) fn run() -> wasmtime::Result<()> {
    let natives = native::build(&[NULL.name, ECHO.name])?;
    measure(&NULL, &natives, None)?;
    let peer = Peer::start(&job::request())?;
    if peer.is_none() {
        println!("one: extism was not built (`scripts/peers.sh` does it), so it is not compared");
    }
    measure(&ECHO, &natives, peer)
}

fn measure(guest: &Guest, natives: &Path, mut peer: Option<Peer>) -> wasmtime::Result<()> {
    let sandbox = Sandbox::open(&SandboxOptions::default())?;
    let prepared = sandbox.load(guest.component, &Grants::default())?;
    let bare_side = Bare::new(sandbox.engine(), guest.component)?;
    let program = natives.join(guest.name);
    let line = job::request();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut times = Times::default();
    for batch in 0..=BATCHES {
        let ours = time(CALLS, || runtime.block_on(job::call(&prepared, &line)))?;
        let bare = time(CALLS, || runtime.block_on(bare_side.call(&line)))?;
        let instance = time(CALLS, || runtime.block_on(bare_side.instantiate(&line)))?;
        let native = time(SPAWNS, || native::spawn(&program, &line))?;
        let extism = peer.as_mut().map(|peer| peer.calls(CALLS)).transpose()?;
        if batch > 0 {
            // The first batch warms caches, the pool and the page tables.
            times.ours.push(ours);
            times.bare.push(bare);
            times.instance.push(instance);
            times.native.push(native);
            times.extism.extend(extism);
        }
    }
    tell(guest.name, &times);
    Ok(())
}

fn tell(name: &str, times: &Times) {
    let Times { ours, bare, instance, native, extism } = times;
    let ratio = |above: &[f64], below: &[f64]| {
        median(above.iter().zip(below).map(|(above, below)| above / below))
    };
    let us = |times: &[f64]| median(times.iter().copied());
    println!("one {name}: warm invocation {:.1} us", us(ours));
    let over_bare: Vec<f64> = ours.iter().zip(bare).map(|(ours, bare)| ours / bare).collect();
    println!(
        "one {name}: warm invocation / bare wasmtime: {:.2} (aim: at most 1.15; bare {:.1} us)",
        median(over_bare.iter().copied()),
        us(bare)
    );
    println!("one {name}: {}", recorded::compare(name, &over_bare));
    println!(
        "one {name}: making and dropping a bare instance {:.1} us, {:.0} % of a warm invocation",
        us(instance),
        100.0 * ratio(instance, ours)
    );
    println!(
        "one {name}: native process / warm invocation: {:.1} (aim: at least 20; native {:.1} us)",
        ratio(native, ours),
        us(native)
    );
    if !extism.is_empty() {
        println!(
            "one {name}: extism, a fresh plugin a call / warm invocation: {:.1} (aim: at least 4; extism {:.1} us)",
            ratio(extism, ours),
            us(extism)
        );
    }
}

/// Microseconds a call.
fn time(calls: u32, mut call: impl FnMut() -> wasmtime::Result<()>) -> wasmtime::Result<f64> {
    let started = Instant::now();
    for _ in 0..calls {
        call()?;
    }
    Ok(started.elapsed().as_secs_f64() * 1e6 / f64::from(calls))
}
