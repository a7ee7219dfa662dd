//! Stories with a world: a premise makes it.

use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    thread,
};

use serde_json::{Value, json};

use crate::cli::services::readdress;
use crate::player_machine::PlayerMachine;

const PREMISE: &str = "a lighthouse keeper who has not slept for nine days";

/// A pipe has a turn for each line and nothing else, unless it asks for a world.
#[test]
fn a_pipe_has_a_world_only_if_it_names_a_premise() {
    let machine = PlayerMachine::new();
    let turns = |story: &str, more: &[&str]| -> Vec<Value> {
        let args = [&["run", "--story", story, "--format", "json"][..], more].concat();
        let ran = machine.run(&args, "l\n");
        let started = ran.lines().into_iter().filter(|line| line["type"] == "turn.started");
        started.map(|line| line["prompt"].clone()).collect()
    };
    assert_eq!(turns("none", &[]), ["I look around"]);
    assert_eq!(turns("some", &["--premise", PREMISE]), [PREMISE, "I look around"]);
    // A story that goes on has its world, whatever is asked for.
    assert_eq!(turns("some", &["--premise", "a mill"]), ["I look around"]);
}

#[test]
fn a_premise_that_says_nothing_is_refused() {
    insta::assert_snapshot!(PlayerMachine::new().transcript(&["run", "--premise", "..."], ""), @r#"
    --- stderr
    error: the premise `...` says nothing
    hint: such as `--premise "a lighthouse keeper who has not slept for nine days"`, or `none`
    --- exit 2
    "#);
}

/// An installed skill with the capability `portraits` and the grant `http`, as docs/built-in-skills.md says. Its address is
/// that of a host on this machine.
fn install_image_generator(machine: &PlayerMachine, host: &str) {
    machine.package_with("painter", "fetches", json!({"grants": {"http": [host]}}));
    let package = machine.path().join("skills/painter");
    let manifest = package.join("skill.json");
    let mut painter: Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    painter["capabilities"] = json!(["portraits"]);
    painter["priority"] = json!(90);
    fs::write(manifest, painter.to_string()).unwrap();
    let component = package.join("scripts/act.wasm");
    let mut bytes = fs::read(&component).unwrap();
    readdress(&mut bytes, "http://127.0.0.1:9/nobody", &format!("http://{host}/"));
    fs::write(component, bytes).unwrap();
    for args in [
        &["skill", "pack", "skills/painter", "--output", "painter.tgz"][..],
        &["skill", "install", "painter.tgz", "--yes"],
    ] {
        let ran = machine.run(args, "");
        assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    }
}

/// Answers a request for a picture.
fn paint(mut stream: TcpStream) {
    let mut head = [0; 1024];
    assert!(stream.read(&mut head).unwrap() > 0);
    stream
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\na picture")
        .unwrap();
}

#[test]
fn an_installed_image_generator_draws_portraits_and_the_built_in_skill_where_it_cannot_be_reached()
{
    let machine = PlayerMachine::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    install_image_generator(&machine, &listener.local_addr().unwrap().to_string());
    let draw = |story: &str| {
        let args = ["run", "--campaign", "last-reading", "--story", story, "--format", "json"];
        machine.run(&args, "what does Agnes look like?\n").stdout
    };
    let painting = thread::spawn(move || paint(listener.accept().unwrap().0));
    let drawn = draw("reached");
    painting.join().unwrap();
    assert!(drawn.contains("a picture"), "{drawn}");
    // Nobody listens any more.
    let drawn = draw("unreached");
    assert!(drawn.contains("image/svg+xml"), "{drawn}");
}
