//! The engine's settings, and how it allocates instances. A pool is fastest and needs terabytes of address space.
//! Where there is less, the host tries smaller pools, and then gives each memory only what it uses.

use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

/// Invocations that may run at the same time; more wait their turn. A pool slot reserves some 4 GiB of
/// address space per memory, so this cannot be endless.
pub const INVOCATIONS_MAX: u32 = 128;

/// Pools to try, largest first: they need 1 TiB, 256 GiB and 64 GiB of address space.
const POOLS: [u32; 3] = [INVOCATIONS_MAX, INVOCATIONS_MAX / 4, INVOCATIONS_MAX / 16];

/// Core instances of one invocation. A component of componentize-py has about ten.
pub const CORE_INSTANCES_MAX: u32 = 24;

/// Memories of one invocation, whose bytes are counted together. No component that we know has more than one.
pub const MEMORIES_USED_MAX: u32 = 2;

/// Tables of one invocation, whose elements count as memory.
pub const TABLES_USED_MAX: u32 = 8;

/// Elements of one table; CPython as a component has about 14,000.
pub const TABLE_ELEMENTS_MAX: usize = 65_536;

/// How a [`Sandbox`](crate::Sandbox) allocates its instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocation {
    /// From a pool with room for this many invocations.
    Pooled { invocations: u32 },
    /// Each instance on its own.
    OnDemand,
    /// Each instance on its own and without reserved memory, because there is little address space (`ulimit -v`).
    /// Compiled code then checks its bounds itself, which is slower.
    Unreserved,
}

impl Allocation {
    pub(crate) fn invocations_max(self) -> u32 {
        match self {
            Allocation::Pooled { invocations } => invocations,
            Allocation::OnDemand | Allocation::Unreserved => INVOCATIONS_MAX,
        }
    }
}

/// Uses the fastest allocation that the address space allows.
pub(crate) fn start_engine(on_demand: bool) -> wasmtime::Result<(Engine, Allocation)> {
    if on_demand {
        return Ok((Engine::new(&config())?, Allocation::OnDemand));
    }
    for invocations in POOLS {
        let mut pooled = config();
        pooled.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(invocations)));
        match Engine::new(&pooled) {
            Ok(engine) => return Ok((engine, Allocation::Pooled { invocations })),
            Err(error) => {
                tracing::info!("no room for a pool of {invocations} invocations: {error:#}");
            }
        }
    }
    // Without room for the smallest pool there is none for the 4 GiB that a memory reserves by default either.
    Ok((Engine::new(&unreserved_config())?, Allocation::Unreserved))
}

/// An engine that only compiles. Code is the same with a pool or without.
pub(crate) fn compiling_engine(is_unreserved: bool) -> wasmtime::Result<Engine> {
    Engine::new(&if is_unreserved { unreserved_config() } else { config() })
}

fn unreserved_config() -> Config {
    let mut config = config();
    config.memory_reservation(0).memory_reservation_for_growth(1 << 20).memory_guard_size(0);
    config.guard_before_linear_memory(false);
    config
}

fn config() -> Config {
    let mut config = Config::new();
    config.wasm_component_model(true);
    config.consume_fuel(true);
    // Fuel measures the guest's work, the epoch the host's work for it: see `ticker`.
    config.epoch_interruption(true);
    // A backtrace of stripped code is useless, and collecting it costs time at each trap.
    config.wasm_backtrace_max_frames(None);
    config
}

/// Bytes of a memory, a table and a stack that stay resident after an invocation, zeroed, in each slot that was ever
/// used. A Rust script needs no more than this. Where the system reports which pages were written (Linux since 6.7),
/// only those count; elsewhere the first bytes do.
const MEMORY_RESIDENT_BYTES: usize = 256 << 10;
const TABLES_RESIDENT_BYTES: usize = 16 << 10;
const STACK_RESIDENT_BYTES: usize = 32 << 10;

fn pool(invocations: u32) -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(invocations);
    pool.total_stacks(invocations);
    pool.max_core_instances_per_component(CORE_INSTANCES_MAX);
    pool.total_core_instances(invocations * CORE_INSTANCES_MAX);
    pool.max_memories_per_component(MEMORIES_USED_MAX);
    pool.total_memories(invocations * MEMORIES_USED_MAX);
    pool.max_tables_per_component(TABLES_USED_MAX);
    pool.total_tables(invocations * TABLES_USED_MAX);
    pool.table_elements(TABLE_ELEMENTS_MAX);
    // The pool zeroes what an ordinary script touches instead of returning it to the system: returning changes the
    // address space of the whole process, for which all threads wait for each other.
    pool.pagemap_scan(Enabled::Auto);
    pool.linear_memory_keep_resident(MEMORY_RESIDENT_BYTES);
    pool.table_keep_resident(TABLES_RESIDENT_BYTES);
    pool.async_stack_keep_resident(STACK_RESIDENT_BYTES);
    pool
}
