//! `run` on a real terminal.

use serde_json::json;

use crate::{
    player_machine::{PlayerMachine, plan},
    pty::{CTRL_C, CTRL_D, PtySession},
};

#[test]
fn a_player_types_picks_a_number_and_leaves() {
    let machine = PlayerMachine::new();
    let mut terminal = PtySession::start(&machine, &["run", "--story", "demo"]);
    terminal.await_text("demo, a new story");
    terminal.await_prompt();
    terminal.press("what are my choices?\r");
    terminal.await_text("  1. ");
    terminal.await_prompt();
    terminal.press("1\r");
    terminal.await_text("\u{1b}[?2004l");
    terminal.await_prompt();
    terminal.press("/quit\r");
    assert_eq!(terminal.end(), Some(0));
    let mut terminal = PtySession::start(&machine, &["run", "--story", "demo"]);
    terminal.await_text("demo, 2 turns so far");
    terminal.await_prompt();
    // The arrow up, twice: what was typed in the last session.
    terminal.press("\u{1b}[A\u{1b}[A");
    terminal.await_text("1");
    terminal.press(CTRL_C);
    terminal.await_text("Ctrl-D too");
    terminal.await_prompt();
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
    let history = std::fs::read_to_string(machine.path().join("kept/history.txt")).unwrap();
    assert_eq!(history, "what are my choices?\n1\n/quit\n");
    let mode = std::fs::metadata(machine.path().join("kept/history.txt")).unwrap().permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o600);
}

#[test]
fn ctrl_c_at_the_prompt_leaves_the_second_time() {
    let machine = PlayerMachine::new();
    let mut terminal = PtySession::start(&machine, &["run"]);
    terminal.await_prompt();
    terminal.press(&format!("half a sentence{CTRL_C}"));
    terminal.await_text("Ctrl-C again leaves, Ctrl-D too");
    terminal.await_prompt();
    terminal.press(CTRL_C);
    assert_eq!(terminal.end(), Some(130));
}

#[test]
fn ctrl_c_in_a_turn_gives_the_prompt_back() {
    let machine = PlayerMachine::new();
    machine.package("slow", "says-then-sleeps");
    let tools = json!([{"toolId": "wait", "toolPath": "slow/act", "input": {}}]);
    machine.write("script.json", format!("[{}]", plan(tools)));
    let args = ["run", "--skills", "skills", "--planner", "scripted:script.json"];
    let env = [("NARRATORIA_LOG", "narratoria=info"), ("NO_COLOR", "1")];
    let mut terminal = PtySession::start_with(&machine, &args, &env);
    terminal.await_prompt();
    terminal.press("I wait\r");
    // The editor has given the terminal back, so Ctrl-C is a signal from here on.
    terminal.await_text("plan proposed");
    terminal.press(CTRL_C);
    terminal.await_text("stopping; Ctrl-C again leaves at once");
    terminal.await_text("the turn was stopped");
    terminal.await_prompt();
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn a_request_to_end_gives_the_terminal_back() {
    let machine = PlayerMachine::new();
    let mut terminal = PtySession::start(&machine, &["run"]);
    terminal.await_prompt();
    terminal.signal("TERM");
    // The end of bracketed paste: the editor has cleaned up.
    terminal.await_text("\u{1b}[?2004l");
    assert_eq!(terminal.end(), Some(130));
}

#[test]
fn colour_is_for_those_who_want_it() {
    let machine = PlayerMachine::new();
    for (env, coloured) in [(&[][..], true), (&[("NO_COLOR", "1")], false)] {
        let mut terminal = PtySession::start_with(&machine, &["run"], env);
        let greeting = terminal.await_text("/help");
        assert_eq!(greeting.contains("\u{1b}[1m"), coloured, "{greeting:?}");
        terminal.await_prompt();
        terminal.press(CTRL_D);
        assert_eq!(terminal.end(), Some(0));
    }
}

#[test]
fn a_terminal_that_can_do_nothing_gets_a_prompt_all_the_same() {
    let machine = PlayerMachine::new();
    let mut terminal = PtySession::start_with(&machine, &["run"], &[("TERM", "dumb")]);
    terminal.await_prompt();
    terminal.press("what are my choices?\n");
    let told = terminal.await_text("  1. ");
    assert!(!told.contains('\u{1b}'), "{told:?}");
    terminal.await_prompt();
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
}

/// Packages of strangers may be wrong in a hundred places; the player gets one sentence, once.
#[test]
fn trouble_with_packages_is_one_sentence_and_does_not_come_again_at_each_turn() {
    let machine = PlayerMachine::new();
    for name in ["bad", "worse", "worst"] {
        std::fs::create_dir_all(machine.path().join("skills").join(name)).unwrap();
        machine.write(&format!("skills/{name}/skill.json"), "{\"scripts\": [1, 2, 3], \"x\": 1}");
    }
    let mut terminal = PtySession::start(&machine, &["run", "--skills", "skills"]);
    terminal.await_prompt();
    for _ in 0..2 {
        terminal.press("I look around\r");
        terminal.await_text("\u{1b}[?2004l");
        terminal.await_prompt();
    }
    terminal.press("/quit\r");
    let (exit, shown) = terminal.end_seen();
    let sentence =
        "3 packages cannot be used: `bad`, `worse`, `worst`; `narratoria skill list` says why";
    assert_eq!(shown.matches(sentence).count(), 1, "{shown}");
    assert!(!shown.contains("skill.json"), "{shown}");
    assert_eq!(exit, Some(0));
}
