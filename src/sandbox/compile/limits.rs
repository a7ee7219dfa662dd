//! Limits for compiling one component.

use std::time::Duration;

/// Longest time that compiling one component may take on the wall clock. Only a machine that is busy with
/// something else comes near it. Play goes on meanwhile, so nothing waits for it.
pub const COMPILE_TIME_MAX: Duration = Duration::from_secs(300);

/// Most processor seconds for compiling one component, over all threads, unless the player's configuration says
/// otherwise. The operating system enforces it. A script in Rust takes a tenth of a second.
pub const COMPILE_CPU_SECONDS_MAX: u64 = 5;

/// The code of a component, in bytes of its functions, that these seconds cover.
pub const COMPILE_CODE_BYTES_MAX: u64 = 2 << 20;

/// Processor seconds for each further MiB of code. The largest known components take a quarter of their seconds: a
/// complete Python 12 to 16 of 55, a complete JavaScript 15 of 75. On shared processors, the same work has taken more
/// than 40.
pub const COMPILE_CPU_SECONDS_PER_MIB_MAX: u64 = 10;

/// Most address space of the compiling process, unless the player's configuration says otherwise. A complete Python
/// takes two thirds.
pub const COMPILE_MEMORY_BYTES_MAX: u64 = 1_000_000_000;

/// Largest native code of one component. It stays in memory as long as the component is in use; the
/// largest known component makes 70 MB.
pub const COMPILED_BYTES_MAX: u64 = 128 << 20;

/// Threads that compile one component: enough for a large one to be ready in seconds, too few to fill a machine.
pub const COMPILE_THREADS_MAX: usize = 4;

/// Components that are compiled at the same time; more wait their turn. The limits above hold for each.
pub const COMPILES_MAX: usize = 2;

/// Processor seconds for a built-in component, whatever limit the player sets for others: as much as the wall clock
/// allows, so that a slow machine does not lose it.
pub const COMPILE_BUILT_IN_CPU_SECONDS_MAX: u64 = 1200;

/// The origin of a component, on which its limits depend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ComponentOrigin {
    /// A part of this program.
    Program,
    /// An untrusted package.
    Package,
}

/// The player's own limits for compiling one component, from `[limits]` in `config.toml`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CompileLimits {
    /// Processor seconds, whatever the size; by default [`COMPILE_CPU_SECONDS_MAX`] and more for large components.
    pub cpu_seconds: Option<u64>,
    /// Address space; [`COMPILE_MEMORY_BYTES_MAX`] by default.
    pub memory_bytes: Option<u64>,
}

/// Limits for compiling one component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CompileCost {
    pub(super) cpu_seconds: u64,
    pub(super) memory_bytes: u64,
}

impl CompileCost {
    /// The limits of a component with this much code.
    pub(super) fn of(
        code_bytes: u64,
        origin: ComponentOrigin,
        limits: CompileLimits,
    ) -> CompileCost {
        let further = code_bytes.saturating_sub(COMPILE_CODE_BYTES_MAX).div_ceil(1 << 20);
        let by_size = COMPILE_CPU_SECONDS_MAX + further * COMPILE_CPU_SECONDS_PER_MIB_MAX;
        CompileCost {
            cpu_seconds: match origin {
                ComponentOrigin::Program => COMPILE_BUILT_IN_CPU_SECONDS_MAX,
                ComponentOrigin::Package => limits.cpu_seconds.unwrap_or(by_size),
            },
            memory_bytes: limits.memory_bytes.unwrap_or(COMPILE_MEMORY_BYTES_MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CompileCost, CompileLimits, ComponentOrigin};

    #[track_caller]
    fn check(code_bytes: u64, limits: CompileLimits, expect: &str) {
        let found = CompileCost::of(code_bytes, ComponentOrigin::Package, limits);
        assert_eq!(format!("{} s, {}", found.cpu_seconds, found.memory_bytes), expect);
    }

    #[test]
    fn a_part_of_the_program_may_take_as_long_as_a_slow_machine_needs() {
        let none = CompileLimits::default();
        let own = CompileLimits { cpu_seconds: Some(1), memory_bytes: None };
        for limits in [none, own] {
            let found = CompileCost::of(3 << 20, ComponentOrigin::Program, limits);
            assert_eq!(found, CompileCost { cpu_seconds: 1200, memory_bytes: 1_000_000_000 });
        }
    }

    #[test]
    fn a_large_component_may_cost_more_and_the_player_decides_in_the_end() {
        let none = CompileLimits::default();
        check(0, none, "5 s, 1000000000");
        check(2 << 20, none, "5 s, 1000000000");
        check((2 << 20) + 1, none, "15 s, 1000000000");
        check(6_568_296, none, "55 s, 1000000000");
        let own = CompileLimits { cpu_seconds: Some(90), memory_bytes: Some(1) };
        check(0, own, "90 s, 1");
        check(u64::MAX, own, "90 s, 1");
    }
}
