//! A trace as JSON matches the contract.

use insta::assert_snapshot;
use serde_json::Value;

use super::harness::{ExecutionSetup, ExecutorTestRun, run};
use crate::wire::ExecutionResultJson;
use narratoria_skills::Schema;

/// The contract as shipped.
const EXECUTION_RESULT_SCHEMA: &str =
    include_str!("../../../contracts/execution-result.schema.json");

/// The result as JSON, which must match the contract.
async fn result_json(plan: &str, setup: ExecutionSetup) -> Value {
    to_json(&run(plan, setup).await)
}

fn to_json(ran: &ExecutorTestRun) -> Value {
    let started_at = "2026-01-26T12:00:00Z".parse().unwrap();
    let json =
        serde_json::to_value(ExecutionResultJson::new(&ran.plan, &ran.trace, started_at)).unwrap();
    let schema = Schema::build(serde_json::from_str(EXECUTION_RESULT_SCHEMA).unwrap()).unwrap();
    assert_eq!(schema.mismatches(&json), []);
    json
}

/// S0 FR-020, FR-021, §5.3(8), §5.4. The snapshot shows each list of events as its length.
#[tokio::test(start_paused = true)]
async fn a_result_holds_everything_that_a_planner_needs() {
    let mut json = result_json("a:d10 b@1<-a:x5/f10 c<-b", ExecutionSetup::default()).await;
    let mut lines = Vec::new();
    for tool in json["toolResults"].as_array_mut().unwrap() {
        tool["events"] = tool["events"].as_array().unwrap().len().into();
        let attempts = tool["attempts"].take();
        lines.push(tool.to_string());
        for attempt in attempts.as_array().unwrap() {
            let mut attempt = attempt.clone();
            attempt["events"] = attempt["events"].as_array().unwrap().len().into();
            lines.push(format!("- {attempt}"));
        }
    }
    json["toolResults"] = lines.len().into();
    lines.push(json.to_string());
    assert_snapshot!(lines.join("\n"), @r#"
    {"toolId":"a","toolPath":"a/run","state":"success","output":{"saw":"nobody","got":[]},"events":3,"executionTimeMs":10,"retryCount":0,"attempts":null,"fuelConsumed":100,"peakMemoryBytes":10,"stdoutBytes":1,"executedBy":"a@1.2.3","startedAt":"2026-01-26T12:00:00Z","completedAt":"2026-01-26T12:00:00.01Z"}
    - {"attempt":1,"executedBy":"a@1.2.3","state":"success","executionTimeMs":10,"fuelConsumed":100,"peakMemoryBytes":10,"stdoutBytes":1,"events":3}
    {"toolId":"b","toolPath":"b/run","state":"failed","events":3,"executionTimeMs":115,"retryCount":1,"error":{"code":"STUCK","message":"the door is stuck","category":"tool_failure","details":{"force":3}},"attempts":null,"fuelConsumed":200,"peakMemoryBytes":10,"stdoutBytes":2,"executedBy":"b@1.2.3","startedAt":"2026-01-26T12:00:00.01Z","completedAt":"2026-01-26T12:00:00.125Z"}
    - {"attempt":1,"executedBy":"b@1.2.3","state":"failed","error":{"code":"TRAP","message":"trapped: unreachable","category":"process_error"},"executionTimeMs":5,"fuelConsumed":100,"peakMemoryBytes":10,"stdoutBytes":1,"events":3}
    - {"attempt":2,"executedBy":"b@1.2.3","state":"failed","error":{"code":"STUCK","message":"the door is stuck","category":"tool_failure","details":{"force":3}},"executionTimeMs":10,"fuelConsumed":100,"peakMemoryBytes":10,"stdoutBytes":1,"events":3}
    {"toolId":"c","toolPath":"c/run","state":"skipped","reason":"dependency_failed","events":0,"executionTimeMs":0,"retryCount":0,"attempts":null,"fuelConsumed":0,"peakMemoryBytes":0,"stdoutBytes":0}
    {"planId":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","success":false,"canReplan":true,"failedTools":["b"],"disabledSkills":["b"],"toolResults":6,"aggregatedState":{"last":"a","steps":{"a":1}},"aggregatedAssets":[{"toolId":"a","assetId":"map","kind":"image","mediaType":"image/png","path":"map.png"}],"executionTimeMs":125,"attemptNumber":1}
    "#);
}

/// S0 §5.3(7).
#[tokio::test(start_paused = true)]
async fn events_are_written_as_the_script_wrote_them() {
    let json = result_json("a@1:f1/d1", ExecutionSetup::default()).await;
    let failed = json["toolResults"][0]["attempts"][0]["events"].as_array().unwrap();
    let last = json["toolResults"][0]["events"].as_array().unwrap();
    let lines: Vec<String> = failed.iter().chain(last).map(Value::to_string).collect();
    assert_snapshot!(lines.join("\n"), @r#"
    {"version":"0","type":"log","level":"info","message":"a is at it"}
    {"version":"0","type":"state_patch","patch":{"last":"a","steps":{"a":1}}}
    {"version":"0","type":"error","errorCode":"STUCK","errorMessage":"the door is stuck","details":{"force":3}}
    {"version":"0","type":"log","level":"info","message":"a is at it"}
    {"version":"0","type":"state_patch","patch":{"last":"a","steps":{"a":2}}}
    {"version":"0","type":"asset","assetId":"map","kind":"image","mediaType":"image/png","path":"map.png"}
    "#);
}

/// S0 FR-020: what is cut from a trace is counted in the result, for each attempt and for the step.
#[tokio::test(start_paused = true)]
async fn a_result_counts_the_events_that_its_trace_leaves_off() {
    let mut ran = run("a@1:f1/d1 b:d1", ExecutionSetup::default()).await;
    let attempts = &mut ran.trace.steps[0].attempts;
    (attempts[0].events_left_off, attempts[1].events_left_off) = (7, 2);
    let json = to_json(&ran);
    let counts = |tool: &Value| {
        let of_attempts = tool["attempts"].as_array().unwrap().iter();
        let of_attempts: Vec<Value> = of_attempts.map(|it| it["eventsLeftOff"].clone()).collect();
        (tool["eventsLeftOff"].clone(), of_attempts)
    };
    let [cut, whole] = [0, 1].map(|idx| counts(&json["toolResults"][idx]));
    assert_eq!(cut, (Value::from(2), vec![Value::from(7), Value::from(2)]));
    assert_eq!(whole, (Value::Null, vec![Value::Null]));
}

/// S0 FR-027.
#[tokio::test(start_paused = true)]
async fn every_outcome_matches_the_contract() {
    let setup = || ExecutionSetup {
        step_timeout_ms: 50,
        plan_timeout_ms: 5_000,
        ..ExecutionSetup::default()
    };
    let json = result_json("a?:a b?:t c?:h d?:p e?:x f:d1", setup()).await;
    let errors: Vec<String> = json["toolResults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| {
            let error = &tool["error"];
            format!("{} {} {}", tool["state"], error["category"], error["code"])
        })
        .collect();
    assert_snapshot!(errors.join("\n"), @r#"
    "failed" "invalid_json" "DUPLICATE_ASSET"
    "timeout" "timeout" "TOOL_TIMEOUT"
    "timeout" "timeout" "TOOL_TIMEOUT"
    "failed" "process_error" "HOST_CRASHED"
    "failed" "process_error" "TRAP"
    "success" null null
    "#);
    assert_eq!(json["success"], true);
    assert_eq!(json["canReplan"], false);
    result_json("a:d1 b<-a:h c<-b", ExecutionSetup { cancel_at_ms: Some(20), ..setup() }).await;
    result_json("a:t b", ExecutionSetup { plan_timeout_ms: 20, ..setup() }).await;
    result_json("a:f1 b", ExecutionSetup { stop: true, ..setup() }).await;
    result_json("", setup()).await;
}
