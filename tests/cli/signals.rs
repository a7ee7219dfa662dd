//! Ctrl-C, a request to end, and a reader that leaves.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::player_machine::{PlayerMachine, RunningCommand, plan};

/// Whoever presses Ctrl-C waits a second at most.
const LEAVE_MAX: Duration = Duration::from_secs(1);

/// How long a script may go on after a stop, as these tests set it.
const GRACE: &str = "300";

/// A session whose every turn waits so long, or for an hour. The program is in the middle of the first.
fn waiting(machine: &PlayerMachine, ms: Option<u64>, env: &[(&str, &str)]) -> RunningCommand {
    machine.package("slow", "says-then-sleeps");
    let input = ms.map_or(json!({}), |ms| json!({"ms": ms}));
    let tools = json!([{"toolId": "wait", "toolPath": "slow/act", "input": input}]);
    machine.write("script.json", format!("[{0}, {0}]", plan(tools)));
    let args =
        ["run", "--skills", "skills", "--planner", "scripted:script.json", "--format", "json"];
    let mut live = machine.start_with(&args, env);
    live.type_line("I wait");
    live.await_update("step.logged");
    live
}

fn waiting_for_ever(machine: &PlayerMachine) -> RunningCommand {
    waiting(machine, None, &[("NARRATORIA_PLAN_GRACE_MS", GRACE)])
}

#[test]
fn ctrl_c_stops_the_turn_and_not_the_program() {
    let machine = PlayerMachine::new();
    let mut live = waiting_for_ever(&machine);
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
    let mut live = waiting_for_ever(&machine);
    live.signal("INT");
    // Two at once would be one.
    assert_eq!(live.await_stderr_line(), "note: stopping; Ctrl-C again leaves at once\n");
    live.signal("INT");
    let (exit, took, stderr) = live.end();
    assert_eq!(exit, Some(130), "{stderr}");
    assert!(took < LEAVE_MAX, "{took:?}");
}

/// S0 "closes application": a script that runs gets five seconds on every way out. One that needs half of the second has done its work: the
/// turn is told and kept.
#[test]
fn a_script_that_ends_within_its_grace_lands_whatever_asked_it_to_stop() {
    for signal in ["INT", "TERM", "HUP"] {
        let machine = PlayerMachine::new();
        let mut live = waiting(&machine, Some(1_500), &[]);
        live.signal(signal);
        assert_eq!(live.await_update("turn.finished")["outcome"], "told", "{signal}");
        live.close_stdin();
        live.await_update("session.finished");
        let (exit, _, stderr) = live.end();
        // The turn that Ctrl-C stopped has landed, so nothing was interrupted.
        let expected = if signal == "INT" { Some(0) } else { Some(130) };
        assert_eq!(exit, expected, "{signal}: {stderr}");
        let plans = machine.run(&["plan", "list", "--format", "json"], "").stdout;
        assert!(plans.contains("\"complete\""), "{signal}: {plans}");
    }
}

/// S0 "closes application": after the grace the script is stopped. The story is closed as after any turn: nothing is left to resume.
#[test]
fn a_script_that_never_ends_is_stopped_after_its_grace() {
    for signal in ["TERM", "HUP"] {
        let machine = PlayerMachine::new();
        let mut live = waiting_for_ever(&machine);
        live.signal(signal);
        assert_eq!(live.await_update("turn.finished")["outcome"], "cancelled", "{signal}");
        live.await_update("session.finished");
        let (exit, took, stderr) = live.end();
        assert_eq!((exit, stderr.as_str()), (Some(130), ""), "{signal}");
        assert!(took < LEAVE_MAX, "{signal}: {took:?}");
        let story = machine.path().join("kept/stories/default");
        assert!(!story.join("story.db-wal").exists(), "{signal}: the story was not closed");
        let resumed = machine.run(&["plan", "resume"], "");
        assert_eq!(resumed.exit, Some(3), "{signal}: {}", resumed.stderr);
    }
}

/// The five seconds themselves, once: neither much less nor much more.
#[test]
fn the_default_grace_is_five_seconds() {
    let machine = PlayerMachine::new();
    let mut live = waiting(&machine, None, &[]);
    let asked = Instant::now();
    live.signal("HUP");
    live.await_update("session.finished");
    let (exit, _, _) = live.end();
    assert_eq!(exit, Some(130));
    let took = asked.elapsed();
    assert!(took > Duration::from_millis(4_900) && took < Duration::from_secs(6), "{took:?}");
}

#[test]
fn a_second_request_to_end_does_not_wait_for_the_script() {
    for second in ["TERM", "HUP", "INT"] {
        let machine = PlayerMachine::new();
        let live = waiting(&machine, None, &[]);
        live.signal("TERM");
        // Two at once would be one, or come in the other order.
        std::thread::park_timeout(Duration::from_millis(200));
        live.signal(second);
        let (exit, took, stderr) = live.end();
        assert_eq!(exit, Some(130), "{second}: {stderr}");
        assert!(took < LEAVE_MAX, "{second}: {took:?}");
    }
}

/// A command that does one thing gets no second Ctrl-C.
#[test]
fn outside_a_session_ctrl_c_does_not_wait_and_a_request_to_end_does() {
    let machine = PlayerMachine::new();
    machine.package("slow", "says-then-sleeps");
    let input = json!({"ms": 1_500, "level": "warn"});
    let tools = json!([{"toolId": "wait", "toolPath": "slow/act", "input": input}]);
    machine.write("plan.json", plan(tools));
    let run: &[&str] = &["plan", "run", "plan.json", "--skills", "skills"];
    let script: &[&str] = &["skill", "run", "slow/act", "--skills", "skills", "--format", "json"];
    for (args, landed) in [(run, "the plan succeeded"), (script, "\"ok\":true")] {
        for (signal, lands) in [("INT", false), ("TERM", true), ("HUP", true)] {
            let mut live = machine.start(args);
            live.type_line(&input.to_string());
            live.close_stdin();
            match args[0] {
                "plan" => while !live.await_stderr_line().contains("waiting") {},
                _ => _ = live.await_update("log"),
            }
            live.signal(signal);
            let (exit, took, stdout) = live.end_with_stdout();
            assert_eq!(exit, Some(130), "{args:?} {signal}: {stdout}");
            assert_eq!(stdout.contains(landed), lands, "{args:?} {signal}: {stdout}");
            assert!(lands || took < LEAVE_MAX, "{args:?} {signal}: {took:?}");
        }
    }
}

/// `nohup` has the signal ignored for the programs that it starts.
#[cfg(target_os = "linux")]
#[test]
fn a_hangup_that_the_parent_has_ignored_stays_ignored() {
    let machine = PlayerMachine::new();
    let mut shell = machine.isolate(std::process::Command::new("sh"));
    let program = env!("CARGO_BIN_EXE_narratoria");
    let script = format!("trap '' HUP; exec {program} run --format json");
    shell.args(["-c", &script]);
    let mut live = RunningCommand::spawn(shell);
    live.await_update("session.started");
    live.signal("HUP");
    live.type_line("I look around");
    live.await_update("turn.finished");
    assert_eq!(live.end().0, Some(0));
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
