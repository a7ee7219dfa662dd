//! The story memory: the host's side of `contracts/wit/memory.wit`.

use std::{sync::Arc, time::Duration};

use narratoria_protocol::{InvocationEnding, InvocationOutcome, Owner, StoreMap, StoreWrite};
use narratoria_sandbox::{InvocationInput, InvocationLimits};
use narratoria_skills::Grants;
use serde_json::{Value, json};

use super::{LATE_MAX, LIMITS, ending_text, job, prepared, sandbox, wit};

async fn run_over(operations: Value, memory: Option<StoreMap>) -> InvocationOutcome {
    let job =
        InvocationInput { memory: memory.map(Arc::new), ..job(json!({"do": operations}), LIMITS) };
    prepared("remembers").run(job, Box::new(|_| {})).await
}

fn answers(invocation: &InvocationOutcome) -> Value {
    match &invocation.ending {
        InvocationEnding::Done { output, .. } => output["answers"].clone(),
        other => panic!("it ended with {other:?}"),
    }
}

#[tokio::test]
async fn every_skill_recalls_texts_of_all_skills_by_words_and_tags() {
    let mut story = StoreMap::new();
    for (text, tags) in [
        ("Mira keeps the ferry.", json!(["person"])),
        ("The ferries leave at dawn.", json!([])),
        ("A key of bone lies under the quay.", json!(["item", "secret"])),
    ] {
        let invocation = run_over(json!([["remember", text, tags]]), Some(story.clone())).await;
        let [StoreWrite { owner: Owner::Story, key, value: Some(value) }] =
            invocation.writes.as_slice()
        else {
            panic!("{:?}", invocation.writes)
        };
        story.insert(key.clone(), value.clone());
    }
    let operations = json!([
        ["recall", "When does the ferry leave?", [], 9],
        ["recall", "keys", ["ITEM"], 9],
        ["recall", "ferry", ["item"], 9],
        ["remember", "Mira has left.", ["person"]],
        ["recall", "", ["person"], 9],
        ["recall", "", [], 1],
    ]);
    let first = run_over(operations.clone(), Some(story.clone())).await;
    assert_eq!(
        answers(&first),
        json!([
            ["The ferries leave at dawn.", "Mira keeps the ferry. (person)"],
            ["A key of bone lies under the quay. (item, secret)"],
            [],
            "remembered",
            ["Mira has left. (person)", "Mira keeps the ferry. (person)"],
            ["Mira has left. (person)"],
        ])
    );
    let again = run_over(operations, Some(story)).await;
    assert_eq!((first.ending, first.usage.fuel), (again.ending, again.usage.fuel));
    // Outside a story.
    assert_eq!(answers(&run_over(json!([["recall", "", [], 9]]), None).await), json!([[]]));
}

#[tokio::test]
async fn a_call_beyond_a_limit_names_it_and_changes_nothing() {
    let (text, tags) = ("x".repeat(2_049), vec!["t"; 9]);
    let operations = json!([
        ["remember", text, []],
        ["remember", "", []],
        ["remember", "bell \u{7}", []],
        ["remember", "x", tags],
        ["remember", "x", ["t".repeat(65)]],
        ["remember", "x", ["a\tb"]],
        ["recall", "x".repeat(1_025), [], 1],
        ["recall", "x", [], 33],
        ["recall", "x", [], 0],
    ]);
    let invocation = run_over(operations, None).await;
    insta::assert_json_snapshot!(answers(&invocation), @r#"
    [
      "MEMORY_REFUSED: a text to remember is 1 to 2048 bytes long, this one is 2049",
      "MEMORY_REFUSED: a text to remember is 1 to 2048 bytes long, this one is 0",
      "MEMORY_REFUSED: a text to remember has no control characters but line ends and tabs",
      "MEMORY_REFUSED: a text has at most 8 tags, these are 9",
      "MEMORY_REFUSED: a tag is 1 to 64 bytes long, this one is 65",
      "MEMORY_REFUSED: a tag has no control characters",
      "MEMORY_REFUSED: a query has at most 1024 bytes, this one has 1025",
      "MEMORY_REFUSED: at most 1 to 32 texts are recalled at once, not 33",
      "MEMORY_REFUSED: at most 1 to 32 texts are recalled at once, not 0"
    ]
    "#);
    assert_eq!(invocation.writes, []);
    let many = run_over(json!(vec![json!(["remember", "x", []]); 65]), None).await;
    assert_eq!(
        answers(&many)[64],
        "MEMORY_REFUSED: one invocation has at most 64 texts remembered"
    );
    assert_eq!(many.writes.len(), 64);
    let many = run_over(json!(vec![json!(["recall", "x", [], 1]); 65]), None).await;
    assert_eq!(answers(&many)[64], "MEMORY_REFUSED: one invocation recalls at most 64 times");
}

/// The largest memory, recalled as often as is allowed, takes the host some time, and the host still checks the clock.
#[tokio::test]
async fn recalling_does_not_delay_the_deadline() {
    let text = "the old bridge over the river of the northern valley ".repeat(5);
    let full: StoreMap = (0..1_900)
        .map(|n| {
            (format!("{n:010}-{n:016x}-000"), json!({"text": format!("{n} {text}")}).to_string())
        })
        .collect();
    let operations = json!(vec![json!(["recall", "a bridge", [], 32]); 64]);
    let mut late = Vec::new();
    for _ in 0..3 {
        let limits = InvocationLimits { time: Duration::from_millis(5), ..LIMITS };
        let memory = Some(Arc::new(full.clone()));
        let job = InvocationInput { memory, ..job(json!({"do": operations}), limits) };
        let invocation = prepared("remembers").run(job, Box::new(|_| {})).await;
        assert_eq!(ending_text(&invocation.ending), "ran past its time limit of 5 ms");
        late.push(invocation.usage.elapsed.saturating_sub(limits.time));
    }
    assert!(late.iter().min().unwrap() <= &LATE_MAX, "late by {late:?}");
}

#[test]
fn a_component_that_imports_the_memory_needs_the_grant() {
    let guest = narratoria_guests::find("remembers").unwrap();
    let error = sandbox().load(guest.component, &Grants::default()).map(drop).unwrap_err();
    assert_eq!(
        error.to_string(),
        "imports `narratoria:host/memory@0.1.0`, which its manifest does not grant; `skill.json` would need \"grants\": {\"memory\": true}"
    );
}

/// The bindings in the SDK are written by hand.
#[test]
fn the_interface_of_the_sdk_is_that_of_the_contract() {
    let [(name, interface)] = wit::imports("remembers").try_into().expect("it imports one");
    assert_eq!(name, "narratoria:host/memory@0.1.0");
    assert_eq!(interface, wit::declared(include_str!("../../contracts/wit/memory.wit")));
}
