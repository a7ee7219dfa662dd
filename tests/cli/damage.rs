//! Damaged stories on a player's machine: each is told with its reason and a way out that works, and nothing is repaired unless
//! the player asks for it.

use std::{fs, path::PathBuf};

use crate::player_machine::PlayerMachine;

const PLAY: [&str; 7] = ["run", "--story", "demo", "--planner", "lexical", "--seed", "7"];

fn played() -> PlayerMachine {
    let machine = PlayerMachine::new();
    let lines = "I roll 2d6\ndraw a portrait of Martha, a stout cook with red hair\nI roll 1d8\n";
    let told = machine.run(&PLAY, lines);
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let told = machine.run(&["story", "backup", "demo"], "");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    machine
}

fn folder(machine: &PlayerMachine) -> PathBuf {
    machine.path().join("kept/stories/demo")
}

fn verify(machine: &PlayerMachine) -> Option<i32> {
    machine.run(&["story", "verify", "demo"], "").exit
}

/// What the program says of a damaged story, and that it leaves the files alone.
fn told(machine: &PlayerMachine, words: &[&str]) -> String {
    let db = folder(machine).join("story.db");
    let before = fs::read(&db).unwrap();
    let told = machine.run(words, "I roll 2d6\n");
    assert!(fs::read(&db).unwrap() == before, "{words:?} has changed the file");
    told.transcript()
}

#[test]
fn a_broken_database_is_told_and_a_copy_puts_it_right() {
    let machine = played();
    let db = folder(&machine).join("story.db");
    let whole = fs::read(&db).unwrap();
    let mut broken = whole.clone();
    broken[4096..].fill(0x5a);
    fs::write(&db, &broken).unwrap();
    insta::assert_snapshot!(told(&machine, &["story", "log", "demo"]), @"
    --- stderr
    error: `[machine]/kept/stories/demo/story.db` is damaged: database disk image is malformed; `narratoria story restore demo FILE` puts a copy in its place
    --- exit 2
    ");
    insta::assert_snapshot!(told(&machine, &["story", "verify", "demo"]), @"
    --- stderr
    error: `[machine]/kept/stories/demo/story.db` is damaged: database disk image is malformed; `narratoria story restore demo FILE` puts a copy in its place
    --- exit 2
    ");
    insta::assert_snapshot!(told(&machine, &PLAY), @"
    --- stderr
    error: `[machine]/kept/stories/demo/story.db` is damaged: database disk image is malformed; `narratoria story restore demo FILE` puts a copy in its place
    --- exit 2
    ");
    let listed = machine.run(&["story", "list"], "");
    assert_eq!(listed.exit, Some(0), "{}", listed.transcript());
    // The way out.
    let restored = machine.run(&["story", "restore", "demo", "story.backup-1.db"], "");
    assert_eq!((restored.exit, verify(&machine)), (Some(0), Some(0)), "{}", restored.stderr);
    let kept = folder(&machine).join("story.before-restore-1.db");
    assert!(fs::read(kept).unwrap() == broken);
    assert_eq!(machine.run(&PLAY, "I roll 2d6\n").exit, Some(0));
}

#[test]
fn a_page_that_was_overwritten_is_found_by_verify() {
    let machine = played();
    let db = folder(&machine).join("story.db");
    let mut broken = fs::read(&db).unwrap();
    // The last pages belong to some table or index, and opening the story does not read them all.
    let last = broken.len() - 4096;
    broken[last..].fill(0x5a);
    fs::write(&db, &broken).unwrap();
    let verified = machine.run(&["story", "verify", "demo"], "");
    assert!(matches!(verified.exit, Some(1 | 2)), "{}", verified.transcript());
    assert!(verified.stderr.contains("fault") || verified.stderr.contains("is damaged"));
    let restored = machine.run(&["story", "restore", "demo", "story.backup-1.db"], "");
    assert_eq!((restored.exit, verify(&machine)), (Some(0), Some(0)), "{}", restored.stderr);
}

#[test]
fn a_missing_asset_is_told_and_the_file_or_a_repair_puts_it_right() {
    let machine = played();
    let assets = folder(&machine).join("assets");
    let file = fs::read_dir(&assets).unwrap().map(|it| it.unwrap().path());
    let file = file.into_iter().find(|path| path.extension().is_some()).unwrap();
    let bytes = fs::read(&file).unwrap();
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    fs::remove_file(&file).unwrap();
    let shown = told(&machine, &["story", "verify", "demo"]).replace(&name, "FILE");
    insta::assert_snapshot!(shown, @"
    the story `demo` has 1 fault
    --- stderr
    fault: the file `assets/FILE` of turn id 2 is missing
    hint: `narratoria story restore demo FILE` puts a copy in its place, `narratoria story repair demo` keeps what can be read
    hint: put the files back from a copy of the story's folder, or `narratoria story repair demo --forget-files` forgets them
    --- exit 1
    ");
    // The story is read and played on without it.
    let page = machine.run(&["story", "export", "demo", "--format", "html"], "");
    assert!(page.stderr.contains("1 file is only named"), "{}", page.stderr);
    assert_eq!(machine.run(&PLAY, "I roll 2d6\n").exit, Some(0));
    assert_eq!(verify(&machine), Some(1), "nothing was repaired silently");
    fs::write(&file, &bytes).unwrap();
    assert_eq!(verify(&machine), Some(0));
    fs::remove_file(&file).unwrap();
    let repaired = machine.run(&["story", "repair", "demo", "--forget-files", "--yes"], "");
    assert_eq!((repaired.exit, verify(&machine)), (Some(0), Some(0)), "{}", repaired.stderr);
}

#[test]
fn a_state_that_does_not_fold_is_told_and_a_repair_or_a_copy_puts_it_right() {
    let machine = played();
    let db = folder(&machine).join("story.db");
    // The changes that the dice have made are no JSON any more.
    let mut spoilt = fs::read(&db).unwrap();
    let (patch, end) = (br#"[{"dice":"#, b';');
    let places: Vec<usize> =
        (0..spoilt.len()).filter(|at| spoilt[*at..].starts_with(patch)).collect();
    assert_eq!(places.len(), 2);
    places.into_iter().for_each(|at| spoilt[at + patch.len() - 1] = end);
    fs::write(&db, spoilt).unwrap();
    insta::assert_snapshot!(told(&machine, &["story", "log", "demo"]), @"
    --- stderr
    error: the state in `[machine]/kept/stories/demo/story.db` cannot be read: the patch of turn 1: expected `:` at line 1 column 9; `narratoria story repair demo` keeps what can be read
    --- exit 2
    ");
    insta::assert_snapshot!(told(&machine, &PLAY), @"
    --- stderr
    error: the state in `[machine]/kept/stories/demo/story.db` cannot be read: the patch of turn 1: expected `:` at line 1 column 9; `narratoria story repair demo` keeps what can be read
    --- exit 2
    ");
    let asked = told(&machine, &["story", "repair", "demo"]);
    assert!(asked.contains("nobody has agreed to change the story `demo`"), "{asked}");
    let repaired = machine.run(&["story", "repair", "demo", "--yes"], "");
    assert_eq!(repaired.exit, Some(0), "{}", repaired.transcript());
    assert_eq!(verify(&machine), Some(0));
    assert_eq!(machine.run(&PLAY, "I roll 2d6\n").exit, Some(0));
    let restored = machine.run(&["story", "restore", "demo", "story.before-repair-1.db"], "");
    assert_eq!(restored.exit, Some(2), "{}", restored.transcript());
    assert!(restored.stdout.contains("what was there is in "), "{}", restored.transcript());
    assert!(restored.stderr.contains("the patch of turn 1"), "the copy is the story as it was");
    let restored = machine.run(&["story", "restore", "demo", "story.backup-1.db"], "");
    assert_eq!((restored.exit, verify(&machine)), (Some(0), Some(0)), "{}", restored.stderr);
}
