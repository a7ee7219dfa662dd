//! Steps that a person must approve: through a pipe, with `--yes`, at a terminal (S2 "requestApproval").

use serde_json::{Value, json};

use crate::player_machine::{PlayerMachine, plan, timeless};
use crate::pty::{CTRL_C, CTRL_D, PtySession};

const RUN: [&str; 5] = ["plan", "run", "plan.json", "--skills", "skills"];

fn step(id: &str, more: Value) -> Value {
    let mut step = json!({
        "toolId": id, "toolPath": "mirror/act", "input": {"what": id}, "requiresApproval": true,
    });
    step.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    step
}

/// `look` needs no approval, `burn` needs one, `after` needs `burn`.
fn one() -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    let tools = json!([
        step("look", json!({"requiresApproval": false})),
        step("burn", json!({"description": "Burn the door down"})),
        step("after", json!({"requiresApproval": false, "dependencies": ["burn"]})),
    ]);
    machine.write("plan.json", plan(tools));
    machine
}

/// Three that wait at the same time.
fn three() -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    let tools: Vec<Value> =
        ["one", "two", "three"].map(|id| step(id, json!({"async": true}))).into();
    let mut document: Value = serde_json::from_str(&plan(json!(tools))).unwrap();
    document["parallel"] = json!(true);
    machine.write("plan.json", document.to_string());
    machine
}

#[test]
fn a_pipe_without_yes_denies_and_says_so() {
    let told = one().run(&RUN, "y\ny\n").timeless();
    insta::assert_snapshot!(told, @"
    STEP   STATE    TIME RETRIES  WHAT
    look   success  [TIME] 0
    burn   skipped  [TIME] 0        denied
    after  skipped  [TIME] 0        dependency_denied
    the plan succeeded without the steps that were denied; `--yes` approves them
    --- stderr
    warning: step `burn` is denied: nobody is there to be asked, `--yes` would approve it
    --- exit 4
    ");
}

#[test]
fn yes_approves_and_says_so() {
    let told = one().run(&[&RUN[..], &["--yes"]].concat(), "").timeless();
    insta::assert_snapshot!(told, @"
    STEP   STATE    TIME RETRIES  WHAT
    look   success  [TIME] 0
    burn   success  [TIME] 0
    after  success  [TIME] 0
    the plan succeeded
    --- stderr
    note: step `burn` is approved by `--yes`
    --- exit 0
    ");
}

/// A step can ask for approval because its skill does, whatever the plan says.
#[test]
fn a_manifest_asks_for_approval_too() {
    let machine = PlayerMachine::new();
    machine.package_with("guarded", "echo", json!({"requiresApproval": true}));
    let tools = json!([{
        "toolId": "a", "toolPath": "guarded/act", "input": {}, "requiresApproval": false,
    }]);
    machine.write("plan.json", plan(tools));
    let ran = machine.run(&RUN, "");
    assert_eq!(ran.exit, Some(4), "{}", ran.transcript());
}

#[test]
fn a_program_reads_in_the_result_what_was_denied() {
    let ran = one().run(&[&RUN[..], &["--format", "json"]].concat(), "");
    let result = ran.result();
    assert_eq!((ran.exit, ran.stderr.as_str()), (Some(4), ""));
    let reasons: Vec<&str> = result["toolResults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["reason"].as_str().unwrap_or("-"))
        .collect();
    assert_eq!(reasons, ["-", "denied", "dependency_denied"]);
}

#[test]
fn a_story_tells_in_updates_who_decided() {
    let machine = one();
    let script = std::fs::read_to_string(machine.path().join("plan.json")).unwrap();
    machine.write("script.json", format!("[{script}]"));
    let args =
        ["run", "--skills", "skills", "--planner", "scripted:script.json", "--format", "json"];
    for (more, approved) in [(&[][..], false), (&["--yes"][..], true)] {
        let ran = machine.run(&[&args[..], more].concat(), "I burn the door\n");
        let lines = ran.lines();
        let decided = lines.iter().find(|line| line["type"] == "step.decided");
        let decided = decided.unwrap_or_else(|| panic!("{}", ran.transcript()));
        assert_eq!((&decided["approved"], &decided["by"]), (&json!(approved), &json!("settings")));
        assert_eq!((ran.exit, ran.stderr.as_str()), (Some(0), ""));
    }
}

/// S2 "requestApproval".
#[test]
fn a_person_sees_the_whole_input_and_says_yes() {
    let machine = one();
    let mut terminal = PtySession::start_dumb(&machine, &RUN);
    for line in ["?", "burn it", "", "y"] {
        terminal.answer("?> ", line);
    }
    insta::assert_snapshot!(terminal.transcript(), @r#"
    step `burn` wants to run `mirror/act` with {"what":"burn"}
       Burn the door down
    approve? y, n or ?> ?
    burn (mirror/act):
    {
      "what": "burn"
    }
    approve? y, n or ?> burn it
    hint: there is no step `it`; there is only `burn`; say `y`
      to run it, `n` to skip it, `?` to see its whole input
    approve? y, n or ?>
    hint: say `y` to run it, `n` to skip it, `?` to see its
      whole input
    approve? y, n or ?> y
    STEP   STATE    TIME RETRIES  WHAT
    look   success  [TIME] 0
    burn   success  [TIME] 0
    after  success  [TIME] 0
    the plan succeeded
    --- exit 0
    "#);
}

/// S2 "requestApproval".
#[test]
fn a_person_says_no() {
    let machine = one();
    let mut terminal = PtySession::start_dumb(&machine, &RUN);
    terminal.answer("?> ", "n");
    insta::assert_snapshot!(terminal.transcript(), @r#"
    step `burn` wants to run `mirror/act` with {"what":"burn"}
       Burn the door down
    approve? y, n or ?> n
    STEP   STATE    TIME RETRIES  WHAT
    look   success  [TIME] 0
    burn   skipped  [TIME] 0        denied
    after  skipped  [TIME] 0        dependency_denied
    the plan succeeded without the steps that were denied
    --- exit 4
    "#);
}

#[test]
fn several_that_wait_are_answered_together_or_each_by_its_own_id() {
    let machine = three();
    let mut terminal = PtySession::start_dumb(&machine, &RUN);
    for line in ["?", "y", "1 four", "n two", "#2 one"] {
        terminal.answer("?> ", line);
    }
    insta::assert_snapshot!(terminal.transcript(), @r#"
    1. step `one` wants to run `mirror/act` with {"what":"one"}
    2. step `two` wants to run `mirror/act` with {"what":"two"}
    3. step `three` wants to run `mirror/act` with
       {"what":"three"}
    approve? numbers, a for all, none, or ?> ?
    1. one (mirror/act):
    {
      "what": "one"
    }
    2. two (mirror/act):
    {
      "what": "two"
    }
    3. three (mirror/act):
    {
      "what": "three"
    }
    approve? numbers, a for all, none, or ?> y
    hint: `y` to which? say `a` to run all, `none` to skip all,
      `1 2` to run some, `n 1` to skip one, `?` to see the whole
      inputs
    approve? numbers, a for all, none, or ?> 1 four
    hint: there is no step `four`; there are `one`, `two` and
      `three`; say `a` to run all, `none` to skip all, `1 2` to
      run some, `n 1` to skip one, `?` to see the whole inputs
    approve? numbers, a for all, none, or ?> n two
    1. step `one` wants to run `mirror/act` with {"what":"one"}
    2. step `three` wants to run `mirror/act` with
       {"what":"three"}
    approve? numbers, a for all, none, or ?> #2 one
    STEP   STATE    TIME RETRIES  WHAT
    one    success  [TIME] 0
    two    skipped  [TIME] 0        denied
    three  success  [TIME] 0
    the plan succeeded without the steps that were denied
    --- exit 4
    "#);
    for (line, exit) in [("a", 0), ("none", 4), ("1,2,3", 0)] {
        let mut terminal = PtySession::start_dumb(&machine, &RUN);
        terminal.answer("?> ", line);
        assert_eq!(terminal.end(), Some(exit), "{line}");
    }
}

#[test]
fn the_end_of_the_input_denies_what_waits() {
    let machine = three();
    let mut terminal = PtySession::start_dumb(&machine, &RUN);
    terminal.await_text("?> ");
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(4));
}

#[test]
fn ctrl_c_while_an_approval_waits_stops_the_plan() {
    let machine = one();
    let mut terminal = PtySession::start_dumb(&machine, &RUN);
    terminal.await_text("?> ");
    terminal.press(CTRL_C);
    let told = terminal.transcript();
    assert!(told.contains("stopping; Ctrl-C again leaves at once\n"), "{told}");
    assert!(told.ends_with("the plan was stopped\n--- exit 130"), "{told}");
}

/// In a line editor Ctrl-C is a key, and the terminal must be as it was in the end.
#[test]
fn a_line_editor_takes_answers_and_ctrl_c() {
    let machine = three();
    let mut terminal = PtySession::start(&machine, &RUN);
    terminal.answer("?> ", "1");
    terminal.await_text("2. step `three`");
    terminal.answer("?> ", "a");
    assert_eq!(terminal.end(), Some(0));
    let mut terminal = PtySession::start(&machine, &RUN);
    terminal.await_text("?> ");
    terminal.press(CTRL_C);
    terminal.await_text("the plan was stopped");
    assert_eq!(terminal.end(), Some(130));
    let mut terminal = PtySession::start(&machine, &RUN);
    terminal.await_text("?> ");
    terminal.signal("TERM");
    assert_eq!(terminal.end(), Some(130));
}

/// An answer is neither a sentence nor part of the history.
#[test]
fn a_story_goes_on_after_an_approval() {
    let machine = one();
    let script = std::fs::read_to_string(machine.path().join("plan.json")).unwrap();
    machine.write("script.json", format!("[{script}, {script}]"));
    let args = ["run", "--skills", "skills", "--planner", "scripted:script.json", "--seed", "7"];
    let mut terminal = PtySession::start(&machine, &args);
    terminal.answer("> ", "I burn the door");
    terminal.await_text("step `burn`");
    terminal.answer("?> ", "y");
    terminal.await_text("Done: Burn the door down.");
    terminal.answer("> ", "I burn it again");
    terminal.await_text("step `burn`");
    terminal.await_text("?> ");
    terminal.press(CTRL_C);
    terminal.await_text("the turn was stopped");
    terminal.await_prompt();
    terminal.press(CTRL_D);
    let (exit, seen) = terminal.end_seen();
    assert_eq!(exit, Some(0), "{}", timeless(&seen));
    let history = std::fs::read_to_string(machine.path().join("kept/history.txt")).unwrap();
    assert_eq!(history, "I burn the door\nI burn it again\n");
}

/// Without a line editor a requested line cannot be cancelled.
#[test]
fn on_a_plain_terminal_the_line_after_ctrl_c_is_the_storys() {
    let machine = one();
    let script = std::fs::read_to_string(machine.path().join("plan.json")).unwrap();
    machine.write("script.json", format!("[{script}]"));
    let args = ["run", "--skills", "skills", "--planner", "scripted:script.json"];
    let mut terminal = PtySession::start_dumb(&machine, &args);
    terminal.answer("> ", "I burn the door");
    terminal.await_text("?> ");
    terminal.press(CTRL_C);
    terminal.await_text("the turn was stopped");
    terminal.answer("\n> ", "/choices");
    terminal.answer("You were offered no choices.\r\n> ", "/quit");
    assert_eq!(terminal.end(), Some(0));
}
