//! What compiling one component may cost.

use std::time::Duration;

/// Longest time that compiling one component may take on the wall clock. Only a machine that is busy with
/// something else comes near it. Play goes on meanwhile, so nothing waits for it.
pub const COMPILE_TIME_MAX: Duration = Duration::from_secs(600);

/// Most processor seconds for compiling one component, over all threads. The operating system enforces it. The
/// largest component that we know, 18 MB of Python, takes 17 on an ordinary computer and 100 on a small board.
pub const COMPILE_CPU_SECONDS_MAX: u64 = 300;

/// Most address space of the compiling process. The largest component that we know takes a quarter.
pub const COMPILE_MEMORY_BYTES_MAX: u64 = 4 << 30;

/// Largest native code of one component. It stays in memory as long as the component is in use; the
/// largest that we know makes 60 MB.
pub const COMPILED_BYTES_MAX: u64 = 256 << 20;

/// Threads that compile one component: enough for a large one to be ready in seconds, too few to fill a machine.
pub const COMPILE_THREADS_MAX: usize = 4;

/// Components that are compiled at the same time; more wait their turn. The limits above hold for each.
pub const COMPILES_MAX: usize = 2;
