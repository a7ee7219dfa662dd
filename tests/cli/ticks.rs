//! `narratoria tick`, by the real program.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Value, json};

use crate::player_machine::{CommandOutput, PlayerMachine};

const TICK: [&str; 5] = ["tick", "--story", "demo", "--seed", "7"];

fn tick(machine: &PlayerMachine, more: &[&str]) -> CommandOutput {
    machine.run(&[&TICK[..], more].concat(), "")
}

/// The files of a story by their paths, without the locks.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|it| it != "lock") {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    files
}

#[test]
fn a_story_goes_on_by_itself() {
    let machine = PlayerMachine::new();
    let told = tick(&machine, &["--count", "2"]);
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    assert_eq!(told.stdout.lines().filter(|line| line.starts_with("# ")).count(), 2);
    let folder = machine.path().join("kept/stories/demo");
    let before = files(&folder);
    let names: Vec<&str> = before.keys().map(String::as_str).collect();
    let expected = [
        "plans/plan_001.json",
        "plans/plan_002.json",
        "scenes/scene_001.md",
        "scenes/scene_002.md",
        "state.json",
        "story.db",
    ];
    assert_eq!(names, expected);
    // The next plan is shown, and nothing of the story changes.
    let shown = tick(&machine, &["--dry-run", "--format", "json"]);
    assert_eq!(shown.exit, Some(0), "{}", shown.stderr);
    let planned: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!((&planned["type"], &planned["tick"]), (&json!("planned"), &json!(3)));
    assert!(files(&folder) == before, "a dry run has changed the story");
    // That plan is the one of the next tick.
    let told = tick(&machine, &["--format", "json"]);
    let lines = told.lines();
    let of = |kind: &str| lines.iter().find(|line| line["type"] == kind).unwrap();
    assert_eq!(of("planned")["plan"], planned["plan"]);
    let text = machine.run(&["story", "export", "demo", "--format", "markdown"], "").stdout;
    let scene = of("scene")["text"].as_str().unwrap();
    assert!(text.contains(scene.lines().next().unwrap()), "{text}");
}

#[test]
fn a_tick_that_fails_leaves_the_story_and_three_ways_out() {
    let machine = PlayerMachine::new();
    let shown = tick(&machine, &["--dry-run"]);
    let mut plan: Value = serde_json::from_str(&shown.stdout).unwrap();
    let actions = plan["actions"].take();
    plan["actions"] = json!([{"tool": "relationship.update", "args": {}, "reason": "A test."}]);
    machine.write("script.json", json!([plan]).to_string());
    let told = tick(&machine, &["--planner", "scripted:script.json"]);
    assert_eq!((told.exit, told.stdout.as_str()), (Some(1), ""), "{}", told.stderr);
    let folder = machine.path().join("kept/stories/demo");
    let hints = ["error_001.json", "`narratoria tick --retry 1`", "`narratoria tick --skip 1`"];
    assert!(hints.iter().all(|hint| told.stderr.contains(hint)), "{}", told.stderr);
    assert!(!folder.join("scenes").exists() && folder.join("errors/error_001.log").is_file());
    // An edited plan is run again.
    let path = folder.join("errors/error_001.json");
    let mut error: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    error["plan"]["actions"] = actions;
    fs::write(&path, error.to_string()).unwrap();
    let told = tick(&machine, &["--retry", "1"]);
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    assert!(folder.join("scenes/scene_001.md").is_file());
    // Or a tick is left out; only the next one can be.
    assert_eq!(tick(&machine, &["--skip", "1"]).exit, Some(2));
    let told = tick(&machine, &["--skip", "2"]);
    assert_eq!((told.exit, told.stderr.as_str()), (Some(0), "note: tick 2 is left out\n"));
    assert_eq!(tick(&machine, &[]).exit, Some(0));
    assert!(folder.join("scenes/scene_003.md").is_file());
    assert!(!folder.join("scenes/scene_002.md").exists());
}
