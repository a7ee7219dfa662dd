//! `campaign fill` with words of a language model: models with random weights, prepared answers, Ctrl-C, no time.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::json;

use crate::player_machine::{CommandOutput, PlayerMachine};
use crate::pty::{CTRL_C, PtySession};

/// A folder that lacks everything that can be made.
fn write_ferry(machine: &PlayerMachine, folder: &str) {
    for (path, text) in [
        ("manifest.json", r#"{"title": "The Ferry", "version": "1.0.0"}"#),
        ("world/setting.md", "A ferry house on a wide river."),
        ("plot/premise.md", "You wait for the ferry, and it does not come."),
    ] {
        let file = machine.path().join(folder).join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

/// A model of random weights that writes in words.
fn write_model(machine: &PlayerMachine, seed: u64) {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/writing-campaigns.md");
    let words = narratoria_models::vocabulary(&fs::read_to_string(docs).unwrap(), 2_000);
    let path = machine.path().join(format!("model{seed}.gguf"));
    narratoria_models::tiny_with(&path, &words, seed).unwrap();
}

/// What the program has made in a folder.
fn made(machine: &PlayerMachine, folder: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![machine.path().join(folder)];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                open.push(path);
            } else if name.contains("_generated") {
                found.insert(name, fs::read_to_string(path).unwrap());
            }
        }
    }
    found
}

fn fill(machine: &PlayerMachine, folder: &str, more: &[&str]) -> CommandOutput {
    write_ferry(machine, folder);
    machine.run(&[&["campaign", "fill", folder], more].concat(), "")
}

#[track_caller]
fn check_is_clean(machine: &PlayerMachine, folder: &str) {
    let told = machine.run(&["campaign", "check", folder, "--walks", "10", "--turns", "60"], "");
    assert_eq!(told.exit, Some(0), "{}", told.transcript());
    assert!(told.stdout.contains("0 errors, 0 warnings, 0 notes"), "{}", told.transcript());
}

/// A folder in which only the player and one person have words of the building blocks: a random model takes long for more.
fn write_little(machine: &PlayerMachine, folder: &str, blocks: &BTreeMap<String, String>) {
    write_ferry(machine, folder);
    let mut own = String::from("Own words.\n\n");
    for name in ["places_generated.toml", "things_generated.toml", "threads_generated.toml"] {
        own += &blocks[name];
    }
    let people = &blocks["people_generated.toml"];
    own += &people[people.rfind("[[person]]").unwrap()..];
    fs::create_dir_all(machine.path().join(folder).join("lore")).unwrap();
    fs::write(machine.path().join(folder).join("lore/own.md"), own).unwrap();
}

/// Without a model everything works; a model makes the words better and may not contradict the world. Whatever a
/// model with random weights writes, the campaign is valid, and one seed gives one campaign.
#[test]
fn any_words_of_a_model_make_a_campaign_that_is_valid_and_one_seed_gives_one() {
    let machine = PlayerMachine::new();
    let lexical = fill(&machine, "blocks", &["--planner", "lexical", "--seed", "3"]);
    assert_eq!((lexical.exit, lexical.stderr.as_str()), (Some(0), ""));
    let blocks = made(&machine, "blocks");
    write_model(&machine, 1);
    let fill = |folder: &str, seed: &str| {
        write_little(&machine, folder, &blocks);
        let model = ["--planner", "llama", "--model", "./model1.gguf", "--seed", seed];
        let told = machine.run(&[&["campaign", "fill", folder][..], &model].concat(), "");
        assert_eq!(told.exit, Some(0), "{}", told.transcript());
        assert!(told.stderr.contains(" texts and names are by `llama: "), "{}", told.stderr);
        told
    };
    let told = fill("one", "3");
    assert_eq!(told.stdout, lexical.stdout);
    let again = fill("two", "3");
    assert_eq!((again.stderr, again.stdout), (told.stderr, told.stdout));
    let files = made(&machine, "one");
    assert_eq!(files, made(&machine, "two"));
    let is_marked = |text: &String| text.contains("generated_by = \"llama: ");
    assert!(files.values().any(is_marked), "no text of a model counted: {files:?}");
    check_is_clean(&machine, "one");
}

#[test]
fn prepared_answers_become_words_and_the_rest_says_why_it_does_not() {
    let machine = PlayerMachine::new();
    let answers = json!([
        {"name": "Maud Fallow", "description": "You have waited on worse rivers than this one."},
        "no JSON",
        {"name": "landing stage", "description": "A post that Sven has painted."},
    ]);
    machine.write("answers.json", answers.to_string());
    let args = ["--planner", "scripted:answers.json", "--seed", "3"];
    let told = fill(&machine, "ferry", &args);
    insta::assert_snapshot!(told.transcript());
    let files = made(&machine, "ferry");
    let player = &files["player_generated.toml"];
    assert!(player.contains("\ngenerated_by = \"scripted\"\n"), "{player}");
    assert!(player.contains("name = \"Maud Fallow\""), "{player}");
    assert!(!files["things_generated.toml"].contains("Maud"), "{files:?}");
    check_is_clean(&machine, "ferry");
    let again = machine.run(&[&["campaign", "fill", "ferry"][..], &args].concat(), "");
    assert_eq!((again.stdout.as_str(), again.stderr.as_str()), ("", "note: nothing is missing\n"));
    machine.write("answers.json", "{}");
    let told = fill(&machine, "bad", &args);
    assert_eq!(told.exit, Some(2), "{}", told.transcript());
    assert!(told.stderr.contains("is no list of answers"), "{}", told.stderr);
    assert!(made(&machine, "bad").is_empty());
}

#[test]
fn a_model_without_time_leaves_the_words_of_the_building_blocks() {
    let machine = PlayerMachine::new();
    write_model(&machine, 1);
    let args = ["--planner", "llama", "--model", "./model1.gguf", "--seed", "3", "--time-ms", "1"];
    let told = fill(&machine, "late", &args);
    assert_eq!(told.exit, Some(0), "{}", told.transcript());
    assert!(told.stderr.contains("time"), "{}", told.stderr);
    assert!(told.stderr.contains("note: 0 of "), "{}", told.stderr);
    fill(&machine, "blocks", &["--planner", "lexical", "--seed", "3"]);
    assert_eq!(made(&machine, "late"), made(&machine, "blocks"));
    let args = ["--planner", "llama", "--model", "./none.gguf"];
    let told = fill(&machine, "none", &args);
    assert_eq!(told.exit, Some(3), "{}", told.transcript());
    assert!(made(&machine, "none").is_empty());
}

fn who_am_i(machine: &PlayerMachine, story: &str, more: &[&str]) -> CommandOutput {
    let told = machine.run(&[&["run", "--story", story], more].concat(), "who am i?\n");
    assert_eq!(told.exit, Some(0), "{}", told.transcript());
    told
}

#[test]
fn a_campaign_that_lacks_something_begins_with_the_words_that_fill_would_write() {
    let machine = PlayerMachine::new();
    fill(&machine, "blocks", &["--planner", "lexical"]);
    let blocks = made(&machine, "blocks");
    write_model(&machine, 1);
    let model = ["--planner", "llama", "--model", "./model1.gguf"];
    write_little(&machine, "filled", &blocks);
    let told = machine.run(&[&["campaign", "fill", "filled"], &model[..]].concat(), "");
    assert_eq!(told.exit, Some(0), "{}", told.transcript());
    write_little(&machine, "bare", &blocks);
    let told = who_am_i(
        &machine,
        "bare",
        &[&["--campaign", "bare", "--words-ms", "300000"], &model[..]].concat(),
    );
    assert!(told.stderr.contains(" of this world are by `llama: "), "{}", told.stderr);
    let lexical = ["--campaign", "filled", "--planner", "lexical"];
    // The opening names the player, and the model has named them.
    let you_are = |told: CommandOutput| {
        told.stdout
            .split_once("You are ")
            .map(|(_, rest)| rest.split('.').next().unwrap_or_default().to_owned())
    };
    let named = you_are(told);
    assert_eq!(named, you_are(who_am_i(&machine, "filled", &lexical)));
    assert_ne!(named, you_are(who_am_i(&machine, "blocks", &["--campaign", "blocks"])));
    // A story that has begun keeps its words, and a seed repeats a story to the byte.
    let more = who_am_i(&machine, "bare", &model);
    assert!(!more.stderr.contains("of this world"), "{}", more.stderr);
    let seeded = [&["--campaign", "bare", "--seed", "3"], &model[..]].concat();
    let seeded = who_am_i(&machine, "seeded", &seeded);
    assert!(!seeded.stderr.contains("of this world"), "{}", seeded.stderr);
}

#[test]
fn a_premise_without_time_for_words_has_those_of_the_building_blocks() {
    let machine = PlayerMachine::new();
    write_model(&machine, 1);
    let premise =
        ["--premise", "a ferryman who cannot swim", "--seed", "3", "--model", "./model1.gguf"];
    let play = |story: &str, ms: &str| {
        who_am_i(&machine, story, &[&premise[..], &["--words-ms", ms]].concat())
    };
    let (none, late) = (play("none", "0"), play("late", "1"));
    assert!(!none.stderr.contains("of this world"), "{}", none.stderr);
    // A model that is not loaded within the time says so in other words than one that has none left to write.
    let is_told = ["note: 0 of ", "note: the model was not ready in time"]
        .iter()
        .any(|text| late.stderr.contains(text));
    assert!(is_told && late.stderr.contains("by the building blocks"), "{}", late.stderr);
    // Only the opening: whether the model plans the sentence after it depends on when it is loaded.
    let opening =
        |told: &CommandOutput| told.stdout.split("\n\n").next().unwrap_or_default().to_owned();
    assert_eq!(opening(&none), opening(&late));
    assert!(opening(&none).starts_with("You are "), "{}", none.stdout);
    let told = machine.run(&["run", "--words-ms", "300001"], "");
    assert_eq!(told.exit, Some(2), "{}", told.transcript());
    machine.write("kept/config.toml", "[model]\nwords-ms = -1\n");
    let told = machine.run(&["run"], "look\n");
    assert_eq!(told.exit, Some(2), "{}", told.transcript());
    assert!(
        told.stderr.contains("line 2: `model.words-ms`: `-1` is no whole number"),
        "{}",
        told.stderr
    );
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_the_writing_and_the_story_begins() {
    let machine = PlayerMachine::new();
    write_model(&machine, 1);
    let args = [
        "run",
        "--story",
        "ferry",
        "--premise",
        "a ferryman who cannot swim",
        "--model",
        "./model1.gguf",
    ];
    let more = [("NO_COLOR", "1"), ("NARRATORIA_WORDS_MS", "300000")];
    let mut terminal = PtySession::start_with(&machine, &args, &more);
    terminal.await_text(" parts");
    terminal.press(CTRL_C);
    terminal.answer("You might type:", "quit");
    let (exit, seen) = terminal.end_seen();
    assert_eq!(exit, Some(0), "{seen:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_stops_a_model_that_writes_and_no_file_is_there() {
    let machine = PlayerMachine::new();
    write_model(&machine, 1);
    write_ferry(&machine, "ferry");
    let args = ["campaign", "fill", "ferry", "--planner", "llama", "--model", "./model1.gguf"];
    let mut terminal = PtySession::start_with(&machine, &args, &[("NO_COLOR", "1")]);
    terminal.await_text(" parts");
    terminal.press(CTRL_C);
    let (exit, seen) = terminal.end_seen();
    assert_eq!(exit, Some(130), "{seen:?}");
    assert!(made(&machine, "ferry").is_empty());
}
