//! `campaign import` and `campaign export`, as a player uses them.

use std::fs;

use serde_json::{Value, json};

use crate::player_machine::PlayerMachine;

fn card() -> Value {
    json!({ "spec": "chara_card_v2", "spec_version": "2.0", "data": {
        "name": "Mina Holt", "description": "She mends nets.", "personality": "patient, dry", "scenario": "{{user}} comes to the harbour in the rain.",
        "first_mes": "\"Mind the rope, {{user}},\" says {{char}}.", "mes_example": "", "creator_notes": "", "system_prompt": "Write well.",
        "post_history_instructions": "", "alternate_greetings": [], "tags": ["harbour"], "creator": "", "character_version": "", "extensions": { "x": [1.5, null] },
        "character_book": { "extensions": {}, "entries": [{ "keys": ["rope"], "content": "Tarred.", "extensions": {}, "enabled": true, "insertion_order": 1 }] }
    } })
}

const STORY: &str = ":: Start\nA door.\n[[Open it->Inside]]\n[[Leave->Street]]\n:: Inside\nDark.\n[[Back->Start]]\n:: Street\nRain.\n";

#[test]
fn a_card_is_imported_checked_and_exported_without_loss() {
    let machine = PlayerMachine::new();
    machine.write("mina.json", card().to_string());
    let told = machine.transcript(&["campaign", "import", "mina.json"], "");
    insta::assert_snapshot!(told);
    let checked = machine.run(&["campaign", "check", "mina-holt"], "");
    assert_eq!(checked.exit, Some(0), "{}{}", checked.stdout, checked.stderr);
    for (form, file) in
        [("card", "mina-holt.json"), ("png", "mina-holt.png"), ("charx", "mina-holt.charx")]
    {
        let told = machine.run(&["campaign", "export", "mina-holt", "--as", form], "");
        assert_eq!((told.stdout.trim(), told.exit), (file, Some(0)), "{}", told.stderr);
    }
    let written = fs::read(machine.path().join("mina-holt.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&written).unwrap(), card());
    // The picture and the archive come back as the same person.
    for file in ["mina-holt.png", "mina-holt.charx"] {
        let told = machine.run(&["campaign", "import", file, "--to", "again"], "");
        assert_eq!(told.exit, Some(0), "{}", told.stderr);
    }
}

#[test]
fn a_story_is_imported_into_a_campaign_that_is_there() {
    let machine = PlayerMachine::new();
    machine.write("mina.json", card().to_string());
    machine.write("door.twee", STORY);
    assert_eq!(
        machine.run(&["campaign", "import", "mina.json", "--to", "harbour"], "").exit,
        Some(0)
    );
    let premise = fs::read(machine.path().join("harbour/plot/premise.md")).unwrap();
    let told = machine
        .run(&["campaign", "import", "door.twee", "--to", "harbour", "--player", "Robin"], "");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    assert_eq!(fs::read(machine.path().join("harbour/plot/premise.md")).unwrap(), premise);
    let checked = machine.run(&["campaign", "check", "harbour"], "");
    assert_eq!(checked.exit, Some(0), "{}{}", checked.stdout, checked.stderr);
    let told =
        machine.run(&["campaign", "export", "harbour", "--as", "twee", "--out", "out.twee"], "");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    assert_eq!(fs::read_to_string(machine.path().join("out.twee")).unwrap(), STORY);
}

#[test]
fn what_cannot_be_imported_or_exported_changes_nothing() {
    let machine = PlayerMachine::new();
    machine.write("mina.json", card().to_string());
    machine.write("bad.json", "{\"name\": ");
    fs::create_dir(machine.path().join("taken")).unwrap();
    machine.write("taken/notes.txt", "mine");
    let commands: &[&[&str]] = &[
        &["campaign", "import", "mina.json", "bad.json"],
        &["campaign", "import", "missing.json"],
        &["campaign", "import", "mina.json", "--to", "taken"],
        &["campaign", "import", "mina.json", "--to", "bad.json"],
        &["campaign", "export", "taken", "--as", "png"],
        &["campaign", "export", "nowhere", "--as", "png"],
        &["campaign", "export", "taken", "--as", "gif"],
    ];
    let told: Vec<String> =
        commands.iter().map(|command| machine.transcript(command, "")).collect();
    insta::assert_snapshot!(told.join("\n"));
    assert!(!machine.path().join("mina-holt").exists());
    assert_eq!(fs::read_dir(machine.path().join("taken")).unwrap().count(), 1);
}
