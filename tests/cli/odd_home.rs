//! A pipe, a folder or a file in the place of something else in the player's home: each command ends, with words about it or
//! without it, and none calls it a fault of the program.

#![cfg(unix)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::player_machine::PlayerMachine;

/// Entries of a home that exist after a story, an installed package and a plan.
const ENTRIES: [&str; 17] = [
    "config.toml",
    "logs",
    "logs/narratoria.log",
    "logs/narratoria.log.lock",
    "stories",
    "stories/demo",
    "stories/demo/story.db",
    "stories/demo/play.lock",
    "stories/demo/plan.lock",
    "stories/demo/assets",
    "skills",
    "skills/.lock",
    "settings",
    "templates",
    "templates/lock.json",
    "records",
    "campaigns",
];

/// The first few open most files.
static COMMANDS: [&[&str]; 9] = [
    &["run", "--story", "demo", "--planner", "lexical"],
    &["plan", "run", "plan.json"],
    &["skill", "list"],
    &["story", "list"],
    &["story", "verify", "demo"],
    &["story", "export", "demo", "--format", "html", "--output", "book.html"],
    &["plan", "new", "--template", "lock"],
    &["campaign", "list"],
    &["doctor"],
];

const CACHE: &str = "cache";

#[derive(Debug, Clone, Copy)]
enum OddEntry {
    Pipe,
    Folder,
    File,
}

impl OddEntry {
    /// A pipe is what a reader may wait for, so every command meets it.
    fn commands(self) -> &'static [&'static [&'static str]] {
        match self {
            OddEntry::Pipe => &COMMANDS,
            OddEntry::Folder | OddEntry::File => &COMMANDS[..3],
        }
    }

    /// Puts it in the place of what is there.
    fn put(self, path: &Path) {
        remove(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match self {
            OddEntry::Pipe => {
                mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
            }
            OddEntry::Folder => fs::create_dir(path).unwrap(),
            OddEntry::File => fs::write(path, "odd").unwrap(),
        }
    }
}

fn remove(path: &Path) {
    let _ = fs::remove_file(path);
    let _ = fs::remove_dir_all(path);
}

/// Copies all but the cache, which may be deleted at any time.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    let entries = fs::read_dir(from).unwrap().map(Result::unwrap);
    for entry in entries.filter(|entry| entry.file_name() != CACHE) {
        let there = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &there),
            false => drop(fs::copy(entry.path(), there).unwrap()),
        }
    }
}

#[test]
fn no_odd_entry_of_a_home_hangs_a_command_or_is_called_a_fault_of_the_program() {
    let machine = PlayerMachine::new();
    let home: PathBuf = machine.path().join("kept");
    machine.write("plan.json", crate::player_machine::plan(serde_json::json!([])));
    machine.run(COMMANDS[0], "I roll 2d6\n");
    let saved = ["plan", "save-template", "lock", "plan.json"];
    assert_eq!(machine.run(&saved, "").exit, Some(0));
    let whole = machine.path().join("whole");
    copy(&home, &whole);
    for entry in ENTRIES {
        for kind in [OddEntry::Pipe, OddEntry::Folder, OddEntry::File] {
            for command in kind.commands() {
                for there in fs::read_dir(&home).unwrap().map(Result::unwrap) {
                    if there.file_name() != CACHE {
                        remove(&there.path());
                    }
                }
                copy(&whole, &home);
                kind.put(&home.join(entry));
                let _ = fs::remove_file(machine.path().join("book.html"));
                let told = machine.run(command, "I wait\n");
                let what = format!("{command:?} with {kind:?} as {entry}");
                assert!(
                    told.exit.is_some_and(|code| code < 70),
                    "{what}: {:?}\n{}",
                    told.exit,
                    told.transcript()
                );
            }
        }
    }
}
