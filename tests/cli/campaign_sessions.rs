//! How plans are made, as a player of a campaign meets it: what S0 asks of the narrator, in sessions of the real program on
//! a pipe with `every-last-spoon` and without a model. Planners and skills that fail do so for real. `campaign_failures.rs`
//! has the sessions about how plans run.

use std::fs;

use narratoria_skills::Schema;
use serde_json::{Value, json};

use crate::player_machine::{CommandOutput, PlayerMachine, check_updates, timeless};

/// Plays the campaign with more arguments.
const PLAY: [&str; 6] = ["run", "--campaign", "every-last-spoon", "--story", "hesk", "--seed=7"];

/// The last words of the first screen.
const OPENING_END: &str = "west to the wrack beach and south to the mooring.\n\n";

/// From the quay to the vat room, whose office door is locked.
const TO_THE_VAT_ROOM: &str = "go up\ngo up\ngo west\ngo west\n";

/// What its author says of the tide board. Around it the storyteller's words vary.
pub(crate) const TIDE_BOARD: &str = "A slate in a frame, chalked fresh each morning.";

/// Plays these lines from the first screen on.
#[track_caller]
pub(crate) fn play(machine: &PlayerMachine, args: &[&str], lines: &str) -> CommandOutput {
    let said = machine.run(&[&PLAY[..], args].concat(), lines);
    assert_eq!(said.exit, Some(0), "{}", said.transcript());
    said
}

/// Plays these lines, with the updates as what a program gets.
#[track_caller]
pub(crate) fn updates(machine: &PlayerMachine, args: &[&str], lines: &str) -> Vec<Value> {
    let updates = play(machine, &[args, &["--format", "json"]].concat(), lines).lines();
    check_updates(&updates);
    updates
}

/// The planner that uses these plans, and after them the lexical one.
pub(crate) fn scripted(machine: &PlayerMachine, plans: &Value) -> [&'static str; 2] {
    machine.write("script.json", plans.to_string());
    ["--planner", "scripted:script.json"]
}

/// What the player reads after the first screen.
pub(crate) fn answers(said: &CommandOutput) -> &str {
    said.stdout.split_once(OPENING_END).map_or("", |(_, answers)| answers).trim_end()
}

/// `story why --full` of the last turn, without what it read and how long it took.
pub(crate) fn why(machine: &PlayerMachine) -> String {
    let told = timeless(&machine.run(&["story", "why", "--full", "--story", "hesk"], "").stdout);
    let told = regex::Regex::new(r", \d+ ms").unwrap().replace_all(&told, "").into_owned();
    let told = told.split("\nchanges").next().unwrap();
    let is_read = |line: &&str| line.starts_with("  read") || line.starts_with("  left out");
    let lines = told.lines().filter(|line| !is_read(line) && !line.starts_with("    "));
    lines.collect::<Vec<_>>().join("\n")
}

/// The updates of one type in the last turn.
pub(crate) fn of_last_turn<'u>(updates: &'u [Value], wanted: &str) -> Vec<&'u Value> {
    let last = updates.iter().filter_map(|update| update["turn"].as_u64()).max().unwrap();
    let is_wanted = |update: &&Value| update["type"] == wanted && update["turn"] == last;
    updates.iter().filter(is_wanted).collect()
}

/// What the player reads of the last turn.
pub(crate) fn last_narration(updates: &[Value]) -> &str {
    of_last_turn(updates, "turn.finished")[0]["narration"].as_str().unwrap()
}

/// The document keeps this contract.
#[track_caller]
pub(crate) fn fits(contract: &str, document: &Value) {
    let file = format!("{}/contracts/{contract}.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(Schema::build(schema).unwrap().mismatches(document), [], "{document}");
}

/// The scripts of a plan, in plan order.
fn scripts(plan: &Value) -> Vec<&str> {
    plan["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["toolPath"].as_str().unwrap())
        .collect()
}

/// S0 "Scenario 1", FR-003: the plan has the storyteller, and the description is the author's.
#[test]
fn scenario_1_a_player_examines_the_ancient_door() {
    let lines = format!("{TO_THE_VAT_ROOM}I examine the ancient door\n");
    let updates = updates(&PlayerMachine::new(), &["--planner", "lexical"], &lines);
    let plan = &of_last_turn(&updates, "plan.proposed")[0]["plan"];
    assert!(scripts(plan).contains(&"storyteller/narrate"), "{plan}");
    let told = last_narration(&updates);
    for words in ["Panelled, brown, with a brass plate: CLERK.", "It is locked."] {
        assert!(told.contains(words), "{told}");
    }
}

/// S0 "Scenario 2", FR-003: the dice are rolled for the lock that is there, and the world decides by them whether it opens.
#[test]
fn scenario_2_a_player_rolls_to_pick_the_lock() {
    let rolls = "I roll to pick the lock\nopen the office door\n".repeat(2);
    let lines = format!("{TO_THE_VAT_ROOM}{rolls}");
    let updates = updates(&PlayerMachine::new(), &["--planner", "lexical"], &lines);
    let mut told = String::new();
    for update in updates.iter().skip_while(|update| update["prompt"] != "I roll to pick the lock")
    {
        match update["type"].as_str().unwrap() {
            "turn.started" => told += &format!("> {}\n", update["prompt"].as_str().unwrap()),
            "ui.event" if update["event"] == "dice_roll" => {
                told += &format!("[{}]\n", update["payload"]["total"]);
            }
            "step.finished" if update["toolId"] == "act" => {
                let facts = update["output"]["facts"].as_array().unwrap();
                let facts: Vec<&str> =
                    facts.iter().filter_map(|fact| fact["text"].as_str()).collect();
                told += &format!("{}\n", facts.join(" "));
            }
            // The player reads of the door, in the storyteller's words.
            "turn.finished" => {
                let narration = update["narration"].as_str().unwrap();
                assert!(narration.contains("door") || narration.contains("lock"), "{narration}");
            }
            _ => {}
        }
    }
    insta::assert_snapshot!(told, @"
    > I roll to pick the lock
    [11]
    The lock of the office door does not give.
    > open the office door
    The office door is locked.
    > I roll to pick the lock
    [16]
    Something gives in the lock, and the office door is unlocked.
    > open the office door
    You open the office door.
    ");
}

/// S0 "Scenario 3", FR-005: the planner fails, patterns answer, the player is told and the log has the error.
#[test]
fn scenario_3_a_generation_that_fails_is_answered_from_patterns() {
    let machine = PlayerMachine::new();
    let planner = scripted(&machine, &json!([{"error": "the model is not answering"}]));
    let said = play(&machine, &planner, "look closely at the tide board\n");
    assert!(answers(&said).contains(TIDE_BOARD), "{}", said.transcript());
    insta::assert_snapshot!(said.stderr, @"note: `lexical` makes the plan in place of `scripted`: the model is not answering");
    let log = fs::read_to_string(machine.path().join("kept/logs/narratoria.log")).unwrap();
    let replaced = log.lines().find(|line| line.contains("planner replaced")).unwrap();
    assert!(
        replaced.contains("by=\"lexical\" reason=\"the model is not answering\""),
        "{replaced}"
    );
}

/// S0 "invalid Plan JSON", FR-005: text that is no plan never runs.
#[test]
fn text_that_is_no_plan_is_answered_from_patterns() {
    let machine = PlayerMachine::new();
    let planner = scripted(&machine, &json!(["I think the player should look at the board."]));
    let said = play(&machine, &planner, "look closely at the tide board\n");
    insta::assert_snapshot!(said.stderr, @"note: `lexical` makes the plan in place of `scripted`: the plan is not JSON: line 1, column 1: expected value");
    assert!(answers(&said).contains(TIDE_BOARD), "{}", said.transcript());
}

/// S0 FR-002, FR-010, §5.2.
#[test]
fn each_sentence_becomes_plan_json() {
    let updates = updates(&PlayerMachine::new(), &["--planner", "lexical"], "go up\nlook\n");
    let plans: Vec<&Value> =
        updates.iter().filter(|update| update["type"] == "plan.proposed").collect();
    assert_eq!(plans.len(), 3, "the opening and two sentences");
    for update in plans {
        let plan = &update["plan"];
        fits("plan-json", plan);
        let metadata = &plan["metadata"];
        assert_eq!(
            (&metadata["generationAttempt"], &metadata["parentPlanId"]),
            (&json!(1), &Value::Null)
        );
    }
}

/// S0 FR-003: each sentence starts the scripts that it needs, and no other runs.
#[test]
fn a_sentence_selects_its_skills() {
    let lines =
        "take the mail sack\nI roll 2d6\nwhat are my choices?\nI roll to climb the bollards\n";
    let updates = updates(&PlayerMachine::new(), &["--planner", "lexical"], lines);
    let mut told = String::new();
    for update in updates.iter().filter(|update| update["turn"].as_u64() > Some(1)) {
        match update["type"].as_str().unwrap() {
            "turn.started" => told += &format!("> {}\n", update["prompt"].as_str().unwrap()),
            "step.started" => told += &format!("  {}\n", update["toolPath"].as_str().unwrap()),
            _ => {}
        }
    }
    insta::assert_snapshot!(told, @"
    > take the mail sack
      world/understand
      world/act
      plot/advance
      storyteller/narrate
      player-choices/generate-choices
    > I roll 2d6
      dice-roller/roll-dice
      storyteller/narrate
    > what are my choices?
      player-choices/generate-choices
    > I roll to climb the bollards
      world/understand
      dice-roller/roll-dice
      world/act
      plot/advance
      storyteller/narrate
      player-choices/generate-choices
    ");
}

/// S0 FR-006: without a model a plan is there at once, and the whole turn is far below five seconds.
#[test]
fn a_turn_takes_less_than_a_generation_may() {
    let machine = PlayerMachine::new();
    let args =
        ["run", "--campaign", "every-last-spoon", "--planner", "lexical", "--format", "json"];
    let said = machine.run(&args, format!("{TO_THE_VAT_ROOM}I examine the ancient door\n"));
    let updates = said.lines();
    let turns: Vec<u64> =
        updates.iter().filter_map(|update| update["elapsedMs"].as_u64()).collect();
    assert_eq!(turns.len(), 6, "{}", said.transcript());
    assert!(turns.iter().all(|elapsed_ms| *elapsed_ms < 5000), "{turns:?}");
}

/// S0 FR-009, FR-012, "circular dependencies": the circle is found before anything runs, and another plan follows.
#[test]
fn a_plan_whose_steps_wait_for_each_other_never_runs() {
    let machine = PlayerMachine::new();
    let circle = json!([{"requestId": "", "tools": [
        {"toolId": "tell", "toolPath": "storyteller/narrate", "input": {"prompt": "x"},
         "dependencies": ["act"]},
        {"toolId": "act", "toolPath": "world/act", "dependencies": ["tell"],
         "input": {"actions": [{"action": "examine", "target": "tide board"}]}},
    ]}]);
    let said = play(&machine, &scripted(&machine, &circle), "look closely at the tide board\n");
    assert!(answers(&said).contains(TIDE_BOARD), "{}", said.transcript());
    insta::assert_snapshot!(why(&machine), @"
    turn 2 “look closely at the tide board”
    plan 2 by scripted, attempt 1: draft
      steps wait for each other: tell -> act -> tell (take one of these dependencies out)
    plan 3 by lexical, attempt 2: complete
      understand  world/understand  success
      perceive  npc-perception/query-perception  skipped
      roll  dice-roller/roll-dice  skipped
      act  world/act  success
      advance  plot/advance  success
      change  world/change  skipped
      reputation  reputation/update-reputation  skipped
      perception  npc-perception/update-perception  skipped
      narrate  storyteller/narrate  success
      choices  player-choices/generate-choices  success
    ");
}
