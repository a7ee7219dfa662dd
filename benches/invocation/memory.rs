//! Resident memory of idle skills, and of instances that wait in the middle of their work.

use std::{fs, sync::Arc};

use narratoria_guests::{ASKS, ECHO};
use narratoria_sandbox::{InvocationInput, Sandbox, SandboxOptions};
use narratoria_skills::Grants;
use tokio::sync::{Semaphore, mpsc::unbounded_channel};

use crate::{job, load::padded};

const SKILLS: u64 = 24;
const INSTANCES: usize = 100;

pub(crate) fn run() -> wasmtime::Result<()> {
    if resident().is_none() {
        println!("memory: this system does not say how much is resident");
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let open = || {
        let cache_folder = Some(folder.path().to_owned());
        Sandbox::open(&SandboxOptions { cache_folder, ..SandboxOptions::default() })
    };
    let wasm = |number| padded(ECHO.component, 0, number);
    {
        let compiling = open()?;
        for number in 0..SKILLS {
            compiling.load(&wasm(number), &Grants::default())?;
        }
    }
    // As at the second start, when everything comes from the cache.
    let sandbox = open()?;
    let warm = sandbox.load(&wasm(0), &Grants::default())?;
    let before = resident();
    let idle: Vec<_> = (1..SKILLS)
        .map(|number| sandbox.load(&wasm(number), &Grants::default()))
        .collect::<Result<_, _>>()?;
    let after = resident();
    let per = |count: usize| {
        before_after(before, after).map(|(all, own)| (all / count as f64, own / count as f64))
    };
    if let Some((all, own)) = per(idle.len()) {
        println!(
            "memory: a skill that lies there: {all:.0} KB resident, {own:.0} KB of it its own (the rest is its file in the cache)"
        );
    }
    drop((warm, idle));
    waiting()
}

/// Scripts that have asked the player something.
fn waiting() -> wasmtime::Result<()> {
    // Their memory limits exceed the host's budget, although they use little.
    let memory_budget = Some(1 << 40);
    let sandbox = Sandbox::open(&SandboxOptions { memory_budget, ..SandboxOptions::default() })?;
    let asks = sandbox.load(ASKS.component, &Grants::default())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let asked = Arc::new(Semaphore::new(0));
        let mut players = Vec::new();
        let mut before = None;
        for instance in 0..=INSTANCES {
            let (player, answers) = unbounded_channel();
            let job = InvocationInput {
                answers: Some(answers),
                ..job::job(&job::request_without_input())
            };
            let (asks, ear) = (asks.clone(), Arc::clone(&asked));
            let heard = Box::new(move |_| ear.add_permits(1));
            players.push((player, tokio::spawn(async move { asks.run(job, heard).await })));
            asked.acquire().await?.forget();
            if instance == 0 {
                // The first one pays for shared memory.
                before = resident();
            }
        }
        if let Some((all, own)) = before_after(before, resident()) {
            let (all, own) = (all / INSTANCES as f64, own / INSTANCES as f64);
            println!(
                "memory: an instance that waits: {all:.0} KB resident, {own:.0} KB of it its own"
            );
        }
        players.iter().for_each(|(_, playing)| playing.abort());
        Ok::<_, wasmtime::Error>(())
    })
}

/// Resident kilobytes: all, and those without a file.
fn resident() -> Option<(f64, f64)> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()
    };
    Some((field("VmRSS:")?, field("RssAnon:")?))
}

fn before_after(before: Option<(f64, f64)>, after: Option<(f64, f64)>) -> Option<(f64, f64)> {
    let ((all, own), (all_after, own_after)) = (before?, after?);
    Some((all_after - all, own_after - own))
}
