//! Untrusted text is escaped before it reaches the terminal, in every command.

use narratoria_protocol::visible::is_harmless;
use serde_json::{Value, json};

use crate::player_machine::{CommandOutput, PlayerMachine, plan};

/// As `steers-terminals` has it: clears the screen, sets the title, paints, turns the direction, hides a word and a
/// tag.
const STEERED: &str =
    "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}a\u{200b}b\u{e0041}\u{7f}\u{8}\rz";

/// Three packages: one whose script steers, one that steers in its files, and one that fails with such words.
fn machine() -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.package("steers", "steers-terminals");
    machine.package_with("described", "echo", json!({"description": STEERED}));
    machine.package("unlucky", "fail");
    machine.package_with("broken", "echo", json!({STEERED: STEERED, "timeout": STEERED}));
    machine.write(
        "plan.json",
        plan(json!([
            {"toolId": "a", "toolPath": "steers/act", "input": {STEERED: STEERED}, "description": STEERED},
            {"toolId": "b", "toolPath": "described/act", "input": {"text": STEERED}, "reason": STEERED},
            {"toolId": "c", "toolPath": "unlucky/act", "input": {"code": STEERED, "message": STEERED}},
        ])),
    );
    let wrong = json!([{"toolId": STEERED, "toolPath": STEERED, "input": {}, STEERED: 1}]);
    machine.write("wrong.json", plan(wrong));
    let script = std::fs::read_to_string(machine.path().join("plan.json")).unwrap();
    machine.write("script.json", format!("[{script}]"));
    machine
}

/// Everything that was written, with nothing in it that steers, and with proof that it was there.
#[track_caller]
fn check(what: &[&str], ran: &CommandOutput) {
    for (stream, text) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
        if let Some(harm) = text.chars().find(|char| !is_harmless(*char)) {
            let line = text.lines().find(|line| line.contains(harm)).unwrap();
            panic!("{what:?}: {harm:?} on {stream}: {line:?}");
        }
    }
}

#[test]
fn nothing_steers_a_terminal_however_it_is_shown() {
    let machine = machine();
    let skills = ["--skills", "skills", "--seed", "7"];
    let play = ["run", "--planner", "scripted:script.json"];
    let on_story = ["--story", "demo"];
    let run: Vec<(Vec<&str>, &str)> = vec![
        ([&["skill", "run", "steers/act"][..], &skills].concat(), "{}"),
        ([&["skill", "run", "steers/act", "--format", "json"][..], &skills].concat(), "{}"),
        ([&play[..], &skills].concat(), "hello\n"),
        ([&play[..], &["--story", "json", "--format", "json"], &skills].concat(), "hello\n"),
        ([&play[..], &["--story", "seen", "--review"], &skills].concat(), "hello\nstart\n"),
        ([&["plan", "run", "plan.json"][..], &on_story, &skills].concat(), ""),
        ([&["plan", "run", "plan.json", "--format", "json"][..], &on_story, &skills].concat(), ""),
        (vec!["plan", "check", "wrong.json", "--skills", "skills"], ""),
        (vec!["plan", "check", "wrong.json", "--skills", "skills", "--format", "json"], ""),
        (vec!["skill", "list", "--skills", "skills"], ""),
        (vec!["skill", "list", "--skills", "skills", "--format", "json"], ""),
        (vec!["plan", "list", "--story", "demo"], ""),
        (vec!["plan", "show", "1", "--story", "demo"], ""),
        (vec!["plan", "show", "1", "--story", "demo", "--format", "json"], ""),
        (vec!["plan", "export", "1", "--story", "demo"], ""),
        (vec!["plan", "export", "1", "--story", "demo", "--as", "yaml"], ""),
        (vec!["plan", "diff", "1", "2", "--story", "demo"], ""),
    ];
    let mut shown = 0;
    for (args, stdin) in run {
        let ran = machine.run(&args, stdin);
        assert!(ran.exit != Some(2) || args.contains(&"check"), "{args:?}: {}", ran.transcript());
        check(&args, &ran);
        let text = format!("{}{}", ran.stdout, ran.stderr);
        shown += usize::from(text.contains("u{202e}") || text.contains("u202e"));
    }
    assert!(shown >= 10, "what steers was seen in {shown} places only");
}

/// JSON escapes keep the text: nothing is lost.
#[test]
fn a_program_reads_exactly_what_was_said() {
    let machine = machine();
    let args = ["skill", "run", "steers/act", "--skills", "skills", "--format", "json"];
    let lines = machine.run(&args, "{}").lines();
    let said = |line: &&Value| line["message"] == json!(STEERED);
    assert_eq!(lines.iter().filter(said).count(), 4, "{lines:?}");
}
