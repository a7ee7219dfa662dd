//! Optional grants that the player refuses: the component is loaded, and each service says that it is not granted.

use std::sync::Arc;

use narratoria_protocol::{InvocationEnding, InvocationOutput, StoreMap};
use narratoria_sandbox::InvocationInput;
use narratoria_skills::{Grant, Grants};
use serde_json::{Value, json};

use super::{LIMITS, ending_text, job, sandbox};

/// Runs a guest whose optional grants are refused; the script's output or failure, then its log lines.
async fn without(guest: &str, grants: Grants, input: Value) -> String {
    let optional = Grant::ALL.into_iter().collect();
    let withheld = Grants { optional, ..grants }.without_optional();
    run_with(guest, &withheld, input).await
}

async fn run_with(guest: &str, grants: &Grants, input: Value) -> String {
    let found = narratoria_guests::find(guest).unwrap();
    let loaded = sandbox().load(found.component, grants).unwrap();
    // The host passes nothing for a grant that a skill does not have; even if it did, the stub would hide it.
    let store: StoreMap = [("a".to_owned(), "1".to_owned())].into();
    let job = InvocationInput { store: Some(Arc::new(store)), ..job(input, LIMITS) };
    let (sender, logged) = std::sync::mpsc::channel();
    let sink = Box::new(move |said| {
        if let InvocationOutput::Event(message) = said {
            let document = message.to_json();
            if document["type"] == "log" {
                let text = |field: &str| document[field].as_str().unwrap_or_default().to_owned();
                sender.send(format!("{}: {}", text("level"), text("message"))).unwrap();
            }
        }
    });
    let invocation = loaded.run(job, sink).await;
    let ending = match invocation.ending {
        InvocationEnding::Done { output, .. } => Value::Object(output).to_string(),
        other => ending_text(&other),
    };
    [ending].into_iter().chain(logged.iter()).collect::<Vec<_>>().join("\n")
}

/// S0 SC-006: a skill that can do without a service is loaded without it, and hears why.
#[tokio::test]
async fn each_service_behind_a_withheld_grant_says_that_the_player_has_refused_it() {
    let store = Grants { store: true, ..Grants::default() };
    let every = json!({"do": [["get", "a", null], ["set", "b", 1], ["delete", "a", null], ["list", "", null]]});
    insta::assert_snapshot!(without("keeps", store, every).await, @r#"{"answers":["STORE_REFUSED: `store` is not granted: the player has refused this optional grant","STORE_REFUSED: `store` is not granted: the player has refused this optional grant","STORE_REFUSED: `store` is not granted: the player has refused this optional grant","STORE_REFUSED: `store` is not granted: the player has refused this optional grant"]}"#);
    let memory = Grants { memory: true, ..Grants::default() };
    let every = json!({"do": [["remember", "a text", []], ["recall", "text", [], 3]]});
    insta::assert_snapshot!(without("remembers", memory, every).await, @r#"{"answers":["MEMORY_REFUSED: `memory` is not granted: the player has refused this optional grant","MEMORY_REFUSED: `memory` is not granted: the player has refused this optional grant"]}"#);
    let llm = Grants { llm: true, store: true, ..Grants::default() };
    let input = json!({"texts": [{"prompt": "p"}]});
    insta::assert_snapshot!(without("writes", llm, input).await, @r#"
    {"answers":[{"error":"LLM_UNAVAILABLE: `llm` is not granted: the player has refused this optional grant"}]}
    info: text 0
    info: written
    "#);
}

#[tokio::test]
async fn a_withheld_host_is_refused_without_a_warning_and_the_others_stay() {
    let hosts = ["127.0.0.1:9".to_owned(), "b.example".to_owned()];
    let all = Grants { http: hosts.to_vec(), ..Grants::default() };
    insta::assert_snapshot!(without("fetches", all.clone(), json!({})).await, @"
    gave up: the request was refused: its host is not granted
    debug: a request was refused: `127.0.0.1:9` is not granted: the player has refused this optional host
    ");
    let mut one = Grants { optional: [Grant::Http].into(), ..all };
    one.withhold_name(Grant::Http, "b.example");
    let input = json!({"url": "https://b.example/"});
    insta::assert_snapshot!(run_with("fetches", &one, input).await, @"
    gave up: the request was refused: its host is not granted
    debug: a request was refused: `b.example` is not granted: the player has refused this optional host
    ");
    let input = json!({"url": "https://c.example/"});
    insta::assert_snapshot!(run_with("fetches", &one, input).await, @r#"
    gave up: the request was refused: its host is not granted
    warn: a request was refused: it is not granted `c.example`; `skill.json` would need "grants": {"http": ["127.0.0.1:9", "c.example"]}
    "#);
    // Nothing listens at the granted one.
    insta::assert_snapshot!(run_with("fetches", &one, json!({})).await, @"gave up: the request has failed: the host does not answer");
}

/// A grant that the manifest does not ask for is not optional.
#[test]
fn a_component_that_imports_what_is_neither_granted_nor_withheld_is_refused() {
    let writes = narratoria_guests::find("writes").unwrap();
    let grants = Grants { store: true, optional: [Grant::Llm].into(), ..Grants::default() };
    let error = sandbox().load(writes.component, &grants.without_optional()).map(drop).unwrap_err();
    assert!(error.to_string().contains("imports `narratoria:host/llm@0.1.0`"), "{error}");
}
