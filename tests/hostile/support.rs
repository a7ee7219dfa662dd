//! A sandbox for the hostile components, with their grants and folders, and the text of an ending.

use std::{path::Path, time::Duration};

use narratoria_protocol::{InvocationEnding, InvocationOutcome};
use narratoria_sandbox::{
    Compiler, InvocationInput, InvocationLimits, LoadedComponent, Preopen, Sandbox, SandboxOptions,
};
use serde_json::{Value, json};

use narratoria_guests::host::{grants_of, job_with};

pub(crate) const LIMITS: InvocationLimits = InvocationLimits {
    time: Duration::from_millis(1_000),
    fuel: 50_000_000_000,
    memory_bytes: 16 << 20,
    stdout_bytes: 4 << 20,
};

/// The program itself, as the compiler's process.
pub(crate) fn compiler() -> Compiler {
    let program = env!("CARGO_BIN_EXE_narratoria").into();
    Compiler::Subprocess { program, args: vec!["compile-component".to_owned()] }
}

/// With a cache, as the program has it: each component is compiled once for all tests.
pub(crate) fn sandbox() -> Sandbox {
    let cache_folder = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("components"));
    Sandbox::open(&SandboxOptions { cache_folder, ..SandboxOptions::default() }).unwrap()
}

pub(crate) fn load(sandbox: &Sandbox, guest: &str) -> LoadedComponent {
    let guest = narratoria_guests::find(guest).unwrap_or_else(|| panic!("no guest `{guest}`"));
    sandbox.load(guest.component, &grants_of(guest.name)).unwrap()
}

/// The name of the guest's folder, if it has one.
fn folder_of(name: &str) -> Option<&'static str> {
    match name {
        "bad-assets" => Some("/assets"),
        "digs-folders"
        | "escapes"
        | "fills-disk"
        | "links-files"
        | "makes-many-files"
        | "moves-folders-deeper"
        | "opens-files-again"
        | "opens-many-files"
        | "stretches-files"
        | "writes-to-an-unlinked-file" => Some("/data"),
        _ => None,
    }
}

fn input_of(name: &str) -> Value {
    match name {
        "fail" => json!({"code": "NO_LUCK", "message": "the dice are lost"}),
        "sleep" | "says-then-sleeps" => json!({"ms": 1}),
        "tallies" => json!({"id": "a", "work": 9}),
        "remembers" => json!({"do": [["remember", "It rains.", []], ["recall", "rain", [], 1]]}),
        _ => json!({"padding": "x".repeat(200_000)}),
    }
}

pub(crate) fn job(name: &str, limits: InvocationLimits) -> InvocationInput {
    job_with(input_of(name), limits)
}

/// Runs the guest once, in a new folder if it has one, and checks that it changed nothing outside.
pub(crate) async fn run(
    component: &LoadedComponent,
    name: &str,
    limits: InvocationLimits,
) -> InvocationOutcome {
    let Some(guest) = folder_of(name) else {
        return component.run(job(name, limits), Box::new(|_| {})).await;
    };
    let home = tempfile::tempdir().unwrap();
    let host = home.path().join("inside");
    for folder in ["inside", "other"] {
        std::fs::create_dir(home.path().join(folder)).unwrap();
    }
    std::fs::write(home.path().join("secret"), "the treasure is under the oak").unwrap();
    let preopens = vec![Preopen { host, guest: guest.to_owned(), writable: true }];
    let job = InvocationInput { preopens, ..job(name, limits) };
    let invocation = component.run(job, Box::new(|_| {})).await;
    let mut left: Vec<String> = std::fs::read_dir(home.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["inside", "other", "secret"], "`{name}` reached out of its folder");
    invocation
}

/// The ending in the form of the texts beside the guests.
pub(crate) fn ending_text(ending: &InvocationEnding) -> String {
    match ending {
        InvocationEnding::Done { .. } => "ok".to_owned(),
        InvocationEnding::Failed { summary, .. } => {
            format!("gave up: {}", summary.as_deref().unwrap_or_default())
        }
        InvocationEnding::Aborted(error) => error.to_string(),
    }
}
