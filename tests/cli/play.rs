//! `run` from a pipe.

use std::fs;

use serde_json::{Value, json};

use crate::player_machine::{CommandOutput, PlayerMachine, check_updates, plan};

const THREE_TURNS: &str =
    "I examine the ancient door\nI roll to pick the lock\nwhat are my choices?\n";

#[track_caller]
fn play(machine: &PlayerMachine, stdin: impl Into<Vec<u8>>) -> CommandOutput {
    let ran = machine.run(&["run", "--story", "demo", "--format", "json"], stdin);
    check_updates(&ran.lines());
    ran
}

fn of_type<'a>(lines: &'a [Value], wanted: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["type"] == wanted).collect()
}

/// S0 §5.1, "Scenario 2": with dice for the lock.
#[test]
fn three_sentences_are_three_turns() {
    let ran = play(&PlayerMachine::new(), THREE_TURNS);
    assert_eq!((ran.exit, ran.stderr.as_str()), (Some(0), ""));
    let lines = ran.lines();
    assert_eq!(lines.first().unwrap()["type"], "session.started");
    assert_eq!(
        lines.last().unwrap(),
        &json!({
            "v": 1, "type": "session.finished", "story": "demo", "turns": 3,
        })
    );
    let turns = of_type(&lines, "turn.finished");
    for (at, turn) in turns.iter().enumerate() {
        assert_eq!((&turn["turn"], &turn["outcome"]), (&json!(at + 1), &json!("told")), "{turn}");
        assert!(!turn["narration"].as_str().unwrap().is_empty(), "{turn}");
        let told: String = of_type(&lines, "narration.delta")
            .iter()
            .filter(|delta| delta["turn"] == turn["turn"])
            .map(|delta| delta["text"].as_str().unwrap())
            .collect();
        assert_eq!(told.trim_end(), turn["narration"].as_str().unwrap().trim_end());
    }
    assert_eq!(turns.len(), 3);
    let dice = of_type(&lines, "ui.event");
    assert!(dice.iter().any(|event| event["turn"] == 2 && event["event"] == "dice_roll"));
    assert!(!turns[2]["choices"].as_array().unwrap().is_empty(), "{}", turns[2]);
}

#[test]
fn a_story_goes_on_where_it_ended() {
    let machine = PlayerMachine::new();
    play(&machine, THREE_TURNS);
    let lines = play(&machine, "I open the door\n").lines();
    assert_eq!(lines[0]["turns"], 3);
    assert_eq!(of_type(&lines, "turn.finished")[0]["turn"], 4);
}

#[test]
fn the_same_seed_tells_the_same_story() {
    let tell = |seed: &str| {
        let args = ["run", "--story", "demo", "--seed", seed];
        PlayerMachine::new().transcript(&args, THREE_TURNS)
    };
    assert_eq!(tell("7"), tell("7"));
    assert_ne!(tell("7"), tell("8"));
}

#[test]
fn a_pipe_gets_prose_and_nothing_else() {
    let ran = PlayerMachine::new().run(&["run", "--seed", "7"], THREE_TURNS);
    assert_eq!((ran.exit, ran.stderr.as_str()), (Some(0), ""));
    assert!(!ran.stdout.contains(['\u{1b}', '>']), "{}", ran.stdout);
    assert!(ran.stdout.contains("\nroll 1d20: ["), "{}", ran.stdout);
    assert!(ran.stdout.contains("\n  1. "), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("\n\n"), "{}", ran.stdout);
}

#[test]
fn a_number_picks_a_choice_and_a_command_is_no_turn() {
    let machine = PlayerMachine::new();
    let lines = "what are my choices?\n/choices\n/state\n/nonsense\n1\n99\n/quit\nnever read\n";
    let ran = machine.run(&["run", "--story", "demo"], lines);
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    assert!(ran.stderr.contains("hint: there is no command `/nonsense`"), "{}", ran.stderr);
    let lines = play(&machine, "").lines();
    assert!([2, 3].map(Value::from).contains(&lines[0]["turns"]), "{}", lines[0]);
}

#[test]
fn a_bad_line_is_told_and_the_story_goes_on() {
    let machine = PlayerMachine::new();
    let ran = play(&machine, b"I look around\n\xff\xfe\n\n  \nI open the door\n".to_vec());
    assert_eq!(ran.exit, Some(2));
    assert_eq!(ran.stderr, "error: line 2 is not UTF-8, byte 1 is no part of a letter\n");
    let lines = ran.lines();
    assert_eq!(of_type(&lines, "turn.finished").len(), 2);
    assert_eq!(of_type(&lines, "turn.failed")[0]["kind"], "bad_input");
    let endless = [b"x".repeat(1 << 20), b"\nI look around\n".to_vec()].concat();
    let ran = play(&machine, endless);
    assert_eq!(ran.exit, Some(2));
    assert_eq!(ran.stderr, "error: line 1 is longer than 65536 bytes\n");
    assert_eq!(of_type(&ran.lines(), "turn.finished").len(), 1);
}

#[test]
fn an_empty_pipe_is_a_session_without_turns() {
    let ran = play(&PlayerMachine::new(), "");
    assert_eq!(ran.exit, Some(0));
    assert_eq!(ran.lines().len(), 2);
}

#[test]
fn a_bad_name_is_refused_with_one_that_would_do() {
    insta::assert_snapshot!(PlayerMachine::new().transcript(&["run", "--story", "../Etc"], ""), @"
    --- stderr
    error: `../Etc` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `etc` would do
    --- exit 2
    ");
}

#[test]
fn a_scripted_voice_says_what_its_file_says() {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    let tools = json!([{"toolId": "a", "toolPath": "mirror/act", "input": {"text": "hello"}}]);
    machine.write("script.json", format!("[{}]", plan(tools)));
    let args =
        ["run", "--skills", "skills", "--planner", "scripted:script.json", "--format", "json"];
    let ran = machine.run(&args, "hello\n");
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    assert_eq!(of_type(&ran.lines(), "step.started")[0]["toolPath"], "mirror/act");
    insta::assert_snapshot!(machine.transcript(&["run", "--planner", "scripted:no.json"], ""), @"
    --- stderr
    error: the planner script `no.json` does not exist
    --- exit 3
    ");
    machine.write("bad.json", "{}");
    insta::assert_snapshot!(machine.transcript(&["run", "--planner", "scripted:bad.json"], ""), @"
    --- stderr
    error: the planner script `bad.json` cannot be used: the script is not a JSON array: invalid type: map, expected a sequence at line 1 column 0
    --- exit 2
    ");
}

#[test]
fn a_file_that_is_no_story_is_left_alone() {
    let machine = PlayerMachine::new();
    let folder = machine.path().join("kept/stories/demo");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("story.db"), "my diary, keep out").unwrap();
    insta::assert_snapshot!(machine.transcript(&["run", "--story", "demo"], "hello\n"), @"
    --- stderr
    error: `[machine]/kept/stories/demo/story.db` is not a story: it is not an SQLite file; move it away or choose another story's name
    --- exit 2
    ");
    assert_eq!(fs::read(folder.join("story.db")).unwrap(), b"my diary, keep out");
}

/// A program picks choices as a person does; a number that picks none is no sentence.
#[test]
fn numbers_pick_choices_in_json_and_hold_until_others_are_offered() {
    let machine = PlayerMachine::new();
    let lines = "what are my choices?\nI look around\n1\n99\n";
    let ran = play(&machine, lines);
    assert_eq!(ran.exit, Some(2), "{}", ran.transcript());
    assert_eq!(ran.stderr, "error: there is no choice 99, they go from 1 to 4\n");
    let lines = ran.lines();
    let offered = of_type(&lines, "turn.finished");
    let choice = |turn: usize, field: &str| offered[turn]["choices"][0][field].clone();
    assert_eq!(offered[1]["choices"], json!([]), "the second turn offers nothing");
    let picked = [choice(0, "prompt"), choice(0, "label")].into_iter().find(|text| !text.is_null());
    let prompts: Vec<&Value> =
        of_type(&lines, "turn.started").iter().map(|turn| &turn["prompt"]).collect();
    assert_eq!((prompts.len(), prompts[2]), (3, &picked.clone().unwrap()));
    assert_eq!(of_type(&lines, "turn.failed")[0]["kind"], "bad_input");
    // The next session still knows them, in both formats.
    let ran = play(&machine, "1\n");
    assert_eq!(of_type(&ran.lines(), "turn.started")[0]["prompt"], picked.unwrap());
    let ran = machine.run(&["run", "--story", "demo"], "I look around\n/choices\n");
    assert!(ran.stdout.contains("\n  1. "), "{}", ran.transcript());
}

/// Six times more dice than there may be: the dice still roll.
#[test]
fn a_caller_s_mistake_is_no_failure_of_the_skill() {
    let told = PlayerMachine::new().run(
        &["run", "--story", "demo", "--seed", "3"],
        format!("{}roll 1d6\n", "roll 1000d1000\n".repeat(6)),
    );
    assert_eq!(told.exit, Some(0), "{}", told.transcript());
    assert_eq!(told.stderr.matches("(DICE_COUNT)").count(), 6, "{}", told.stderr);
    for word in ["fails often", "failed for good"] {
        assert!(!told.stderr.contains(word), "{}", told.stderr);
    }
    assert!(told.stdout.contains("roll 1d6: ["), "{}", told.stdout);
}
