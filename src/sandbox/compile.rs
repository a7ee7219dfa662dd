//! From a package's bytes to native code: looked into, then taken from the cache or compiled, in a process
//! of its own where there is one for it.
//!
//! A stranger's component may be made so that compiling it takes hours or all memory. What can be counted
//! beforehand is ([`super::measure`]); for the rest the compiler runs where the operating system can
//! bound it, and where it may die without anybody else.

mod child;
mod subprocess;

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::PathBuf,
    sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc::Sender},
    time::Duration,
};

use wasmtime::{Engine, component::Component};

use super::{
    ComponentLoadError, SandboxOptions, cache::CompiledCache, preflight, wasm_engine::Allocation,
};
use narratoria_protocol::digest::sha256;
use narratoria_protocol::visible::visible_line;

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
    InProcess,
    /// A process of its own for each component, which must do what [`compile_for_parent`] does.
    Subprocess {
        /// What to start.
        program: PathBuf,
        /// With what.
        args: Vec<String>,
    },
}

/// What makes native code of components.
pub(super) struct ComponentCompiler {
    compiler: Compiler,
    time_max: Duration,
    cache: Option<CompiledCache>,
    /// What the code depends on besides the component.
    settings: CompileSettings,
    slots: CompileSlots,
}

/// What the code depends on besides the component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CompileSettings {
    /// Whether it is for an engine without address space to spare ([`Allocation::Cramped`]).
    is_unreserved: bool,
    /// Version, processor, settings of the engine and limits, as one number. Two processes of the same
    /// program on the same machine have the same.
    digest: u64,
}

impl CompileSettings {
    fn for_engine(engine: &Engine, cramped: bool) -> CompileSettings {
        let mut hasher = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        preflight::PREFLIGHT_LIMITS.hash(&mut hasher);
        CompileSettings { is_unreserved: cramped, digest: hasher.finish() }
    }
}

impl ComponentCompiler {
    pub(super) fn open(
        engine: &Engine,
        allocation: Allocation,
        options: &SandboxOptions,
    ) -> Result<ComponentCompiler, ComponentLoadError> {
        let settings = CompileSettings::for_engine(engine, allocation == Allocation::Unreserved);
        let cache = match &options.cache_folder {
            None => None,
            Some(folder) => {
                Some(CompiledCache::open(folder, settings.digest).map_err(|source| {
                    ComponentLoadError::Cache { folder: folder.clone(), source }
                })?)
            }
        };
        let compiler = options.compiler.clone();
        let time_max = options.compile_time.unwrap_or(COMPILE_TIME_MAX);
        Ok(ComponentCompiler {
            compiler,
            time_max,
            cache,
            settings,
            slots: CompileSlots::default(),
        })
    }

    /// Blocks until it is compiled, which takes from a millisecond to [`COMPILE_TIME_MAX`] and more where
    /// others come first.
    pub(super) fn load_or_compile(
        &self,
        engine: &Engine,
        wasm: &[u8],
    ) -> Result<Component, ComponentLoadError> {
        if let Some(component) = self.load_cached(engine, wasm) {
            return Ok(component);
        }
        preflight::check(wasm)?;
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
        deserialize(engine, &code).map_err(not_a_component)
    }

    /// The same if it is in the cache, and nothing if it would have to be compiled. What is there has been
    /// looked into: the limits are part of its name.
    pub(super) fn load_cached(&self, engine: &Engine, wasm: &[u8]) -> Option<Component> {
        self.cache.as_ref()?.load(engine, &sha256(wasm))
    }

    fn compile(&self, engine: &Engine, wasm: &[u8]) -> Result<Vec<u8>, ComponentLoadError> {
        match &self.compiler {
            Compiler::InProcess => engine.precompile_component(wasm).map_err(not_a_component),
            Compiler::Subprocess { program, args } => {
                let turn = self.slots.acquire()?;
                let running = subprocess::start(program, args)?;
                running.compile(wasm, self.settings, self.time_max, &turn)
            }
        }
    }

    /// Ends every compilation in a process of its own, those to come included.
    pub(super) fn stop(&self) {
        self.slots.close();
    }
}

/// What is wrong with it, in wasmtime's words.
fn not_a_component(error: wasmtime::Error) -> ComponentLoadError {
    ComponentLoadError::NotAComponent { what: visible_line(&format!("{error:#}")) }
}

#[expect(unsafe_code, reason = "native code that this host has just compiled")]
fn deserialize(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the code comes from our own compiler, in this process or in one of the same program. Never from
    // a package.
    unsafe { Component::deserialize(engine, code) }
}

/// What reaches whoever waits for a process that compiles.
enum CompileMessage {
    /// All that it wrote.
    Output(io::Result<Vec<u8>>),
    /// Nobody wants it any more.
    Stop,
}

/// Lets [`COMPILES_MAX`] at a time go on.
#[derive(Default)]
struct CompileSlots {
    state: Mutex<CompileSlotsState>,
    changed: Condvar,
}

#[derive(Default)]
struct CompileSlotsState {
    running: usize,
    closed: bool,
    /// Who is to be told when all is over.
    listeners: Vec<Sender<CompileMessage>>,
}

/// One turn; over when it is dropped.
struct CompileSlot<'t>(&'t CompileSlots);

impl CompileSlots {
    fn acquire(&self) -> Result<CompileSlot<'_>, ComponentLoadError> {
        let mut now = self.lock();
        while !now.closed && now.running == COMPILES_MAX {
            now = self.changed.wait(now).unwrap_or_else(PoisonError::into_inner);
        }
        if now.closed {
            return Err(ComponentLoadError::Stopped);
        }
        now.running += 1;
        Ok(CompileSlot(self))
    }

    fn close(&self) {
        let mut now = self.lock();
        now.closed = true;
        for listener in now.listeners.drain(..) {
            // Who does not listen any more is done.
            let _ = listener.send(CompileMessage::Stop);
        }
        drop(now);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, CompileSlotsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CompileSlot<'_> {
    /// From here on `listener` is told if all is over.
    fn notify_on_close(&self, listener: Sender<CompileMessage>) -> Result<(), ComponentLoadError> {
        let mut now = self.0.lock();
        if now.closed {
            return Err(ComponentLoadError::Stopped);
        }
        now.listeners.push(listener);
        Ok(())
    }
}

impl Drop for CompileSlot<'_> {
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
        super::wasm_engine::{compiling_engine, start_engine},
        *,
    };

    #[test]
    fn code_compiled_with_a_pool_or_without_is_the_same_to_both() {
        let pooled = start_engine(false).unwrap().0;
        let plain = compiling_engine(false).unwrap();
        assert_eq!(
            CompileSettings::for_engine(&pooled, false),
            CompileSettings::for_engine(&plain, false)
        );
        let cramped = compiling_engine(true).unwrap();
        assert_ne!(
            CompileSettings::for_engine(&cramped, false),
            CompileSettings::for_engine(&plain, false)
        );
    }

    #[test]
    fn who_waits_for_a_turn_gets_it_or_is_told_that_all_is_over() {
        let turns = CompileSlots::default();
        let held: Vec<CompileSlot<'_>> =
            (0..COMPILES_MAX).map(|_| turns.acquire().unwrap()).collect();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| turns.acquire().map(drop));
            drop(held);
            assert!(waiting.join().unwrap().is_ok());
            let held: Vec<CompileSlot<'_>> =
                (0..COMPILES_MAX).map(|_| turns.acquire().unwrap()).collect();
            let waiting = scope.spawn(|| turns.acquire().map(drop));
            turns.close();
            assert!(matches!(waiting.join().unwrap(), Err(ComponentLoadError::Stopped)));
            drop(held);
        });
        assert!(matches!(turns.acquire().map(drop), Err(ComponentLoadError::Stopped)));
    }
}
