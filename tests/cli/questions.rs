//! A script asks the player in the middle of its work (S2 "Human-in-the-Loop").

use serde_json::{Value, json};

use crate::player_machine::{PlayerMachine, plan};
use crate::pty::{CTRL_C, CTRL_D, PtySession};

/// With this seed every turn ends in the same words.
const STORY: [&str; 7] =
    ["run", "--skills", "skills", "--planner", "scripted:script.json", "--seed", "7"];

/// Every turn asks twice: who goes there, and what they want.
fn machine() -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.package("gate", "asks");
    let tools = plan(json!([{"toolId": "guard", "toolPath": "gate/act", "input": {}}]));
    machine.write("plan.json", &tools);
    machine.write("script.json", format!("[{tools}, {tools}]"));
    machine
}

fn of<'a>(lines: &'a [Value], wanted: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["type"] == wanted).collect()
}

#[test]
fn on_a_pipe_the_next_lines_are_the_answers() {
    let told =
        machine().transcript(&["plan", "run", "plan.json", "--skills", "skills"], "1\npeace\n");
    insta::assert_snapshot!(crate::player_machine::timeless(&told), @"
    STEP   STATE    TIME RETRIES  WHAT
    guard  success  [TIME] 0
    the plan succeeded
    --- stderr
    gate/act asks: Who goes there?
      1. A friend
      2. Nobody
    gate/act asks: And what does A friend want?
    --- exit 0
    ");
}

#[test]
fn the_line_after_the_answers_is_the_next_sentence() {
    let machine = machine();
    let args = [&STORY[..], &["--format", "json"]].concat();
    let ran = machine.run(&args, "I knock\nNobody\npeace\nI knock again\na dragon\ngold\n");
    let lines = ran.lines();
    let prompts: Vec<&Value> =
        of(&lines, "turn.started").iter().map(|line| &line["prompt"]).collect();
    assert_eq!(prompts, ["I knock", "I knock again"]);
    let asked: Vec<&Value> =
        of(&lines, "step.asked").iter().map(|line| &line["question"]).collect();
    let wish = |who: &str| format!("And what does {who} want?");
    assert_eq!(asked, ["Who goes there?", &wish("Nobody"), "Who goes there?", &wish("a dragon")]);
    assert_eq!(of(&lines, "step.asked")[0]["choices"], json!(["A friend", "Nobody"]));
    let outputs: Vec<&Value> =
        of(&lines, "step.finished").iter().map(|line| &line["output"]).collect();
    assert_eq!(outputs[1], &json!({"name": "a dragon", "wish": "gold"}));
    assert_eq!((ran.exit, ran.stderr.as_str()), (Some(0), ""));
}

#[test]
fn nobody_answers_when_the_lines_have_ended() {
    let machine = machine();
    let ran = machine.run(&["plan", "run", "plan.json", "--skills", "skills"], "1\n");
    insta::assert_snapshot!(ran.timeless(), @"
    STEP   STATE   TIME RETRIES  WHAT
    guard  failed  [TIME] 0        there is nobody who answers questions
    the plan failed
    --- stderr
    gate/act asks: Who goes there?
      1. A friend
      2. Nobody
    gate/act asks: And what does A friend want?
    note: step `guard` got no answer
    warning: step `guard`: there is nobody who answers questions (NOBODY_ANSWERED)
    --- exit 1
    ");
    // A turn without an answer still ends in a story.
    let ran = machine.run(&[&STORY[..], &["--format", "json"]].concat(), "I knock\n");
    let lines = ran.lines();
    assert_eq!(of(&lines, "step.answered")[0]["answered"], false);
    assert_eq!(of(&lines, "turn.finished").len(), 1);
}

/// Programs that run a plan read a question in the stream, as in a session.
#[test]
fn a_question_of_a_plan_is_a_line_of_its_stream() {
    let machine = machine();
    let args = ["plan", "run", "plan.json", "--skills", "skills", "--format", "json"];
    let ran = machine.run(&args, "2\nsleep\n");
    let result = ran.result();
    let output = &result["toolResults"][0]["output"];
    assert_eq!(output, &json!({"name": "Nobody", "wish": "sleep"}));
    assert_eq!(ran.stderr, "");
    let asked: Vec<Value> =
        of(&ran.lines(), "step.asked").iter().map(|line| line["question"].clone()).collect();
    assert_eq!(asked, ["Who goes there?", "And what does Nobody want?"]);
}

#[test]
fn a_person_answers_by_number_or_in_words_of_their_own() {
    let machine = machine();
    let mut terminal =
        PtySession::start_dumb(&machine, &["plan", "run", "plan.json", "--skills", "skills"]);
    for line in ["3", "", "2", " the key "] {
        terminal.answer("answer> ", line);
    }
    insta::assert_snapshot!(terminal.transcript(), @"
    gate/act asks: Who goes there?
      1. A friend
      2. Nobody
    answer> 3
    hint: there is no answer `3`; say a number from 1 to 2, or
      it in words of your own
    answer>
    hint: an answer cannot be empty; say a number from 1 to 2,
      or it in words of your own
    answer> 2
    gate/act asks: And what does Nobody want?
    answer>  the key
    STEP   STATE    TIME RETRIES  WHAT
    guard  success  [TIME] 0
    the plan succeeded
    --- exit 0
    ");
}

/// Questions and approvals of steps that run at the same time are put one after the other: what is typed
/// answers what was read.
#[test]
fn an_approval_waits_until_the_question_before_it_is_answered() {
    let machine = machine();
    machine.package("mirror", "echo");
    let tools = json!([
        {"toolId": "guard", "toolPath": "gate/act", "input": {}, "async": true},
        {"toolId": "burn", "toolPath": "mirror/act", "input": {}, "async": true,
            "dependencies": ["start"], "requiresApproval": true},
        {"toolId": "start", "toolPath": "mirror/act", "input": {}, "async": true},
    ]);
    let mut document: Value = serde_json::from_str(&plan(tools)).unwrap();
    document["parallel"] = json!(true);
    machine.write("plan.json", document.to_string());
    let args = ["plan", "run", "plan.json", "--skills", "skills", "--format", "json"];
    // On a pipe, the approval is denied at once, and the answers go where they belong.
    let ran = machine.run(&args, "A friend\ntea\n");
    assert_eq!(ran.exit, Some(4), "{}", ran.transcript());
    let mut terminal = PtySession::start_dumb(&machine, &args[..5]);
    let mut answered = 0;
    while answered < 3 {
        let before = terminal.await_text("> ");
        let line = if before.ends_with("?> ") {
            "y"
        } else if before.contains("Who goes there?") {
            "A friend"
        } else {
            "tea"
        };
        terminal.press(&format!("{line}\r"));
        answered += 1;
    }
    terminal.await_text("the plan succeeded");
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn a_line_editor_takes_answers_and_gives_the_story_back() {
    let machine = machine();
    let mut terminal = PtySession::start(&machine, &STORY);
    terminal.answer("> ", "I knock");
    terminal.await_text("Who goes there?");
    terminal.answer("answer> ", "2");
    terminal.await_text("And what does Nobody want?");
    terminal.answer("answer> ", "peace");
    terminal.await_text("Done: ");
    terminal.answer("> ", "I knock again");
    terminal.await_text("Who goes there?");
    terminal.await_text("answer> ");
    terminal.press(&format!("half an answ{CTRL_C}"));
    terminal.await_text("the turn was stopped");
    terminal.await_prompt();
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
    let history = std::fs::read_to_string(machine.path().join("kept/history.txt")).unwrap();
    assert_eq!(history, "I knock\nI knock again\n");
}

#[test]
fn ctrl_c_while_a_question_waits_stops_the_plan() {
    let machine = machine();
    for start in [PtySession::start, PtySession::start_dumb] {
        let mut terminal = start(&machine, &["plan", "run", "plan.json", "--skills", "skills"]);
        terminal.await_text("answer> ");
        terminal.press(CTRL_C);
        terminal.await_text("the plan was stopped");
        assert_eq!(terminal.end(), Some(130));
    }
}

/// A script that asks and ends without the answer takes the prompt away again.
#[test]
fn a_question_that_nobody_waits_for_gives_the_prompt_back() {
    let machine = machine();
    machine.package("gate", "asks-and-leaves");
    let mut terminal = PtySession::start(&machine, &STORY);
    terminal.answer("> ", "I knock");
    terminal.await_text("Done: ");
    terminal.await_prompt();
    terminal.press("/quit\r");
    assert_eq!(terminal.end(), Some(0));
}

/// A question must not hold a player who wants to leave, and no command is an answer.
#[test]
fn quit_leaves_where_an_answer_is_awaited() {
    let machine = machine();
    let mut terminal = PtySession::start_with(&machine, &STORY, &[("NO_COLOR", "1")]);
    terminal.answer("> ", "I knock");
    terminal.answer("answer> ", "/state");
    terminal.await_text("`/state` comes after the answer");
    terminal.answer("answer> ", " /quit ");
    let (exit, seen) = terminal.end_seen();
    assert_eq!(exit, Some(0), "{seen}");
    assert!(!seen.contains("And what does /quit want?"), "{seen}");
    let ran = machine.run(&STORY, "I knock\n/quit\nI knock again\n");
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    assert!(!ran.stdout.contains("And what does"), "{}", ran.stdout);
    let ran = machine.run(&["plan", "run", "plan.json", "--skills", "skills"], "/quit\n");
    assert_eq!(ran.exit, Some(130), "{}", ran.transcript());
    // A program has sentences and answers, and no commands.
    let ran = machine.run(&[&STORY[..], &["--format", "json"]].concat(), "I knock\n/quit\nsleep\n");
    assert_eq!(of(&ran.lines(), "step.asked").len(), 2, "{}", ran.transcript());
}
