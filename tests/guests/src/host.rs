//! What the host hands to the guests of these tests.

use narratoria_protocol::{OPERATION_RUN, Object, Request};
use narratoria_sandbox::{InvocationInput, InvocationLimits};
use narratoria_skills::Grants;
use serde_json::{Value, json};

/// The host services, which are all that a guest can be granted by its name. Some misuse what they were granted.
pub fn grants_of(guest: &str) -> Grants {
    let keeps = ["counts", "keeps", "overdoes-the-store", "tallies", "writes"];
    let writes = ["compares", "overdoes-the-model", "writes"];
    // Some are granted a host, and it is not the one that they ask.
    let fetches = ["fetches", "floods-a-host", "hoards-requests"];
    let hosts = fetches.contains(&guest).then(|| "a.example".to_owned());
    Grants {
        store: keeps.contains(&guest),
        memory: ["populates", "remembers"].contains(&guest),
        llm: writes.contains(&guest),
        http: hosts.into_iter().collect(),
        ..Grants::default()
    }
}

/// A request with this input.
pub fn job_with(input: Value, limits: InvocationLimits) -> InvocationInput {
    let Value::Object(input) = input else { panic!("an input is an object") };
    let request = Request {
        request_id: "00000000-0000-4000-8000-000000000000".to_owned(),
        tool: "guest".to_owned(),
        operation: OPERATION_RUN.to_owned(),
        input,
        config: Object::new(),
        state: json!({}),
        inputs: Object::new(),
        seed: 7,
    };
    InvocationInput::new(request.to_line(), 7, limits)
}
