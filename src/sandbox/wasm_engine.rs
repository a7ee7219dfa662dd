//! The engine: its settings, and where its instances come from. A pool is fastest and needs address space
//! by the terabyte; where there is less, a smaller pool is tried, and then each memory gets only what it uses.

use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

/// Invocations that may run at the same time; more wait their turn. A pool slot reserves some 4 GiB of
/// address space per memory, so this cannot be endless.
pub const INVOCATIONS_MAX: u32 = 128;

/// Pools to try, largest first: with 1 TiB of address space, with 256 GiB, with 64 GiB.
const POOLS: [u32; 3] = [INVOCATIONS_MAX, INVOCATIONS_MAX / 4, INVOCATIONS_MAX / 16];

/// Core instances of one invocation. A component of componentize-py has about ten.
pub const CORE_INSTANCES_MAX: u32 = 24;

/// Memories of one invocation, whose bytes are counted together. Nothing that we know has more than one.
pub const MEMORIES_USED_MAX: u32 = 2;

/// Tables of one invocation, whose elements count as memory.
pub const TABLES_USED_MAX: u32 = 8;

/// Elements of one table; CPython as a component has about 14,000.
pub const TABLE_ELEMENTS_MAX: usize = 65_536;

/// Where the instances of a [`super::Sandbox`] come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocation {
    /// From a pool with room for so many invocations.
    Pooled {
        /// How many.
        invocations: u32,
    },
    /// Each is made on its own.
    OnDemand,
    /// Each is made on its own and reserves nothing, because there is little address space (`ulimit -v`).
    /// Code checks its bounds itself then, which is slower.
    Unreserved,
}

impl Allocation {
    /// How many may run at the same time.
    pub(super) fn invocations_max(self) -> u32 {
        match self {
            Allocation::Pooled { invocations } => invocations,
            Allocation::OnDemand | Allocation::Unreserved => INVOCATIONS_MAX,
        }
    }
}

/// Takes the fastest way there is room for.
pub(super) fn start_engine(on_demand: bool) -> wasmtime::Result<(Engine, Allocation)> {
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
    // Whoever has no room for the smallest pool has none for the 4 GiB that a memory reserves by default.
    Ok((Engine::new(&unreserved_config())?, Allocation::Unreserved))
}

/// One that only compiles, for the other one: with a pool or without makes no difference to the code.
pub(super) fn compiling_engine(for_cramped: bool) -> wasmtime::Result<Engine> {
    Engine::new(&if for_cramped { unreserved_config() } else { config() })
}

fn unreserved_config() -> Config {
    let mut cramped = config();
    cramped.memory_reservation(0).memory_reservation_for_growth(1 << 20).memory_guard_size(0);
    cramped.guard_before_linear_memory(false);
    cramped
}

fn config() -> Config {
    let mut config = Config::new();
    config.wasm_component_model(true);
    config.consume_fuel(true);
    // Fuel measures the guest's work, the epoch what the host does for it: see `ticker`.
    config.epoch_interruption(true);
    // Nobody reads a backtrace of stripped code, and collecting it costs at each trap.
    config.wasm_backtrace_max_frames(None);
    config
}

/// What stays of a memory, a table and a stack that an invocation has left behind, wiped: a Rust script needs no
/// more than this. For each slot that was ever used. Where the system can say which pages were written to (Linux
/// since 6.7) only these count; elsewhere it is the beginning, written to or not.
const MEMORY_KEPT_BYTES: usize = 256 << 10;
const TABLES_KEPT_BYTES: usize = 16 << 10;
const STACK_KEPT_BYTES: usize = 32 << 10;

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
    // What an ordinary script touches is wiped, not given back to the system: giving back changes the map of the
    // whole process, for which all threads wait for each other.
    pool.pagemap_scan(Enabled::Auto);
    pool.linear_memory_keep_resident(MEMORY_KEPT_BYTES);
    pool.table_keep_resident(TABLES_KEPT_BYTES);
    pool.async_stack_keep_resident(STACK_KEPT_BYTES);
    pool
}
