//! The compiling process: compiles one component and ends.
//!
//! Its stdin carries one byte that says whether the engine reserves no address space, the length of the
//! component (eight bytes, little-endian), the component, and then nothing until the parent closes it. Its stdout
//! carries one [reply](super::reply).

use std::{
    io::{self, Read, Write},
    thread,
};

use narratoria_skills::COMPONENT_BYTES_MAX;

use super::{limits::COMPILE_MEMORY_BYTES_MAX, reply::write_reply, settings::CompileSettings};
use crate::wasm_engine::compiling_engine;

/// Largest component that is compiled at normal priority. It takes a fraction of a second; larger ones take many
/// seconds, during which the player plays.
const SMALL_BYTES_MAX: u64 = 1 << 20;

/// The whole work of the program that [`Compiler::Subprocess`](crate::Compiler::Subprocess) starts. Limits its own
/// process, reads a component from the parent, compiles it and writes the result. Calls `parent_gone`, on another
/// thread, when the parent closes the pipe; it should end the process.
pub fn compile_for_parent(
    mut from: impl Read + Send + 'static,
    to: &mut impl Write,
    parent_gone: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    limit_own_process()?;
    let (mut unreserved, mut length) = ([0], [0; 8]);
    from.read_exact(&mut unreserved)?;
    from.read_exact(&mut length)?;
    let is_unreserved = unreserved != [0];
    let length = u64::from_le_bytes(length);
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
        // The parent writes nothing more: the read returns when the parent ends.
        let _ = from.read(&mut [0]);
        parent_gone();
    })?;
    let engine =
        compiling_engine(is_unreserved).map_err(|error| io::Error::other(format!("{error:#}")))?;
    let result = engine.precompile_component(&wasm);
    write_reply(to, CompileSettings::for_engine(&engine, is_unreserved), &result)
}

#[cfg(unix)]
fn limit_own_process() -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    use super::limits::COMPILE_CPU_SECONDS_MAX;

    let limits = [
        (Resource::As, COMPILE_MEMORY_BYTES_MAX, 0),
        // The soft limit sends a signal that names the reason; the hard limit kills.
        (Resource::Cpu, COMPILE_CPU_SECONDS_MAX, 5),
        // The process writes no files, and no core dump when it crashes.
        (Resource::Fsize, 0, 0),
        (Resource::Core, 0, 0),
    ];
    for (resource, limit, grace) in limits {
        // The parent's own limits may be lower.
        let most = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let (current, maximum) = (limit.min(most), (limit + grace).min(most));
        setrlimit(resource, Rlimit { current: Some(current), maximum: Some(maximum) })?;
    }
    Ok(())
}

/// Other systems have no such limits; the parent bounds time and output.
#[cfg(not(unix))]
fn limit_own_process() -> io::Result<()> {
    Ok(())
}

/// Lets everything that a player waits for go first. The lowest priority would mean never on a machine that is
/// always busy.
#[cfg(unix)]
fn lower_own_priority() {
    const NICE: i32 = 10;
    // Failing is harmless: the priority may be lower already, or the system may not allow the change.
    let _ = rustix::process::setpriority_process(None, NICE);
}

#[cfg(not(unix))]
fn lower_own_priority() {}
