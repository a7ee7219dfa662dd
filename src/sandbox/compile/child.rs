//! The compiling process: compiles one component and ends.
//!
//! Its stdin carries a head, the component, and then nothing until the parent closes it. The head is one byte that says
//! whether the engine reserves no address space, and three numbers of eight bytes, little-endian: the processor seconds
//! and the address space that this may take, and the component's length. Its stdout carries one
//! [reply](super::reply).

use std::{
    io::{self, Read, Write},
    thread,
};

use narratoria_skills::COMPONENT_BYTES_MAX;

use super::{limits::CompileCost, reply::write_reply, settings::CompileSettings};
use crate::wasm_engine::compiling_engine;

/// Largest component that is compiled at normal priority. It takes a fraction of a second; larger ones take many
/// seconds, during which the player plays.
const SMALL_BYTES_MAX: u64 = 1 << 20;

/// Runs the program that [`Compiler::Subprocess`](crate::Compiler::Subprocess) starts. Limits its own
/// process, reads a component from the parent, compiles it and writes the result. Calls `parent_gone`, on another
/// thread, when the parent closes the pipe; it should end the process.
pub fn compile_for_parent(
    mut from: impl Read + Send + 'static,
    to: &mut impl Write,
    parent_gone: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    let (is_unreserved, cost, length) = read_head(&mut from)?;
    limit_own_process(cost)?;
    if length > COMPONENT_BYTES_MAX {
        return Err(io::Error::other(format!("{length} bytes are more than a component has")));
    }
    // A player may be waiting for a small component.
    if length > SMALL_BYTES_MAX {
        lower_own_priority();
    }
    let mut wasm = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    from.read_exact(&mut wasm)?;
    thread::Builder::new().stack_size(64 << 10).spawn(move || {
        // The parent writes nothing more, so the read returns when the parent ends.
        let _ = from.read(&mut [0]);
        parent_gone();
    })?;
    let engine =
        compiling_engine(is_unreserved).map_err(|error| io::Error::other(format!("{error:#}")))?;
    let result = engine.precompile_component(&wasm);
    write_reply(to, CompileSettings::for_engine(&engine, is_unreserved), &result)
}

/// Returns the head that [`read_head`] reads.
pub(super) fn head(is_unreserved: bool, cost: CompileCost, length: u64) -> Vec<u8> {
    let mut head = vec![u8::from(is_unreserved)];
    for number in [cost.cpu_seconds, cost.memory_bytes, length] {
        head.extend(number.to_le_bytes());
    }
    head
}

/// Reads the flag for an engine without a pool, the limits, and the component's length.
fn read_head(from: &mut impl Read) -> io::Result<(bool, CompileCost, u64)> {
    let mut unreserved = [0];
    from.read_exact(&mut unreserved)?;
    let mut number = || -> io::Result<u64> {
        let mut bytes = [0; 8];
        from.read_exact(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    };
    let cost = CompileCost { cpu_seconds: number()?, memory_bytes: number()? };
    Ok((unreserved != [0], cost, number()?))
}

#[cfg(unix)]
fn limit_own_process(cost: CompileCost) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let limits = [
        (Resource::As, cost.memory_bytes, 0),
        // The soft limit sends a signal that shows the reason; the hard limit kills.
        (Resource::Cpu, cost.cpu_seconds, 5),
        // The process writes no files, and no core dump when it crashes.
        (Resource::Fsize, 0, 0),
        (Resource::Core, 0, 0),
    ];
    for (resource, limit, grace) in limits {
        // The parent's own limits may be lower.
        let most = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let (current, maximum) = (limit.min(most), limit.saturating_add(grace).min(most));
        setrlimit(resource, Rlimit { current: Some(current), maximum: Some(maximum) })?;
    }
    Ok(())
}

/// Sets no limits: this system has none, so the parent limits time and output.
#[cfg(not(unix))]
fn limit_own_process(_: CompileCost) -> io::Result<()> {
    Ok(())
}

/// Gives everything that a player waits for precedence. With the lowest priority, this would never run on a machine
/// that is always busy.
#[cfg(unix)]
fn lower_own_priority() {
    const NICE: i32 = 10;
    // Failing is harmless: the priority may be lower already, or the system may not allow the change.
    let _ = rustix::process::setpriority_process(None, NICE);
}

#[cfg(not(unix))]
fn lower_own_priority() {}
