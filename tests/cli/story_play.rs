//! `narratoria story retry` and `edit`, and what programs read about turns and branches.

use std::fs;

use narratoria_skills::Schema;
use serde_json::{Value, json};

use crate::player_machine::{CommandOutput, PlayerMachine};

const PLAY: [&str; 7] = ["run", "--story", "demo", "--planner", "lexical", "--seed", "7"];

fn played(lines: &str) -> PlayerMachine {
    let machine = PlayerMachine::new();
    let told = machine.run(&PLAY, lines);
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    machine
}

fn narrations(told: &CommandOutput) -> Vec<Value> {
    let lines = told.lines();
    let finished = lines.iter().filter(|line| line["type"] == "turn.finished");
    finished.map(|line| line["narration"].clone()).collect()
}

fn prompts(machine: &PlayerMachine) -> Value {
    let log = machine.run(&["story", "log", "--format", "json"], "").result();
    log["turns"].as_array().unwrap().iter().map(|turn| turn["prompt"].clone()).collect()
}

#[test]
fn a_turn_is_played_again_outside_of_play_and_the_answer_tells_with_which_dice() {
    let machine = played("I roll 1d4\nI roll 9d1000\n");
    let retry = |more: &[&str]| {
        let words = ["story", "retry", "demo", "--planner", "lexical", "--format", "json"];
        machine.run(&[&words[..], more].concat(), "")
    };
    let show = || machine.run(&["story", "show"], "").stdout;
    let first = show();
    let (other, same) = (retry(&[]), retry(&["--same"]));
    assert_eq!((other.exit, same.exit), (Some(0), Some(0)), "{}{}", other.stderr, same.stderr);
    assert!(!first.contains(narrations(&other)[0].as_str().unwrap().trim()));
    assert_eq!(narrations(&other), narrations(&same));
    let dice = |told: &CommandOutput| {
        let lines = told.lines();
        let moved = lines.iter().find(|line| line["type"] == "story.moved").unwrap();
        json!([moved["by"], moved["dice"], moved["left"]])
    };
    assert_eq!(dice(&other), json!(["retry", "other", 1]));
    assert_eq!(dice(&same), json!(["retry", "same", 1]));
    assert_eq!(prompts(&machine), json!(["I roll 9d1000", "I roll 1d4"]));
    // For a person, and the story that was played last.
    let told = machine.run(&["story", "retry", "--planner", "lexical"], "");
    assert!(told.stderr.contains("`I roll 9d1000` with other dice"), "{}", told.transcript());
    assert!(told.stdout.contains("9d1000"), "{}", told.transcript());
}

#[test]
fn a_turn_is_played_with_another_sentence_outside_of_play() {
    let machine = played("I roll 1d4\nI roll 1d6\nI roll 1d8\n");
    let edit = |turn: &str, sentence: &str| {
        machine.run(&["story", "edit", turn, sentence, "--planner", "lexical"], "")
    };
    let told = edit("2", "I roll 1d10");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    assert!(told.stderr.contains("the turns 2 to 3 stay in the tree"), "{}", told.stderr);
    assert_eq!(prompts(&machine), json!(["I roll 1d10", "I roll 1d4"]));
    // What cannot be played changes nothing.
    for (turn, sentence, exit, why) in [
        ("9", "I wait", 3, "there is no turn 9 to edit, they go from 1 to 2"),
        ("0", "I wait", 3, "there is no turn 0 to edit"),
        ("1", " ", 2, "the sentence is empty"),
    ] {
        let told = edit(turn, sentence);
        assert_eq!(told.exit, Some(exit), "{}", told.transcript());
        assert!(told.stderr.contains(why), "{}", told.transcript());
    }
    assert_eq!(prompts(&machine), json!(["I roll 1d10", "I roll 1d4"]));
    let told = machine.run(&["story", "retry", "nowhere"], "");
    assert_eq!(told.exit, Some(3), "{}", told.transcript());
}

/// What the player has changed in the story's memory has no sentence.
#[test]
fn a_change_of_a_memory_is_not_played_again() {
    use narratoria_story::{MemoryEdit, StoreRow, Story, StoryName, TurnRecord};
    let machine = played("I roll 1d4\n");
    let stories = machine.path().join("kept/stories");
    let mut story = Story::open_existing(&stories, &StoryName::parse("demo").unwrap()).unwrap();
    let at = jiff::Timestamp::UNIX_EPOCH;
    let id = "M1".parse().unwrap();
    let memory =
        narratoria_protocol::Memory { summary: "A bell.".to_owned(), ..Default::default() };
    story
        .commit(&TurnRecord {
            prompt: "I listen".to_owned(),
            narration: "A bell.".to_owned(),
            outcome: narratoria_story::TurnOutcome::Narrated,
            choices: Vec::new(),
            patches: Vec::new(),
            plans: Vec::new(),
            assets: Vec::new(),
            store_writes: vec![StoreRow::entity(id, &memory)],
            seed: 1,
            started_at: at,
            finished_at: at,
        })
        .unwrap();
    story.edit_memory(id, &MemoryEdit::Pin(true), at).unwrap();
    drop(story);
    let told = machine.run(&["story", "retry", "--planner", "lexical"], "");
    let why = "error: turn 3 is a change of what the story remembers, there is no sentence to play again\n\
               hint: undo takes it back, and then the turn before it is the last one\n";
    assert!(told.exit == Some(1) && told.stderr.ends_with(why), "{}", told.transcript());
    let told = machine.run(&["story", "edit", "3", "I wait", "--planner", "lexical"], "");
    assert!(told.stderr.contains("turn 3 is a change of what the story remembers"));
    assert_eq!(prompts(&machine), json!(["/memory pin M1", "I listen", "I roll 1d4"]));
}

/// In a stream of updates `/history` and `/branch` are answered by the documents of the verbs.
#[test]
fn programs_read_the_turns_and_the_branches_as_documents_of_their_contracts() {
    let machine = played("I roll 1d4\nI roll 1d6\n/branch tower\n/undo\nI roll 1d8\n");
    let told = machine
        .run(&[&PLAY[..], &["--format", "json"]].concat(), "/history\n/branch\n/branch fork\n");
    assert_eq!((told.exit, told.stderr.as_str()), (Some(0), ""));
    let lines = told.lines();
    let shown: Vec<&Value> = lines.iter().filter(|line| line["type"] == "story.shown").collect();
    let about: Vec<&Value> = shown.iter().map(|line| &line["about"]).collect();
    assert_eq!(about, ["history", "branch", "branch"]);
    let verb = |words: &[&str]| {
        machine.run(&[&["story"], words, &["--format", "json"]].concat(), "").result()
    };
    assert_eq!(verb(&["branch"]), shown[2]["document"]);
    assert_eq!(shown[1]["document"]["branches"].as_array().unwrap().len(), 2);
    let branches = |turn: &Value| turn["branches"].clone();
    let log = verb(&["log"]);
    assert_eq!(branches(&log["turns"][0]), json!(["fork", "main"]));
    let schema = |name: &str| {
        let schema = fs::read_to_string(format!("contracts/{name}.schema.json")).unwrap();
        Schema::build(serde_json::from_str(&schema).unwrap()).unwrap()
    };
    let (log_schema, branches_schema) = (schema("story-log"), schema("story-branches"));
    let fits = |schema: &Schema, value: &Value| {
        let mismatches: Vec<String> = schema
            .mismatches(value)
            .iter()
            .map(|it| format!("{}: {}", it.pointer, it.what))
            .collect();
        assert_eq!(mismatches, [""; 0], "{value:#}");
    };
    for document in [&shown[0]["document"], &log, &verb(&["log", "--all"])] {
        fits(&log_schema, document);
    }
    for line in &shown[1..] {
        fits(&branches_schema, &line["document"]);
    }
}
