//! The other end: a process that compiles one component and is gone.
//!
//! On its stdin come whether the engine is cramped (one byte), the length of the component (eight bytes, the
//! lowest first), the component, and nothing more until the parent leaves. On its stdout goes an [`Answer`].

use std::{
    io::{self, Read, Write},
    thread,
};

use super::{
    COMPILE_MEMORY_BYTES_MAX, COMPILED_BYTES_MAX, CompileSettings, subprocess::is_out_of_memory,
};
use crate::{ComponentLoadError, wasm_engine::compiling_engine};
use narratoria_protocol::visible::visible_line;
use narratoria_skills::COMPONENT_BYTES_MAX;

/// What a process that compiles writes: the number of its settings, whether it is code (0) or the reason
/// why there is none (1), its length, and itself. Numbers have the lowest byte first.
pub(super) struct CompileReply;

impl CompileReply {
    /// Settings, kind and length.
    pub(super) const HEAD_BYTES: u64 = 8 + 1 + 8;

    /// The code. `None` if the answer is not whole, so that whoever wrote it must have died.
    pub(super) fn parse(
        mut bytes: Vec<u8>,
        settings: CompileSettings,
    ) -> Result<Option<Vec<u8>>, ComponentLoadError> {
        let Some(head) = bytes.first_chunk::<{ CompileReply::HEAD_BYTES as usize }>() else {
            return Ok(None);
        };
        let number = |at: usize| {
            u64::from_le_bytes(head[at..at + 8].try_into().expect("a number has eight bytes"))
        };
        let (theirs, kind, length) = (number(0), head[8], number(9));
        if theirs != settings.digest {
            let what = "it is of another version than this program".to_owned();
            return Err(ComponentLoadError::Compiler { what });
        }
        if length > COMPILED_BYTES_MAX {
            return Err(ComponentLoadError::CompiledTooLarge {
                bytes: length,
                limit: COMPILED_BYTES_MAX,
            });
        }
        let body = bytes.split_off(CompileReply::HEAD_BYTES as usize);
        if body.len() as u64 != length {
            return Ok(None);
        }
        match kind {
            0 => Ok(Some(body)),
            _ => {
                let what = visible_line(&String::from_utf8_lossy(&body));
                Err(if is_out_of_memory(&what) {
                    ComponentLoadError::CompileTooLarge { limit: COMPILE_MEMORY_BYTES_MAX }
                } else {
                    ComponentLoadError::NotAComponent { what }
                })
            }
        }
    }

    fn write(
        to: &mut impl Write,
        settings: CompileSettings,
        result: &wasmtime::Result<Vec<u8>>,
    ) -> io::Result<()> {
        let (kind, body) = match result {
            Ok(code) => (0, code.as_slice()),
            Err(error) => (1, &*format!("{error:#}").into_bytes()),
        };
        to.write_all(&settings.digest.to_le_bytes())?;
        to.write_all(&[kind])?;
        to.write_all(&(body.len() as u64).to_le_bytes())?;
        // The parent takes no more, and knows why.
        if body.len() as u64 <= COMPILED_BYTES_MAX {
            to.write_all(body)?;
        }
        to.flush()
    }
}

/// Largest component that is compiled as soon as it can be: it takes a part of a second. Larger ones take many
/// seconds, in which somebody plays.
const SMALL_BYTES_MAX: u64 = 1 << 20;

/// What [`Compiler::Process`](super::Compiler::Process) starts does this and nothing else: bounds itself, reads a component `from` its
/// parent, compiles it and writes what came of it. `gone` is called, on another thread, when the parent has
/// left; it should end the process.
pub fn compile_for_parent(
    mut from: impl Read + Send + 'static,
    to: &mut impl Write,
    gone: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    confine()?;
    let (mut cramped, mut length) = ([0], [0; 8]);
    from.read_exact(&mut cramped)?;
    from.read_exact(&mut length)?;
    let cramped = cramped != [0];
    let length = u64::from_le_bytes(length);
    if length > COMPONENT_BYTES_MAX {
        return Err(io::Error::other(format!("{length} bytes are more than a component has")));
    }
    // A player may be waiting for a small one.
    if length > SMALL_BYTES_MAX {
        step_back();
    }
    let mut wasm = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    from.read_exact(&mut wasm)?;
    thread::Builder::new().stack_size(64 << 10).spawn(move || {
        // There is nothing more to read; the read ends when the parent does.
        let _ = from.read(&mut [0]);
        gone();
    })?;
    let engine =
        compiling_engine(cramped).map_err(|error| io::Error::other(format!("{error:#}")))?;
    let result = engine.precompile_component(&wasm);
    CompileReply::write(to, CompileSettings::for_engine(&engine, cramped), &result)
}

/// From here on this process gets no more than it may, whatever it does.
#[cfg(unix)]
fn confine() -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    use super::COMPILE_CPU_SECONDS_MAX;

    let limits = [
        (Resource::As, COMPILE_MEMORY_BYTES_MAX, 0),
        // The first limit is a signal that says why, the second one kills.
        (Resource::Cpu, COMPILE_CPU_SECONDS_MAX, 5),
        // It writes no files, and leaves none when it crashes.
        (Resource::Fsize, 0, 0),
        (Resource::Core, 0, 0),
    ];
    for (resource, limit, grace) in limits {
        // Whoever started us may have less to give.
        let most = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let (current, maximum) = (limit.min(most), (limit + grace).min(most));
        setrlimit(resource, Rlimit { current: Some(current), maximum: Some(maximum) })?;
    }
    Ok(())
}

/// Steps behind everybody who is waited for. The lowest priority would mean never, on a machine that is always
/// busy.
#[cfg(unix)]
fn step_back() {
    const NICE: i32 = 10;
    // Already lower is fine, and so is a system that does not let itself be asked.
    let _ = rustix::process::setpriority_process(None, NICE);
}

#[cfg(not(unix))]
fn step_back() {}

/// Other systems have no such limits; time and output are bounded by the parent.
#[cfg(not(unix))]
fn confine() -> io::Result<()> {
    Ok(())
}
