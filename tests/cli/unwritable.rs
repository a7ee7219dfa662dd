//! Stories that can be read and not written: in a read-only folder, and on a full disk. Every verb says so or does without, and
//! nothing is lost.

#![cfg(target_os = "linux")]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};

use crate::player_machine::PlayerMachine;

const PLAY: [&str; 7] = ["run", "--story", "demo", "--planner", "lexical", "--seed", "7"];

/// Verbs that only read.
const READERS: [&[&str]; 13] = [
    &["story", "log", "demo", "--all"],
    &["story", "show", "--story", "demo"],
    &["story", "show", "1"],
    &["story", "why"],
    &["story", "diff", "0", "2"],
    &["story", "memory", "demo"],
    &["story", "branch", "--story", "demo"],
    &["story", "verify", "demo"],
    &["story", "export", "demo", "--format", "markdown"],
    &["story", "export", "demo", "--format", "html"],
    &["story", "export", "demo", "--format", "ndjson"],
    &["plan", "list", "--story", "demo"],
    &["plan", "show", "1", "--story", "demo"],
];

/// Verbs that write, those first that need room.
const WRITERS: [&[&str]; 12] = [
    &["story", "undo", "demo"],
    &["story", "redo", "demo"],
    &["story", "retry", "demo", "--planner", "lexical"],
    &["story", "edit", "1", "I wait", "--story", "demo", "--planner", "lexical"],
    &["story", "branch", "fork", "--story", "demo"],
    &["story", "switch", "tower", "--story", "demo"],
    &["story", "backup", "demo"],
    &["story", "import", "-", "--name", "again"],
    &["run", "--story", "demo", "--planner", "lexical"],
    &["story", "gc", "demo", "--yes"],
    &["story", "rename", "demo", "quest"],
    &["story", "delete", "demo", "--yes"],
];

/// How many of [`WRITERS`] need room.
const NEED_ROOM: usize = 9;

struct ReadStory {
    machine: PlayerMachine,
    /// What each reader prints while everything can be written.
    answers: Vec<String>,
    export: String,
}

impl ReadStory {
    /// A story with an asset, two branches and an undone turn.
    fn new() -> ReadStory {
        let machine = PlayerMachine::new();
        let lines = "I roll 2d6\ndraw a portrait of Martha, a stout cook with red hair\n\
                     /branch tower\nI roll 1d8\n/undo\n";
        let told = machine.run(&PLAY, lines);
        assert_eq!(told.exit, Some(0), "{}", told.stderr);
        let answers = READERS.map(|words| {
            let told = machine.run(words, "");
            assert_eq!(told.exit, Some(0), "{words:?}: {}", told.stderr);
            told.stdout
        });
        let export = answers[10].clone();
        ReadStory { machine, answers: answers.into(), export }
    }

    /// Runs every reader and every writer by `run`. Every reader answers as before, every writer is refused with words.
    fn check(&self, writers: &[&[&str]], run: impl Fn(&[&str], &str) -> Output, why: &str) {
        let before = files(&self.machine.path().join("kept/stories"));
        for (words, answer) in READERS.iter().zip(&self.answers) {
            let told = run(words, "");
            let stdout = String::from_utf8(told.stdout).unwrap();
            let stdout = stdout.replace(&self.machine.path().display().to_string(), "[machine]");
            let stderr = String::from_utf8_lossy(&told.stderr);
            assert_eq!((told.status.code(), &stdout), (Some(0), answer), "{words:?}: {stderr}");
        }
        let listed = run(&["story", "list"], "");
        let stdout = String::from_utf8(listed.stdout).unwrap();
        assert!(stdout.contains("demo  2 "), "{stdout}");
        for words in writers {
            let input = if words[1] == "import" { &self.export } else { "I roll 2d6\n" };
            let told = run(words, input);
            let stderr = String::from_utf8_lossy(&told.stderr);
            let exit = told.status.code();
            assert!(matches!(exit, Some(1 | 2 | 4)), "{words:?}: {exit:?}: {stderr}");
            let is_clear = [why, "Permission denied", "can be redone", "were undone at this point"]
                .iter()
                .any(|clear| stderr.contains(clear));
            assert!(is_clear, "{words:?}: {stderr}");
        }
        assert_eq!(files(&self.machine.path().join("kept/stories")), before);
    }

    /// Everything is there and can be played on.
    fn check_whole(&self) {
        for (words, answer) in READERS.iter().zip(&self.answers) {
            let told = self.machine.run(words, "");
            assert_eq!((told.exit, &told.stdout), (Some(0), answer), "{words:?}");
        }
        let told = self.machine.run(&PLAY, "/redo\n/undo\nI roll 1d6\n");
        assert_eq!(told.exit, Some(0), "{}", told.stderr);
        let told = self.machine.run(&["story", "verify", "demo"], "");
        assert_eq!(told.exit, Some(0), "{}", told.stderr);
    }
}

/// Names and bytes of the files that are more than helpers of SQLite and locks.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.display().to_string();
        if path.is_dir() {
            found.extend(files(&path));
        } else if !["-wal", "-shm", ".lock"].iter().any(|end| name.ends_with(end)) {
            found.push((name, fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// Sets what everybody may do with a folder and all that is in it.
pub(super) fn permit(path: &Path, folders: u32, of_files: u32) {
    let mode = if path.is_dir() { folders } else { of_files };
    if path.is_dir() {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if !path.is_symlink() {
                permit(&path, folders, of_files);
            }
        }
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A command of a user to whom permissions mean something: root may write everywhere.
pub(super) fn as_plain_user(machine: &PlayerMachine, words: &[&str]) -> Option<Command> {
    let program = crate::program().display().to_string();
    if rustix::process::geteuid().is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", &program]);
        let works = Command::new("setpriv")
            .args(["--reuid", "65534", "--regid", "65534", "--clear-groups", &program, "--version"])
            .output();
        if !works.is_ok_and(|works| works.status.success()) {
            return None;
        }
        command.args(words);
        return Some(machine.isolate(command));
    }
    let mut command = Command::new(program);
    command.args(words);
    Some(machine.isolate(command))
}

fn output(mut command: Command, input: &str) -> Output {
    assert_cmd::Command::from_std({
        command.env("PATH", "/usr/bin:/bin");
        command
    })
    .write_stdin(input)
    .output()
    .unwrap()
}

#[test]
fn a_story_in_a_read_only_folder_is_read_by_every_reader_and_no_writer_changes_it() {
    let story = ReadStory::new();
    let machine = &story.machine;
    if as_plain_user(machine, &[]).is_none() {
        return eprintln!("left out: no other user can run the program here");
    }
    permit(machine.path(), 0o555, 0o444);
    // The file alone, and the file with the folder.
    let db = machine.path().join("kept/stories/demo/story.db");
    for mode in [0o444, 0o666] {
        fs::set_permissions(&db, fs::Permissions::from_mode(mode)).unwrap();
        let run =
            |words: &[&str], input: &str| output(as_plain_user(machine, words).unwrap(), input);
        story.check(&WRITERS, run, "is read-only; make both writable to play the story");
    }
    permit(machine.path(), 0o755, 0o644);
    story.check_whole();
}

/// A limit on the length of files is what a full disk is to a program.
#[test]
fn a_story_on_a_full_disk_is_read_by_every_reader_and_no_writer_loses_anything() {
    let story = ReadStory::new();
    let program = crate::program().display().to_string();
    let run = |words: &[&str], input: &str| {
        let mut shell = Command::new("bash");
        let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
        shell.args(["-c", script, &program]).args(words);
        output(story.machine.isolate(shell), input)
    };
    story.check(&WRITERS[..NEED_ROOM], run, "cannot be written, the disk may be full");
    story.check_whole();
}

#[test]
fn an_export_that_finds_no_room_leaves_no_file_and_says_so() {
    let story = ReadStory::new();
    let program = crate::program().display().to_string();
    for format in ["markdown", "html", "epub", "ndjson"] {
        let mut shell = Command::new("bash");
        let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
        let words = ["story", "export", "demo", "--format", format, "--output", "out.file"];
        shell.args(["-c", script, &program]).args(words);
        let told = output(story.machine.isolate(shell), "");
        let stderr = String::from_utf8_lossy(&told.stderr);
        assert_eq!(told.status.code(), Some(2), "{format}: {stderr}");
        assert!(stderr.contains("the export `out.file` cannot be written"), "{format}: {stderr}");
        assert!(!story.machine.path().join("out.file").exists());
        // stdout is a pipe without a reader of its own, or a device that takes nothing.
        let mut shell = Command::new("bash");
        shell.args(["-c", "exec \"$0\" \"$@\" > /dev/full", &program]).args(&words[..5]);
        let told = output(story.machine.isolate(shell), "");
        let stderr = String::from_utf8_lossy(&told.stderr);
        assert!(!told.status.success() && stderr.contains("No space left on device"), "{stderr}");
    }
    let names = fs::read_dir(story.machine.path()).unwrap();
    let left: Vec<_> = names
        .map(|it| it.unwrap().file_name())
        .filter(|name| name.to_string_lossy().starts_with(".tmp"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
