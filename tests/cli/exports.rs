//! A story as a file and back, by the real program.

use std::fs;

use narratoria_protocol::digest::sha256;
use narratoria_skills::Schema;
use serde_json::Value;

use crate::player_machine::PlayerMachine;

const PLAY: [&str; 7] = ["run", "--story", "demo", "--planner", "lexical", "--seed", "7"];

fn played() -> PlayerMachine {
    let machine = PlayerMachine::new();
    let told = machine.run(&PLAY, "I roll 2d6\nI roll 3d8\n/branch tower\n/undo\nI look around\n");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    machine
}

fn lines(machine: &PlayerMachine, story: &str) -> String {
    let told = machine.run(&["story", "export", story, "--format", "ndjson"], "");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    told.stdout
}

#[test]
fn an_export_comes_back_as_a_story_that_can_be_played() {
    let machine = played();
    let exported = lines(&machine, "demo");
    let told = machine.run(&["story", "import", "-", "--name", "again"], exported.as_str());
    insta::assert_snapshot!(told.transcript(), @"
    the story `again` has 3 turns in all branches; `narratoria run --story again` plays it
    --- stderr
    --- exit 0
    ");
    // But for the first line, which has the name, and the last one, which has the digest.
    let again = lines(&machine, "again");
    let inner = |lines: &str| {
        let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
        lines[1..lines.len() - 1].to_vec()
    };
    assert_eq!(inner(&again), inner(&exported));
    let told = machine.run(&["story", "verify", "again"], "");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let told = machine
        .run(&["run", "--story", "again", "--planner", "lexical"], "/switch tower\nI roll 1d6\n");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
}

#[test]
fn every_line_of_an_export_fits_its_contract() {
    let machine = played();
    let schema = fs::read_to_string("contracts/story-line.schema.json").unwrap();
    let schema = Schema::build(serde_json::from_str(&schema).unwrap()).unwrap();
    for line in lines(&machine, "demo").lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        assert_eq!(schema.mismatches(&value).len(), 0, "{line}");
    }
}

#[test]
fn a_story_whose_campaign_could_not_be_played_is_not_imported() {
    let machine = PlayerMachine::new();
    machine.run(
        &["run", "--campaign", "last-reading", "--story", "demo", "--planner", "lexical"],
        "wait\n",
    );
    let exported = lines(&machine, "demo");
    assert_eq!(
        machine.run(&["story", "import", "-", "--name", "again"], exported.as_str()).exit,
        Some(0)
    );
    // Another document with its own digest, as another program might write it.
    let mut written: Vec<String> = exported.lines().map(str::to_owned).collect();
    let last = written.pop().map(|line| serde_json::from_str::<Value>(&line).unwrap());
    for line in &mut written {
        let mut value: Value = serde_json::from_str(line).unwrap();
        if value["document"] == "gates.json" {
            value["text"] = "[]".into();
            value["sha256"] = sha256(b"[]").into();
            *line = value.to_string();
        }
    }
    let body = written.iter().map(|line| format!("{line}\n")).collect::<String>();
    let mut last = last.unwrap();
    last["sha256"] = sha256(body.as_bytes()).into();
    let forged = format!("{body}{last}\n");
    let told = machine.run(&["story", "import", "-", "--name", "odd"], forged.as_str());
    assert_eq!(told.exit, Some(2), "{}", told.stderr);
    assert!(told.stderr.contains("`gates.json` of its campaign cannot be read"), "{}", told.stderr);
    assert!(!machine.path().join("kept/stories/odd").exists());
}

#[test]
fn an_import_replaces_nothing_and_leaves_nothing_when_it_is_refused() {
    let machine = played();
    let exported = lines(&machine, "demo");
    machine.write("whole.ndjson", &exported);
    machine.write("cut.ndjson", &exported[..exported.len() - 40]);
    machine.write("newer.ndjson", exported.replacen(r#""version":1"#, r#""version":2"#, 1));
    let refused: [(&[&str], i32, &str); 7] = [
        (&["story", "import", "whole.ndjson"], 1, "there is a story `demo` already"),
        (&["story", "import", "cut.ndjson", "--name", "again"], 2, "was cut off after line"),
        (&["story", "import", "newer.ndjson", "--name", "again"], 2, "use a newer narratoria"),
        (&["story", "import", "nowhere.ndjson"], 3, "does not exist"),
        (&["story", "import", "whole.ndjson", "--name", "The Tower"], 2, "`the-tower` would do"),
        (
            &["story", "export", "demo", "--format", "html", "--output", "whole.ndjson"],
            2,
            "there is a file `whole.ndjson` already",
        ),
        (
            &["story", "export", "demo", "--format", "html", "--branch", "cellar"],
            3,
            "has no branch `cellar`",
        ),
    ];
    for (args, exit, why) in refused {
        let told = machine.run(args, "");
        assert_eq!(told.exit, Some(exit), "{args:?}: {}", told.stderr);
        assert!(told.stderr.contains(why), "{args:?}: {}", told.stderr);
    }
    let stories: Vec<_> = fs::read_dir(machine.path().join("kept/stories")).unwrap().collect();
    assert_eq!(stories.len(), 1);
}

#[test]
fn a_story_becomes_a_text_a_page_and_a_book() {
    let machine = played();
    let text = machine.run(&["story", "export", "demo", "--format", "markdown"], "");
    assert!(text.stdout.starts_with("# demo\n\n> I roll 2d6\n"), "{}", text.stdout);
    let page = machine.run(&["story", "export", "--format", "html"], "");
    assert!(page.stdout.contains("<blockquote>") && !page.stdout.contains("<script"));
    let told = machine.run(
        &["story", "export", "--format", "epub", "--branch", "tower", "--output", "demo.epub"],
        "",
    );
    assert_eq!((told.exit, told.stderr.as_str()), (Some(0), "note: wrote `demo.epub`\n"));
    let book = fs::read(machine.path().join("demo.epub")).unwrap();
    assert_eq!(&book[30..58], b"mimetypeapplication/epub+zip");
}

#[test]
fn a_reader_that_has_read_enough_is_no_failure() {
    let machine = played();
    for format in ["ndjson", "html"] {
        let mut export =
            machine.command(&["story", "export", "demo", "--format", format]).spawn().unwrap();
        drop(export.stdout.take());
        let told = export.wait_with_output().unwrap();
        let stderr = String::from_utf8(told.stderr).unwrap();
        assert_eq!((told.status.code(), stderr.as_str()), (Some(0), ""), "{format}");
    }
}

#[test]
fn files_that_no_turn_lists_go_only_on_request() {
    let machine = played();
    let assets = machine.path().join("kept/stories/demo/assets");
    fs::create_dir_all(assets.join("dead/step-a")).unwrap();
    fs::write(assets.join("dead/step-a/map.txt"), "left").unwrap();
    let told = machine.run(&["story", "gc", "demo"], "");
    assert_eq!(told.exit, Some(2), "{}", told.stderr);
    assert!(told.stderr.contains("no turn lists `assets/dead` (4 bytes)"), "{}", told.stderr);
    assert!(assets.join("dead/step-a/map.txt").is_file());
    let told = machine.run(&["story", "gc", "demo", "--yes"], "");
    assert_eq!((told.exit, told.stdout.as_str()), (Some(0), "removed 1 file, 4 bytes\n"));
    assert!(!assets.join("dead").exists());
    insta::assert_snapshot!(machine.transcript(&["story", "gc", "demo"], ""), @"
    every file of the story `demo` is listed by a turn
    --- stderr
    --- exit 0
    ");
}
