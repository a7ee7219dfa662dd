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

/// A turn's stdout on a fresh home where compiling any component fails for lack of memory, and how many components were
/// loaded: each leaves its code in the cache.
fn first_turn(machine: &PlayerMachine, program: &Path, home: &str) -> (String, usize) {
    let home = machine.path().join(home);
    let cache = home.join("cache/components");
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
    let told = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let is_code = |file: &fs::DirEntry| file.path().extension().is_some_and(|it| it == "cwasm");
    (told, fs::read_dir(cache).unwrap().flatten().filter(is_code).count())
}

#[test]
fn the_first_turn_of_a_fresh_home_compiles_nothing_and_loads_only_the_components_of_its_steps() {
    let machine = PlayerMachine::new();
    let bare = crate::program().to_owned();
    let (compiled, loaded) = first_turn(&machine, &bare, "bare");
    assert!(!compiled.contains("dice-roller/roll-dice"), "nothing can be compiled: {compiled}");
    assert_eq!(loaded, 0);

    let program = program_with_embedded_skills(&machine);
    let (embedded, loaded) = first_turn(&machine, &program, "embedded");
    assert!(embedded.contains("dice-roller/roll-dice"), "{embedded}");
    assert!(embedded.contains(r#""outcome":"told""#), "{embedded}");
    assert_eq!(loaded, 2, "the dice and the narration");
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
