//! One attempt of a heavy script as a piece of work. Its text has everything that the outcome depends on.

use std::time::Duration;

use narratoria_engine::HeavyInvocation;
use narratoria_protocol::{JsonBounds, digest::is_digest, read_json_as};
use narratoria_queue::WORK_BYTES_MAX;
use narratoria_sandbox::{InvocationInput, InvocationLimits};
use serde::{Deserialize, Serialize};

/// The version of the text; a change that would break a reader raises it.
const VERSION: u32 = 1;

/// An unknown field is refused: an outcome that ignores it would be another one's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct StepRequest {
    version: u32,
    /// The digest of the component.
    pub(super) component: String,
    script: String,
    /// The line of the request, without its line feed.
    request: String,
    seed: u64,
    time_ms: u64,
    fuel: u64,
    memory_bytes: u64,
    stdout_bytes: u64,
}

impl StepRequest {
    /// `None` if the request is not text, which it always is.
    pub(super) fn new(invocation: &HeavyInvocation, component: String) -> Option<StepRequest> {
        let request =
            std::str::from_utf8(&invocation.stdin).ok()?.trim_end_matches('\n').to_owned();
        let InvocationLimits { time, fuel, memory_bytes, stdout_bytes } = invocation.limits;
        Some(StepRequest {
            version: VERSION,
            component,
            script: invocation.script.clone(),
            request,
            seed: invocation.seed,
            time_ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
            fuel,
            memory_bytes,
            stdout_bytes,
        })
    }

    /// `None` if it is longer than a queue takes.
    pub(super) fn write(&self) -> Option<String> {
        let text = serde_json::to_string(self).expect("texts and numbers are JSON");
        (text.len() <= WORK_BYTES_MAX).then_some(text)
    }

    /// Reads what a host has left; `Err` says what is wrong with it, as a part of a sentence.
    pub(super) fn read(text: &str) -> Result<StepRequest, String> {
        let bounds = JsonBounds::of_bytes(WORK_BYTES_MAX);
        let request: StepRequest =
            read_json_as(text.as_bytes(), bounds).map_err(|error| error.predicate())?;
        match request.version {
            VERSION if is_digest(&request.component) => Ok(request),
            VERSION => Err("names no component".to_owned()),
            other => Err(format!("has version {other}, and {VERSION} is known")),
        }
    }

    pub(super) fn input(&self) -> InvocationInput {
        let limits = InvocationLimits {
            time: Duration::from_millis(self.time_ms),
            fuel: self.fuel,
            memory_bytes: self.memory_bytes,
            stdout_bytes: self.stdout_bytes,
        };
        let stdin = format!("{}\n", self.request).into_bytes();
        InvocationInput {
            script: self.script.clone(),
            ..InvocationInput::new(stdin, self.seed, limits)
        }
    }
}

/// The kind of work that programs of this version do: fuel and faults are the same on all of them.
pub(super) fn step_kind() -> String {
    format!("skill-step/{VERSION} {}", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::StepRequest;

    #[test]
    fn a_request_is_read_as_it_is_written_and_a_wrong_one_is_named() {
        let text = "{\"version\":1,\"component\":\"D\",\"script\":\"moon\",\"request\":\"{\\\"x\\\":1}\",\"seed\":7,\
                    \"timeMs\":1500,\"fuel\":18446744073709551615,\"memoryBytes\":65536,\"stdoutBytes\":9}"
            .replace('D', &"a".repeat(64));
        let request = StepRequest::read(&text).unwrap();
        assert_eq!(request.write().as_ref(), Some(&text));
        assert_eq!(request.input().stdin, b"{\"x\":1}\n");
        assert_eq!(request.input().limits.fuel, u64::MAX);
        let refused =
            |from: &str, to: &str| StepRequest::read(&text.replace(from, to)).unwrap_err();
        assert_eq!(refused("\"version\":1", "\"version\":2"), "has version 2, and 1 is known");
        assert_eq!(refused("aaaa", "../a"), "names no component");
        assert!(refused("\"seed\"", "\"sead\"").contains("sead"));
    }

    #[test]
    fn a_request_that_is_longer_than_a_queue_takes_is_not_sent() {
        let text =
            "{\"version\":1,\"component\":\"D\",\"script\":\"moon\",\"request\":\"{}\",\"seed\":7,\
                    \"timeMs\":1,\"fuel\":1,\"memoryBytes\":1,\"stdoutBytes\":9}"
                .replace('D', &"a".repeat(64));
        let request = StepRequest::read(&text).unwrap();
        assert!(request.write().is_some());
        assert_eq!(StepRequest { request: "x".repeat(65_536), ..request }.write(), None);
    }
}
