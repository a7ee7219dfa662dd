//! `run` on a real terminal.

use serde_json::json;

use crate::player_machine::{PlayerMachine, plan};
use crate::pty::{CTRL_C, CTRL_D, PtySession};

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
fn a_key_between_two_ctrl_c_disarms_the_first() {
    let machine = PlayerMachine::new();
    let mut terminal = PtySession::start(&machine, &["run"]);
    terminal.await_prompt();
    terminal.press(CTRL_C);
    terminal.await_text("Ctrl-C again leaves, Ctrl-D too");
    terminal.await_prompt();
    terminal.press(&format!("I think again{CTRL_C}"));
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
    let env = [("NARRATORIA_PLAN_GRACE_MS", "300"), ("NO_COLOR", "1")];
    let mut terminal = PtySession::start_with(&machine, &args, &env);
    terminal.await_prompt();
    terminal.press("I wait\r");
    // The editor has given the terminal back, so Ctrl-C is a signal from here on.
    terminal.await_text("wait  slow/act");
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
    // The rest of a long note stands indented on the next line.
    assert_eq!(shown.replace("\r\n  ", " ").matches(sentence).count(), 1, "{shown}");
    assert!(!shown.contains("skill.json"), "{shown}");
    assert_eq!(exit, Some(0));
}

/// White on a white terminal is no text.
#[test]
fn what_is_typed_has_the_terminals_own_colour() {
    let machine = PlayerMachine::new();
    let mut terminal = PtySession::start(&machine, &["run"]);
    terminal.await_prompt();
    terminal.press("I look around");
    terminal.await_text("around");
    for text in ["I look around", "> I look"] {
        assert_eq!(terminal.colour_of(text), vt100::Color::Default, "{text}");
    }
    terminal.press(CTRL_C);
    // The line that was typed is shown again and again, each time behind a prompt.
    terminal.await_text("Ctrl-D too");
    terminal.await_prompt();
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn notes_break_between_words() {
    let machine = PlayerMachine::new();
    for name in ["bad", "worse", "worst"] {
        std::fs::create_dir_all(machine.path().join("skills").join(name)).unwrap();
        machine.write(&format!("skills/{name}/skill.json"), "{}");
    }
    let args = ["run", "--skills", "skills"];
    let mut terminal = PtySession::start_with(&machine, &args, &[("NO_COLOR", "1")]);
    terminal.await_prompt();
    let shown = terminal.screen();
    let note: Vec<&str> = shown.lines().skip_while(|line| !line.starts_with("warning")).collect();
    insta::assert_snapshot!(note[..2].join("\n"), @"
    warning: 3 packages cannot be used: `bad`, `worse`, `worst`;
      `narratoria skill list` says why
    ");
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn tab_shows_the_commands() {
    let machine = PlayerMachine::new();
    let mut terminal = PtySession::start(&machine, &["run"]);
    terminal.await_prompt();
    terminal.press("/s\t");
    terminal.await_text("the skills in play");
    let shown = terminal.screen();
    assert!(shown.contains("/skills") && shown.contains("/state"), "{shown}");
    assert!(shown.contains("the story's state as JSON"), "{shown}");
    assert!(!shown.contains("/quit"), "{shown}");
    terminal.press("ta\t\r");
    terminal.await_text("{}");
    terminal.await_prompt();
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
}

/// A terminal's paste, with its marks, and then Enter.
fn paste(text: &str) -> String {
    format!("\u{1b}[200~{text}\u{1b}[201~\r")
}

#[test]
fn a_pasted_block_is_as_many_turns_as_lines() {
    let machine = PlayerMachine::new();
    let mut terminal = PtySession::start(&machine, &["run", "--story", "demo"]);
    let block = paste("I look around\n\nI open the door\n  I listen\n");
    for (answer, says) in [("n", "nothing was played"), ("maybe", "Enter plays each line")] {
        terminal.await_prompt();
        terminal.press(&block);
        terminal.answer("play 3 lines? [Y/n]> ", answer);
        terminal.await_text(says);
    }
    terminal.answer("play 3 lines? [Y/n]> ", "");
    for line in ["> I look around", "> I open the door", "> I listen"] {
        terminal.await_text(line);
    }
    terminal.await_prompt();
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
    let mut terminal = PtySession::start(&machine, &["run", "--story", "demo"]);
    terminal.await_text("demo, 3 turns so far");
    terminal.await_prompt();
    terminal.press(&paste("\nI look around\n"));
    terminal.await_text("\u{1b}[?2004l");
    terminal.await_prompt();
    assert!(!terminal.has_seen("play 1 line"));
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
}

/// A machine whose only turn runs until it is stopped.
fn waiting() -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.package("slow-and-patient", "says-then-sleeps");
    machine.write("script.json", format!("[{}]", wait(json!({}))));
    machine
}

fn wait(input: serde_json::Value) -> String {
    plan(json!([
        {"toolId": "a-very-long-name", "toolPath": "slow-and-patient/act", "input": input},
    ]))
}

const WAITING: [&str; 5] = ["run", "--skills", "skills", "--planner", "scripted:script.json"];

/// A block ends with the turn that the player stops.
#[test]
fn ctrl_c_stops_the_rest_of_a_block() {
    let machine = waiting();
    let mut terminal = PtySession::start(&machine, &WAITING);
    terminal.await_prompt();
    terminal.press(&paste("I wait\nI wait more\nI sing"));
    terminal.answer("play 3 lines? [Y/n]> ", "y");
    terminal.await_text("a-very-long-name");
    terminal.press(CTRL_C);
    terminal.await_text("2 lines not played");
    terminal.await_prompt();
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
}

/// Keys that are typed during a turn wait for the prompt: they must not stand in the narration.
#[test]
fn what_is_typed_ahead_stands_behind_the_next_prompt() {
    let machine = waiting();
    machine.write("script.json", format!("[{}]", wait(json!({"ms": 300}))));
    let mut terminal = PtySession::start(&machine, &WAITING);
    terminal.await_prompt();
    terminal.press("I wait\r");
    terminal.await_text("a-very-long-name");
    terminal.press("I sing");
    terminal.await_text("I sing");
    let shown = terminal.screen();
    assert_eq!(shown.matches("I sing").count(), 1, "{shown}");
    assert!(shown.contains("\n> I sing\n"), "{shown}");
    terminal.press(CTRL_C);
    terminal.await_prompt();
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn a_resize_leaves_no_copy_of_a_live_line() {
    let machine = waiting();
    for columns in [30, 90] {
        let mut terminal = PtySession::start(&machine, &WAITING);
        terminal.await_prompt();
        terminal.press("I wait\r");
        terminal.await_text("slow-and-patient/act  waiting");
        terminal.resize(columns);
        terminal.press(CTRL_C);
        terminal.await_text("the turn was stopped");
        terminal.await_prompt();
        let shown = terminal.screen();
        // The warning names the step too, without the blanks of a live line.
        assert!(!shown.contains("a-very-long-name  ") && !shown.contains("waiting"), "{shown}");
        assert!(shown.contains("> I wait"), "{shown}");
        terminal.press(CTRL_D);
        assert_eq!(terminal.end(), Some(0));
    }
}

/// The line editor gets Ctrl-Z as a key. A shell gets the terminal back as it was, and what was typed is still there after
/// `fg`.
#[test]
fn ctrl_z_at_the_prompt_suspends_and_fg_goes_on() {
    let machine = PlayerMachine::new();
    machine.compile_skills();
    let program = env!("CARGO_BIN_EXE_narratoria");
    let script = "set -m; \"$0\" run --planner lexical; echo suspended: $?; fg; echo ended: $?";
    let mut terminal =
        PtySession::start_program(&machine, &["bash", "-c", script, program], &[("NO_COLOR", "1")]);
    terminal.await_prompt();
    terminal.press("I look\u{1a}");
    // 128 and the number of SIGTSTP.
    terminal.await_text("suspended: 148");
    terminal.await_text("> ");
    terminal.press(" around\r");
    terminal.await_text("\u{1b}[?2004l");
    terminal.await_prompt();
    terminal.press(CTRL_D);
    let (exit, seen) = terminal.end_seen();
    assert_eq!(exit, Some(0), "{seen:?}");
    assert!(seen.contains("ended: 0"), "{seen:?}");
    let told = machine.run(&["plan", "show", "1"], "").stdout;
    assert!(told.contains("I look around"), "{told}");
}

/// S0 "closes application": Ctrl-C at a question of `skill install`, which no command listens for, has the same code.
#[test]
fn ctrl_c_at_a_question_of_an_installation_leaves_with_the_usual_code() {
    let machine = PlayerMachine::new();
    machine.package_with("diary", "keeps", serde_json::json!({"grants": {"store": true}}));
    machine.run(&["skill", "pack", "skills/diary"], "");
    let archive = std::fs::read_dir(machine.path()).unwrap().filter_map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        name.starts_with("diary").then_some(name)
    });
    let archive = archive.last().expect("the package was packed");
    let mut terminal = PtySession::start(&machine, &["skill", "install", &archive]);
    terminal.await_text("[y/N]");
    terminal.press(CTRL_C);
    assert_eq!(terminal.end(), Some(130));
}
