//! More invocations than the pool has slots, and machines with little address space.

use std::{fmt::Write, future::poll_fn, process::Command, sync::Arc, task::Poll};

use narratoria_protocol::{InvocationEnding, InvocationError};
use narratoria_sandbox::{
    Allocation, INVOCATIONS_MAX, InvocationInput, InvocationLimits, LoadedComponent, Sandbox,
    SandboxOptions, WAITING_MAX,
};
use narratoria_skills::Grants;
use serde_json::{Value, json};
use tokio::{
    sync::{Notify, mpsc::unbounded_channel},
    task::JoinSet,
};

use super::{LIMITS, job, load, prepared, run};

/// Runs `count` invocations at once, and returns the texts of the endings that are not `ok`.
async fn crowd(
    prepared: &LoadedComponent,
    count: usize,
    job: impl Fn() -> InvocationInput,
) -> String {
    let mut crowd = JoinSet::new();
    for _ in 0..count {
        let (prepared, job) = (prepared.clone(), job());
        crowd.spawn(async move { prepared.run(job, Box::new(|_| {})).await.ending });
    }
    let mut bad = String::new();
    for ending in crowd.join_all().await {
        if !matches!(ending, InvocationEnding::Done { .. }) {
            writeln!(bad, "{ending:?}").unwrap();
        }
    }
    bad
}

#[tokio::test(flavor = "multi_thread")]
async fn more_invocations_than_the_pool_has_room_for_wait_their_turn() {
    let count = INVOCATIONS_MAX as usize * 8;
    let bad = crowd(&prepared("echo"), count, || job(json!({"word": "yes"}), LIMITS)).await;
    assert_eq!(bad, "");
}

/// A hundred guests with a limit of a gigabyte each do not run together, and all get their turn.
#[tokio::test(flavor = "multi_thread")]
async fn guests_with_large_memories_wait_for_one_another() {
    let sandbox = Sandbox::open(&SandboxOptions {
        memory_budget: Some(2 << 30),
        ..SandboxOptions::default()
    })
    .unwrap();
    let limits = InvocationLimits { memory_bytes: 1 << 30, ..LIMITS };
    let bad = crowd(&load(&sandbox, "echo"), 100, || job(json!({}), limits)).await;
    assert_eq!(bad, "");
}

/// While an invocation that waits for a person has the whole memory budget, the queue fills up. The next one fails at
/// once.
#[tokio::test]
async fn a_full_queue_is_an_error_of_its_own() {
    let sandbox =
        Sandbox::open(&SandboxOptions { memory_budget: Some(1), ..SandboxOptions::default() })
            .unwrap();
    let (echo, asks) = (load(&sandbox, "echo"), load(&sandbox, "asks"));
    let (answer, answers) = unbounded_channel();
    let asked = Arc::new(Notify::new());
    let ear = Arc::clone(&asked);
    let holder = InvocationInput { answers: Some(answers), ..job(json!({}), LIMITS) };
    let holder =
        tokio::spawn(
            async move { asks.run(holder, Box::new(move |_| ear.notify_one())).await.ending },
        );
    asked.notified().await;

    let run = || Box::pin(echo.run(job(json!({}), LIMITS), Box::new(|_| {})));
    let mut queue: Vec<_> = (0..WAITING_MAX).map(|_| run()).collect();
    let all_wait = poll_fn(|context| {
        let mut polled = queue.iter_mut().map(|waiting| waiting.as_mut().poll(context));
        Poll::Ready(polled.all(|waiting| waiting.is_pending()))
    });
    assert!(all_wait.await);
    let InvocationEnding::Aborted(refusal) = run().await.ending else { panic!("it was let in") };
    assert_eq!(refusal, InvocationError::HostBusy { limit: WAITING_MAX });
    assert_eq!(refusal.code(), "HOST_BUSY");

    for text in ["Ada", "tea"] {
        answer.send(text.to_owned()).unwrap();
    }
    assert!(matches!(holder.await.unwrap(), InvocationEnding::Done { .. }));
    let first = queue.swap_remove(0).await.ending;
    assert!(matches!(first, InvocationEnding::Done { .. }), "{first:?}");
}

/// What the child of the test below prints.
const CRAMPED: &str = "cramped, and it runs";

#[tokio::test]
#[ignore = "run by the test below, in a process with little address space"]
async fn in_a_process_with_little_address_space() {
    let sandbox = Sandbox::open(&SandboxOptions::default()).unwrap();
    assert_eq!(sandbox.allocation(), Allocation::Unreserved);
    let (invocation, _) = run(&load(&sandbox, "echo"), json!({"word": "yes"}), LIMITS).await;
    let InvocationEnding::Done { output, .. } = invocation.ending else {
        panic!("{:?}", invocation.ending)
    };
    assert_eq!(output["input"]["word"], "yes");
    // A guest that allocates without end is stopped by its own limit.
    let (invocation, _) = run(&load(&sandbox, "allocate-forever"), json!({}), LIMITS).await;
    let stopped =
        matches!(invocation.ending, InvocationEnding::Aborted(InvocationError::OutOfMemory { .. }));
    assert!(stopped, "{:?}", invocation.ending);
    println!("{CRAMPED}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_machine_without_address_space_runs_everything_without_a_pool() {
    let own = std::env::current_exe().unwrap();
    let test = "pool::in_a_process_with_little_address_space";
    // 3 GiB: less than a single memory of the pool reserves.
    let script = r#"ulimit -v 3145728 && exec "$0" --exact "$1" --ignored --nocapture"#;
    let output = Command::new("sh").args(["-c", script]).arg(own).arg(test).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(stdout.contains(CRAMPED), "{stdout}\n{stderr}");
    assert!(output.status.success(), "{stdout}\n{stderr}");
}

#[test]
fn without_a_limit_there_is_a_pool() {
    let sandbox = Sandbox::open(&SandboxOptions::default()).unwrap();
    assert_eq!(sandbox.allocation(), Allocation::Pooled { invocations: INVOCATIONS_MAX });
}

#[tokio::test]
async fn a_cached_component_is_found_and_runs() {
    let folder = tempfile::tempdir().unwrap();
    let options = SandboxOptions {
        cache_folder: Some(folder.path().to_owned()),
        ..SandboxOptions::default()
    };
    let echo = narratoria_guests::ECHO.component;
    let sandbox = Sandbox::open(&options).unwrap();
    assert!(sandbox.load_cached(echo, &Grants::default()).is_none());
    sandbox.load(echo, &Grants::default()).unwrap();
    for sandbox in [sandbox, Sandbox::open(&options).unwrap()] {
        let cached = sandbox.load_cached(echo, &Grants::default()).expect("it was kept").unwrap();
        let (invocation, _) = run(&cached, json!({"word": "yes"}), LIMITS).await;
        let InvocationEnding::Done { output, .. } = invocation.ending else {
            panic!("it ends well")
        };
        assert_eq!(output["input"]["word"], Value::from("yes"));
    }
    // A damaged file is compiled again.
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "cwasm") {
            let mut code = std::fs::read(&path).unwrap();
            let middle = code.len() / 2;
            code[middle..middle + 64].fill(0xcc);
            std::fs::write(&path, code).unwrap();
        }
    }
    let sandbox = Sandbox::open(&options).unwrap();
    assert!(sandbox.load_cached(echo, &Grants::default()).is_none());
    let again = sandbox.load(echo, &Grants::default()).unwrap();
    let (invocation, _) = run(&again, json!({}), LIMITS).await;
    assert!(matches!(invocation.ending, InvocationEnding::Done { .. }), "{:?}", invocation.ending);
}
