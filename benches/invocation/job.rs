//! The job that all sides do, and the sandbox's side.

use std::time::Duration;

use narratoria_protocol::InvocationEnding;
use narratoria_protocol::{OPERATION_RUN, Object, Request};
use narratoria_sandbox::{InvocationInput, InvocationLimits, LoadedComponent};
use serde_json::{Value, json};

pub(crate) const LIMITS: InvocationLimits = InvocationLimits {
    time: Duration::from_secs(30),
    fuel: 20_000_000_000,
    memory_bytes: 64 << 20,
    stdout_bytes: 4 << 20,
};

const SEED: u64 = 7;

/// A request in the host's format.
pub(crate) fn request() -> Vec<u8> {
    let input = json!({"formula": "2d6+3", "reason": "to pick the lock of the ancient door"});
    request_with(input)
}

/// A request for a script without input.
pub(crate) fn request_without_input() -> Vec<u8> {
    request_with(json!({}))
}

fn request_with(input: Value) -> Vec<u8> {
    let request = Request {
        request_id: "00000000-0000-4000-8000-000000000000".to_owned(),
        tool: "roll".to_owned(),
        operation: OPERATION_RUN.to_owned(),
        input: input.as_object().cloned().unwrap_or_default(),
        config: Object::new(),
        state: json!({"dice": {"last": {"total": 7}}}),
        inputs: Object::new(),
        seed: SEED,
    };
    request.to_line()
}

pub(crate) fn job(line: &[u8]) -> InvocationInput {
    InvocationInput::new(line.to_vec(), SEED, LIMITS)
}

pub(crate) async fn call(prepared: &LoadedComponent, line: &[u8]) -> wasmtime::Result<()> {
    let invocation = prepared.run(job(line), Box::new(|_| {})).await;
    wasmtime::ensure!(
        matches!(invocation.ending, InvocationEnding::Done { .. }),
        "{:?}",
        invocation.ending
    );
    Ok(())
}
