//! Real components in the real sandbox: the limits of each host service, and how a guest is stopped.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod campaign;
mod files;
mod http;
mod pool;
mod questions;
mod skill_store;
mod story_memory;
mod text_comparison;
mod text_model;
mod wit;
mod withheld;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use narratoria_guests::host::{grants_of, job_with as job};
use narratoria_protocol::{Event, Message};
use narratoria_protocol::{InvocationEnding, InvocationOutcome, InvocationOutput};
use narratoria_sandbox::{
    ComponentLoadError, InvocationInput, InvocationLimits, LoadedComponent, Sandbox, SandboxOptions,
};
use narratoria_skills::Grants;
use serde_json::{Value, json};

const LIMITS: InvocationLimits = InvocationLimits {
    time: Duration::from_millis(1_000),
    fuel: 50_000_000_000,
    memory_bytes: 16 << 20,
    stdout_bytes: 4 << 20,
};

/// How late a tight loop may be stopped (the project's own bound).
const LATE_MAX: Duration = Duration::from_millis(50);

fn sandbox() -> Sandbox {
    Sandbox::open(&SandboxOptions::default()).unwrap()
}

fn load(sandbox: &Sandbox, guest: &str) -> LoadedComponent {
    let guest = narratoria_guests::find(guest).unwrap_or_else(|| panic!("no guest `{guest}`"));
    sandbox.load(guest.component, &grants_of(guest.name)).unwrap()
}

async fn run(
    prepared: &LoadedComponent,
    input: Value,
    limits: InvocationLimits,
) -> (InvocationOutcome, Vec<Message>) {
    let collected = Arc::new(Mutex::new(Vec::new()));
    let collector = Arc::clone(&collected);
    let sink = Box::new(move |output| collector.lock().unwrap().push(event(output)));
    let invocation = prepared.run(job(input, limits), sink).await;
    let messages = std::mem::take(&mut *collected.lock().unwrap());
    (invocation, messages)
}

/// The event of an invocation without a language model.
fn event(output: InvocationOutput) -> Message {
    match output {
        InvocationOutput::Event(message) => message,
        InvocationOutput::Narration(text) => panic!("a narration: {text}"),
    }
}

/// A guest that several tests run, compiled once.
fn prepared(guest: &'static str) -> LoadedComponent {
    static ALL: OnceLock<(Sandbox, Mutex<BTreeMap<&str, LoadedComponent>>)> = OnceLock::new();
    let (sandbox, all) = ALL.get_or_init(|| (sandbox(), Mutex::default()));
    all.lock().unwrap().entry(guest).or_insert_with(|| load(sandbox, guest)).clone()
}

/// The ending in the form of the texts beside the guests.
fn ending_text(ending: &InvocationEnding) -> String {
    match ending {
        InvocationEnding::Done { .. } => "ok".to_owned(),
        InvocationEnding::Failed { summary, .. } => {
            format!("gave up: {}", summary.as_deref().unwrap_or_default())
        }
        InvocationEnding::Aborted(error) => error.to_string(),
    }
}

async fn output_of(guest: &str) -> Value {
    let (invocation, _) = run(&load(&sandbox(), guest), json!({}), LIMITS).await;
    match invocation.ending {
        InvocationEnding::Done { output, .. } => Value::Object(output),
        other => panic!("`{guest}` ended with {other:?}, stderr: {}", invocation.stderr_tail),
    }
}

/// S0 FR-017: the loop neither sleeps nor calls the host, so only fuel slices can interrupt it. The
/// best of three, since the machine may be busy with something else.
#[tokio::test]
async fn a_tight_loop_is_stopped_within_its_time_limit_and_fifty_milliseconds() {
    let prepared = load(&sandbox(), "loop-forever");
    let limits = InvocationLimits { time: Duration::from_millis(100), ..LIMITS };
    let mut late = Vec::new();
    for _ in 0..3 {
        let (invocation, _) = run(&prepared, json!({}), limits).await;
        assert_eq!(ending_text(&invocation.ending), "ran past its time limit of 100 ms");
        late.push(invocation.usage.elapsed.saturating_sub(limits.time));
    }
    assert!(late.iter().min().unwrap() <= &LATE_MAX, "late by {late:?}");
}

#[tokio::test]
async fn a_loop_that_has_little_fuel_is_stopped_by_fuel() {
    let prepared = load(&sandbox(), "loop-forever");
    let limits = InvocationLimits { fuel: 5_000_000, ..LIMITS };
    let (invocation, _) = run(&prepared, json!({}), limits).await;
    assert_eq!(ending_text(&invocation.ending), "used up its fuel of 5000000 instructions");
    assert_eq!(invocation.usage.fuel, 5_000_000);
}

/// S0 SC-005: 99 % would do; what a script does depends on nothing but its request, so that all of them end well.
#[tokio::test]
async fn each_of_three_hundred_invocations_ends_well_within_the_default_time() {
    let echo = prepared("echo");
    let limits = InvocationLimits { time: narratoria_skills::TIMEOUT_DEFAULT, ..LIMITS };
    for n in 0..300 {
        let (invocation, _) = run(&echo, json!({"number": n}), limits).await;
        assert_eq!(ending_text(&invocation.ending), "ok");
        assert!(invocation.usage.elapsed < limits.time, "{:?}", invocation.usage);
    }
}

#[tokio::test]
async fn the_resource_usage_of_an_invocation_is_reported() {
    let (invocation, messages) = run(&load(&sandbox(), "null"), json!({}), LIMITS).await;
    let usage = invocation.usage;
    assert!(usage.fuel > 1_000 && usage.fuel < 10_000_000, "{usage:?}");
    assert!(usage.memory_bytes_peak >= 64 << 10, "{usage:?}");
    assert!(usage.stdout_bytes > 20, "{usage:?}");
    assert!(usage.elapsed > Duration::ZERO, "{usage:?}");
    assert!(matches!(messages.as_slice(), [Message { event: Event::Done { ok: true, .. }, .. }]));
}

/// The guest writes one line and then sleeps for an hour: the test ends only if the host gets the line at once, and
/// only if dropping the future stops the guest.
#[tokio::test]
async fn events_arrive_as_they_are_written_and_dropping_the_future_stops_the_guest() {
    let sandbox = sandbox();
    let prepared = load(&sandbox, "says-then-sleeps");
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let sink = Box::new(move |output| sender.send(event(output)).unwrap());
    let limits = InvocationLimits { time: Duration::from_secs(7_200), ..LIMITS };
    tokio::select! {
        invocation = prepared.run(job(json!({}), limits), sink) => panic!("it ended: {invocation:?}"),
        message = receiver.recv() => {
            assert!(matches!(message.unwrap().event, Event::Log { .. }));
        }
    }
    assert!(receiver.recv().await.is_none(), "the guest is gone, and its sink with it");
    let (after, _) = run(&load(&sandbox, "null"), json!({}), LIMITS).await;
    assert_eq!(ending_text(&after.ending), "ok");
}

#[tokio::test]
async fn a_failing_script_has_its_own_error_code() {
    let (invocation, _) = run(
        &load(&sandbox(), "fail"),
        json!({"code": "NO_LUCK", "message": "the dice are lost"}),
        LIMITS,
    )
    .await;
    let InvocationEnding::Failed { error_code, .. } = invocation.ending else {
        panic!("{invocation:?}")
    };
    assert_eq!(error_code.as_deref(), Some("NO_LUCK"));
}

#[tokio::test]
async fn nothing_is_accessible_without_a_grant() {
    insta::assert_json_snapshot!("ungranted_files", output_of("reads-files").await);
    insta::assert_json_snapshot!("ungranted_environment", output_of("reads-env").await);
    insta::assert_json_snapshot!("ungranted_clock", output_of("reads-clock").await);
}

#[tokio::test]
async fn random_numbers_come_from_the_seed_alone() {
    let first = output_of("random").await;
    assert_eq!(first, output_of("random").await);
    let prepared = load(&sandbox(), "random");
    let other = InvocationInput { seed: 8, ..job(json!({}), LIMITS) };
    let InvocationEnding::Done { output, .. } = prepared.run(other, Box::new(|_| {})).await.ending
    else {
        panic!("it failed")
    };
    assert_ne!(first, Value::Object(output));
}

#[tokio::test]
async fn many_invocations_at_once_wait_for_a_slot_and_all_end() {
    let sandbox = sandbox();
    let prepared = load(&sandbox, "null");
    let many = (0..200).map(|_| run(&prepared, json!({}), LIMITS));
    let mut ok = 0;
    for running in many.map(Box::pin).collect::<Vec<_>>() {
        ok += usize::from(ending_text(&running.await.0.ending) == "ok");
    }
    assert_eq!(ok, 200);
}

#[test]
fn compiled_code_is_cached_and_compiled_again_when_it_is_damaged_or_stale() {
    let folder = tempfile::tempdir().unwrap();
    let options =
        SandboxOptions { cache_folder: Some(folder.path().to_owned()), ..Default::default() };
    let cached = || -> Vec<_> {
        let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        // Each file has a seal beside it.
        let code = names.filter(|path| path.extension().is_some_and(|found| found == "cwasm"));
        let mut code: Vec<_> = code.collect();
        code.sort();
        code
    };
    let wasm = narratoria_guests::NULL.component;
    let load = || Sandbox::open(&options).unwrap().load(wasm, &Grants::default()).map(drop);

    load().unwrap();
    let [path] = cached().try_into().expect("one file");
    let code = std::fs::read(&path).unwrap();

    // Damaged: a byte in the middle is flipped, as a failing disk would.
    let mut damaged = code.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    load().unwrap();
    assert!(std::fs::read(&path).unwrap() == code, "the damaged file was written again");

    // Cut short.
    std::fs::write(&path, &code[..20]).unwrap();
    load().unwrap();
    assert!(std::fs::read(&path).unwrap() == code, "the short file was written again");

    // Stale: writing our code removes the code of another engine for the same wasm.
    let name = path.file_name().unwrap().to_str().unwrap();
    let other = path.with_file_name(format!("{}-0000000000000000.cwasm", &name[..64]));
    std::fs::rename(&path, &other).unwrap();
    load().unwrap();
    assert_eq!(cached(), [path]);
}

#[track_caller]
fn check_load(wat: &str, grants: Grants, expect: &str) {
    let wasm = wat::parse_str(wat).unwrap();
    let error = sandbox().load(&wasm, &grants).map(drop).unwrap_err();
    assert_eq!(error.to_string(), expect);
}

#[test]
fn an_import_without_its_grant_is_refused_with_the_line_that_would_allow_it() {
    let store = r#"(component (import "narratoria:host/store@0.1.0" (instance)))"#;
    check_load(
        store,
        Grants::default(),
        "imports `narratoria:host/store@0.1.0`, which its manifest does not grant; `skill.json` would need \"grants\": {\"store\": true}",
    );
    let granted = || Grants { store: true, ..Grants::default() };
    for import in ["store@0.2.0", "store@0.1.0-rc.1", "store"] {
        check_load(
            &format!(r#"(component (import "narratoria:host/{import}" (instance)))"#),
            granted(),
            &format!("imports `narratoria:host/{import}`, which this host does not offer"),
        );
    }
    check_load(
        r#"(component (import "narratoria:host/storehouse@0.1.0" (instance)))"#,
        granted(),
        "imports `narratoria:host/storehouse@0.1.0`, which its manifest does not grant; no grant opens it",
    );
    check_load(
        r#"(component (import "wasi:http/outgoing-handler@0.2.0" (instance)))"#,
        Grants::default(),
        "imports `wasi:http/outgoing-handler@0.2.0`, which its manifest does not grant; `skill.json` would need \"grants\": {\"http\": [\"<host>\"]}",
    );
    check_load(
        r#"(component (import "acme:rocket/launch" (instance)))"#,
        Grants::default(),
        "imports `acme:rocket/launch`, which its manifest does not grant; no grant opens it",
    );
}

#[test]
fn bytes_that_are_no_component_are_refused() {
    let error = |wasm: &[u8]| sandbox().load(wasm, &Grants::default()).map(drop).unwrap_err();
    assert!(matches!(error(b""), ComponentLoadError::NotAComponent { .. }));
    assert!(matches!(error(b"\x7fELF\x02\x01\x01"), ComponentLoadError::NotAComponent { .. }));
    assert!(matches!(error(b"\0asm\x01\0\0\0"), ComponentLoadError::NotAComponent { .. }));
    assert!(matches!(error(b"\0asm\x0d\0\x01\0"), ComponentLoadError::RunNotExported { .. }));
    let precompiled = {
        let folder = tempfile::tempdir().unwrap();
        let options =
            SandboxOptions { cache_folder: Some(folder.path().to_owned()), ..Default::default() };
        let sandbox = Sandbox::open(&options).unwrap();
        sandbox.load(narratoria_guests::NULL.component, &Grants::default()).unwrap();
        let mut files =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let code = files.find(|path| path.extension().is_some_and(|found| found == "cwasm"));
        std::fs::read(code.unwrap()).unwrap()
    };
    assert!(
        matches!(error(&precompiled), ComponentLoadError::NotAComponent { .. }),
        "native code is never taken from a package"
    );
}
