//! The program with its built-in skills compiled into it, as `make build` leaves it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::player_machine::PlayerMachine;

/// A copy of the program, and its own code embedded in it.
fn program_with_embedded_skills(machine: &PlayerMachine) -> PathBuf {
    let program = machine.path().join("narratoria");
    fs::copy(crate::program(), &program).unwrap();
    let mut embed = machine.isolate(Command::new(&program));
    let output = embed.arg("embed-compiled-skills").arg(&program).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    program
}

/// A turn's stdout on a fresh home where compiling any component fails for lack of memory.
fn first_turn(machine: &PlayerMachine, program: &Path, home: &str) -> String {
    let home = machine.path().join(home);
    fs::create_dir(&home).unwrap();
    fs::write(home.join("config.toml"), "[limits]\ncompile-memory-mib = 1\n").unwrap();
    let mut command = machine.isolate(Command::new(program));
    let command = command
        .args(["run", "--planner", "lexical", "--seed", "7", "--format", "json"])
        .env("NARRATORIA_HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"I roll a d20\n").unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn the_first_turn_of_a_fresh_home_compiles_nothing() {
    let machine = PlayerMachine::new();
    let bare = crate::program().to_owned();
    let compiled = first_turn(&machine, &bare, "bare");
    assert!(!compiled.contains("dice-roller/roll-dice"), "nothing can be compiled: {compiled}");

    let program = program_with_embedded_skills(&machine);
    let embedded = first_turn(&machine, &program, "embedded");
    assert!(embedded.contains("dice-roller/roll-dice"), "{embedded}");
    assert!(embedded.contains(r#""outcome":"told""#), "{embedded}");
}

#[test]
fn embedding_again_leaves_the_same_program() {
    let machine = PlayerMachine::new();
    let program = program_with_embedded_skills(&machine);
    let once = fs::read(&program).unwrap();
    let mut embed = machine.isolate(Command::new(&program));
    assert!(embed.arg("embed-compiled-skills").arg(&program).status().unwrap().success());
    assert!(once == fs::read(&program).unwrap());
}
