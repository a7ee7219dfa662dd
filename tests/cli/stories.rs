//! Stories on a player's machine: a full disk, a second session, a lost database.

use std::{io::Write, process::Stdio};

use crate::player_machine::PlayerMachine;

/// Runs the program with files of at most so many KiB, which is what a full disk is to it.
#[cfg(unix)]
fn run_with_limit(
    machine: &PlayerMachine,
    kib: u32,
    args: &[&str],
    input: &str,
) -> std::process::Output {
    let program = crate::program().display().to_string();
    let mut shell = std::process::Command::new("bash");
    let script = format!("trap '' XFSZ; ulimit -f {kib}; exec \"$0\" \"$@\"");
    shell.args(["-c", &script, &program]).args(args);
    let mut child = machine
        .isolate(shell)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

const PLAY: [&str; 7] = ["run", "--story", "demo", "--planner", "lexical", "--format", "json"];

#[cfg(unix)]
#[test]
fn a_full_disk_refuses_the_turn_and_the_session_goes_on() {
    let machine = PlayerMachine::new();
    // The story fits, a few turns do, and then nothing.
    let told = run_with_limit(&machine, 200, &PLAY, &"I roll 2d6\n".repeat(20));
    let lines: Vec<serde_json::Value> = String::from_utf8(told.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let count = |kind: &str| lines.iter().filter(|line| line["type"] == kind).count() as u64;
    for failed in lines.iter().filter(|line| line["type"] == "turn.failed") {
        assert_eq!(failed["kind"], "refused");
        let message = failed["message"].as_str().unwrap();
        assert!(
            message.contains("cannot be written, the disk may be full; make room"),
            "{message}"
        );
    }
    assert!(count("turn.failed") > 1);
    assert_eq!(count("turn.finished") + count("turn.failed"), 20, "{lines:#?}");
    assert_eq!(lines.last().unwrap()["type"], "session.finished");
    assert_eq!(told.status.code(), Some(4), "{}", String::from_utf8_lossy(&told.stderr));
    // With room again it goes on where the last turn that was told ended.
    let turns = count("turn.finished");
    assert!(turns > 0);
    let told = machine.run(&PLAY, "I roll 2d6\n");
    assert_eq!((told.exit, told.lines()[0]["turns"].as_u64()), (Some(0), Some(turns)));
}

#[test]
fn a_second_session_is_told_at_its_start_whose_the_story_is() {
    let machine = PlayerMachine::new();
    let mut first = machine.command(&PLAY).spawn().unwrap();
    let mut told = std::io::BufReader::new(first.stdout.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut told, &mut line).unwrap();
    assert!(line.contains("session.started"), "{line}");
    let second = machine.run(&PLAY, "I roll 2d6\n");
    let holder =
        format!("error: the story `demo` is open elsewhere (process {} since ", first.id());
    assert!(second.stderr.starts_with(&holder), "{}", second.stderr);
    assert_eq!((second.exit, second.stdout.as_str()), (Some(1), ""));
    // A reader is welcome.
    assert_eq!(machine.run(&["plan", "list", "--story", "demo"], "").exit, Some(0));
    drop(first.stdin.take());
    assert!(first.wait().unwrap().success());
    assert_eq!(machine.run(&PLAY, "").exit, Some(0));
}

#[test]
fn a_story_that_has_lost_its_database_is_told_and_nothing_is_overwritten() {
    let machine = PlayerMachine::new();
    assert_eq!(machine.run(&PLAY, "I roll 2d6\n").exit, Some(0));
    let folder = machine.path().join("kept/stories/demo");
    std::fs::remove_file(folder.join("story.db")).unwrap();
    let told = machine.run(&["run", "--story", "demo"], "I roll 2d6\n");
    insta::assert_snapshot!(told.transcript(), @"
    --- stderr
    error: `[machine]/kept/stories/demo/story.db` is missing, and its folder still has `play.lock` of a story; `narratoria story restore demo FILE` puts a copy of the database back, `narratoria story delete demo` moves the rest to the trash
    --- exit 2
    ");
    assert!(!folder.join("story.db").exists());
}
