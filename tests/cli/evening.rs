//! A player's first evening: the opening scene, shorthands, commands as plain words, the recap, the list of stories.

use std::fs;

use serde_json::{Value, json};

use crate::player_machine::{PlayerMachine, check_updates};

/// The sentences of the turns that these lines became.
fn sentences(machine: &PlayerMachine, lines: &str) -> Vec<String> {
    let ran = machine.run(&["run", "--story", "demo", "--format", "json"], lines);
    check_updates(&ran.lines());
    let started = |line: &Value| (line["type"] == "turn.started").then(|| line["prompt"].clone());
    let prompts = ran.lines().iter().filter_map(started).collect::<Vec<_>>();
    prompts.into_iter().map(|prompt| prompt.as_str().unwrap().to_owned()).collect()
}

#[test]
fn shorthands_are_the_sentences_that_they_stand_for() {
    let machine = PlayerMachine::new();
    let lines = "l\nx ancient door\nn\ni\nz\ng\n";
    assert_eq!(
        sentences(&machine, lines),
        [
            "I look around",
            "I look closely at the ancient door",
            "I go north",
            "What am I carrying?",
            "I wait",
            "I wait",
        ]
    );
    // The last sentence of an earlier evening counts, too.
    assert_eq!(sentences(&machine, "again\n"), ["I wait"]);
}

#[test]
fn there_is_nothing_to_repeat_in_a_new_story() {
    insta::assert_snapshot!(PlayerMachine::new().transcript(&["run"], "g\n"), @"
    --- stderr
    error: there is no sentence to repeat yet
    --- exit 2
    ");
}

/// A pipe in plain text is played as a terminal is.
#[test]
fn commands_typed_as_words_are_no_turns() {
    let machine = PlayerMachine::new();
    let ran = machine.run(&["run", "--story", "demo"], "help\nsave\nquit\nnever read\n");
    assert_eq!(ran.exit, Some(0));
    assert!(ran.stdout.contains("/recap") && ran.stdout.contains("x door"), "{}", ran.stdout);
    assert_eq!(ran.stderr.matches("hint: ").count(), 1, "{}", ran.stderr);
    assert_eq!(machine.run(&["run", "--story", "demo"], "?\n").stdout, ran.stdout);
    let lines = machine.run(&["run", "--story", "demo", "--format", "json"], "").lines();
    assert_eq!(lines[0]["turns"], 0);
}

#[test]
fn a_recap_tells_the_story_so_far() {
    let machine = PlayerMachine::new();
    let args = ["run", "--story", "demo", "--seed", "7"];
    let scene = machine.run(&args, "/recap\n").stdout;
    assert!(scene.ends_with(".\n\n") && scene.len() > 200, "{scene}");
    let told = machine.run(&args, "I open the door\nI light the lamp\n").stdout;
    let recap = machine.run(&args, "recap\n").stdout;
    assert!(recap.starts_with("“I open the door”\n"), "{recap}");
    assert!(recap.contains("“I light the lamp”\n"), "{recap}");
    assert!(told.ends_with(recap.split_once("lamp”\n").unwrap().1), "{told}\n{recap}");
}

#[test]
fn play_is_another_name_of_run() {
    let machine = PlayerMachine::new();
    let played = machine.transcript(&["play", "--seed", "7"], "I look around\n");
    assert_eq!(played, PlayerMachine::new().transcript(&["run", "--seed", "7"], "I look around\n"));
}

#[test]
fn the_program_alone_plays_the_lines_of_a_pipe_and_words_of_one_line_are_commands() {
    let lines = "I roll 2d6\nretry\nrevert\nexit\nI roll 1d8\n";
    let alone = PlayerMachine::new().transcript(&[], lines);
    // The dice of both differ.
    let of_run = PlayerMachine::new().transcript(&["run"], lines);
    let notes = |told: &str| told.split_once("--- stderr").unwrap().1.to_owned();
    assert_eq!(notes(&alone), notes(&of_run));
    assert!(alone.contains("2d6") && !alone.contains("1d8"), "{alone}");
    assert!(alone.ends_with("--- exit 0"), "{alone}");
}

#[test]
fn the_stories_are_listed_and_one_that_cannot_be_read_is_named() {
    let machine = PlayerMachine::new();
    let list = ["story", "list"];
    insta::assert_snapshot!(machine.transcript(&list, ""), @"
    there are no stories yet; `narratoria run --story NAME` begins one
    --- stderr
    --- exit 0
    ");
    machine.run(&["run", "--story", "older"], "I look around\nI wait\n");
    machine.run(&["run", "--story", "newer"], "I look around\n");
    let broken = machine.path().join("kept/stories/broken");
    fs::create_dir(&broken).unwrap();
    fs::write(broken.join("story.db"), "my diary").unwrap();
    let ran = machine.run(&list, "");
    assert_eq!(ran.exit, Some(0));
    let first_words: Vec<Vec<&str>> =
        ran.stdout.lines().map(|line| line.split_whitespace().take(2).collect()).collect();
    assert_eq!(
        first_words,
        [vec!["NAME", "TURNS"], vec!["newer", "1"], vec!["older", "2"], vec!["broken", "?"]]
    );
    assert_eq!(
        ran.stderr,
        "warning: `[machine]/kept/stories/broken/story.db` is not a story: it is not an SQLite file; \
         move it away or choose another story's name\n"
    );
    let ran = machine.run(&["story", "list", "--format", "json"], "");
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["storiesLeftOff"], 0);
    let stories = document["stories"].as_array().unwrap();
    let names: Vec<&Value> = stories.iter().map(|story| &story["name"]).collect();
    assert_eq!(names, ["newer", "older", "broken"]);
    assert_eq!((&stories[1]["turns"], &stories[2]["bytes"]), (&json!(2), &json!(8)));
    assert!(stories[0]["lastPlayedAt"].is_string() && stories[2]["error"].is_string());
}

#[cfg(unix)]
mod terminal {
    use super::PlayerMachine;
    use crate::pty::{CTRL_D, PtySession};

    #[test]
    fn the_program_alone_opens_a_new_story_with_a_scene_and_a_continued_one_with_a_recap() {
        let machine = PlayerMachine::new();
        machine.compile_skills();
        let mut terminal = PtySession::start_dumb(&machine, &[]);
        terminal.await_text("default, a new story");
        terminal.await_text("Say what you do.");
        let scene = terminal.await_text("\n> ");
        assert!(scene.split_whitespace().count() > 40, "{scene}");
        terminal.press("x gate\r");
        terminal.await_text("the gate");
        terminal.await_text("\n> ");
        terminal.press("g\r");
        terminal.await_text("again: I look closely at the gate");
        terminal.await_text("\n> ");
        terminal.press("quit\r");
        assert_eq!(terminal.end(), Some(0));
        let mut terminal = PtySession::start_dumb(&machine, &["play"]);
        terminal.await_text("2 turns so far");
        terminal.await_text("I look closely at the gate");
        terminal.await_text("I look closely at the gate");
        terminal.await_text("\n> ");
        terminal.press(CTRL_D);
        assert_eq!(terminal.end(), Some(0));
    }
}

/// A story whose world is made from this premise.
const CHEF: &str = "a pastry chef who must win back her stolen recipe before the festival";

/// The words of hints before the name of somebody to meet, and behind it.
const TO_MEET: (&str, &str) = ("You have not spoken to ", " yet.");

/// The people whom the hints of these lines name, in a new story of the pastry chef.
fn people_to_meet(lines: &str) -> (Vec<String>, String) {
    let run = ["run", "--story", "demo", "--seed", "21", "--premise", CHEF];
    let told = PlayerMachine::new().run(&run, lines).stdout;
    let named = told.split(TO_MEET.0).skip(1).filter_map(|rest| rest.split_once(TO_MEET.1));
    (named.map(|(name, _)| name.to_owned()).collect(), told)
}

/// Where no author wrote a hint, the world has one: what is open, then whom to meet, what to ask, where to go.
#[test]
fn a_hint_in_a_story_from_a_premise_leads_to_its_people() {
    let (first, told) = people_to_meet("what should I do?\n");
    let [name] = first.as_slice() else { panic!("{told}") };
    assert!(told.contains("The recipe is missing."), "{told}");
    let lines = format!("what should I do?\ngo to {name}\ntalk to {name}\n/hint\n");
    let (then, told) = people_to_meet(&lines);
    assert_eq!(then.first(), Some(name), "{told}");
    assert!(!then[1..].contains(name), "{told}");
}

/// Issues of the heart without a model: what somebody thinks goes into the roll, and what was done changes what they think.
#[test]
fn a_deed_changes_minds_and_minds_change_the_dice() {
    let machine = PlayerMachine::new();
    let (people, told) = people_to_meet("what should I do?\n");
    let name = people.first().unwrap_or_else(|| panic!("{told}"));
    let run = ["run", "--story", "demo", "--seed", "21", "--premise", CHEF, "--format", "json"];
    let persuade = format!("persuade {name} to help me");
    let lines = format!("go to {name}\n{persuade}\nhit {name}\n{persuade}\ndoes {name} like me?\n");
    let ran = machine.run(&run, lines.as_str());
    let updates = ran.lines();
    let output = |turn: u64, tool: &str| -> Value {
        let of_step = |update: &&Value| {
            update["type"] == "step.finished" && update["turn"] == turn && update["toolId"] == tool
        };
        let found = updates.iter().find(of_step);
        found.map(|update| update["output"].clone()).unwrap_or_default()
    };
    let first = updates
        .iter()
        .find(|update| update["type"] == "turn.started" && update["prompt"] == persuade);
    let first = first.and_then(|update| update["turn"].as_u64()).unwrap();
    let before = output(first, "perceive");
    assert_eq!(before["modifier"], output(first, "roll")["modifier"], "{}", ran.stdout);
    let struck = output(first + 1, "act")["feelings"][0].clone();
    assert_eq!(struck["person"], *name, "{}", ran.stdout);
    let after = output(first + 2, "perceive");
    assert!(after["perception"].as_i64() < before["perception"].as_i64(), "{}", ran.stdout);
    assert!(after["modifier"].as_i64() < Some(0), "{}", ran.stdout);
    assert_eq!(after["modifier"], output(first + 2, "roll")["modifier"], "{}", ran.stdout);
    let told: String = updates
        .iter()
        .filter(|update| update["type"] == "turn.finished")
        .filter_map(|update| update["narration"].as_str())
        .collect();
    assert!(told.contains("you came to blows") || told.contains("you struck out"), "{told}");
}

/// Names decide who answers: people of the campaign, its factions, and nobody.
#[test]
fn in_a_campaign_only_those_who_exist_have_an_opinion_or_a_portrait() {
    let machine = PlayerMachine::new();
    let run = [
        "run",
        "--story",
        "demo",
        "--seed",
        "5",
        "--campaign",
        "little-saltby",
        "--format",
        "json",
    ];
    let lines = "what does Gandalf think of me?\nwhat does the baker think of me?\n\
                 what does Little Saltby think of me?\nwhat does Jory think of me?\n\
                 talk to Dot\ndraw Dot\nwhat does Dot Amory look like?\ndraw Pia\n\
                 what did Dot say about the trawler?\nask Dot about Jory\nwhat did Dot tell me about Jory?\n";
    let ran = machine.run(&run, lines);
    let updates = ran.lines();
    let finished = updates.iter().filter(|update| update["type"] == "turn.finished");
    let told: Vec<&str> = finished.filter_map(|update| update["narration"].as_str()).collect();
    insta::assert_snapshot!(told[1..].join("\n---\n"), @"
    You know no Gandalf, and no Gandalf knows you. You could ask about Dot Amory.
    ---
    Marta Lund has no strong feelings about you.
    ---
    You are neither liked nor disliked by Little Saltby.
    ---
    Jory Pike has no strong feelings about you.
    ---
    Dot Amory says: “Don't tell me it's the trawler again. I've had the trawler.”

    There are three and a half hours until six. It is not long. On the other hand, you work at one twelfth, and things look larger to you than to most people.
    ---
    Sixty-six, in two cardigans, the owner of a town. Her father built it, house by house, the winter that she had measles.
    ---
    You see nothing new about Dot Amory.
    ---
    You have not met Pia Lund yet.
    ---
    Dot Amory has told you nothing about the trawler.
    ---
    Dot Amory says: “He paid me for two tickets with a sock, and let his gran have the window seat. I'm not saying it isn't him. I'm saying it's a very odd thief that takes his gran round a model village.”
    ---
    Dot Amory told you: “He paid me for two tickets with a sock, and let his gran have the window seat. I'm not saying it isn't him. I'm saying it's a very odd thief that takes his gran round a model village.”
    ");
    let pictures = updates.iter().filter(|update| update["type"] == "asset.created");
    let files: Vec<&Value> = pictures.map(|update| &update["path"]).collect();
    assert_eq!(files.len(), 2, "{}", ran.stdout);
}
