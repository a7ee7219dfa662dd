//! Folders of campaigns, as an author makes, checks, fills and plays them.

use std::{
    fs,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::player_machine::PlayerMachine;

/// The names of all files below a folder of the machine.
fn files(machine: &PlayerMachine, folder: &str) -> Vec<String> {
    let root = machine.path().join(folder);
    let (mut found, mut open) = (Vec::new(), vec![root.clone()]);
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path.strip_prefix(&root).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}

/// From nothing to a place with a person and a choice, and to its end.
#[test]
fn a_new_campaign_is_made_checked_and_played_to_an_ending() {
    let machine = PlayerMachine::new();
    let made = machine.run(&["campaign", "new", "old-bridge"], "");
    assert_eq!((made.stdout.as_str(), made.exit), ("old-bridge\n", Some(0)), "{}", made.stderr);
    assert_eq!(
        made.stderr,
        "next: narratoria campaign check old-bridge\nthen: narratoria campaign play old-bridge\n"
    );
    assert_eq!(files(&machine, "old-bridge").len(), 12 + 15, "files and their schemas");
    let checked = machine.run(&["campaign", "check", "old-bridge", "--walks", "0"], "");
    let said = "2 places, 1 person, 1 thing, 0 factions, 2 storylets, 1 deck, 2 endings, 1 wording\n\
                old-bridge: 0 errors, 0 warnings, 0 notes\n";
    assert_eq!((checked.stdout.as_str(), checked.exit), (said, Some(0)), "{}", checked.stderr);
    machine.compile_skills();
    let played = machine.run(
        &["run", "--campaign", "old-bridge", "--planner", "lexical"],
        "ask Ida about the letter\n1\n",
    );
    assert_eq!(played.exit, Some(0), "{}", played.stderr);
    for words in [
        "In the middle of the bridge a woman in a yellow coat stands still.",
        "I know who wrote it.",
        "1. Open the letter",
        "The paper tears more loudly than you thought.",
        "The end: The Evening Boat",
    ] {
        assert!(played.stdout.contains(words), "`{words}` is not in:\n{}", played.stdout);
    }
    let again = machine.run(&["campaign", "new", "old-bridge"], "");
    assert_eq!(again.exit, Some(2));
    assert!(again.stderr.contains("is there already, and nothing is overwritten"));
}

#[test]
fn a_mistake_is_told_with_its_place_as_text_and_as_json() {
    let machine = PlayerMachine::new();
    machine.run(&["campaign", "new", "old-bridge"], "");
    let places = machine.path().join("old-bridge/world/places.toml");
    let text = fs::read_to_string(&places).unwrap();
    fs::write(&places, text.replace("to = \"landing\"", "to = \"landign\"")).unwrap();
    let told = machine.run(&["campaign", "check", "old-bridge"], "");
    assert_eq!(told.exit, Some(1));
    let first = told.stdout.lines().next().unwrap();
    assert_eq!(
        first,
        "world/places.toml:6: `bridge`: there is no place `landign`; did you mean `landing`?"
    );
    let told = machine.run(&["campaign", "check", "old-bridge", "--format", "json"], "");
    let report: Value = serde_json::from_str(&told.stdout).unwrap();
    assert_eq!((&report["ok"], &report["errors"]), (&Value::Bool(false), &Value::from(1)));
    assert_eq!(report["findings"][0]["file"], "world/places.toml");
    assert_eq!(report["findings"][0]["line"], 6);
}

/// Writes a campaign that has a premise and a setting only.
fn write_bare_ferry(machine: &PlayerMachine) {
    let folder = machine.path().join("ferry");
    for (path, text) in [
        ("manifest.json", r#"{"title": "The Ferry", "version": "1.0.0"}"#),
        ("world/setting.md", "A ferry house on a wide river."),
        ("plot/premise.md", "You wait for the ferry, and it does not come."),
    ] {
        let file = folder.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

#[test]
fn what_is_missing_is_written_beside_what_is_there() {
    let machine = PlayerMachine::new();
    write_bare_ferry(&machine);
    let before = machine.run(&["campaign", "check", "ferry", "--walks", "0"], "");
    assert!(before.stdout.contains("ferry: 0 errors, 0 warnings, 3 notes"), "{}", before.stdout);
    let filled = machine.run(&["campaign", "fill", "ferry"], "");
    assert_eq!(filled.exit, Some(0), "{}", filled.stderr);
    let written: Vec<&str> = filled.stdout.lines().collect();
    assert_eq!(written.len(), 6, "{written:?}");
    assert!(written.iter().all(|path| path.contains("_generated")), "{written:?}");
    let after = machine.run(&["campaign", "check", "ferry", "--walks", "0"], "");
    assert!(after.stdout.contains("ferry: 0 errors, 0 warnings, 0 notes"), "{}", after.stdout);
    let again = machine.run(&["campaign", "fill", "ferry"], "");
    assert_eq!((again.stdout.as_str(), again.stderr.as_str()), ("", "note: nothing is missing\n"));
}

/// The seed of a story is another one than that of its missing parts.
/// A folder with a premise and a setting is played at once, and the player reads that the rest was made.
#[test]
fn a_folder_that_lacks_files_is_played_at_once_and_says_what_was_made() {
    let machine = PlayerMachine::new();
    write_bare_ferry(&machine);
    machine.compile_skills();
    let args = ["run", "--campaign", "./ferry", "--planner", "lexical", "--seed=1"];
    let begin = Instant::now();
    let said = machine.run(&args, "look\nmap\n");
    // Ten seconds are promised on a machine that does nothing else, and not to a debug build among other tests.
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
    assert_eq!(said.exit, Some(0), "{}", said.transcript());
    assert!(said.stdout.contains("(you are here)"), "{}", said.transcript());
    let note = "note: what the campaign lacks was made for this story; `narratoria campaign check ";
    assert!(said.stderr.contains(note), "{}", said.transcript());
}

#[test]
fn what_is_missing_is_made_when_a_story_begins_and_kept_with_it() {
    let machine = PlayerMachine::new();
    write_bare_ferry(&machine);
    machine.compile_skills();
    let map = |story: &str, seed: &str| {
        let args = ["campaign", "play", "ferry", "--story", story, "--planner", "lexical", seed];
        let said = machine.run(&args, "map\n");
        assert_eq!(said.exit, Some(0), "{}", said.stderr);
        said.stdout.rsplit("\n\n").nth(1).unwrap().to_owned()
    };
    let first = map("one", "--seed=1");
    assert!(first.contains("(you are here)"), "{first}");
    assert_eq!(map("two", "--seed=2"), first);
    assert_eq!(files(&machine, "ferry").len(), 3, "nothing is written into the folder");
    fs::remove_dir_all(machine.path().join("ferry")).unwrap();
    let said = machine.run(&["run", "--story", "one", "--planner", "lexical"], "look\nmap\n");
    assert_eq!(said.stdout.rsplit("\n\n").nth(1), Some(first.as_str()), "{}", said.transcript());
    let verified = machine.run(&["story", "verify", "one"], "");
    assert_eq!(verified.exit, Some(0), "{}", verified.transcript());
}
