//! Hostile requests, sent to every script. A script must answer each with a proper end, whatever the answer is.

use std::{collections::BTreeMap, io, time::Duration};

use serde_json::{Value, json};

use super::{
    finding::{FindingCollector, FindingLocation},
    inputs::{inputs, sample},
    rules::{self, Rule},
};
use crate::{HarnessCall, PackageHarness};
use narratoria_protocol::Object;
use narratoria_protocol::{InvocationEnding, InvocationOutcome};

/// Longest time of a script for a hostile request, even if its manifest allows more. Refusing takes milliseconds, on a
/// busy machine some hundred.
pub const HOSTILE_TIME_MAX: Duration = Duration::from_secs(10);
/// Length of a huge request, in bytes.
const HUGE_BYTES: usize = 1 << 20;
/// Nesting that no parser with a stack reads.
const DEEP: usize = 20_000;
/// Most requests that one finding names.
const NAMED_MAX: usize = 3;

/// The kind of a request, which decides the answers that are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HostileKind {
    /// Not a request.
    Garbage,
    /// A request whose input the schema refuses.
    Wrong,
    /// Any other request: every answer is accepted.
    Fair,
}

struct HostileRequest {
    what: String,
    kind: HostileKind,
    stdin: Vec<u8>,
}

/// Sends every hostile request to every script; returns the number of requests.
pub(super) async fn check(
    harness: &PackageHarness,
    findings: &mut FindingCollector<'_>,
) -> io::Result<usize> {
    let mut count = 0;
    for script_idx in 0..harness.skill().scripts.len() {
        let mut faults: BTreeMap<&str, BrokenRule> = BTreeMap::new();
        for hostile in requests(harness, script_idx) {
            count += 1;
            let HostileRequest { what, kind, stdin } = hostile;
            let ran = harness.run_bytes_within(script_idx, stdin, 0, HOSTILE_TIME_MAX).await?;
            if let Some((rule, how)) = broken_rule(&ran.invocation, kind) {
                let first = BrokenRule { rule, how, requests: Vec::new() };
                faults.entry(rule.id).or_insert(first).requests.push(what);
                // A script that hangs once will hang again, and each time costs the whole limit.
                if rule == &rules::HOSTILE_HANG {
                    break;
                }
            }
        }
        let name = &harness.skill().scripts[script_idx].name;
        for fault in faults.into_values() {
            let place = FindingLocation::field("skill.json", format!("/scripts/{script_idx}"));
            findings.add(fault.rule, place, format!("`{name}` {}", summary(&fault)));
        }
    }
    Ok(count)
}

struct BrokenRule {
    rule: &'static Rule,
    /// The ending of the first request, if the rule does not name it.
    how: Option<String>,
    requests: Vec<String>,
}

/// The first few by name, the others by number.
fn summary(fault: &BrokenRule) -> String {
    let named: Vec<&str> = fault.requests.iter().take(NAMED_MAX).map(String::as_str).collect();
    let more = match fault.requests.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let how = fault.how.as_ref().map(|how| format!("; the script {how}")).unwrap_or_default();
    let did = match fault.rule.id {
        "hostile/garbage" | "hostile/accepted" => "says `ok: true` to",
        "hostile/silent" => "fails without a word on",
        "hostile/trap" => "crashes on",
        "hostile/hang" => "does not end on",
        "hostile/exit" => "exits with a failure status on",
        "hostile/memory" => "asks for too much memory on",
        _ => "breaks the protocol on",
    };
    format!("{did}: {}{more}{how}", named.join("; "))
}

/// The rule that an answer breaks, with the ending if the rule does not name it.
fn broken_rule(
    invocation: &InvocationOutcome,
    kind: HostileKind,
) -> Option<(&'static Rule, Option<String>)> {
    let refusal = match &invocation.ending {
        InvocationEnding::Done { .. } => {
            return match kind {
                HostileKind::Garbage => Some((&rules::HOSTILE_GARBAGE, None)),
                HostileKind::Wrong => Some((&rules::HOSTILE_ACCEPTED, None)),
                HostileKind::Fair => None,
            };
        }
        InvocationEnding::Failed { summary: None, error_code: None, .. } => {
            return Some((&rules::HOSTILE_SILENT, None));
        }
        InvocationEnding::Failed { .. } => return None,
        InvocationEnding::Aborted(refusal) => refusal,
    };
    let rule = match refusal.code() {
        "TRAP" => &rules::HOSTILE_TRAP,
        "TOOL_TIMEOUT" | "FUEL_EXHAUSTED" => &rules::HOSTILE_HANG,
        "EXIT_FAILURE" => &rules::HOSTILE_EXIT,
        "MEMORY_EXCEEDED" => &rules::HOSTILE_MEMORY,
        _ => &rules::HOSTILE_PROTOCOL,
    };
    Some((rule, Some(refusal.to_string())))
}

/// All requests for a script.
fn requests(harness: &PackageHarness, script_idx: usize) -> Vec<HostileRequest> {
    let skill = harness.skill();
    let script = &skill.scripts[script_idx];
    let example = skill.examples.iter().find(|example| example.script == script.name);
    let input = example.map(|example| Value::Object(example.input.clone()));
    let input = input.unwrap_or_else(|| sample(script.input_schema.document(), 0));
    let call = HarnessCall {
        input: input.as_object().cloned().unwrap_or_default(),
        state: example
            .and_then(|example| example.state.as_ref()?.as_object().cloned())
            .unwrap_or_default(),
        inputs: example.and_then(|example| example.inputs.clone()).unwrap_or_default(),
        ..HarnessCall::default()
    };
    let line = harness.request(script_idx, call).to_line();
    let request: Object = serde_json::from_slice(&line).expect("a request is an object");
    let mut all = garbage(&line);
    all.extend(fields(&request));
    all.extend(surroundings(&request, &script.reads));
    for made in inputs(&script.input_schema, &input) {
        let fits = script.input_schema.mismatches(&made.value).is_empty();
        // A null input counts as the empty one, as a missing input does.
        let kind =
            if fits || made.value.is_null() { HostileKind::Fair } else { HostileKind::Wrong };
        all.push(sent(made.what, kind, changed(&request, "input", made.value)));
    }
    all
}

fn sent(what: impl Into<String>, kind: HostileKind, request: Object) -> HostileRequest {
    let mut stdin = Value::Object(request).to_string().into_bytes();
    stdin.push(b'\n');
    HostileRequest { what: what.into(), kind, stdin }
}

fn changed(request: &Object, field: &str, value: Value) -> Object {
    let mut request = request.clone();
    request.insert(field.to_owned(), value);
    request
}

/// Bytes that are no request, and bytes that resemble one. `line` is a good request.
fn garbage(line: &[u8]) -> Vec<HostileRequest> {
    let garbage = |what: &str, stdin: &[u8]| HostileRequest {
        what: what.to_owned(),
        kind: HostileKind::Garbage,
        stdin: stdin.to_vec(),
    };
    let fair = |what: &str, stdin: &[u8]| HostileRequest {
        kind: HostileKind::Fair,
        ..garbage(what, stdin)
    };
    let text = String::from_utf8_lossy(line);
    let deep = format!("{}{}", "[".repeat(DEEP), "]".repeat(DEEP));
    // A good request with one more field in front.
    let with = |fields: &str| text.replacen('{', &format!("{{{fields},"), 1).into_bytes();
    vec![
        // Some scripts read an empty stdin as the empty request, others refuse it.
        fair("an empty stdin", b""),
        fair("a blank stdin", b" \n\t\n"),
        fair("the empty request", b"{}\n"),
        garbage("wrong UTF-8", b"\xff\xfe{}\n"),
        garbage("wrong UTF-8 in a text", b"{\"input\":{\"\xc3\x28\":1}}\n"),
        garbage("text that is not JSON", b"roll the dice\n"),
        garbage("a NUL byte", b"\0\n"),
        garbage("half a request", &line[..line.len() / 2]),
        garbage("a request and garbage behind it", &[line, b"}}\n"].concat()),
        garbage("an array", b"[]\n"),
        garbage("null", b"null\n"),
        garbage("a text", b"\"run\"\n"),
        garbage("a number", b"7\n"),
        garbage("20,000 nested arrays", deep.as_bytes()),
        fair("20,000 nested arrays in a field", &with(&format!("\"noSuchField\":{deep}"))),
        fair("a number beyond range", &with("\"noSuchField\":1e999")),
        fair("half a surrogate pair", &with(r#""noSuchField":"\ud800""#)),
        fair("the same field twice", &with(r#""noSuchField":1,"noSuchField":2"#)),
        fair("two requests", &[line, line].concat()),
    ]
}

/// Requests with one wrong field.
fn fields(request: &Object) -> Vec<HostileRequest> {
    let mut all = Vec::new();
    let wrong = [json!(null), json!(true), json!(-1), json!(1.5), json!("x"), json!([]), json!({})];
    for field in ["requestId", "tool", "operation", "config", "state", "inputs", "seed"] {
        for value in &wrong {
            let what = format!("`{field}` {value}");
            all.push(sent(what, HostileKind::Fair, changed(request, field, value.clone())));
        }
        let mut without = request.clone();
        without.shift_remove(field);
        all.push(sent(format!("no `{field}`"), HostileKind::Fair, without));
    }
    let unknown = changed(request, "operation", json!("no-such-operation"));
    all.push(sent("an unknown operation", HostileKind::Fair, unknown));
    let more = changed(request, "noSuchField", json!({"a": [1, null]}));
    all.push(sent("an unknown field", HostileKind::Fair, more));
    let huge = changed(request, "noSuchField", json!("x".repeat(HUGE_BYTES)));
    all.push(sent("a line of 1 MiB", HostileKind::Fair, huge));
    all
}

/// Requests with odd state, settings and outputs of earlier steps, as other skills and people may leave them.
fn surroundings(request: &Object, reads: &[String]) -> Vec<HostileRequest> {
    let mut all = Vec::new();
    let values =
        [json!(null), json!(true), json!(-7), json!("x"), json!([1, null]), json!({"a": {}})];
    for pointer in reads.iter().filter(|pointer| !pointer.is_empty()) {
        for value in &values {
            let parts = pointer.trim_start_matches('/').split('/');
            let parts = parts.map(|part| part.replace("~1", "/").replace("~0", "~"));
            let state = parts.rev().fold(value.clone(), |inner, part| json!({ part: inner }));
            let what = format!("the state `{pointer}` as {value}");
            all.push(sent(what, HostileKind::Fair, changed(request, "state", state)));
        }
    }
    for value in &values {
        let what = format!("an earlier step's output {value}");
        all.push(sent(
            what,
            HostileKind::Fair,
            changed(request, "inputs", json!({ "earlier": value })),
        ));
        let config = request.get("config").and_then(Value::as_object).into_iter().flatten();
        let config: Object = config.map(|(name, _)| (name.clone(), value.clone())).collect();
        if !config.is_empty() {
            let what = format!("every setting as {value}");
            all.push(sent(
                what,
                HostileKind::Fair,
                changed(request, "config", Value::Object(config)),
            ));
        }
    }
    all
}
