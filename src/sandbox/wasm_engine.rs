//! The engine's settings, and how it allocates instances. A pool is fastest but needs terabytes of address space.
//! If there is less, the host tries smaller pools, and finally gives each memory only the space that it uses.

use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

/// Invocations that may run at the same time; more wait their turn. A pool slot reserves some 4 GiB of
/// address space per memory, so the number needs a limit.
pub const INVOCATIONS_MAX: u32 = 128;

/// Pools to try, largest first: they need 1 TiB, 256 GiB and 64 GiB of address space.
const POOLS: [u32; 3] = [INVOCATIONS_MAX, INVOCATIONS_MAX / 4, INVOCATIONS_MAX / 16];

/// Core instances of one invocation. A component of componentize-py has about ten.
pub const CORE_INSTANCES_MAX: u32 = 24;

/// Memories of one invocation, whose bytes are counted together. No known component has more than one.
pub const MEMORIES_USED_MAX: u32 = 2;

/// Tables of one invocation, whose elements count as memory.
pub const TABLES_USED_MAX: u32 = 8;

/// Elements of one table; CPython as a component has about 14,000.
pub const TABLE_ELEMENTS_MAX: usize = 65_536;

/// How a [`Sandbox`](crate::Sandbox) allocates its instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocation {
    /// From a pool with slots for this many invocations.
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
    // If the smallest pool does not fit, neither do the 4 GiB that a memory reserves by default.
    Ok((Engine::new(&unreserved_config())?, Allocation::Unreserved))
}

/// Returns an engine that only compiles. The code is the same with a pool or without.
///
/// Large components are not compiled with less effort: that saves a third of the time, but the code has larger frames,
/// so a script would exhaust its stack where it should not.
pub(crate) fn compiling_engine(is_unreserved: bool) -> wasmtime::Result<Engine> {
    Engine::new(&if is_unreserved { unreserved_config() } else { config() })
}

/// Returns an engine whose code runs on every processor of this kind, whatever the features of this machine's.
pub(crate) fn portable_engine(target: &str) -> wasmtime::Result<Engine> {
    let mut portable = config();
    portable.target(target)?;
    Engine::new(&portable)
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
    // Each instruction gives the same result on every processor, because a seed must make a run repeatable. So no
    // component has relaxed vector instructions: even in their deterministic form, a multiply-and-add gives another NaN
    // if the processor has no instruction for it.
    config.wasm_relaxed_simd(false);
    config.cranelift_nan_canonicalization(true);
    // A backtrace of stripped code is useless, and collecting it costs time at each trap.
    config.wasm_backtrace_max_frames(None);
    // So the tables that only backtraces and debuggers read are a fifth of the code to store, digest and map for nothing.
    config.generate_address_map(false);
    config.native_unwind_info(false);
    config.debug_symbols(false);
    config
}

/// Bytes of a memory, a table and a stack that stay resident after an invocation, zeroed, in each slot that was ever
/// used. A Rust script needs no more than this. If the system reports which pages were written (Linux since 6.7),
/// only those count; otherwise the first bytes do.
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
    // The pool zeroes the pages that an ordinary script touches instead of returning them to the system: returning
    // changes the address space of the whole process, for which all threads wait for each other.
    pool.pagemap_scan(Enabled::Auto);
    pool.linear_memory_keep_resident(MEMORY_RESIDENT_BYTES);
    pool.table_keep_resident(TABLES_RESIDENT_BYTES);
    pool.async_stack_keep_resident(STACK_RESIDENT_BYTES);
    pool
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wasmtime::{Engine, Instance, Module, Store};

    use super::{Allocation, config, portable_engine, start_engine};

    /// Results that differ between processors: the sign of a NaN that a division makes, and its payload after an addition.
    const DISPUTED: &str = r#"(module
        (func (export "division") (param f32) (result i64)
            (i64.extend_i32_u (i32.reinterpret_f32 (f32.div (local.get 0) (f32.const 0)))))
        (func (export "payload") (param f32) (result i64)
            (i64.extend_i32_u (i32.reinterpret_f32
                (f32.add (local.get 0) (f32.reinterpret_i32 (i32.const 0xffa01234))))))
        (func (export "payload-of-a-double") (param f32) (result i64)
            (i64.reinterpret_f64 (f64.mul (f64.promote_f32 (local.get 0))
                (f64.reinterpret_i64 (i64.const 0xfff4567800001234)))))
        (func (export "vector") (param f32) (result i64)
            (i64x2.extract_lane 0 (f32x4.div (f32x4.splat (local.get 0)) (v128.const i32x4 0 0 0 0)))))"#;

    fn results(engine: &Engine) -> Vec<String> {
        let module = Module::new(engine, wat::parse_str(DISPUTED).unwrap()).unwrap();
        let mut store = Store::new(engine, ());
        store.set_fuel(1_000_000).unwrap();
        store.set_epoch_deadline(1_000);
        let instance = Instance::new(&mut store, &module, &[]).unwrap();
        let names: Vec<String> = module.exports().map(|export| export.name().to_owned()).collect();
        let mut results = Vec::new();
        for name in names {
            let function = instance.get_typed_func::<f32, i64>(&mut store, &name).unwrap();
            let result = function.call(&mut store, 0.0).unwrap();
            results.push(format!("{name}: {result:016x}"));
        }
        results.push(format!("fuel: {}", 1_000_000 - store.get_fuel().unwrap()));
        results
    }

    /// The specification has a deterministic profile, so these are the results of every processor.
    #[test]
    fn results_and_fuel_are_those_of_every_processor() {
        let (engine, allocation) = start_engine(true).unwrap();
        assert_eq!(allocation, Allocation::OnDemand);
        insta::assert_snapshot!(results(&engine).join("\n"), @"
        division: 000000007fc00000
        payload: 000000007fc00000
        payload-of-a-double: 7ff8000000000000
        vector: 7fc000007fc00000
        fuel: 26
        ");
    }

    /// Operations on the number and on its vector, for which processors have different instructions.
    const STEPS: [&str; 25] = [
        "(local.set 0 (f32.div (local.get 0) (f32.const 0)))",
        "(local.set 0 (f32.mul (local.get 0) (f32.reinterpret_i32 (i32.const 0xffa01234))))",
        "(local.set 0 (f32.sqrt (f32.neg (local.get 0))))",
        "(local.set 0 (f32.min (local.get 0) (f32.const -0)))",
        "(local.set 0 (f32.max (local.get 0) (f32.const nan:0x200001)))",
        "(local.set 0 (f32.nearest (f32.add (local.get 0) (f32.const 0.5))))",
        "(local.set 0 (f32.ceil (f32.sub (local.get 0) (f32.const 0x1p-149))))",
        "(local.set 0 (f32.floor (f32.copysign (local.get 0) (f32.const -1))))",
        "(local.set 0 (f32.demote_f64 (f64.mul (f64.promote_f32 (local.get 0)) (f64.const 1e300))))",
        "(local.set 0 (f32.convert_i64_u (i64.trunc_sat_f32_u (local.get 0))))",
        "(local.set 0 (f32.convert_i32_s (i32.popcnt (i32.reinterpret_f32 (local.get 0)))))",
        "(local.set 0 (f32.convert_i32_u (i32.clz (i32.reinterpret_f32 (local.get 0)))))",
        "(local.set 1 (f32x4.splat (local.get 0)))",
        "(local.set 1 (f32x4.mul (local.get 1) (f32x4.splat (f32.const 1.0000001))))",
        "(local.set 1 (f32x4.sub (local.get 1) (f32x4.splat (local.get 0))))",
        "(local.set 1 (f32x4.pmin (local.get 1) (f32x4.splat (f32.const -0))))",
        "(local.set 1 (f64x2.max (local.get 1) (v128.const f64x2 nan 1)))",
        "(local.set 1 (f32x4.nearest (f32x4.div (local.get 1) (f32x4.splat (f32.const 3)))))",
        "(local.set 1 (i8x16.swizzle (local.get 1) (v128.const i8x16 16 1 31 127 128 129 143 255 0 9 3 2 7 8 1 0)))",
        "(local.set 1 (i32x4.trunc_sat_f32x4_s (local.get 1)))",
        "(local.set 1 (i32x4.trunc_sat_f64x2_u_zero (local.get 1)))",
        "(local.set 1 (f64x2.promote_low_f32x4 (local.get 1)))",
        "(local.set 1 (f32x4.convert_i32x4_u (i8x16.popcnt (local.get 1))))",
        "(local.set 1 (i32x4.dot_i16x8_s (local.get 1) (local.get 1)))",
        "(local.set 1 (i16x8.q15mulr_sat_s (local.get 1) (v128.const i16x8 -32768 3 -1 0 9 7 5 32767)))",
    ];

    /// Returns the bits of the number and the vector after these steps, and the fuel that they cost.
    fn ran(engine: &Engine, steps: &[usize], bits: u32) -> (i64, i64, i64, u64) {
        let steps: String = steps.iter().map(|step| STEPS[*step]).collect();
        let text = format!(
            r#"(module (func (export "run") (param f32) (result i64 i64 i64) (local v128)
                {steps}
                (i64.extend_i32_u (i32.reinterpret_f32 (local.get 0)))
                (i64x2.extract_lane 0 (local.get 1)) (i64x2.extract_lane 1 (local.get 1))))"#
        );
        let module = Module::new(engine, wat::parse_str(text).unwrap()).unwrap();
        let mut store = Store::new(engine, ());
        store.set_fuel(1_000_000).unwrap();
        store.set_epoch_deadline(1_000);
        let instance = Instance::new(&mut store, &module, &[]).unwrap();
        let run = instance.get_typed_func::<f32, (i64, i64, i64)>(&mut store, "run").unwrap();
        let (number, low, high) = run.call(&mut store, f32::from_bits(bits)).unwrap();
        (number, low, high, 1_000_000 - store.get_fuel().unwrap())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Compares code for the features of this processor with code for the least that a processor of its kind has.
        #[cfg(target_os = "linux")]
        #[test]
        fn any_arithmetic_has_the_same_result_and_fuel_with_and_without_the_features_of_this_processor(
            steps in prop::collection::vec(0..STEPS.len(), 1..12), bits in any::<u32>(),
        ) {
            let own = Engine::new(&config()).unwrap();
            let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
            let least = portable_engine(&target).unwrap();
            prop_assert_eq!(ran(&own, &steps, bits), ran(&least, &steps, bits));
        }
    }

    #[test]
    fn a_relaxed_instruction_is_refused() {
        let text = "(module (func (param v128) (result v128)
            (f32x4.relaxed_nmadd (local.get 0) (local.get 0) (local.get 0))))";
        let engine = Engine::new(&config()).unwrap();
        let error = Module::new(&engine, wat::parse_str(text).unwrap()).unwrap_err();
        let error = format!("{error:#}");
        assert!(error.contains("relaxed SIMD support is not enabled"), "{error}");
    }

    #[test]
    fn code_compiled_for_one_processor_only_is_not_taken_from_the_cache() {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let digest = |config: &wasmtime::Config| {
            let mut hasher = DefaultHasher::new();
            Engine::new(config).unwrap().precompile_compatibility_hash().hash(&mut hasher);
            hasher.finish()
        };
        let ours = digest(&config());
        assert_eq!(ours, digest(&config()));
        let mut uncanonical = config();
        uncanonical.cranelift_nan_canonicalization(false);
        assert_ne!(ours, digest(&uncanonical));
    }
}
