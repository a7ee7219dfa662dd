//! Campaigns: listed, played, and what a player may ask in them without a turn.

use std::fs;

use narratoria_skills::Schema;
use serde_json::{Value, json};

use crate::player_machine::PlayerMachine;
#[cfg(unix)]
use crate::pty::{CTRL_C, PtySession};

/// A campaign of two places, a person, a storylet and a choice.
const FERRY: [(&str, &str); 9] = [
    (
        "manifest.json",
        r#"{"title": "The Ferry House", "version": "1.0.0", "author": "A test", "genre": "quiet",
            "description": "The ferry does not come.", "estimated_playtime_hours": 0.5}"#,
    ),
    ("world/setting.md", "A ferry house on a wide river.\n"),
    ("plot/premise.md", "You wait for the ferry, and it does not come.\n"),
    (
        "world/places.toml",
        r#"
[[place]]
name = "ferry house"
description = "One room with a stove and a bench."
scenery = [{ name = "stove", description = "It is warm." }, { name = "bench", description = "It is worn." }]
exits = [{ direction = "out", to = "landing" }]
[[place]]
name = "landing"
description = "Planks, and the wide river."
scenery = [{ name = "planks", description = "They are wet." }, { name = "river", description = "It is brown and fast." }]
exits = [{ direction = "in", to = "ferry house" }]
"#,
    ),
    (
        "world/things.toml",
        r#"
[[thing]]
name = "bell"
description = "A brass bell on a post."
place = "landing"
"#,
    ),
    (
        "characters/people.toml",
        r#"
[[person]]
name = "Old Tam"
pronoun = "he"
description = "He owns the house."
place = "ferry house"
topics = [{ about = ["the ferry", "ferry"], says = "It comes when the bell is rung." }]
"#,
    ),
    (
        "plot/start.toml",
        r#"
opening = "It rains, and the ferry is late."
time = "17:00"
[first]
examples = ["look around", "ask Old Tam about the ferry"]
"#,
    ),
    (
        "plot/hints.toml",
        r#"
[[hint]]
when = "!('landing' in visited)"
text = "Somebody has to ring the bell outside."
"#,
    ),
    ("lore/the-flood.md", "# The flood\n\nIn 1911 the river took the old bell.\n"),
];

/// Writes the campaign into a folder of the machine.
fn write_ferry(machine: &PlayerMachine) {
    for (path, text) in FERRY {
        let file = machine.path().join("ferry").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

#[track_caller]
fn fits(contract: &str, document: &Value) {
    let file = format!("{}/contracts/{contract}.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(Schema::build(schema).unwrap().mismatches(document), [], "{document}");
}

const PLAY: [&str; 6] = ["campaign", "play", "ferry", "--planner", "lexical", "--seed=7"];

#[test]
fn the_campaigns_of_the_program_and_of_the_home_are_listed() {
    let machine = PlayerMachine::new();
    write_ferry(&machine);
    fs::create_dir_all(machine.path().join("kept/campaigns")).unwrap();
    fs::rename(machine.path().join("ferry"), machine.path().join("kept/campaigns/ferry")).unwrap();
    let document = machine.run(&["campaign", "list", "--format", "json"], "").result();
    fits("campaign-list", &document);
    let all = document["campaigns"].as_array().unwrap();
    let name = |one: &Value| one["name"].as_str().unwrap().to_owned();
    for bundled in ["every-last-spoon", "her-worship", "last-reading", "little-saltby"] {
        assert!(all.iter().any(|one| name(one) == bundled), "{bundled}");
    }
    let ferry = all.iter().find(|one| name(one) == "ferry").unwrap();
    assert_eq!((&ferry["title"], &ferry["origin"]), (&json!("The Ferry House"), &json!("home")));
    assert!(machine.run(&["campaign", "list"], "").stdout.contains("The Ferry House"));
}

#[test]
fn a_campaign_plays_on_a_pipe_and_the_story_keeps_it() {
    let machine = PlayerMachine::new();
    write_ferry(&machine);
    let said = machine.run(&PLAY, "look around\n");
    assert_eq!(said.exit, Some(0), "{}", said.transcript());
    assert!(said.stdout.contains("It rains, and the ferry is late."), "{}", said.transcript());
    // The folder is gone, and the story goes on with what it has.
    fs::remove_dir_all(machine.path().join("ferry")).unwrap();
    let said = machine.run(&["run", "--story", "ferry", "--planner", "lexical"], "go out\nmap\n");
    assert_eq!(said.exit, Some(0), "{}", said.transcript());
    insta::assert_snapshot!(said.stdout.rsplit("\n\n").nth(1).unwrap_or_default(), @"
    landing (you are here)
      in: ferry house
    ferry house
      out: landing
    ");
    let verified = machine.run(&["story", "verify", "ferry"], "");
    assert_eq!(verified.exit, Some(0), "{}", verified.transcript());
}

#[test]
fn questions_of_the_player_cost_no_turn_and_programs_get_documents() {
    let machine = PlayerMachine::new();
    write_ferry(&machine);
    let args = [&PLAY[..], &["--format", "json"]].concat();
    let said = machine.run(&args, "ask Old Tam about the ferry\n/hint\n/map\n/journal\nrecap\n");
    let shown: Vec<Value> =
        said.lines().into_iter().filter(|line| line["type"] == "story.shown").collect();
    let about: Vec<&str> = shown.iter().filter_map(|line| line["about"].as_str()).collect();
    assert_eq!(about, ["hint", "map", "journal", "recap"], "{}", said.transcript());
    for (line, contract) in
        shown.iter().zip(["story-told", "story-map", "story-told", "story-recap"])
    {
        fits(contract, &line["document"]);
        fits("update", line);
    }
    assert_eq!(shown[0]["document"]["text"], "Somebody has to ring the bell outside.");
    assert_eq!(shown[1]["document"]["places"][0]["exits"][0]["to"], Value::Null);
    assert!(shown[2]["document"]["text"].as_str().unwrap().contains("Old Tam"));
    assert_eq!(shown[3]["document"]["place"], "ferry house");
    assert_eq!(shown[3]["document"]["turns"], 2);
}

#[test]
fn an_ending_is_told_and_what_is_possible_then_is_said_once() {
    let machine = PlayerMachine::new();
    write_ferry(&machine);
    let ending = "[[ending]]\nid = \"out\"\ntitle = \"Out at Last\"\nwhen = \"'landing' in visited\"\ntext = \"You are out.\"\n";
    machine.write("ferry/plot/endings.toml", ending);
    let said = machine.run(&PLAY, "go out\nlook around\nhint\n/undo 2\ngo out\n");
    let after = said.stdout.split("The end: Out at Last").nth(1).unwrap_or_default();
    let (after, _) = after.split_once("You are out.").unwrap_or((after, ""));
    assert!(
        after.contains("wide river") && after.contains("The story has ended."),
        "{}",
        said.transcript()
    );
    assert!(!after.contains("  1. "), "{}", said.transcript());
    // Once for the first ending, and again after it was taken back.
    assert_eq!(
        said.stderr.matches("note: the story has ended: `/undo`").count(),
        2,
        "{}",
        said.transcript()
    );
}

#[test]
fn a_recap_begins_with_the_words_of_the_campaigns_author() {
    let machine = PlayerMachine::new();
    write_ferry(&machine);
    let start = "opening = \"It rains.\"\nrecap = \"You came to wait for the ferry.\"\n";
    machine.write("ferry/plot/start.toml", start);
    let said = machine.run(&PLAY, "wait\nrecap\nwait\nlook\nwait\nrecap\n");
    let found: Vec<&str> =
        said.stdout.split("\n\n").filter(|text| text.contains("for the ferry.")).collect();
    assert_eq!(found, ["You came to wait for the ferry."], "{}", said.transcript());
    assert!(
        said.stdout.contains("for the ferry.\n\nThe Ferry House, after 5 turns."),
        "{}",
        said.transcript()
    );
}

#[test]
fn why_says_which_lore_was_read_and_for_what_reason() {
    let machine = PlayerMachine::new();
    write_ferry(&machine);
    let said = machine.run(&PLAY, "tell Old Tam about the flood\n/why full\n");
    let line = said.stdout.lines().find(|line| line.contains("read of the campaign: The flood"));
    insta::assert_snapshot!(line.unwrap_or(&said.stdout), @"  read of the campaign: The flood (the sentence says `the flood`)");
}

#[test]
fn the_list_of_stories_and_a_book_have_the_title_of_the_campaign() {
    let machine = PlayerMachine::new();
    write_ferry(&machine);
    machine.run(&PLAY, "look around\n");
    let listed = machine.run(&["story", "list"], "").stdout;
    assert!(listed.lines().any(|line| line.ends_with("  The Ferry House")), "{listed}");
    let book = machine.run(&["story", "export", "--format", "markdown"], "").stdout;
    assert!(book.starts_with("# The Ferry House\n"), "{book}");
}

#[test]
fn a_campaign_begins_a_story_and_no_other() {
    let machine = PlayerMachine::new();
    write_ferry(&machine);
    machine.run(&["run", "--story", "begun", "--planner", "lexical"], "look around\n");
    let args = ["run", "--story", "begun", "--campaign", "ferry", "--planner", "lexical"];
    insta::assert_snapshot!(machine.transcript(&args, ""), @"
    --- stderr
    error: the story `begun` has begun, and a campaign begins a story; `narratoria campaign play NAME --story ANOTHER` begins one under another name
    --- exit 2
    ");
    insta::assert_snapshot!(machine.transcript(&["campaign", "play", "last-raeding"], ""), @"
    --- stderr
    error: there is no campaign `last-raeding`, and no folder of that name
    hint: did you mean `last-reading`?
    --- exit 3
    ");
    let both = machine.run(&["run", "--campaign", "ferry", "--premise", "a mill"], "");
    assert_eq!(both.exit, Some(2), "{}", both.transcript());
}

#[test]
fn a_campaign_with_faults_leaves_no_story() {
    let machine = PlayerMachine::new();
    write_ferry(&machine);
    machine.write("ferry/world/places.toml", "[[place]]\nname = \"hut\"\nexit = []\n");
    let said = machine.run(&PLAY, "look\n");
    assert_eq!(said.exit, Some(2), "{}", said.transcript());
    assert!(said.stderr.contains("world/places.toml:"), "{}", said.transcript());
    assert!(!machine.path().join("kept/stories/ferry").exists());
}

#[test]
fn the_configuration_names_the_campaign_of_new_stories() {
    let machine = PlayerMachine::new();
    write_ferry(&machine);
    let folder = machine.path().join("ferry").display().to_string();
    fs::write(
        machine.path().join("kept/config.toml"),
        format!("[story]\ncampaign = {}\n", json!(folder)),
    )
    .unwrap();
    let said = machine.run(&["run", "--planner", "lexical", "--seed=7"], "look around\n");
    assert!(said.stdout.contains("the ferry is late"), "{}", said.transcript());
    assert!(machine.path().join("kept/stories/ferry").exists());
}

#[cfg(unix)]
#[test]
fn a_terminal_asks_what_to_play_teaches_by_example_and_recaps_on_return() {
    let machine = PlayerMachine::new();
    write_ferry(&machine);
    fs::create_dir_all(machine.path().join("kept/campaigns")).unwrap();
    fs::rename(machine.path().join("ferry"), machine.path().join("kept/campaigns/ferry")).unwrap();
    let args = ["run", "--planner", "lexical"];
    for (key, value) in [("TERM", "xterm-256color"), ("TERM", "dumb")] {
        let env = [(key, value), ("NARRATORIA_PREMISE", ""), ("NO_COLOR", "1")];
        let mut terminal = PtySession::start_with(&machine, &args, &env);
        terminal.await_text("What would you like to play?");
        terminal.await_text("a surprise");
        terminal.await_text("should be about>");
        // By its title, which begins a new story each time.
        terminal.press("the ferry house\r");
        terminal.await_text("You might type:");
        terminal.await_text("ask Old Tam about the ferry");
        terminal.press("/quit\r");
        assert_eq!(terminal.end(), Some(0));
    }
    let env = [("NARRATORIA_PREMISE", ""), ("NO_COLOR", "1")];
    let mut terminal = PtySession::start_with(&machine, &args, &env);
    terminal.await_text("go on with The Ferry House (`ferry");
    terminal.await_text("should be about>");
    terminal.press("1\r");
    terminal.await_text("The Ferry House, 1 turn so far");
    terminal.await_text("You are here: ferry house");
    terminal.await_prompt();
    terminal.press("ask tam\t");
    terminal.await_text("ask Old Tam");
    terminal.press(CTRL_C);
    terminal.await_text("Ctrl-D too");
    terminal.await_prompt();
    terminal.press("/switch m\t");
    terminal.await_text("/switch main");
    terminal.press(CTRL_C);
    terminal.await_text("Ctrl-D too");
    terminal.await_prompt();
    terminal.press("/quit\r");
    assert_eq!(terminal.end(), Some(0));
    let mut terminal = PtySession::start_with(&machine, &args, &env);
    terminal.await_text("should be about>");
    terminal.press(CTRL_C);
    assert_eq!(terminal.end(), Some(130));
}
