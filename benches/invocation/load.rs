//! Loading a component from the cache: finding, checking, mapping and linking it.

use std::time::Instant;

use narratoria_sandbox::{Sandbox, SandboxOptions};
use narratoria_skills::Grants;
use wasmtime::{Engine, component::Component};

use crate::{median, percentile};

const LOADS: usize = 300;

/// The size that the aim refers to.
const COMPONENT_BYTES: usize = 300_000;

pub(crate) fn run() -> wasmtime::Result<()> {
    let folder = tempfile::tempdir()?;
    let cache_folder = Some(folder.path().to_owned());
    let sandbox = Sandbox::open(&SandboxOptions { cache_folder, ..SandboxOptions::default() })?;
    // The largest guest of at most that size whose imports need no grant, padded with an unused section.
    let small = narratoria_guests::ALL.iter().filter(|guest| {
        let fits = guest.component.len() < COMPONENT_BYTES;
        fits && sandbox.load(guest.component, &Grants::default()).is_ok()
    });
    let guest = small.max_by_key(|guest| guest.component.len()).expect("there are guests");
    let wasm = padded(guest.component, COMPONENT_BYTES, 0);
    let started = Instant::now();
    sandbox.load(&wasm, &Grants::default())?;
    let compiled = started.elapsed().as_secs_f64() * 1e3;
    let code = Component::from_binary(sandbox.engine(), &wasm)?.serialize()?;
    let (mut loads, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..LOADS {
        loads.push(time(|| sandbox.load(&wasm, &Grants::default()).map(drop))?);
        plain.push(time(|| deserialize(sandbox.engine(), &code))?);
    }
    println!(
        "load: {} KB of wasm (`{}`), {} KB of code, from the cache: p50 {:.2} ms, p99 {:.2} ms (aim: at most 1); \
         compiled {compiled:.0} ms; reading the same code from memory unchecked and unlinked {:.2} ms",
        wasm.len() / 1_000,
        guest.name,
        code.len() / 1_000,
        median(loads.iter().copied()),
        percentile(loads, 0.99),
        median(plain),
    );
    Ok(())
}

fn deserialize(engine: &Engine, code: &[u8]) -> wasmtime::Result<()> {
    #[expect(unsafe_code, reason = "code that was compiled a moment ago")]
    // SAFETY: this process compiled it with this engine, and it never left memory.
    let component = unsafe { Component::deserialize(engine, code) };
    component.map(drop)
}

/// Milliseconds.
fn time<E>(work: impl FnOnce() -> Result<(), E>) -> Result<f64, E> {
    let started = Instant::now();
    work()?;
    Ok(started.elapsed().as_secs_f64() * 1e3)
}

/// The component with a custom section that gives it this size and, by `number`, a digest of its own.
pub(crate) fn padded(wasm: &[u8], bytes: usize, number: u64) -> Vec<u8> {
    let mut padded = wasm.to_vec();
    let mut content = vec![1, b'x'];
    content.extend(number.to_le_bytes());
    // The section's own head has at most six bytes.
    content.resize(content.len().max(bytes.saturating_sub(wasm.len() + 6)), 0);
    padded.push(0);
    let mut left = content.len();
    while left > 0x7f {
        padded.push((left & 0x7f) as u8 | 0x80);
        left >>= 7;
    }
    padded.push(left as u8);
    padded.extend(content);
    padded
}
