//! `--seed`: one story, one set of sentences and skills give one output, to the byte, at any speed.

use serde_json::{Value, json};

use crate::player_machine::{PlayerMachine, check_updates};

/// Steps that run at the same time and are the faster the later they come. Two ask, and one fails twice.
fn plan() -> Value {
    let step = |id: &str, path: &str, input: Value| json!({"toolId": id, "toolPath": path, "input": input, "async": true});
    let unlucky = json!({
        "toolId": "open", "toolPath": "unlucky/act", "input": {}, "async": true, "required": false,
        "retryPolicy": {"maxRetries": 1, "backoffMs": 10},
    });
    json!({
        "requestId": "6f1c1f9e-8d5e-4e9c-9a52-0d3f5a1b2c3d",
        "parallel": true,
        "tools": [
            step("wait", "slow/act", json!({"ms": 150})),
            step("first", "gate/act", json!({})),
            unlucky,
            step("second", "gate/act", json!({})),
            step("nap", "slow/act", json!({"ms": 20})),
            step("roll", "dice-roller/roll-dice", json!({"formula": "3d6"})),
        ],
    })
}

fn machine() -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.package("slow", "says-then-sleeps");
    machine.package("gate", "asks");
    machine.package("unlucky", "fail");
    machine.write("plan.json", plan().to_string());
    machine.write("script.json", json!([plan(), plan()]).to_string());
    machine
}

const RUN: [&str; 7] =
    ["run", "--skills", "skills", "--planner", "scripted:script.json", "--seed", "7"];

/// The answers go to the steps in plan order.
const LINES: &str = "I knock\nAda\npeace\nBob\ngold\nI knock again\nCleo\nbread\nDan\nwine\n";

#[test]
fn two_runs_with_a_seed_say_the_same_to_the_byte() {
    for format in ["json", "plain"] {
        let args = [&RUN[..], &["--format", format]].concat();
        let (one, other) = (machine().run(&args, LINES), machine().run(&args, LINES));
        assert_eq!(one.exit, Some(0), "{}", one.transcript());
        assert!(one.stdout.len() > 200, "{}", one.stdout);
        assert_eq!(one.stdout, other.stdout, "{format}");
    }
}

#[test]
fn what_runs_at_the_same_time_is_told_in_plan_order() {
    let args = [&RUN[..], &["--format", "json"]].concat();
    let ran = machine().run(&args, LINES);
    let lines = ran.lines();
    check_updates(&lines);
    let news = lines.iter().filter(|line| line["turn"] == 1 && line["toolId"].is_string());
    let news = news.map(|line| {
        let word = |field: &str| line[field].as_str().unwrap_or_default().to_owned();
        let more = format!("{}{}", word("question"), line["output"]["wish"].as_str().unwrap_or(""));
        format!("{} {} {more}", word("toolId"), word("type")).trim_end().to_owned()
    });
    insta::assert_snapshot!(news.collect::<Vec<_>>().join("\n"), @"
    wait step.started
    wait step.logged
    wait step.finished
    first step.started
    first ui.event
    first step.asked Who goes there?
    first step.answered
    first ui.event
    first step.asked And what does Ada want?
    first step.answered
    first step.finished peace
    open step.started
    open step.warned
    open step.retrying
    open step.started
    open step.warned
    open step.finished
    second step.started
    second ui.event
    second step.asked Who goes there?
    second step.answered
    second ui.event
    second step.asked And what does Bob want?
    second step.answered
    second step.finished gold
    nap step.started
    nap step.logged
    nap step.finished
    roll step.started
    roll step.logged
    roll ui.event
    roll step.finished
    ");
    let times = lines.iter().flat_map(|line| [&line["executionTimeMs"], &line["elapsedMs"]]);
    let times: Vec<&Value> = times.filter(|time| !time.is_null()).collect();
    assert!(times.len() > 6 && times.iter().all(|time| **time == json!(0)), "{times:?}");
}

/// Timing decides if `after` starts although `fails` has failed, unless one waits for the other.
#[test]
fn a_plan_that_a_failure_stops_is_stopped_at_the_same_place() {
    let machine = machine();
    let step = |id: &str, path: &str, input: Value, needs: Value| json!({"toolId": id, "toolPath": path, "input": input, "async": true, "dependencies": needs});
    let plan = json!({
        "requestId": "6f1c1f9e-8d5e-4e9c-9a52-0d3f5a1b2c3d", "parallel": true, "onFailure": "stop",
        "tools": [
            step("quick", "slow/act", json!({"ms": 1}), json!([])),
            step("wait", "slow/act", json!({"ms": 30}), json!([])),
            step("fails", "unlucky/act", json!({}), json!([])),
            step("after", "dice-roller/roll-dice", json!({"formula": "1d6"}), json!(["quick"])),
        ],
    });
    machine.write("stop.json", plan.to_string());
    let args =
        ["plan", "run", "stop.json", "--skills", "skills", "--seed", "7", "--format", "json"];
    let (one, other) = (machine.run(&args, ""), machine.run(&args, ""));
    assert_eq!((one.exit, &one.stdout), (Some(1), &other.stdout));
    let result = one.result();
    let states: Vec<&Value> =
        result["toolResults"].as_array().unwrap().iter().map(|tool| &tool["state"]).collect();
    assert_eq!(states, ["success", "success", "failed", "skipped"], "{result}");
    assert_eq!(result["executionTimeMs"], 0);
}

#[test]
fn a_script_alone_is_repeatable_too() {
    let told = |format: &str| {
        let args = ["skill", "run", "dice-roller/roll-dice", "--seed", "7", "--format", format];
        let ran = PlayerMachine::new().run(&args, r#"{"formula": "2d6+3"}"#);
        assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
        ran.stdout
    };
    for format in ["json", "plain"] {
        assert_eq!(told(format), told(format));
    }
    assert!(!told("plain").contains(" ms"), "{}", told("plain"));
}

/// The ids of a second session are others, or the story would have two plans of one id.
#[test]
fn a_seed_is_good_for_a_second_session_of_the_same_story() {
    let machine = machine();
    let play = || machine.run(&["run", "--seed", "7", "--format", "json"], "I look around\n");
    let ids = |ran: &crate::player_machine::CommandOutput| -> Vec<Value> {
        let lines = ran.lines();
        let proposed = lines.iter().filter(|line| line["type"] == "plan.proposed");
        proposed.map(|line| line["plan"]["requestId"].clone()).collect()
    };
    let (first, second) = (play(), play());
    assert_eq!((first.exit, second.exit), (Some(0), Some(0)), "{}", second.transcript());
    assert_eq!(ids(&first).len(), 1);
    assert_ne!(ids(&first), ids(&second));
    assert_eq!(second.lines()[0]["turns"], 1);
}

/// Output has no times; the story keeps them.
#[test]
fn the_story_keeps_the_real_times() {
    let machine = machine();
    let args = ["plan", "run", "plan.json", "--skills", "skills", "--story", "demo", "--seed", "7"];
    let ran = machine.run(&args, "Ada\npeace\nBob\ngold\n");
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    let ran = machine.run(&["plan", "show", "1", "--story", "demo", "--format", "json"], "");
    let kept: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(!kept["createdAt"].as_str().unwrap().starts_with("1970"), "{kept}");
    assert!(kept["result"]["executionTimeMs"].as_u64().unwrap() >= 150, "{kept}");
}

#[test]
fn a_plan_of_a_sentence_has_the_same_id_each_time() {
    let new = || {
        let args =
            ["plan", "new", "I roll to pick the lock", "--planner", "lexical", "--seed", "7"];
        let ran = PlayerMachine::new().run(&args, "");
        assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
        ran.stdout
    };
    assert_eq!(new(), new());
}

/// Two scripts count in the folder of their skill: the first finds it empty.
#[test]
fn two_steps_with_one_data_folder_run_one_after_the_other() {
    let told = || {
        let machine = PlayerMachine::new();
        machine.package_with("lucky", "lucky", json!({"grants": {"data": true}}));
        let step = |id: &str| {
            json!({"toolId": id, "toolPath": "lucky/act", "input": {"unlucky": 2}, "async": true,
                "required": false})
        };
        let plan = json!({
            "requestId": "6f1c1f9e-8d5e-4e9c-9a52-0d3f5a1b2c3d", "parallel": true,
            "tools": [step("one"), step("two"), step("three")],
        });
        machine.write("plan.json", plan.to_string());
        let args = ["plan", "run", "plan.json", "--skills", "skills", "--story", "demo"];
        let ran = machine.run(&[&args[..], &["--seed", "7", "--format", "json"]].concat(), "");
        assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
        ran
    };
    let one = told();
    assert_eq!(one.stdout, told().stdout);
    let result = one.result();
    let states = result["toolResults"].as_array().unwrap().iter().map(|tool| tool["state"].clone());
    assert_eq!(states.collect::<Vec<_>>(), ["failed", "failed", "success"]);
}
