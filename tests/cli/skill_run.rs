//! `skill run` with the grants that need a place: files, data, store and memory, outside a story and with the view of one.

use std::fs;

use serde_json::{Value, json};

use crate::player_machine::PlayerMachine;

/// Names that are left in the folder for temporary files.
fn left_behind(machine: &PlayerMachine) -> usize {
    fs::read_dir(machine.path().join("tmp")).unwrap().count()
}

fn run(machine: &PlayerMachine, args: &[&str], input: &str) -> std::process::Output {
    let args = [&["skill", "run", "--skills", "skills"], args].concat();
    let mut command = machine.command(&args);
    fs::create_dir_all(machine.path().join("tmp")).unwrap();
    command.env("TMPDIR", machine.path().join("tmp"));
    assert_cmd::Command::from_std(command).write_stdin(input).output().unwrap()
}

fn output(ran: &std::process::Output) -> Value {
    let text = String::from_utf8(ran.stdout.clone()).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("output: "));
    serde_json::from_str(line.unwrap_or_else(|| panic!("{ran:?}"))).unwrap()
}

#[test]
fn a_script_with_folders_runs_outside_a_story_and_leaves_nothing() {
    let machine = PlayerMachine::new();
    let grants = json!({"grants": {"assets": true, "data": true}});
    machine.package_with("atlas", "bad-assets", grants);
    let ran = run(&machine, &["atlas/act"], "{}");
    let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    assert_eq!(stderr, "note: its files are deleted; `--keep DIR` keeps them\n");
    assert_eq!(left_behind(&machine), 0);
}

#[test]
fn the_files_of_a_run_can_be_kept_in_an_empty_folder() {
    let machine = PlayerMachine::new();
    machine.package_with("atlas", "bad-assets", json!({"grants": {"assets": true}}));
    let ran = run(&machine, &["atlas/act", "--keep", "kept-files"], "{}");
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    let mut folder = machine.path().join("kept-files/assets");
    while !folder.join("map.txt").exists() {
        folder = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    }
    assert_eq!(fs::read_to_string(folder.join("map.txt")).unwrap(), "here be dragons");
    let again = run(&machine, &["atlas/act", "--keep", "kept-files"], "{}");
    assert_eq!(again.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&again.stderr).into_owned();
    assert_eq!(
        stderr,
        "error: the folder `kept-files` is not empty\n\
         hint: name a new folder: the files of two runs are not mixed\n"
    );
}

/// The script counts on from the story's number, and the story keeps its own.
#[test]
fn a_run_sees_a_story_and_does_not_change_it() {
    let machine = PlayerMachine::new();
    machine.package_with("tally", "tallies", json!({"grants": {"store": true}}));
    let id = "6f1ed002-ab5d-4c1e-8f3e-1a2b3c4d5e6f";
    let plan = json!({"requestId": id, "narrative": "A tally.", "tools": [
        {"toolId": "a", "toolPath": "tally/act", "input": {"id": "played"}},
    ]});
    machine.write("plan.json", plan.to_string());
    let played = ["plan", "run", "plan.json", "--story", "inn", "--skills", "skills"];
    let played = machine.run(&played, "");
    assert_eq!(played.exit, Some(0), "{}", played.transcript());
    let tally = |args: &[&str]| {
        output(&run(&machine, &[&["tally/act"], args].concat(), r#"{"id": "by-hand"}"#))
    };
    assert_eq!(tally(&[])["list"], json!(["by-hand"]));
    for _ in 0..2 {
        let seen = tally(&["--story", "inn"]);
        assert_eq!((&seen["count"], &seen["list"]), (&json!(2), &json!(["played", "by-hand"])));
    }
}

#[test]
fn a_story_or_a_script_that_does_not_exist_is_said_before_anything_is_read() {
    let machine = PlayerMachine::new();
    machine.package_with("tally", "tallies", json!({"grants": {"store": true}}));
    let ran = run(&machine, &["tally/act", "--story", "nowhere"], "not even JSON");
    assert_eq!(ran.status.code(), Some(3), "{ran:?}");
    let ran = run(&machine, &["tally/nope"], "");
    assert_eq!(ran.status.code(), Some(3));
    let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(stderr, "error: skill `tally` has no script `nope`\nhint: it has `act`\n");
}

#[test]
fn a_run_tells_the_problems_of_its_own_skill_alone() {
    let machine = PlayerMachine::new();
    for name in ["mirror", "other"] {
        machine.package(name, "echo");
    }
    fs::write(machine.path().join("skills/other/skill.json"), "{").unwrap();
    let ran = run(&machine, &["mirror/act"], "{}");
    let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!((ran.status.code(), &*stderr), (Some(0), ""), "{ran:?}");
    let ran = run(&machine, &["other/act"], "{}");
    let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(stderr.starts_with("warning: package `other`: skill.json: "), "{stderr}");
}

/// A component with a whole interpreter takes a minute to compile: a run waits for its own alone.
#[test]
fn a_run_compiles_nothing_but_its_own_component() {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    let folder = machine.path().join("skills/mirror");
    let manifest = fs::read_to_string(folder.join("skill.json")).unwrap();
    let mut manifest: Value = serde_json::from_str(&manifest).unwrap();
    let mut other = manifest["scripts"][0].clone();
    other["name"] = json!("other");
    other["path"] = json!("scripts/other.wasm");
    manifest["scripts"].as_array_mut().unwrap().insert(0, other);
    fs::write(folder.join("skill.json"), manifest.to_string()).unwrap();
    // The beginning of a component, which nothing can compile.
    fs::write(folder.join("scripts/other.wasm"), b"\0asm\x0d\0\x01\0\xff").unwrap();
    let ran = run(&machine, &["mirror/act"], r#"{"a": 1}"#);
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    assert_eq!(output(&ran)["input"], json!({"a": 1}));
    assert_ne!(run(&machine, &["mirror/other"], "{}").status.code(), Some(0));
    let ran = run(&machine, &["mirror/acts"], "{}");
    let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(stderr, "error: skill `mirror` has no script `acts`\nhint: it has `other`, `act`\n");
}
