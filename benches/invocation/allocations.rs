//! How often a warm invocation allocates, in the sandbox and under bare wasmtime.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use narratoria_guests::{ECHO, Guest, NULL};
use narratoria_sandbox::{Sandbox, SandboxOptions};
use narratoria_skills::Grants;

use crate::{bare::Bare, job};

/// Calls before the first one that counts, which fill the pool and what a thread keeps.
const WARM_UP: u64 = 20;
const CALLS: u64 = 100;

/// Allocations of one thread.
#[derive(Clone, Copy, Default)]
struct Allocations {
    count: u64,
    bytes: u64,
}

thread_local! {
    static ALLOCATIONS: Cell<Allocations> =
        const { Cell::new(Allocations { count: 0, bytes: 0 }) };
}

/// The system's allocator, which counts for each thread. Both sides of a comparison pay the same for that.
struct CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn count(bytes: usize) {
    let before = ALLOCATIONS.get();
    let after = Allocations { count: before.count + 1, bytes: before.bytes + bytes as u64 };
    ALLOCATIONS.set(after);
}

#[expect(unsafe_code, reason = "an allocator cannot be written without it")]
// SAFETY: every call goes to the system's allocator unchanged. Counting allocates nothing.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the same contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        count(bytes);
        // SAFETY: the caller keeps the same contract.
        unsafe { System.realloc(old, layout, bytes) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the same contract.
        unsafe { System.dealloc(old, layout) }
    }
}

pub(crate) fn run() -> wasmtime::Result<()> {
    measure(&NULL)?;
    measure(&ECHO)
}

fn measure(guest: &Guest) -> wasmtime::Result<()> {
    let sandbox = Sandbox::open(&SandboxOptions::default())?;
    let prepared = sandbox.load(guest.component, &Grants::default())?;
    let bare_side = Bare::new(sandbox.engine(), guest.component)?;
    let line = job::request();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ours = per_call(|| runtime.block_on(job::call(&prepared, &line)))?;
    let bare = per_call(|| runtime.block_on(bare_side.call(&line)))?;
    for (side, per_call) in [("warm invocation", ours), ("bare wasmtime", bare)] {
        let Allocations { count, bytes } = per_call;
        println!("allocations {}: {side}: {count} of {bytes} bytes", guest.name);
    }
    Ok(())
}

/// The mean of many calls.
fn per_call(mut call: impl FnMut() -> wasmtime::Result<()>) -> wasmtime::Result<Allocations> {
    for _ in 0..WARM_UP {
        call()?;
    }
    let before = ALLOCATIONS.get();
    for _ in 0..CALLS {
        call()?;
    }
    let after = ALLOCATIONS.get();
    Ok(Allocations {
        count: (after.count - before.count) / CALLS,
        bytes: (after.bytes - before.bytes) / CALLS,
    })
}
