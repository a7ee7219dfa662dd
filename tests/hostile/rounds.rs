//! Many rounds of the whole corpus leak no memory, threads, open files or child processes.

use std::{fs, sync::Arc, time::Duration};

use narratoria_sandbox::{
    ComponentLoadError, InvocationLimits, LoadedComponent, Sandbox, SandboxOptions,
};
use tokio::task::JoinSet;

use super::{crafted, support};

/// Low, so that a thousand rounds end within an hour.
const LIMITS: InvocationLimits = InvocationLimits {
    time: Duration::from_millis(20),
    fuel: 50_000_000_000,
    memory_bytes: 4 << 20,
    stdout_bytes: 256 << 10,
};

/// Fewest rounds before the first measurement; a hundredth of a long run. Meanwhile allocators take what they need,
/// and each component gets a slot in the pool, in which 256 KiB stay resident.
const WARM_UP: usize = 2;

/// Memory that the host may have gained at the end, because allocators reuse pieces.
const GROWTH_BYTES_MAX: u64 = 24 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProcessResources {
    memory_bytes: u64,
    files: usize,
    threads: usize,
    children: usize,
}

fn own_resources() -> ProcessResources {
    let count = |path: &str| fs::read_dir(path).unwrap().count();
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kilobytes: u64 = resident.trim().trim_end_matches(" kB").parse().unwrap();
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let children = tasks.map(|task| {
        let children = fs::read_to_string(task.unwrap().path().join("children"));
        children.map_or(0, |children| children.split_whitespace().count())
    });
    ProcessResources {
        memory_bytes: kilobytes << 10,
        files: count("/proc/self/fd"),
        threads: count("/proc/self/task"),
        children: children.sum(),
    }
}

/// Built once: building them takes longer than everything that is measured here.
fn crafted() -> Vec<(&'static str, Vec<u8>)> {
    crafted::ALL.iter().map(|crafted| (crafted.name, crafted.bytes())).collect()
}

/// Loads the whole corpus, and returns the components that load. Skips those of 64 MiB unless `with_large`.
fn load_all(
    sandbox: &Sandbox,
    crafted: &[(&'static str, Vec<u8>)],
    with_large: bool,
) -> Vec<(&'static str, LoadedComponent)> {
    let mut all: Vec<(&str, LoadedComponent)> = narratoria_guests::ALL
        .iter()
        .map(|guest| (guest.name, support::load(sandbox, guest.name)))
        .collect();
    for (name, wasm) in crafted {
        if name.starts_with("bytes-") && !with_large {
            continue;
        }
        let loaded: Result<LoadedComponent, ComponentLoadError> =
            sandbox.load(wasm, &narratoria_guests::host::grants_of(name));
        all.extend(loaded.ok().map(|component| (*name, component)));
    }
    all
}

/// Runs eight at a time, as a busy plan does.
async fn round(all: &[(&'static str, LoadedComponent)]) -> usize {
    let slots = Arc::new(tokio::sync::Semaphore::new(8));
    let mut running = JoinSet::new();
    for (name, component) in all {
        let (name, component, slots) = (*name, component.clone(), Arc::clone(&slots));
        running.spawn(async move {
            let _slot = slots.acquire_owned().await.unwrap();
            support::run(&component, name, LIMITS).await
        });
    }
    let mut ended = 0;
    while let Some(invocation) = running.join_next().await {
        invocation.unwrap();
        ended += 1;
    }
    ended
}

/// `HOSTILE_ROUNDS=1000` runs as many. Prints the resources of the process on the way.
#[cfg(target_os = "linux")]
#[test]
fn after_many_rounds_the_host_is_as_it_was() {
    let rounds = std::env::var("HOSTILE_ROUNDS").map_or(4, |rounds| rounds.parse().unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(8)
        // Threads for file access live as long as the test, so that the count is stable.
        .thread_keep_alive(Duration::from_secs(86_400))
        .enable_all()
        .build()
        .unwrap();
    let cache = tempfile::tempdir().unwrap();
    let options = SandboxOptions {
        cache_folder: Some(cache.path().to_owned()),
        compiler: support::compiler(),
        ..SandboxOptions::default()
    };
    let sandbox = Sandbox::open(&options).unwrap();
    let (crafted, mut before) = (crafted(), None);
    let warm_up = WARM_UP.max(rounds / 100);
    for n in 0..warm_up + rounds {
        if n == warm_up {
            before = Some(own_resources());
            println!("after the warm-up: {:?}", own_resources());
        }
        // Loaded again in each round, from the cache after the first.
        let all = load_all(&sandbox, &crafted, n % 10 == 0);
        let ended = runtime.block_on(round(&all));
        assert_eq!(ended, all.len());
        if n % 10 == 9 {
            println!("after {} rounds of {ended}: {:?}", n + 1, own_resources());
        }
    }
    let (before, after) = (before.unwrap(), own_resources());
    println!("after {rounds} rounds: {after:?}");
    assert_eq!(after.children, before.children);
    assert!(after.files <= before.files + 4, "{before:?} {after:?}");
    assert!(after.threads <= before.threads + 8, "{before:?} {after:?}");
    assert!(after.memory_bytes <= before.memory_bytes + GROWTH_BYTES_MAX, "{before:?} {after:?}");
}
