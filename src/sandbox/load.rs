//! From a package's bytes to a component that can be invoked: compiled, checked against its grants,
//! linked.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    path::PathBuf,
    sync::Arc,
};

use tokio::sync::Semaphore;
use wasmtime::{
    Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig,
    component::{Component, Linker},
};
use wasmtime_wasi::p2::bindings::CommandPre;

use super::{
    cache::{CompiledCache, digest_hex},
    llm::{self, LLM_INTERFACE},
    run::Guest,
    store::{self, STORE_INTERFACE},
};
use crate::skills::Grants;

/// Invocations that may run at the same time; more wait their turn. A pool slot reserves some 4 GiB of
/// address space per memory, so this cannot be endless.
pub const INVOCATIONS_MAX: u32 = 64;

/// Core instances, memories and tables that one component may bring. A component of componentize-py
/// has about ten core instances and one memory.
const CORE_INSTANCES_PER_COMPONENT_MAX: u32 = 24;
const MEMORIES_PER_COMPONENT_MAX: u32 = 2;
const TABLES_PER_COMPONENT_MAX: u32 = 8;
/// Elements of one table; CPython as a component has about 14,000.
const TABLE_ELEMENTS_MAX: usize = 65_536;

/// What every component may import: standard WASI 0.2, where what was not granted answers with an
/// error. Everything else must be granted by name.
const WASI_PACKAGES: [&str; 6] =
    ["wasi:cli/", "wasi:io/", "wasi:clocks/", "wasi:random/", "wasi:filesystem/", "wasi:sockets/"];

/// Host services by interface, and the line of `skill.json` that asks for each.
const SERVICES: [(&str, &str); 4] = [
    ("narratoria:host/store", r#""grants": {"store": true}"#),
    ("narratoria:host/memory", r#""grants": {"memory": true}"#),
    ("narratoria:host/llm", r#""grants": {"llm": true}"#),
    ("wasi:http/", r#""grants": {"http": ["<host>"]}"#),
];

/// Settings of a [`Sandbox`].
#[derive(Debug, Clone, Default)]
pub struct SandboxOptions {
    /// Where compiled components are kept; none by default, then each start compiles anew.
    pub cache_folder: Option<PathBuf>,
    /// Whether to allocate each instance on its own instead of from a pool. Off by default; where the
    /// pool's address space cannot be had it is on whatever this says.
    pub on_demand: bool,
}

/// The engine all components share.
pub struct Sandbox {
    engine: Engine,
    linker: Linker<Guest>,
    cache: Option<CompiledCache>,
    slots: Arc<Semaphore>,
}

/// A component, compiled, checked and linked: each [`Prepared::run`] makes a fresh instance of it.
#[derive(Clone)]
pub struct Prepared {
    pub(super) command: CommandPre<Guest>,
    pub(super) slots: Arc<Semaphore>,
}

/// Why the sandbox or a component cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
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
    /// Not a component, or one that wasmtime refuses.
    #[error("not a usable WebAssembly component: {what}")]
    NotAComponent {
        /// wasmtime's word for it.
        what: String,
    },
    /// Imports more than its manifest grants.
    #[error("imports `{import}`, which its manifest does not grant{}", way_out(import))]
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
    NoRun {
        /// wasmtime's word for it.
        what: String,
    },
}

fn way_out(import: &str) -> String {
    match service(import) {
        Some((_, line)) => format!("; `skill.json` would need {line}"),
        None => "; no grant opens it".to_owned(),
    }
}

fn service(import: &str) -> Option<(&'static str, &'static str)> {
    let (name, _) = import.split_once('@').unwrap_or((import, ""));
    SERVICES.into_iter().find(|(interface, _)| match interface.ends_with('/') {
        true => name.starts_with(interface),
        false => name == *interface,
    })
}

/// Whether this host has the interface in a version that the importing one takes for its own. Of the
/// versions 0.1.x all do; one that calls a function which ours lacks is refused when it is linked.
fn is_offered(import: &str) -> bool {
    let compatible = |text: &str| {
        let (name, version) = text.split_once('@')?;
        let version = semver::Version::parse(version).ok()?;
        Some((name.to_owned(), version.major, version.minor, version.pre.is_empty()))
    };
    let offered = [STORE_INTERFACE, LLM_INTERFACE].map(compatible);
    compatible(import).is_some_and(|import| offered.contains(&Some(import)))
}

impl Sandbox {
    /// Starts the engine. Cheap, except for opening the cache folder.
    pub fn open(options: &SandboxOptions) -> Result<Sandbox, LoadError> {
        let engine = engine(options.on_demand).map_err(LoadError::Engine)?;
        let mut linker = Linker::new(&engine);
        wasmtime_wasi::p2::add_to_linker_async(&mut linker).map_err(LoadError::Engine)?;
        store::add_to_linker(&mut linker).map_err(LoadError::Engine)?;
        llm::add_to_linker(&mut linker).map_err(LoadError::Engine)?;
        let cache = match &options.cache_folder {
            None => None,
            Some(folder) => {
                let mut hasher = DefaultHasher::new();
                engine.precompile_compatibility_hash().hash(&mut hasher);
                let cache = CompiledCache::open(folder, hasher.finish())
                    .map_err(|source| LoadError::Cache { folder: folder.clone(), source })?;
                Some(cache)
            }
        };
        let slots = Arc::new(Semaphore::new(INVOCATIONS_MAX as usize));
        Ok(Sandbox { engine, linker, cache, slots })
    }

    /// Compiles (or takes from the cache), checks the imports against the grants, and links. Takes
    /// tens of milliseconds for a small component that is not in the cache.
    pub fn load(&self, wasm: &[u8], grants: &Grants) -> Result<Prepared, LoadError> {
        let component = self.compile(wasm)?;
        self.check_imports(&component, grants)?;
        let pre = self
            .linker
            .instantiate_pre(&component)
            .map_err(|error| LoadError::NotAComponent { what: format!("{error:#}") })?;
        let command = CommandPre::new(pre)
            .map_err(|error| LoadError::NoRun { what: format!("{error:#}") })?;
        Ok(Prepared { command, slots: Arc::clone(&self.slots) })
    }

    /// The engine, for whoever wants to compare against it or share it.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    fn compile(&self, wasm: &[u8]) -> Result<Component, LoadError> {
        let refused =
            |error: wasmtime::Error| LoadError::NotAComponent { what: format!("{error:#}") };
        let Some(cache) = &self.cache else {
            return Component::from_binary(&self.engine, wasm).map_err(refused);
        };
        let digest = digest_hex(wasm);
        if let Some(code) = cache.get(&digest) {
            #[expect(
                unsafe_code,
                reason = "native code that this host wrote and whose digest holds"
            )]
            // SAFETY: the file lies in our own folder, under the name of this engine's settings, and
            // its content has the digest that was written with it.
            let component = unsafe { Component::deserialize(&self.engine, code) };
            match component {
                Ok(component) => return Ok(component),
                Err(error) => tracing::debug!("compiled component {digest} is stale: {error:#}"),
            }
        }
        let component = Component::from_binary(&self.engine, wasm).map_err(refused)?;
        let kept = component
            .serialize()
            .map_err(std::io::Error::other)
            .and_then(|code| cache.put(&digest, &code));
        if let Err(error) = kept {
            // Slower next time, but nothing is wrong with this one.
            tracing::warn!("compiled component {digest} cannot be kept: {error:#}");
        }
        Ok(component)
    }

    fn check_imports(&self, component: &Component, grants: &Grants) -> Result<(), LoadError> {
        for (import, _) in component.component_type().imports(&self.engine) {
            if WASI_PACKAGES.iter().any(|package| import.starts_with(package)) {
                continue;
            }
            let granted = match service(import).map(|(interface, _)| interface) {
                Some("narratoria:host/store") => grants.store,
                Some("narratoria:host/memory") => grants.memory,
                Some("narratoria:host/llm") => grants.llm,
                Some("wasi:http/") => !grants.http.is_empty(),
                _ => false,
            };
            if granted && is_offered(import) {
                continue;
            }
            let import = import.to_owned();
            return Err(match granted {
                true => LoadError::NotOffered { import },
                false => LoadError::NotGranted { import },
            });
        }
        Ok(())
    }
}

fn engine(on_demand: bool) -> wasmtime::Result<Engine> {
    if on_demand {
        return Engine::new(&config());
    }
    let mut pooled = config();
    pooled.allocation_strategy(InstanceAllocationStrategy::Pooling(pool()));
    Engine::new(&pooled).or_else(|error| {
        tracing::info!("no room for a pool of instances, allocating on demand: {error:#}");
        Engine::new(&config())
    })
}

fn config() -> Config {
    let mut config = Config::new();
    config.wasm_component_model(true);
    config.consume_fuel(true);
    // Nobody reads a backtrace of stripped code, and collecting it costs at each trap.
    config.wasm_backtrace_max_frames(None);
    config
}

fn pool() -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(INVOCATIONS_MAX);
    pool.total_stacks(INVOCATIONS_MAX);
    pool.max_core_instances_per_component(CORE_INSTANCES_PER_COMPONENT_MAX);
    pool.total_core_instances(INVOCATIONS_MAX * CORE_INSTANCES_PER_COMPONENT_MAX);
    pool.max_memories_per_component(MEMORIES_PER_COMPONENT_MAX);
    pool.total_memories(INVOCATIONS_MAX * MEMORIES_PER_COMPONENT_MAX);
    pool.max_tables_per_component(TABLES_PER_COMPONENT_MAX);
    pool.total_tables(INVOCATIONS_MAX * TABLES_PER_COMPONENT_MAX);
    pool.table_elements(TABLE_ELEMENTS_MAX);
    pool
}
