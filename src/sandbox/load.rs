//! From a package's bytes to a component that can be invoked: compiled, checked against its grants,
//! linked.

use std::{path::PathBuf, sync::Arc, time::Duration};

use wasmtime::{
    Engine,
    component::{Component, Linker},
};
use wasmtime_wasi::p2::bindings::CommandPre;

use super::{
    admission::{AdmissionControl, MEMORY_BUDGET_DEFAULT},
    compile::{Compiler, ComponentCompiler},
    filesystem,
    http::{self, HTTP_INTERFACES, HttpConnector, HttpGrant},
    invocation::GuestState,
    llm::{self, LLM_INTERFACE},
    store::{self, STORE_INTERFACE},
    story_memory::{self, MEMORY_INTERFACE},
    ticker::EpochTicker,
    wasm_engine::{Allocation, start_engine},
};
use narratoria_skills::{Grant, Grants, HttpHost};

/// What every component may import: standard WASI 0.2, where what was not granted answers with an
/// error. Everything else must be granted by name.
const WASI_PACKAGES: [&str; 6] =
    ["wasi:cli/", "wasi:io/", "wasi:clocks/", "wasi:random/", "wasi:filesystem/", "wasi:sockets/"];

/// Settings of a [`Sandbox`].
#[derive(Debug, Clone, Default)]
pub struct SandboxOptions {
    /// Where compiled components are kept; none by default, then each start compiles anew.
    pub cache_folder: Option<PathBuf>,
    /// Whether to allocate each instance on its own instead of from a pool. Off by default; where the
    /// pool's address space cannot be had it is on whatever this says.
    pub on_demand: bool,
    /// What the memory limits of all invocations that run at the same time may add up to, in bytes;
    /// [`MEMORY_BUDGET_DEFAULT`] unless said. One that may have more runs alone.
    pub memory_budget: Option<u64>,
    /// Who compiles what is not in the cache. Whoever loads components of strangers hands in a process.
    pub compiler: Compiler,
    /// How scripts with the `http` grant reach their hosts.
    pub http_connector: HttpConnector,
    /// How long a process may take to compile one component;
    /// [`COMPILE_TIME_MAX`](super::COMPILE_TIME_MAX) unless said.
    pub compile_time: Option<Duration>,
}

/// The engine all components share.
pub struct Sandbox {
    engine: Engine,
    linker: Linker<GuestState>,
    compiler: ComponentCompiler,
    allocation: Allocation,
    admission: Arc<AdmissionControl>,
    ticker: Arc<EpochTicker>,
    http_connector: HttpConnector,
}

/// A component, compiled, checked and linked: each [`Prepared::run`] makes a fresh instance of it.
#[derive(Clone)]
pub struct LoadedComponent {
    pub(super) command: CommandPre<GuestState>,
    pub(super) admission: Arc<AdmissionControl>,
    pub(super) ticker: Arc<EpochTicker>,
    pub(super) http_grant: HttpGrant,
}

/// Why the sandbox or a component cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ComponentLoadError {
    /// wasmtime would not start.
    #[error("the sandbox cannot start: {0:#}")]
    Engine(wasmtime::Error),
    /// The cache folder cannot be made.
    #[error("the cache folder `{}` cannot be used", folder.display())]
    Cache {
        /// Which.
        folder: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Larger or more manifold than anything that should be compiled.
    #[error("has {found} {what}, and {limit} are the most that a component may have")]
    LimitExceeded {
        /// Of what.
        what: &'static str,
        /// How much of it there is, as far as it was counted.
        found: u64,
        /// How much there may be.
        limit: u64,
    },
    /// The compiler was stopped.
    #[error("takes longer to compile than the {} s that a component may take", limit.as_secs())]
    CompileTooLong {
        /// [`COMPILE_TIME_MAX`](super::COMPILE_TIME_MAX), or as much of all processors together.
        limit: Duration,
    },
    /// The compiler ran out of the memory that it may have.
    #[error("takes more memory to compile than the {limit} bytes that a component may take")]
    CompileTooLarge {
        /// [`COMPILE_MEMORY_BYTES_MAX`](super::COMPILE_MEMORY_BYTES_MAX).
        limit: u64,
    },
    /// Too much native code.
    #[error(
        "becomes {bytes} bytes of native code, and {limit} are the most that a component may become"
    )]
    CompiledTooLarge {
        /// How much it would be.
        bytes: u64,
        /// [`COMPILED_BYTES_MAX`](super::COMPILED_BYTES_MAX).
        limit: u64,
    },
    /// The process that should have compiled it did not.
    #[error("cannot be compiled: the compiler's process failed: {what}")]
    Compiler {
        /// How.
        what: String,
    },
    /// Nobody wants it any more.
    #[error("is not compiled: the host is about to end")]
    Stopped,
    /// Not a component, or one that wasmtime refuses.
    #[error("not a usable WebAssembly component: {what}")]
    NotAComponent {
        /// wasmtime's word for it.
        what: String,
    },
    /// Imports more than its manifest grants.
    #[error("imports `{import}`, which its manifest does not grant{}", grant_help(import))]
    NotGranted {
        /// The interface.
        import: String,
    },
    /// Granted, but this host has no such service.
    #[error("imports `{import}`, which this host does not offer")]
    NotOffered {
        /// The interface.
        import: String,
    },
    /// Nothing to call.
    #[error("does not export `wasi:cli/run@0.2`: {what}")]
    RunNotExported {
        /// wasmtime's word for it.
        what: String,
    },
}

fn grant_help(import: &str) -> String {
    match Grant::required_for_import(import) {
        Some(grant) => format!("; `skill.json` would need {}", grant.manifest_snippet()),
        None => "; no grant opens it".to_owned(),
    }
}

/// Whether this host has the interface in a version that the importing one takes for its own. Of the
/// versions 0.1.x all do; one that calls a function which ours lacks is refused when it is linked.
fn is_offered(import: &str) -> bool {
    let compatible = |text: &str| {
        let (name, version) = text.split_once('@')?;
        let version = semver::Version::parse(version).ok()?;
        Some((name.to_owned(), version.major, version.minor, version.pre.is_empty()))
    };
    let offered = [STORE_INTERFACE, MEMORY_INTERFACE, LLM_INTERFACE].into_iter();
    let mut offered = offered.chain(HTTP_INTERFACES).map(compatible);
    compatible(import).is_some_and(|import| offered.any(|one| one.as_ref() == Some(&import)))
}

impl Sandbox {
    /// Starts the engine. Cheap, except for opening the cache folder.
    pub fn open(options: &SandboxOptions) -> Result<Sandbox, ComponentLoadError> {
        let (engine, allocation) =
            start_engine(options.on_demand).map_err(ComponentLoadError::Engine)?;
        let mut linker = Linker::new(&engine);
        wasmtime_wasi::p2::add_to_linker_async(&mut linker).map_err(ComponentLoadError::Engine)?;
        store::add_to_linker(&mut linker).map_err(ComponentLoadError::Engine)?;
        story_memory::add_to_linker(&mut linker).map_err(ComponentLoadError::Engine)?;
        llm::add_to_linker(&mut linker).map_err(ComponentLoadError::Engine)?;
        http::add_to_linker(&mut linker).map_err(ComponentLoadError::Engine)?;
        filesystem::add_to_linker(&mut linker).map_err(ComponentLoadError::Engine)?;
        let compiling = ComponentCompiler::open(&engine, allocation, options)?;
        let memory_budget = options.memory_budget.unwrap_or(MEMORY_BUDGET_DEFAULT);
        let admission =
            Arc::new(AdmissionControl::new(allocation.invocations_max(), memory_budget));
        let ticker = Arc::new(EpochTicker::new(&engine));
        let web = options.http_connector.clone();
        Ok(Sandbox {
            engine,
            linker,
            compiler: compiling,
            allocation,
            admission,
            ticker,
            http_connector: web,
        })
    }

    /// Compiles (or takes from the cache), checks the imports against the grants, and links. Blocks: takes
    /// tens of milliseconds for a small component that is not in the cache, and seconds for a large one.
    pub fn load(
        &self,
        wasm: &[u8],
        grants: &Grants,
    ) -> Result<LoadedComponent, ComponentLoadError> {
        self.link(self.compiler.load_or_compile(&self.engine, wasm)?, grants)
    }

    /// The same if it is in the cache, and nothing if it would have to be compiled: takes about a millisecond.
    pub fn load_cached(
        &self,
        wasm: &[u8],
        grants: &Grants,
    ) -> Option<Result<LoadedComponent, ComponentLoadError>> {
        let component = self.compiler.load_cached(&self.engine, wasm)?;
        Some(self.link(component, grants))
    }

    fn link(
        &self,
        component: Component,
        grants: &Grants,
    ) -> Result<LoadedComponent, ComponentLoadError> {
        self.check_imports(&component, grants)?;
        let pre = self
            .linker
            .instantiate_pre(&component)
            .map_err(|error| ComponentLoadError::NotAComponent { what: format!("{error:#}") })?;
        let command = CommandPre::new(pre)
            .map_err(|error| ComponentLoadError::RunNotExported { what: format!("{error:#}") })?;
        // What names no host opens none; the package has been told so when its manifest was read.
        let hosts = grants.http.iter().filter_map(|host| HttpHost::parse(host).ok()).collect();
        let reach = HttpGrant { hosts, connector: self.http_connector.clone() };
        let (admission, ticker) = (Arc::clone(&self.admission), Arc::clone(&self.ticker));
        Ok(LoadedComponent { command, admission, ticker, http_grant: reach })
    }

    /// Ends every compilation in a process of its own; whoever waits for one, or asks for another, is told
    /// so. What is loaded goes on.
    pub fn stop_compiling(&self) {
        self.compiler.stop();
    }

    /// The engine, for whoever wants to compare against it or share it. Its code looks at the epoch: a store
    /// without an epoch deadline traps at once.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Where its instances come from.
    pub fn allocation(&self) -> Allocation {
        self.allocation
    }

    fn check_imports(
        &self,
        component: &Component,
        grants: &Grants,
    ) -> Result<(), ComponentLoadError> {
        for (import, _) in component.component_type().imports(&self.engine) {
            if WASI_PACKAGES.iter().any(|package| import.starts_with(package)) {
                continue;
            }
            let granted = Grant::required_for_import(import)
                .is_some_and(|grant| grant.is_requested_in(grants));
            if granted && is_offered(import) {
                continue;
            }
            let import = import.to_owned();
            return Err(match granted {
                true => ComponentLoadError::NotOffered { import },
                false => ComponentLoadError::NotGranted { import },
            });
        }
        Ok(())
    }
}
