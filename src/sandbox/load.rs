//! Turns a package's bytes into a component that can be invoked: compiles it, checks it against its grants,
//! and links it.

use std::{borrow::Cow, path::PathBuf, sync::Arc, time::Duration};

use narratoria_protocol::digest::sha256;
use narratoria_skills::{ComponentFile, Grant, Grants, HttpHost};
use wasmtime::{
    Engine,
    component::{Component, Linker},
};
use wasmtime_wasi::p2::bindings::CommandPre;

use crate::{
    admission::{AdmissionControl, MEMORY_BUDGET_DEFAULT},
    compile::{CompileLimits, Compiler, ComponentCompiler, ComponentOrigin},
    guest_state::{GuestState, new_linker},
    http::{HttpConnector, HttpGrant},
    imports::check_imports,
    load_error::ComponentLoadError,
    source_section::split_source,
    ticker::EpochTicker,
    wasm_engine::{Allocation, start_engine},
    withheld::replace_withheld,
};

/// Settings of a [`Sandbox`].
#[derive(Debug, Clone, Default)]
pub struct SandboxOptions {
    /// The folder of compiled components. Without one, which is the default, each start compiles again.
    pub cache_folder: Option<PathBuf>,
    /// A file with compiled components at its end, as [`embed_code`](crate::embed_code) writes it: the program
    /// itself. They need not be compiled at the first start.
    pub embedded_code: Option<PathBuf>,
    /// Allocates each instance on its own instead of from a pool. Off by default; the sandbox does so anyway
    /// if the system lacks address space for the pool.
    pub on_demand: bool,
    /// Most bytes that the memory limits of all concurrent invocations may add up to;
    /// [`MEMORY_BUDGET_DEFAULT`] by default. An invocation with a higher limit runs alone.
    pub memory_budget: Option<u64>,
    /// Compiles components that are not in the cache. For untrusted components it must be a subprocess.
    pub compiler: Compiler,
    /// How scripts with the `http` grant reach their hosts.
    pub http_connector: HttpConnector,
    /// Longest time in which a subprocess may compile one component;
    /// [`COMPILE_TIME_MAX`](crate::COMPILE_TIME_MAX) by default.
    pub compile_time: Option<Duration>,
    /// The player's limits for compiling one component in a subprocess.
    pub compile_limits: CompileLimits,
    /// Gives scripts the source behind their component ([`append_source`](crate::append_source)). Off by default,
    /// because only authors who play their own scripts need it.
    pub runs_sources: bool,
}

/// The engine that all components share. Clones share it too.
#[derive(Clone)]
pub struct Sandbox(Arc<SandboxParts>);

struct SandboxParts {
    engine: Engine,
    linker: Linker<GuestState>,
    compiler: ComponentCompiler,
    allocation: Allocation,
    admission: Arc<AdmissionControl>,
    ticker: Arc<EpochTicker>,
    http_connector: HttpConnector,
    runs_sources: bool,
}

/// A component that is compiled, checked and linked. Each [`LoadedComponent::run`] makes a fresh instance.
#[derive(Clone)]
pub struct LoadedComponent {
    pub(crate) command: CommandPre<GuestState>,
    pub(crate) admission: Arc<AdmissionControl>,
    pub(crate) ticker: Arc<EpochTicker>,
    pub(crate) http_grant: HttpGrant,
    /// The source that the script gets on stdin before each request.
    pub(crate) source: Option<Arc<[u8]>>,
    digest: String,
}

impl LoadedComponent {
    /// SHA-256 of the loaded bytes, in hexadecimal. The file may have changed since.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

/// Native code of a component, before [`Sandbox::link`] checks it against the grants of a script.
#[derive(Clone)]
pub(crate) struct CompiledComponent {
    component: Component,
    source: Option<Arc<[u8]>>,
    digest: String,
}

/// The bytes of a component as the compiler and the linker need them.
struct ComponentBytes<'w> {
    /// The bytes to compile.
    wasm: &'w [u8],
    wasm_digest: String,
    source: Option<&'w [u8]>,
    /// The digest of all bytes.
    digest: String,
}

impl ComponentBytes<'_> {
    fn compiled_to(self, component: Component) -> CompiledComponent {
        CompiledComponent { component, source: self.source.map(Arc::from), digest: self.digest }
    }
}

impl Sandbox {
    /// Starts the engine. Cheap, except for opening the cache folder.
    pub fn open(options: &SandboxOptions) -> Result<Sandbox, ComponentLoadError> {
        let (engine, allocation) =
            start_engine(options.on_demand).map_err(ComponentLoadError::Engine)?;
        let linker = new_linker(&engine).map_err(ComponentLoadError::Engine)?;
        let compiler = ComponentCompiler::open(
            &engine,
            allocation,
            options.compiler.clone(),
            (options.compile_time, options.compile_limits),
            (options.cache_folder.as_deref(), options.embedded_code.as_deref()),
        )?;
        let memory_budget = options.memory_budget.unwrap_or(MEMORY_BUDGET_DEFAULT);
        let admission =
            Arc::new(AdmissionControl::new(allocation.invocations_max(), memory_budget));
        let ticker = Arc::new(EpochTicker::new(&engine));
        let http_connector = options.http_connector.clone();
        let runs_sources = options.runs_sources;
        Ok(Sandbox(Arc::new(SandboxParts {
            engine,
            linker,
            compiler,
            allocation,
            admission,
            ticker,
            http_connector,
            runs_sources,
        })))
    }

    /// Compiles the component or takes it from the cache, checks its imports against the grants, and links it.
    /// Blocks: compiling takes tens of milliseconds for a small component and seconds for a large one.
    pub fn load(
        &self,
        wasm: &[u8],
        grants: &Grants,
    ) -> Result<LoadedComponent, ComponentLoadError> {
        self.link(&self.compile(ComponentOrigin::Package, wasm)?, grants)
    }

    /// Reads the component, then does the same as [`Sandbox::load`]. One that is a part of this program may take longer
    /// to compile.
    pub fn load_file(
        &self,
        component: &ComponentFile,
        grants: &Grants,
    ) -> Result<LoadedComponent, ComponentLoadError> {
        self.link(&self.compile_file(component)?, grants)
    }

    /// Reads the component, and compiles it or takes it from the cache.
    pub(crate) fn compile_file(
        &self,
        component: &ComponentFile,
    ) -> Result<CompiledComponent, ComponentLoadError> {
        let origin = match component.is_embedded() {
            true => ComponentOrigin::Program,
            false => ComponentOrigin::Package,
        };
        self.compile(origin, &component.read()?)
    }

    fn compile(
        &self,
        origin: ComponentOrigin,
        wasm: &[u8],
    ) -> Result<CompiledComponent, ComponentLoadError> {
        let bytes = self.split(wasm);
        let component = self.0.compiler.load_or_compile(
            &self.0.engine,
            bytes.wasm,
            &bytes.wasm_digest,
            origin,
        )?;
        Ok(bytes.compiled_to(component))
    }

    /// Does the same as [`Sandbox::load`], but never compiles. Returns `None` if the component is not in the cache.
    /// Takes about a millisecond.
    pub fn load_cached(
        &self,
        wasm: &[u8],
        grants: &Grants,
    ) -> Option<Result<LoadedComponent, ComponentLoadError>> {
        Some(self.link(&self.compiled_before(wasm)?, grants))
    }

    /// Returns `None` if the component is neither in the cache nor part of the program.
    pub(crate) fn compiled_before(&self, wasm: &[u8]) -> Option<CompiledComponent> {
        let bytes = self.split(wasm);
        let component = self.0.compiler.load_cached(&self.0.engine, &bytes.wasm_digest)?;
        Some(bytes.compiled_to(component))
    }

    /// How the names of files in the cache end whose code this engine can use: by its version, its settings and the processor.
    pub fn code_ending(&self) -> String {
        self.0.compiler.code_ending()
    }

    /// Returns true if the component is a part of the program, and so is its code for this engine: loading it needs no
    /// compilation, and can wait until the component is used.
    pub(crate) fn carries(&self, component: &ComponentFile) -> bool {
        // Embedded code is made for reserved memory.
        component.is_embedded()
            && self.0.allocation != Allocation::Unreserved
            && self.0.compiler.carries_code()
    }

    fn split<'w>(&self, wasm: &'w [u8]) -> ComponentBytes<'w> {
        let digest = sha256(wasm);
        match split_source(wasm).filter(|_| self.0.runs_sources) {
            Some((base, source)) => {
                let wasm_digest = sha256(base);
                ComponentBytes { wasm: base, wasm_digest, source: Some(source), digest }
            }
            None => ComponentBytes { wasm, wasm_digest: digest.clone(), source: None, digest },
        }
    }

    /// Checks the imports against the grants, and links.
    pub(crate) fn link(
        &self,
        compiled: &CompiledComponent,
        grants: &Grants,
    ) -> Result<LoadedComponent, ComponentLoadError> {
        let CompiledComponent { component, source, digest } = compiled;
        check_imports(&self.0.engine, component, grants)?;
        let mut linker = Cow::Borrowed(&self.0.linker);
        if !grants.withheld.is_empty() {
            replace_withheld(linker.to_mut(), grants).map_err(ComponentLoadError::Engine)?;
        }
        let pre = linker
            .instantiate_pre(component)
            .map_err(|error| ComponentLoadError::NotAComponent { what: format!("{error:#}") })?;
        let command = CommandPre::new(pre)
            .map_err(|error| ComponentLoadError::RunNotExported { what: format!("{error:#}") })?;
        // Reading the manifest has already reported entries that name no host. They grant nothing.
        let parsed =
            |hosts: &[String]| hosts.iter().filter_map(|host| HttpHost::parse(host).ok()).collect();
        let http_grant = HttpGrant {
            hosts: parsed(&grants.http),
            withheld: parsed(grants.withheld.get(&Grant::Http).map_or(&[], Vec::as_slice)),
            connector: self.0.http_connector.clone(),
        };
        let (admission, ticker) = (Arc::clone(&self.0.admission), Arc::clone(&self.0.ticker));
        let (source, digest) = (source.clone(), digest.clone());
        Ok(LoadedComponent { command, admission, ticker, http_grant, source, digest })
    }

    /// Stops every compilation that runs in a subprocess. Loads that wait for one, and all later ones that need
    /// one, end with [`ComponentLoadError::Stopped`]. Loaded components keep working.
    pub fn stop_compiling(&self) {
        self.0.compiler.stop();
    }

    /// The engine, for sharing or comparing it. Its code checks the epoch, so a store without an epoch deadline
    /// traps at once.
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    pub fn allocation(&self) -> Allocation {
        self.0.allocation
    }
}
