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
fn a_book_that_is_imported_again_is_noticed() {
    let machine = PlayerMachine::new();
    let entry =
        json!({ "uid": 0, "key": ["quay"], "comment": "Harbour", "content": "It is closed." });
    machine.write("book.json", json!({ "entries": { "0": entry } }).to_string());
    let import = ["campaign", "import", "book.json", "--to", "harbour"];
    assert_eq!(machine.run(&import, "").exit, Some(0));
    insta::assert_snapshot!(machine.transcript(&import, ""), @"
    --- stderr
    note: not mapped: the file `book.json`: it is in the campaign already, as `cards/books/book.json`, so nothing is added
    next: narratoria campaign check harbour
    then: narratoria campaign play harbour
    --- exit 0
    ");
}

#[test]
fn an_import_that_brings_an_error_into_a_campaign_writes_nothing() {
    let machine = PlayerMachine::new();
    machine.write("mina.json", card().to_string());
    machine.write("door.twee", STORY);
    let import = |file: &str| machine.run(&["campaign", "import", file, "--to", "harbour"], "");
    assert_eq!(import("mina.json").exit, Some(0));
    // The story needs a ladder of this name.
    let qualities = "[counter]\ndoor_end = { from = 0, to = 9, start = 0 }\n";
    machine.write("harbour/plot/qualities.toml", qualities);
    let checked = machine.run(&["campaign", "check", "harbour"], "");
    assert_eq!(checked.exit, Some(0), "{}{}", checked.stdout, checked.stderr);
    let told = import("door.twee");
    assert_eq!(told.exit, Some(2), "{}", told.stderr);
    insta::assert_snapshot!(told.stderr, @"
    error: nothing is imported, because the campaign could not be played: plot/qualities.toml:2: `door_end` is a ladder and a counter: rename one of them
    hint: a campaign has limits of its own; import fewer of these files, or a part of a large one
    ");
    assert!(!machine.path().join("harbour/plot/decks/door.toml").exists());
    let kept = fs::read_to_string(machine.path().join("harbour/plot/qualities.toml")).unwrap();
    assert_eq!(kept, qualities);
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

/// A stranger's campaign may hold links, and a stranger's card may be called like a folder of theirs.
#[cfg(unix)]
#[test]
fn nothing_is_imported_through_a_link() {
    let machine = PlayerMachine::new();
    machine.write("mina.json", card().to_string());
    machine.write("door.twee", STORY);
    let told = machine.run(&["campaign", "import", "door.twee", "--to", "harbour"], "");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    fs::create_dir(machine.path().join("outside")).unwrap();
    for name in ["characters", "cards/mina-holt.json"] {
        let link = machine.path().join("harbour").join(name);
        std::os::unix::fs::symlink(machine.path().join("outside"), &link).unwrap();
        let told = machine.run(&["campaign", "import", "mina.json", "--to", "harbour"], "");
        assert_eq!(told.exit, Some(2), "{}", told.stderr);
        assert_eq!(
            told.stderr,
            format!(
                "error: `harbour/{name}` is a link, and nothing is written through it\n\
                 hint: put a folder or a file in its place, or name another folder with `--to`\n"
            )
        );
        fs::remove_file(link).unwrap();
    }
    assert_eq!(fs::read_dir(machine.path().join("outside")).unwrap().count(), 0);
}

/// What is no regular file is written to, and stays what it is: a device would be gone.
#[cfg(unix)]
#[test]
fn a_report_is_written_to_a_link_and_a_device_and_never_replaces_them() {
    let machine = PlayerMachine::new();
    machine.write("door.twee", STORY);
    let told = machine.run(&["campaign", "import", "door.twee", "--to", "harbour"], "");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    machine.write("real.html", "");
    let link = machine.path().join("link.html");
    std::os::unix::fs::symlink("real.html", &link).unwrap();
    let check =
        ["campaign", "check", "harbour", "--walks", "1", "--turns", "2", "--format", "html"];
    for out in ["link.html", "/dev/null"] {
        let told = machine.run(&[&check[..], &["--out", out]].concat(), "");
        assert_eq!(told.exit, Some(0), "{out}: {}", told.transcript());
    }
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert!(fs::read_to_string(machine.path().join("real.html")).unwrap().contains("<html"));
    assert!(!std::path::Path::new("/dev/null").symlink_metadata().unwrap().is_file());
}

/// Plays an imported story: what it prints, and the check of its campaign.
fn played(file: &str, text: &str, lines: &str) -> String {
    let machine = PlayerMachine::new();
    machine.write(file, text);
    let told = machine.run(&["campaign", "import", file, "--to", "made"], "");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let checked = machine.run(&["campaign", "check", "made"], "");
    assert_eq!(checked.exit, Some(0), "{}{}", checked.stdout, checked.stderr);
    let args = ["run", "--campaign", "made", "--story", "s", "--seed", "3"];
    machine.run(&args, lines).stdout
}

#[test]
fn an_imported_story_plays_by_itself_and_its_links_stay_until_one_is_taken() {
    let well = ":: StoryTitle\nThe Well\n:: Start\nA well in a yard.\n[[Lean over->Well]]\n:: Well\nDark water.\n";
    insta::assert_snapshot!(played("well.twee", well, "n\ns\nlook\nlean over\n"));
}

#[test]
fn the_words_of_a_title_are_no_things() {
    let orchard = ":: StoryTitle\nOpen Questions in the Orchard\n:: Start\nRows of trees.\n[[Walk on->End]]\n:: End\nHome.\n";
    insta::assert_snapshot!(played("orchard.twee", orchard, "look around\ntake the passages\n1\n"));
}

#[test]
fn a_choice_of_ink_is_offered_once() {
    let pump = "=== pump ===\nA pump in the yard.\n- (opts)\n* [Drink] Cold. -> opts\n* [Wash] Colder. -> opts\n* [Leave] -> END\n";
    insta::assert_snapshot!(played("pump.ink", pump, "drink\nwash\nleave\n"));
}

/// What a player reads of a lamp that they took, and of one that they did not take.
fn lamp(file: &str, text: &str) {
    let lines = |lines: &str| played(file, text, lines);
    let (with, without) = (lines("1\n"), lines("2\n"));
    assert!(with.contains("It burns.") && !with.contains("It is dark."), "{with}");
    assert!(without.contains("It is dark.") && !without.contains("It burns."), "{without}");
    for told in [with, without] {
        assert!(!told.contains(['$', '{', '<']), "{told}");
    }
}

#[test]
fn each_arm_of_a_condition_is_told_where_it_holds() {
    lamp(
        "sugar.twee",
        ":: Start\nA hall.\n[[Take the lamp->Cellar][$lamp to true]]\n[[Go down->Cellar]]\n:: Cellar\n<<if $lamp>>It burns.<<else>>It is dark.<</if>>\n[[Go home->End]]\n:: End\nHome.\n",
    );
    lamp(
        "harlowe.twee",
        ":: Start\n(set: $lamp to false)A hall.\n(link: \"Take the lamp\")[(set: $lamp to true)(go-to: \"Cellar\")]\n[[Go down->Cellar]]\n:: Cellar\n(if: $lamp)[It burns.](else:)[It is dark.]\n[[Go home->End]]\n:: End\nHome.\n",
    );
    lamp(
        "lamp.ink",
        "VAR lamp = false\n=== hall ===\nA hall.\n* [Take the lamp]\n  ~ lamp = true\n  -> cellar\n* [Go down] -> cellar\n=== cellar ===\n{\n  - lamp: It burns.\n  - else: It is dark.\n}\n+ [Go home] -> END\n",
    );
}

#[test]
fn a_published_page_and_several_twee_files_are_stories() {
    let page = "<!DOCTYPE html><html><body><tw-storydata name=\"Well\" startnode=\"1\" format=\"SugarCube\">\
        <tw-passagedata pid=\"1\" name=\"Yard\" tags=\"\">Salt &amp;amp; bread.\n[[Lean over-&gt;Well]]</tw-passagedata>\
        <tw-passagedata pid=\"2\" name=\"Well\" tags=\"\">Dark water.</tw-passagedata></tw-storydata></body></html>";
    let told = played("well.html", page, "lean over\n");
    assert!(told.contains("Salt & bread.") && told.contains("Dark water."), "{told}");

    let machine = PlayerMachine::new();
    fs::create_dir_all(machine.path().join("story/rooms")).unwrap();
    machine
        .write("story/a.twee", ":: StoryTitle\nTwo Rooms\n\n:: Start\nA hall.\n[[Go on->Room]]\n");
    machine.write("story/rooms/b.tw", ":: Room\nA room.\n");
    let told = machine.run(&["campaign", "import", "story", "--to", "folder"], "");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let paths = ["campaign", "import", "story/a.twee", "story/rooms/b.tw", "--to", "paths"];
    let told = machine.run(&paths, "");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let deck = |folder: &str| {
        let deck = machine.path().join(folder).join("plot/decks/two-rooms.toml");
        fs::read_to_string(deck).unwrap()
    };
    assert_eq!(deck("folder"), deck("paths"));
    assert!(deck("paths").contains("two-rooms-room"));
    fs::create_dir(machine.path().join("empty")).unwrap();
    let told = machine.run(&["campaign", "import", "empty"], "");
    assert_eq!(told.exit, Some(2), "{}", told.stderr);
    assert!(told.stderr.contains("is a folder without Twee files"), "{}", told.stderr);
}

#[test]
fn ink_includes_files_of_its_folder_and_of_no_other() {
    let machine = PlayerMachine::new();
    fs::create_dir_all(machine.path().join("ink/parts")).unwrap();
    machine.write("ink/main.ink", "INCLUDE parts/b.ink\n=== a ===\nA gate.\n+ [Knock] -> b\n");
    machine.write("ink/parts/b.ink", "=== b ===\nA bell rings.\n-> END\n");
    let told = machine.run(&["campaign", "import", "ink/main.ink", "--to", "gate"], "");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let args = ["run", "--campaign", "gate", "--story", "s", "--seed", "3"];
    let told = machine.run(&args, "knock\n").stdout;
    assert!(told.contains("A bell rings."), "{told}");
    machine.write("outside.ink", "=== b ===\nSecret.\n");
    for (path, why) in [
        ("parts/c.ink", "includes `parts/c.ink`, and "),
        ("../outside.ink", "which leads out of its folder"),
        ("main.ink", "in a circle"),
    ] {
        machine.write("ink/main.ink", format!("INCLUDE {path}\n=== a ===\nA.\n"));
        let told = machine.run(&["campaign", "import", "ink/main.ink", "--to", "out"], "");
        assert_eq!(told.exit, Some(2), "{}", told.stderr);
        assert!(told.stderr.contains(why), "{}", told.stderr);
    }
    #[cfg(unix)]
    {
        let link = machine.path().join("ink/link.ink");
        std::os::unix::fs::symlink(machine.path().join("outside.ink"), link).unwrap();
        machine.write("ink/main.ink", "INCLUDE link.ink\n=== a ===\nA.\n");
        let told = machine.run(&["campaign", "import", "ink/main.ink", "--to", "out"], "");
        assert!(told.stderr.contains("it lies outside the folder"), "{}", told.stderr);
    }
}

#[test]
fn a_person_of_a_card_knows_what_its_book_says() {
    let machine = PlayerMachine::new();
    machine.write("mina.json", card().to_string());
    let told = machine.run(&["campaign", "import", "mina.json", "--to", "harbour"], "");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let args = ["run", "--campaign", "harbour", "--story", "s", "--seed", "3"];
    let told = machine.run(&args, "ask Mina about the rope\n").stdout;
    assert!(told.contains("Tarred."), "{told}");
}

#[test]
fn what_the_first_storylet_offers_is_listed_at_once_and_taken_by_its_number() {
    let machine = PlayerMachine::new();
    let folder = machine.path().join("ferry");
    for (file, text) in [
        ("manifest.json", r#"{ "title": "Ferry", "version": "0.1.0" }"#),
        ("plot/premise.md", "# Premise\n\nYou wait for the ferry.\n"),
        ("world/setting.md", "# Setting\n\nA ferry.\n"),
        (
            "world/places.toml",
            "[[place]]\nname = \"slip\"\ndescription = \"A wet slip of stone.\"\n",
        ),
        (
            "plot/decks/a.toml",
            "[[storylet]]\nid = \"first\"\non = { verb = \"begin\" }\ntext = \"The ferryman lifts a hand.\"\nchoices = [\n  { label = \"Wave back\", text = \"He nods.\" },\n  { label = \"Turn away\", text = \"He spits.\" },\n]\n",
        ),
    ] {
        let file = folder.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let args = ["run", "--campaign", "ferry", "--story", "s", "--seed", "3"];
    insta::assert_snapshot!(machine.run(&args, "1\n").stdout);
}
