//! The job of the guest `echo` as a plugin of extism: reads the request, parses it, writes a log line and a
//! `done` line with the request's parts. Without the standard library, so that it imports nothing but extism's
//! own functions, and with an allocator that never frees, which is the fastest there is for so short a life.

#![no_std]

extern crate alloc;

use alloc::{format, vec::Vec};
use core::{
    alloc::{GlobalAlloc, Layout},
    sync::atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};

const LOG: &str = r#"{"version":"0","type":"log","level":"info","message":"still here"}"#;

#[link(wasm_import_module = "extism:host/env")]
unsafe extern "C" {
    fn input_length() -> u64;
    fn input_load_u8(offset: u64) -> u8;
    fn input_load_u64(offset: u64) -> u64;
    fn alloc(bytes: u64) -> u64;
    fn store_u8(at: u64, byte: u8);
    fn store_u64(at: u64, bytes: u64);
    fn output_set(at: u64, bytes: u64);
}

/// Called by the host. Gives 0 when the job is done.
#[unsafe(no_mangle)]
pub extern "C" fn run() -> i32 {
    let Ok(request) = serde_json::from_slice::<Value>(&input()) else { return 1 };
    let output = json!({
        "input": request["input"],
        "inputs": request["inputs"],
        "state": request["state"],
        "seed": request["seed"],
    });
    let done = json!({"version": "0", "type": "done", "ok": true, "output": output});
    set_output(format!("{LOG}\n{done}\n").as_bytes());
    0
}

/// Eight bytes at a time, as extism's own kit does it.
fn input() -> Vec<u8> {
    // SAFETY: functions of the host that touch no memory of ours.
    unsafe {
        let length = input_length();
        let mut bytes = Vec::with_capacity(length as usize);
        let whole = length - length % 8;
        for at in (0..whole).step_by(8) {
            bytes.extend(input_load_u64(at).to_le_bytes());
        }
        bytes.extend((whole..length).map(|at| input_load_u8(at)));
        bytes
    }
}

fn set_output(bytes: &[u8]) {
    // SAFETY: functions of the host that touch no memory of ours, within what it gave.
    unsafe {
        let at = alloc(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks::<8>();
        for (n, word) in words.iter().enumerate() {
            store_u64(at + n as u64 * 8, u64::from_le_bytes(*word));
        }
        let whole = words.len() as u64 * 8;
        for (n, byte) in rest.iter().enumerate() {
            store_u8(at + whole + n as u64, *byte);
        }
        output_set(at, bytes.len() as u64);
    }
}

/// Takes pages and never gives any back.
struct Bump;

#[global_allocator]
static BUMP: Bump = Bump;

static NEXT: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);

const PAGE: usize = 64 << 10;

// SAFETY: every piece lies in pages that were asked for here and belongs to nobody else. There is one thread.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let mut start = NEXT.load(Ordering::Relaxed).next_multiple_of(layout.align());
        if start + layout.size() > END.load(Ordering::Relaxed) {
            let pages = layout.size().div_ceil(PAGE).max(1);
            let before = core::arch::wasm32::memory_grow(0, pages);
            if before == usize::MAX {
                return core::ptr::null_mut();
            }
            start = before * PAGE;
            END.store(start + pages * PAGE, Ordering::Relaxed);
        }
        NEXT.store(start + layout.size(), Ordering::Relaxed);
        start as *mut u8
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
