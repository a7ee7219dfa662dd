//! `skill dev`: what an author changes is built, tested and played.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Instant,
};

use crate::cli::authoring::give_tools;
use crate::player_machine::{PlayerMachine, TIMEOUT};

/// Replaces a text in a file that has it.
pub(crate) fn edit(path: &Path, old: &str, new: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(old), "`{old}` is not in {}", path.display());
    fs::write(path, text.replace(old, new)).unwrap();
}

/// A session of `skill dev demo`, whose lines come from a pipe.
pub(crate) struct DevSession {
    child: Child,
    stdin: ChildStdin,
    /// The lines of its stdout.
    lines: Receiver<String>,
}

impl DevSession {
    pub(crate) fn begin(machine: &PlayerMachine, tools: &[PathBuf]) -> DevSession {
        let mut command = machine.command(&["skill", "dev", "demo", "--yes", "--seed", "3"]);
        give_tools(&mut command, tools);
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                // Nobody listens any more after a failed test.
                let _ = sender.send(line + "\n");
            }
        });
        DevSession { child, stdin, lines }
    }

    /// What is told about this, by the package as it is on the disk at the moment.
    pub(crate) fn ask(&mut self, about: &str) -> String {
        writeln!(self.stdin, "is there an omen about {about}?").unwrap();
        let (mut told, until) = (String::new(), Instant::now() + TIMEOUT);
        while !told.contains(&format!("{about}:")) {
            match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) => told += &line,
                Err(error) => self.give_up(&told, error),
            }
        }
        told
    }

    /// Ends it, and fails with all that it said.
    fn give_up(&mut self, told: &str, error: RecvTimeoutError) -> ! {
        // It may have ended by itself.
        let _ = self.child.kill();
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        panic!("{error}\n{told}\n{stderr}");
    }

    /// Its stderr and its exit code.
    pub(crate) fn end(mut self) -> (String, Option<i32>) {
        drop(self.stdin);
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        (stderr, self.child.wait().unwrap().code())
    }
}

/// Sentences into a pipe, one after the other: each finds the package as it is on the disk at that moment.
#[test]
fn each_line_plays_the_package_as_it_is_on_the_disk() {
    let machine = PlayerMachine::new();
    machine.run(&["skill", "new", "demo"], "");
    let folder = machine.path().join("demo");
    let mut session = DevSession::begin(&machine, &[]);
    let mut ask = |about: &str| session.ask(about);
    let source = folder.join("src/tell.rs");
    let example = folder.join("examples/a-fair-sign.json");
    assert!(!ask("the ford").contains("Four owls"));
    for old in
        ["The water lies still around", "Three crows sit above", "The candle leans away from"]
    {
        edit(&source, old, "Four owls look at");
    }
    edit(&example, "The water lies still around", "Four owls look at");
    assert!(ask("the mill").contains("Four owls look at the mill:"));
    // A version that does not compile never reaches the story.
    edit(&source, "fn main()", "fn main(");
    assert!(ask("the harbour").contains("Four owls look at the harbour:"));
    edit(&source, "fn main(", "fn main()");
    // A change of the manifest needs no build.
    edit(&folder.join("skill.json"), "\"read the signs\"", "\"ask the owls\"");
    assert!(ask("the owl").contains("Four owls look at the owl:"));
    // An example that is no longer true.
    edit(&example, "Four owls look at", "Five owls look at");
    ask("the tower");
    let (stderr, exit) = session.end();
    assert_eq!(exit, Some(1), "{stderr}");
    for line in [
        "note: building `demo`\n",
        "built: tell\n",
        "tested: 2 run, 2 as expected\n",
        " hostile requests, 0 errors, 0 warnings",
        "error: `cargo` failed",
        "tested: 2 run, 1 as expected\n",
        "example: examples/a-fair-sign.json: `output.text` is",
    ] {
        assert!(stderr.contains(line), "`{line}` is not in:\n{stderr}");
    }
    assert!(!machine.path().join("kept/stories/dev").exists());
}

/// The author leaves right after an edit: what is packed next is what is on the disk.
#[test]
fn the_last_edit_is_built_though_no_sentence_came_after_it() {
    let machine = PlayerMachine::new();
    machine.run(&["skill", "new", "demo"], "");
    let folder = machine.path().join("demo");
    let mut session = DevSession::begin(&machine, &[]);
    session.ask("the ford");
    edit(&folder.join("src/tell.rs"), "Three crows sit above", "Four owls look at");
    let (stderr, exit) = session.end();
    assert_eq!(exit, Some(0), "{stderr}");
    let component = fs::read(folder.join("scripts/tell.wasm")).unwrap();
    let has = |text: &str| component.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(has("Four owls look at") && !has("Three crows sit above"), "{stderr}");
}

#[test]
fn a_folder_that_is_no_package_is_said() {
    let machine = PlayerMachine::new();
    insta::assert_snapshot!(machine.transcript(&["skill", "dev", "nowhere"], ""), @"
    --- stderr
    error: `nowhere` is not a package: it has no `skill.json`
    hint: `narratoria skill new NAME` begins one
    --- exit 3
    ");
    machine.run(&["skill", "new", "gaslight", "--prompt-only"], "");
    insta::assert_snapshot!(machine.transcript(&["skill", "dev", "gaslight"], ""), @"
    --- stderr
    error: `gaslight` has only a `SKILL.md`, and no scripts to build
    hint: `narratoria run --skills .` plays with it and with its neighbours
    --- exit 2
    ");
}

/// Nothing is lost and nothing is installed: play goes on without the package, and the exit code says so.
#[test]
fn a_package_that_cannot_be_built_says_why_and_the_story_goes_on() {
    let machine = PlayerMachine::new();
    machine.run(&["skill", "new", "demo"], "");
    let args = ["skill", "dev", "demo", "--yes", "--seed", "3", "--format", "json"];
    let ran = machine.run(&args, "I roll a die\n");
    assert_eq!(ran.exit, Some(1), "{}", ran.transcript());
    assert!(ran.stderr.contains("error: there is no `cargo` on the search path"), "{}", ran.stderr);
    let types: Vec<String> =
        ran.lines().iter().map(|line| line["type"].as_str().unwrap().to_owned()).collect();
    assert!(types.contains(&"turn.finished".to_owned()), "{types:?}");
}
