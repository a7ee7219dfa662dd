//! The display of a running plan (S2 "Progress Streaming").

use serde_json::{Value, json};

use crate::player_machine::{PlayerMachine, plan};
use crate::pty::{CTRL_C, PtySession};

const RUN: [&str; 5] = ["plan", "run", "plan.json", "--skills", "skills"];

/// `carve` comes to 40 of 100, and then waits for an answer; beside it `wait` sleeps.
fn carving(parallel: bool) -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.package("carver", "reports-progress");
    machine.package("slow", "says-then-sleeps");
    let carve = json!({"toolId": "carve", "toolPath": "carver/act", "input": {}, "async": true});
    let wait = json!({"toolId": "wait", "toolPath": "slow/act", "input": {}, "async": true});
    let tools = if parallel { json!([carve, wait]) } else { json!([carve]) };
    let mut document: Value = serde_json::from_str(&plan(tools)).unwrap();
    document["parallel"] = json!(parallel);
    machine.write("plan.json", document.to_string());
    machine
}

#[test]
fn a_pipe_gets_a_line_for_each_piece_of_progress() {
    let ran = carving(false).run(&RUN, "yes\n");
    insta::assert_snapshot!(ran.timeless(), @"
    STEP   STATE    TIME RETRIES  WHAT
    carve  success  [TIME] 0
    the plan succeeded
    --- stderr
    note: step `carve`: 0% sharpening
    note: step `carve`: 40% carving
    carver/act asks: Who goes there?
      1. A friend
    note: step `carve`: 100% polished
    --- exit 0
    ");
}

#[test]
fn a_terminal_has_a_live_line_for_each_step_that_runs() {
    let machine = carving(true);
    let env = [("NO_COLOR", "1")];
    let mut terminal = PtySession::start_with(&machine, &RUN, &env);
    terminal.await_text("carver/act asks: Who goes there?");
    // A question hides the live lines; they return afterwards.
    terminal.answer("answer> ", "yes");
    terminal.await_text("wait  slow/act  waiting");
    terminal.press(CTRL_C);
    terminal.await_text("note: stopping; Ctrl-C again leaves at once");
    terminal.await_text("the plan was stopped");
    let (exit, seen) = terminal.end_seen();
    assert_eq!(exit, Some(130));
    assert!(!seen.contains("note: step `carve`: 40%"), "{seen:?}");
}

#[test]
fn a_log_leaves_live_lines_alone() {
    let machine = carving(false);
    let env = [("NO_COLOR", "1"), ("NARRATORIA_LOG", "info")];
    let mut terminal = PtySession::start_with(&machine, &RUN, &env);
    terminal.answer("answer> ", "yes");
    let (exit, seen) = terminal.end_seen();
    assert_eq!(exit, Some(0));
    assert!(!seen.contains("note: step `carve`: 40%") && !seen.contains("INFO"), "{seen:?}");
}

#[test]
fn a_retry_is_told_with_its_delay() {
    let machine = PlayerMachine::new();
    machine.package("unlucky", "fail");
    let tools = json!([{
        "toolId": "open", "toolPath": "unlucky/act", "input": {},
        "retryPolicy": {"maxRetries": 2, "backoffMs": 4},
    }]);
    machine.write("plan.json", plan(tools));
    insta::assert_snapshot!(machine.run(&RUN, "").timeless(), @"
    STEP  STATE   TIME RETRIES  WHAT
    open  failed  [TIME] 2        it failed on purpose
    the plan failed
    --- stderr
    warning: step `open`: it failed on purpose (ON_PURPOSE)
    note: step `open`: attempt 2 follows in 4 ms
    warning: step `open`: it failed on purpose (ON_PURPOSE)
    note: step `open`: attempt 3 follows in 8 ms
    warning: step `open`: it failed on purpose (ON_PURPOSE)
    note: `unlucky` fails often; plans use it with caution
    --- exit 1
    ");
}

#[test]
fn updates_carry_progress_and_retries_as_they_happen() {
    let machine = carving(false);
    machine.package("unlucky", "fail");
    let mut document: Value =
        serde_json::from_slice(&std::fs::read(machine.path().join("plan.json")).unwrap()).unwrap();
    document["tools"].as_array_mut().unwrap().push(json!({
        "toolId": "open", "toolPath": "unlucky/act", "input": {}, "required": false,
        "retryPolicy": {"maxRetries": 1, "backoffMs": 3}, "dependencies": ["carve"],
    }));
    machine.write("script.json", format!("[{document}]"));
    let args =
        ["run", "--skills", "skills", "--planner", "scripted:script.json", "--format", "json"];
    let mut live = machine.start(&args);
    live.type_line("I carve");
    assert_eq!(live.await_update("step.progress")["progress"], 0.0);
    let carving = live.await_update("step.progress");
    assert_eq!((&carving["progress"], &carving["message"]), (&json!(40.0), &json!("carving")));
    live.await_update("step.asked");
    live.type_line("yes");
    assert_eq!(live.await_update("step.progress")["progress"], 100.0);
    let retry = live.await_update("step.retrying");
    assert_eq!((&retry["attempt"], &retry["delayMs"]), (&json!(2), &json!(3)));
    assert_eq!(live.end().0, Some(0));
}
