//! Turns a package's bytes into native code: measures them, then takes the code from the cache or compiles it, in a
//! subprocess if the caller provides one.
//!
//! An untrusted component may be made so that compiling it takes hours or all memory. [`crate::preflight`] counts
//! what can be counted beforehand. The operating system limits the rest, in a subprocess that may die alone.

mod child;
mod limits;
mod refusal;
mod reply;
mod settings;
mod slots;
mod subprocess;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use narratoria_protocol::digest::sha256;
use wasmtime::{Engine, component::Component};

use self::{limits::CompileCost, settings::CompileSettings, slots::CompileSlots};
use crate::{
    cache::{self, CompiledCache},
    embedded_code::{EmbeddedCode, EmbeddedComponent},
    load_error::ComponentLoadError,
    preflight,
    wasm_engine::Allocation,
};

pub use self::{
    child::compile_for_parent,
    limits::{
        COMPILE_BUILT_IN_CPU_SECONDS_MAX, COMPILE_CODE_BYTES_MAX, COMPILE_CPU_SECONDS_MAX,
        COMPILE_CPU_SECONDS_PER_MIB_MAX, COMPILE_MEMORY_BYTES_MAX, COMPILE_THREADS_MAX,
        COMPILE_TIME_MAX, COMPILED_BYTES_MAX, COMPILES_MAX, CompileLimits,
    },
};
pub(crate) use self::{limits::ComponentOrigin, refusal::CompileRefusal};

/// How components are compiled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Compiler {
    /// In this process, without a limit on time or memory: for trusted components.
    #[default]
    InProcess,
    /// In a process of its own for each component. The program must call [`compile_for_parent`].
    Subprocess { program: PathBuf, args: Vec<String> },
}

pub(crate) struct ComponentCompiler {
    compiler: Compiler,
    time_max: Duration,
    limits: CompileLimits,
    cache: Option<CompiledCache>,
    embedded: Option<EmbeddedCode>,
    settings: CompileSettings,
    slots: CompileSlots,
}

impl ComponentCompiler {
    pub(crate) fn open(
        engine: &Engine,
        allocation: Allocation,
        compiler: Compiler,
        (time_max, limits): (Option<Duration>, CompileLimits),
        (cache_folder, embedded_code): (Option<&Path>, Option<&Path>),
    ) -> Result<ComponentCompiler, ComponentLoadError> {
        let settings = CompileSettings::for_engine(engine, allocation == Allocation::Unreserved);
        let open_cache = |folder: &Path| {
            CompiledCache::open(folder, settings.digest)
                .map_err(|source| ComponentLoadError::Cache { folder: folder.to_owned(), source })
        };
        Ok(ComponentCompiler {
            compiler,
            time_max: time_max.unwrap_or(COMPILE_TIME_MAX),
            limits,
            cache: cache_folder.map(open_cache).transpose()?,
            embedded: embedded_code.map(EmbeddedCode::in_file),
            settings,
            slots: CompileSlots::default(),
        })
    }

    /// Blocks until the component is compiled: from a millisecond to [`COMPILE_TIME_MAX`], and longer if it
    /// waits for a slot.
    pub(crate) fn load_or_compile(
        &self,
        engine: &Engine,
        wasm: &[u8],
        wasm_digest: &str,
        origin: ComponentOrigin,
    ) -> Result<Component, ComponentLoadError> {
        if let Some(component) = self.load_cached(engine, wasm_digest) {
            return Ok(component);
        }
        let code_bytes = preflight::check(wasm)?;
        let cost = CompileCost::of(code_bytes, origin, self.limits);
        if let Some(error) = self.refused_before(wasm_digest, cost) {
            return Err(error);
        }
        let compiled = self.compile(engine, wasm, cost);
        let code = compiled.inspect_err(|error| self.keep_refusal(wasm_digest, error, cost))?;
        match self.cache_and_load(engine, wasm_digest, &code, &sha256(&code)) {
            Some(component) => Ok(component),
            None => deserialize(engine, &code)
                .map_err(|error| ComponentLoadError::not_a_component(&error)),
        }
    }

    /// Returns `None` if the component would have to be compiled: it is neither in the cache nor part of the program.
    /// Cached components have passed preflight, because their file names depend on its limits.
    pub(crate) fn load_cached(&self, engine: &Engine, wasm_digest: &str) -> Option<Component> {
        let cached = self.cache.as_ref().and_then(|cache| cache.load(engine, wasm_digest));
        cached.or_else(|| self.load_embedded(engine, wasm_digest))
    }

    /// How the names of compiled components end that this engine can use.
    pub(crate) fn code_ending(&self) -> String {
        cache::code_ending(self.settings.digest)
    }

    /// Returns true if the program carries compiled components.
    pub(crate) fn carries_code(&self) -> bool {
        self.embedded.as_ref().is_some_and(EmbeddedCode::is_there)
    }

    fn refused_before(&self, wasm_digest: &str, cost: CompileCost) -> Option<ComponentLoadError> {
        self.cache.as_ref()?.refusal(wasm_digest)?.error_within(cost)
    }

    /// Stores the refusal. If that fails, the next start spends its seconds again.
    fn keep_refusal(&self, wasm_digest: &str, error: &ComponentLoadError, cost: CompileCost) {
        let Some((cache, refusal)) = self.cache.as_ref().zip(CompileRefusal::of(error, cost))
        else {
            return;
        };
        if let Err(error) = cache.put_refusal(wasm_digest, &refusal) {
            tracing::warn!("the refusal of component {wasm_digest} cannot be kept: {error:#}");
        }
    }

    fn load_embedded(&self, engine: &Engine, wasm_digest: &str) -> Option<Component> {
        let EmbeddedComponent { code, code_digest } =
            self.embedded.as_ref()?.code_of(wasm_digest)?;
        // wasmtime refuses code for other settings, such as those of a machine with little address space.
        if let Some(component) = self.cache_and_load(engine, wasm_digest, &code, &code_digest) {
            return Some(component);
        }
        deserialize(engine, &code)
            .inspect_err(|error| tracing::debug!("embedded code is of no use here: {error:#}"))
            .ok()
    }

    /// Returns `None` if the code cannot be cached: the next start is slower, but the component works.
    fn cache_and_load(
        &self,
        engine: &Engine,
        wasm_digest: &str,
        code: &[u8],
        code_digest: &str,
    ) -> Option<Component> {
        let kept = self.cache.as_ref()?.put_and_load(engine, wasm_digest, code, code_digest);
        kept.unwrap_or_else(|error| {
            tracing::warn!("compiled component {wasm_digest} cannot be kept: {error:#}");
            None
        })
    }

    fn compile(
        &self,
        engine: &Engine,
        wasm: &[u8],
        cost: CompileCost,
    ) -> Result<Vec<u8>, ComponentLoadError> {
        match &self.compiler {
            Compiler::InProcess => engine
                .precompile_component(wasm)
                .map_err(|error| ComponentLoadError::not_a_component(&error)),
            Compiler::Subprocess { program, args } => {
                let slot = self.slots.acquire()?;
                let process = subprocess::start(program, args)?;
                process.compile(wasm, (self.settings, cost), self.time_max, &slot)
            }
        }
    }

    /// Stops every compilation in a subprocess, including later ones.
    pub(crate) fn stop(&self) {
        self.slots.close();
    }
}

#[expect(unsafe_code, reason = "native code that this host has just compiled")]
fn deserialize(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the code comes from this program's own compiler: in this process, in one of the same program, or when the
    // program was built. It never comes from a package.
    unsafe { Component::deserialize(engine, code) }
}
