//! The log file in the home folder: what goes into it, and that a player's terminal shows none of it.

use std::fs;

use serde_json::json;

use crate::player_machine::{PlayerMachine, plan};

fn log(machine: &PlayerMachine) -> String {
    fs::read_to_string(machine.path().join("kept/logs/narratoria.log")).unwrap_or_default()
}

/// The lines without their times and what differs in each run.
fn told(machine: &PlayerMachine) -> String {
    let log = log(machine);
    let lines = log.lines().filter_map(|line| line.split_once(": ").map(|(_, rest)| rest));
    let text = crate::player_machine::timeless(&lines.collect::<Vec<_>>().join("\n"));
    let times = regex::Regex::new(r"elapsed_ms=\d+").unwrap();
    times.replace_all(&text, "elapsed_ms=[MS]").into_owned()
}

/// S0 FR-029, S1 §5.1, §5.2: attempts with plan ids, selected skills and outcomes; the line after a failed attempt.
#[test]
fn each_attempt_is_logged_with_its_skills_and_its_outcome() {
    let machine = PlayerMachine::new();
    machine.package("unlucky", "fail");
    let step = json!([{"toolId": "open", "toolPath": "unlucky/act", "input": {}}]);
    machine.write("script.json", format!("[{0}, {0}]", plan(step)));
    let args = ["run", "--skills", "skills", "--planner", "scripted:script.json"];
    let more = ["--plan-attempts", "1"];
    let ran = machine.run(&[&args[..], &more].concat(), "I open the chest\n");
    assert!(!ran.stderr.contains("INFO"), "{}", ran.stderr);
    let told = told(&machine);
    for wanted in [
        "session started story=default turns=0 skills=[",
        "turn started turn=1 prompt=\"I open the chest\" state=\"GENERATING\"",
        "plan proposed turn=1 attempt=1 plan_id=",
        "skills={\"unlucky\"}",
        "plan started turn=1 plan_id=",
        "state=\"EXECUTING\"",
        "step started plan_id=",
        "Plan attempt 1 failed, disabling: open",
        "state=\"REPLANNING\"",
        "Max replan attempts exceeded",
        "a template narrates turn=1 state=\"FALLBACK\"",
        "turn finished turn=1 outcome=\"fallback\" attempts=1 elapsed_ms=[MS]",
    ] {
        assert!(told.contains(wanted), "no `{wanted}` in\n{told}");
    }
    let log = log(&machine);
    assert!(log.lines().all(|line| line.starts_with("20") && line.contains("T")), "{log}");
}

/// A script's stderr is for its author, and no part of a story.
#[test]
fn what_a_script_writes_to_stderr_is_logged_for_those_who_debug() {
    let logged = |level: &str| {
        let machine = PlayerMachine::new();
        machine.package("unlucky", "panic");
        let step = json!([{"toolId": "open", "toolPath": "unlucky/act", "input": {}}]);
        machine.write("script.json", format!("[{}]", plan(step)));
        let args = ["run", "--skills", "skills", "--planner", "scripted:script.json"];
        let more = ["--plan-attempts", "1", "--log-level", level];
        machine.run(&[&args[..], &more].concat(), "I open the chest\n");
        log(&machine)
    };
    let debug = logged("debug");
    let line = debug.lines().find(|line| line.contains("script wrote to stderr"));
    let line = line.unwrap_or_else(|| panic!("{debug}"));
    assert!(line.contains("tool_path=\"unlucky/act\"") && line.contains("panicked at"), "{line}");
    assert!(!logged("info").contains("script wrote to stderr"));
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_the_log() {
    use std::os::unix::fs::PermissionsExt;
    let machine = PlayerMachine::new();
    machine.run(&["run", "--planner", "lexical"], "I look around\n");
    let file = fs::metadata(machine.path().join("kept/logs/narratoria.log")).unwrap();
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
}

/// The flag overrides the variable, the variable the file.
#[test]
fn the_level_comes_from_flag_variable_or_file() {
    let logged = |config: &str, variable: &str, flags: &[&str]| {
        let machine = PlayerMachine::new();
        machine.write("kept/config.toml", config);
        let args = [&["run", "--planner", "lexical"], flags].concat();
        let mut command = machine.command(&args);
        command.env("NARRATORIA_LOG", variable);
        let ran =
            assert_cmd::Command::from_std(command).write_stdin("I look around\n").output().unwrap();
        assert_eq!(ran.status.code(), Some(0), "{ran:?}");
        (log(&machine).contains("turn started"), String::from_utf8_lossy(&ran.stderr).into_owned())
    };
    let off = "[log]\nlevel = \"off\"\n";
    assert!(logged("", "", &[]).0, "the default");
    assert!(!logged(off, "", &[]).0, "the file");
    assert!(logged(off, "info", &[]).0, "the variable");
    assert!(!logged("", "info", &["--log-level", "error"]).0, "the flag");
    // A pipe that asks for it gets the lines too; without a wish, people get sentences only.
    assert!(logged("", "info", &[]).1.contains("turn started"));
    assert!(!logged("", "", &[]).1.contains("turn started"));
}

#[test]
fn a_level_that_is_none_is_refused_with_the_ones_that_are() {
    let machine = PlayerMachine::new();
    insta::assert_snapshot!(machine.transcript(&["skill", "list", "--log-level", "loud"], ""), @"
    --- stderr
    error: --log-level is `loud`, it must be `error`, `warn`, `info`, `debug`, `trace`, `off` or a filter such as `warn,narratoria=debug`
    hint: try `info` or `narratoria=debug`
    --- exit 2
    ");
}

/// A person gets one sentence with the way to the lines.
#[test]
fn a_warning_is_told_in_one_sentence() {
    let machine = PlayerMachine::new();
    // A folder in the place of the lock: the turn is played without a journal.
    fs::create_dir_all(machine.path().join("kept/stories/default/plan.lock")).unwrap();
    let ran = machine.run(&["run", "--planner", "lexical"], "I look around\n");
    assert_eq!(ran.exit, Some(0), "{}", ran.stderr);
    let log = log(&machine);
    assert!(log.contains(" WARN "), "{log}");
    let sentences: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("the log")).collect();
    assert_eq!(sentences.len(), 1, "{}", ran.stderr);
    assert!(sentences[0].contains("of this run: `[machine]/kept/logs/narratoria.log`"));
    assert!(!ran.stderr.contains("WARN"), "{}", ran.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_no_line_of_the_log() {
    use crate::pty::{CTRL_D, PtySession};
    let machine = PlayerMachine::new();
    let env = [("NARRATORIA_LOG", "debug")];
    let args = ["run", "--planner", "lexical"];
    let mut terminal = PtySession::start_with(&machine, &args, &env);
    terminal.answer("> ", "I look around");
    terminal.await_text("\u{1b}[?2004l");
    terminal.await_prompt();
    terminal.press(CTRL_D);
    let (exit, seen) = terminal.end_seen();
    assert_eq!(exit, Some(0));
    for raw in ["INFO", "DEBUG", "WARN", "turn started", "narratoria_engine"] {
        assert!(!seen.contains(raw), "{raw}: {seen:?}");
    }
    assert!(log(&machine).contains("turn started"));
}
