//! The skill store: the host's side of `contracts/wit/store.wit`.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use narratoria_protocol::{InvocationEnding, InvocationOutcome, StoreMap, StoreWrite};
use narratoria_sandbox::{
    ComponentLoadError, InvocationInput, InvocationLimits, STORE_BYTES_MAX, STORE_ENTRIES_MAX,
};
use narratoria_skills::Grants;
use serde_json::{Value, json};

use super::{LATE_MAX, LIMITS, ending_text, job, prepared, sandbox, wit};

async fn run_over(guest: &'static str, input: Value, store: Option<StoreMap>) -> InvocationOutcome {
    let job = InvocationInput { store: store.map(Arc::new), ..job(input, LIMITS) };
    prepared(guest).run(job, Box::new(|_| {})).await
}

fn entries(of: &[(&str, &str)]) -> StoreMap {
    of.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn output(invocation: &InvocationOutcome) -> &Value {
    static NOTHING: Value = Value::Null;
    match &invocation.ending {
        InvocationEnding::Done { output, .. } => output.values().next().unwrap_or(&NOTHING),
        other => panic!("it ended with {other:?}"),
    }
}

/// Runs `keeps` over `before`, and compares its answers and its writes as `key=value` or `-key`.
async fn check(before: &[(&str, &str)], operations: Value, answers: Value, writes: &[&str]) {
    let invocation = run_over("keeps", json!({"do": operations}), Some(entries(before))).await;
    assert_eq!(*output(&invocation), answers);
    let found: Vec<String> = invocation
        .writes
        .iter()
        .map(|StoreWrite { key, value, .. }| match value {
            Some(value) => format!("{key}={value}"),
            None => format!("-{key}"),
        })
        .collect();
    assert_eq!(found, writes);
}

#[tokio::test]
async fn a_skill_reads_stored_entries_and_its_own_changes() {
    check(&[], json!([["get", "a", null], ["list", "", null]]), json!([null, []]), &[]).await;
    check(
        &[("a", "1"), ("room/a", r#""dark""#), ("room/b", "2"), ("rooms", "3")],
        json!([
            ["set", "room/c", {"lit": true}],
            ["delete", "room/a", null],
            ["set", "a", 7],
            ["get", "a", null],
            ["get", "room/a", null],
            ["get", "room/c", null],
            ["list", "room/", null],
            ["set", "room/a", "again"],
            ["list", "room/", null],
            ["list", "", null],
            ["delete", "never", null],
        ]),
        json!([
            "set",
            "deleted",
            "set",
            7,
            null,
            {"lit": true},
            ["room/b", "room/c"],
            "set",
            ["room/a", "room/b", "room/c"],
            ["a", "room/a", "room/b", "room/c", "rooms"],
            "deleted",
        ]),
        &["a=7", "-never", r#"room/a="again""#, r#"room/c={"lit":true}"#],
    )
    .await;
}

/// docs/writing-skills.md, "Keeping something": the caller uses them only from a successful attempt.
#[tokio::test]
async fn the_writes_are_reported_whatever_the_ending_is() {
    let input = json!({"do": [["set", "a", 1]], "fail": true});
    let invocation = run_over("keeps", input, None).await;
    assert_eq!(ending_text(&invocation.ending), "gave up: told to fail");
    assert_eq!(invocation.writes.len(), 1);
}

#[tokio::test]
async fn a_counter_continues_from_its_last_run_and_equal_runs_write_the_same() {
    let mut store = StoreMap::new();
    for count in 1..=3 {
        let first = run_over("counts", json!({}), Some(store.clone())).await;
        assert_eq!(*output(&first), count);
        let again = run_over("counts", json!({}), Some(store.clone())).await;
        assert_eq!((first.writes.clone(), first.usage.fuel), (again.writes, again.usage.fuel));
        for StoreWrite { key, value, .. } in first.writes {
            store.insert(key, value.unwrap());
        }
    }
    // Outside a story.
    assert_eq!(*output(&run_over("counts", json!({}), None).await), 1);
}

#[tokio::test]
async fn each_limit_equals_the_sdks_and_is_named() {
    for (limit, expect) in [
        ("key", "a key is 1 to 256 bytes long, this one is 257"),
        ("value", "a value is at most 65536 bytes long, that of `value` is 65537"),
        ("bytes", "a skill keeps at most 1048576 bytes, with `k` it would be 1048578"),
        ("writes", "one invocation makes at most 1000 changes, `key` would be one more"),
    ] {
        let invocation = run_over("overdoes-the-store", json!({"limit": limit}), None).await;
        assert_eq!(*output(&invocation), expect, "{limit}");
    }
    let full: StoreMap =
        (0..STORE_ENTRIES_MAX).map(|n| (format!("{n:04}"), "0".to_owned())).collect();
    let operations = json!([
        ["set", "more", 1],
        ["set", "0000", 1],
        ["delete", "0001", null],
        ["set", "more", 1],
        ["get", "tab\t", null],
        ["list", "x".repeat(257), null],
    ]);
    let invocation = run_over("keeps", json!({"do": operations}), Some(full)).await;
    insta::assert_json_snapshot!(output(&invocation), @r#"
    [
      "STORE_REFUSED: a skill keeps at most 1000 entries, `more` would be one more",
      "set",
      "deleted",
      "set",
      "STORE_REFUSED: the key \"tab\\t\" has a control character",
      "STORE_REFUSED: a prefix is at most 256 bytes long, as a key is, this one is 257"
    ]
    "#);
}

/// An older version of the host may have allowed more.
#[tokio::test]
async fn a_store_beyond_its_limits_can_be_read_and_can_shrink() {
    let big: BTreeMap<String, String> =
        (0..40).map(|n| (n.to_string(), format!("{:?}", "v".repeat(60_000)))).collect();
    assert!(big.values().map(String::len).sum::<usize>() > 2 * STORE_BYTES_MAX);
    let operations = json!([["set", "0", "short"], ["set", "0", "longer"], ["delete", "1", null]]);
    let invocation = run_over("keeps", json!({"do": operations}), Some(big)).await;
    insta::assert_json_snapshot!(output(&invocation), @r#"
    [
      "set",
      "STORE_REFUSED: a skill keeps at most 1048576 bytes, with `0` it would be 2340156",
      "deleted"
    ]
    "#);
}

#[tokio::test]
async fn expensive_calls_neither_copy_much_nor_delay_the_deadline() {
    let invocation = run_over("overdoes-the-store", json!({"limit": "copies"}), None).await;
    assert_eq!(
        ending_text(&invocation.ending),
        "trapped: too much data is being copied between the host and the guest: fuel allocated for hostcalls has been exhausted"
    );
    let mut late = Vec::new();
    for _ in 0..3 {
        let limits = InvocationLimits { time: Duration::from_millis(100), ..LIMITS };
        let job = job(json!({"limit": "time"}), limits);
        let invocation = prepared("overdoes-the-store").run(job, Box::new(|_| {})).await;
        assert_eq!(ending_text(&invocation.ending), "ran past its time limit of 100 ms");
        late.push(invocation.usage.elapsed.saturating_sub(limits.time));
    }
    assert!(late.iter().min().unwrap() <= &LATE_MAX, "late by {late:?}");
}

#[test]
fn a_component_that_imports_the_store_needs_the_grant() {
    let counts = narratoria_guests::find("counts").unwrap();
    let error = sandbox().load(counts.component, &Grants::default()).map(drop).unwrap_err();
    assert_eq!(
        error.to_string(),
        "imports `narratoria:host/store@0.1.0`, which its manifest does not grant; `skill.json` would need \"grants\": {\"store\": true}"
    );
}

/// A later 0.1.x may have functions that this host lacks; a component may import the others.
#[test]
fn a_component_of_a_compatible_version_is_refused_only_for_missing_functions() {
    let load = |functions: &str| {
        let import = r#"(import "narratoria:host/store@0.1.7""#;
        let wasm = wat::parse_str(format!("(component {import} (instance {functions})))")).unwrap();
        let grants = Grants { store: true, ..Grants::default() };
        sandbox().load(&wasm, &grants).map(drop).unwrap_err()
    };
    let deletes =
        r#"(export "delete" (func (param "key" string) (result (result (error string)))))"#;
    assert!(
        matches!(load(deletes), ComponentLoadError::RunNotExported { .. }),
        "the import is fine"
    );
    let renames = r#"(export "rename" (func (param "key" string)))"#;
    insta::assert_snapshot!(load(renames), @"not a usable WebAssembly component: component imports instance `narratoria:host/store@0.1.7`, but a matching implementation was not found in the linker: instance export `rename` has the wrong type: function implementation is missing");
}

/// The bindings in the SDK are written by hand.
#[test]
fn the_interface_of_the_sdk_is_that_of_the_contract() {
    assert!(wit::imports("asks").is_empty(), "who keeps nothing imports standard WASI alone");
    let [(name, interface)] = wit::imports("keeps").try_into().expect("it imports one interface");
    assert_eq!(name, "narratoria:host/store@0.1.0");
    assert_eq!(interface, wit::declared(include_str!("../../contracts/wit/store.wit")));
}
