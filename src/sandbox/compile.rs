//! From a package's bytes to native code: looked into, then taken from the cache or compiled, in a process
//! of its own where there is one for it.
//!
//! A stranger's component may be made so that compiling it takes hours or all memory. What can be counted
//! beforehand is ([`super::measure`]); for the rest the compiler runs where the operating system can
//! bound it, and where it may die without anybody else.

mod apart;
mod child;

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::PathBuf,
    sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc::Sender},
    time::Duration,
};

use wasmtime::{Engine, component::Component};

use super::{LoadError, SandboxOptions, cache::CompiledCache, engine::Allocation, measure};
use crate::{digest::sha256, visible::visible_line};

pub use child::compile_for_parent;

/// Longest time that compiling one component may take, by the clock on the wall: so long that only a machine
/// which is busy with something else comes near it. Nobody waits for it, as play goes on.
pub const COMPILE_TIME_MAX: Duration = Duration::from_secs(600);

/// The same in seconds of processors, all of them together, which the operating system itself enforces. The
/// largest component that we know, 18 MB of Python, takes 17 on an ordinary computer and 100 on a small board.
pub const COMPILE_CPU_SECONDS_MAX: u64 = 300;

/// Most address space of the process that compiles. The largest component that we know takes a quarter.
pub const COMPILE_MEMORY_BYTES_MAX: u64 = 4 << 30;

/// Largest native code of one component. It stays in memory as long as the component is in use; the
/// largest that we know makes 60 MB.
pub const COMPILED_BYTES_MAX: u64 = 256 << 20;

/// Threads with which one component is compiled: enough for a large one to be ready in seconds, too few
/// to fill a machine.
pub const COMPILE_THREADS_MAX: usize = 4;

/// Components that are compiled at the same time; more wait their turn. Each may take all that one may.
pub const COMPILES_MAX: usize = 2;

/// Who compiles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Compiler {
    /// This very process, without a bound on time or memory: for components that one trusts.
    #[default]
    Here,
    /// A process of its own for each component, which must do what [`compile_for_parent`] does.
    Process {
        /// What to start.
        program: PathBuf,
        /// With what.
        args: Vec<String>,
    },
}

/// What makes native code of components.
pub(super) struct Compiling {
    compiler: Compiler,
    time_max: Duration,
    cache: Option<CompiledCache>,
    /// What the code depends on besides the component.
    settings: Settings,
    turns: Turns,
}

/// What the code depends on besides the component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Settings {
    /// Whether it is for an engine without address space to spare ([`Allocation::Cramped`]).
    cramped: bool,
    /// Version, processor, settings of the engine and limits, as one number. Two processes of the same
    /// program on the same machine have the same.
    digest: u64,
}

impl Settings {
    fn of(engine: &Engine, cramped: bool) -> Settings {
        let mut hasher = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        measure::LIMITS.hash(&mut hasher);
        Settings { cramped, digest: hasher.finish() }
    }
}

impl Compiling {
    pub(super) fn open(
        engine: &Engine,
        allocation: Allocation,
        options: &SandboxOptions,
    ) -> Result<Compiling, LoadError> {
        let settings = Settings::of(engine, allocation == Allocation::Cramped);
        let cache = match &options.cache_folder {
            None => None,
            Some(folder) => Some(
                CompiledCache::open(folder, settings.digest)
                    .map_err(|source| LoadError::Cache { folder: folder.clone(), source })?,
            ),
        };
        let compiler = options.compiler.clone();
        let time_max = options.compile_time.unwrap_or(COMPILE_TIME_MAX);
        Ok(Compiling { compiler, time_max, cache, settings, turns: Turns::default() })
    }

    /// Blocks until it is compiled, which takes from a millisecond to [`COMPILE_TIME_MAX`] and more where
    /// others come first.
    pub(super) fn component(&self, engine: &Engine, wasm: &[u8]) -> Result<Component, LoadError> {
        if let Some(component) = self.cached(engine, wasm) {
            return Ok(component);
        }
        measure::check(wasm)?;
        let code = self.compile(engine, wasm)?;
        if let Some(cache) = &self.cache {
            let digest = sha256(wasm);
            match cache.put(&digest, &code) {
                // Mapped it takes no memory until it is used.
                Ok(()) => {
                    if let Some(component) = cache.load(engine, &digest) {
                        return Ok(component);
                    }
                }
                // Slower next time, but nothing is wrong with this one.
                Err(error) => {
                    tracing::warn!("compiled component {digest} cannot be kept: {error:#}");
                }
            }
        }
        deserialize(engine, &code).map_err(refused)
    }

    /// The same if it is in the cache, and nothing if it would have to be compiled. What is there has been
    /// looked into: the limits are part of its name.
    pub(super) fn cached(&self, engine: &Engine, wasm: &[u8]) -> Option<Component> {
        self.cache.as_ref()?.load(engine, &sha256(wasm))
    }

    fn compile(&self, engine: &Engine, wasm: &[u8]) -> Result<Vec<u8>, LoadError> {
        match &self.compiler {
            Compiler::Here => engine.precompile_component(wasm).map_err(refused),
            Compiler::Process { program, args } => {
                let turn = self.turns.take()?;
                let running = apart::start(program, args)?;
                running.compile(wasm, self.settings, self.time_max, &turn)
            }
        }
    }

    /// Ends every compilation in a process of its own, those to come included.
    pub(super) fn stop(&self) {
        self.turns.close();
    }
}

/// What is wrong with it, in wasmtime's words.
fn refused(error: wasmtime::Error) -> LoadError {
    LoadError::NotAComponent { what: visible_line(&format!("{error:#}")) }
}

#[expect(unsafe_code, reason = "native code that this host has just compiled")]
fn deserialize(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the code comes from our own compiler, in this process or in one of the same program. Never from
    // a package.
    unsafe { Component::deserialize(engine, code) }
}

/// What reaches whoever waits for a process that compiles.
enum News {
    /// All that it wrote.
    Wrote(io::Result<Vec<u8>>),
    /// Nobody wants it any more.
    Stop,
}

/// Lets [`COMPILES_MAX`] at a time go on.
#[derive(Default)]
struct Turns {
    now: Mutex<Now>,
    changed: Condvar,
}

#[derive(Default)]
struct Now {
    running: usize,
    closed: bool,
    /// Who is to be told when all is over.
    listeners: Vec<Sender<News>>,
}

/// One turn; over when it is dropped.
struct Turn<'t>(&'t Turns);

impl Turns {
    fn take(&self) -> Result<Turn<'_>, LoadError> {
        let mut now = self.lock();
        while !now.closed && now.running == COMPILES_MAX {
            now = self.changed.wait(now).unwrap_or_else(PoisonError::into_inner);
        }
        if now.closed {
            return Err(LoadError::Stopped);
        }
        now.running += 1;
        Ok(Turn(self))
    }

    fn close(&self) {
        let mut now = self.lock();
        now.closed = true;
        for listener in now.listeners.drain(..) {
            // Who does not listen any more is done.
            let _ = listener.send(News::Stop);
        }
        drop(now);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn<'_> {
    /// From here on `listener` is told if all is over.
    fn listen(&self, listener: Sender<News>) -> Result<(), LoadError> {
        let mut now = self.0.lock();
        if now.closed {
            return Err(LoadError::Stopped);
        }
        now.listeners.push(listener);
        Ok(())
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut now = self.0.lock();
        now.running -= 1;
        if now.running == 0 {
            now.listeners.clear();
        }
        drop(now);
        self.0.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::engine::{compiling_engine, start_engine},
        *,
    };

    #[test]
    fn code_compiled_with_a_pool_or_without_is_the_same_to_both() {
        let pooled = start_engine(false).unwrap().0;
        let plain = compiling_engine(false).unwrap();
        assert_eq!(Settings::of(&pooled, false), Settings::of(&plain, false));
        let cramped = compiling_engine(true).unwrap();
        assert_ne!(Settings::of(&cramped, false), Settings::of(&plain, false));
    }

    #[test]
    fn who_waits_for_a_turn_gets_it_or_is_told_that_all_is_over() {
        let turns = Turns::default();
        let held: Vec<Turn<'_>> = (0..COMPILES_MAX).map(|_| turns.take().unwrap()).collect();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| turns.take().map(drop));
            drop(held);
            assert!(waiting.join().unwrap().is_ok());
            let held: Vec<Turn<'_>> = (0..COMPILES_MAX).map(|_| turns.take().unwrap()).collect();
            let waiting = scope.spawn(|| turns.take().map(drop));
            turns.close();
            assert!(matches!(waiting.join().unwrap(), Err(LoadError::Stopped)));
            drop(held);
        });
        assert!(matches!(turns.take().map(drop), Err(LoadError::Stopped)));
    }
}
