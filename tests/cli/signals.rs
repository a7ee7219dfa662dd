//! Ctrl-C, a request to end, and a reader that leaves.

use std::time::Duration;

use serde_json::json;

use crate::player_machine::{PlayerMachine, RunningCommand, plan};

/// Whoever presses Ctrl-C waits a second at most.
const LEAVE_MAX: Duration = Duration::from_secs(1);

/// A session whose every turn waits for an hour. The program is in the middle of the first.
fn waiting(machine: &PlayerMachine) -> RunningCommand {
    machine.package("slow", "says-then-sleeps");
    let tools = json!([{"toolId": "wait", "toolPath": "slow/act", "input": {}}]);
    machine.write("script.json", format!("[{0}, {0}]", plan(tools)));
    let mut live = machine.start(&[
        "run",
        "--skills",
        "skills",
        "--planner",
        "scripted:script.json",
        "--format",
        "json",
    ]);
    live.type_line("I wait");
    live.await_update("step.logged");
    live
}

#[test]
fn ctrl_c_stops_the_turn_and_not_the_program() {
    let machine = PlayerMachine::new();
    let mut live = waiting(&machine);
    live.signal("INT");
    assert_eq!(live.await_update("turn.finished")["outcome"], "cancelled");
    live.type_line("I wait again");
    live.await_update("step.logged");
    live.signal("INT");
    assert_eq!(live.await_update("turn.finished")["outcome"], "cancelled");
    live.close_stdin();
    live.await_update("session.finished");
    let (exit, _, stderr) = live.end();
    assert_eq!(exit, Some(130));
    assert_eq!(stderr, "note: stopping; Ctrl-C again leaves at once\n".repeat(2));
}

#[test]
fn a_second_ctrl_c_leaves() {
    let machine = PlayerMachine::new();
    let mut live = waiting(&machine);
    live.signal("INT");
    // Two at once would be one.
    assert_eq!(live.await_stderr_line(), "note: stopping; Ctrl-C again leaves at once\n");
    live.signal("INT");
    let (exit, took, stderr) = live.end();
    assert_eq!(exit, Some(130), "{stderr}");
    assert!(took < LEAVE_MAX, "{took:?}");
}

#[test]
fn a_request_to_end_leaves_in_the_middle_of_a_turn() {
    let machine = PlayerMachine::new();
    let mut live = waiting(&machine);
    live.signal("TERM");
    live.await_update("session.finished");
    let (exit, took, stderr) = live.end();
    assert_eq!((exit, stderr.as_str()), (Some(130), ""));
    assert!(took < LEAVE_MAX, "{took:?}");
}

/// Before a command listens, and in one that never does.
#[test]
fn ctrl_c_ends_every_command_with_the_same_code() {
    let machine = PlayerMachine::new();
    // It waits for a plan that does not come, and listens to nothing.
    let live = machine.start(&["plan", "check", "-"]);
    std::thread::park_timeout(Duration::from_millis(300));
    live.signal("INT");
    let (exit, took, _) = live.end();
    assert_eq!(exit, Some(130));
    assert!(took < LEAVE_MAX, "{took:?}");
}

#[test]
fn ctrl_c_between_turns_leaves() {
    let machine = PlayerMachine::new();
    let mut live = machine.start(&["run", "--format", "json"]);
    live.await_update("session.started");
    live.signal("INT");
    live.await_update("session.finished");
    let (exit, took, _) = live.end();
    assert_eq!(exit, Some(130));
    assert!(took < LEAVE_MAX, "{took:?}");
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let machine = PlayerMachine::new();
    let mut live = machine.start(&["run", "--format", "json"]);
    live.await_update("session.started");
    live.close_stdout();
    live.type_line("I look around");
    let (exit, _, stderr) = live.end();
    assert_eq!((exit, stderr.as_str()), (Some(0), ""));
}
