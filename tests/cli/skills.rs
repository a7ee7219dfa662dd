//! `skill list`, `skill run`, and what `--skills` changes.

use std::fs;

use serde_json::{Value, json};

use crate::player_machine::PlayerMachine;

#[test]
fn the_built_in_skills_are_listed() {
    let machine = PlayerMachine::new();
    insta::assert_snapshot!(machine.transcript(&["skill", "list"], ""), @"
    NAME                 VERSION  FROM      SCRIPTS                                                  DESCRIPTION
    character            0.1.0    built-in  generate                                                 Brings new people into the story, each with a name, a role, traits and goals.
    character-portraits  0.1.0    built-in  generate-portrait, lookup-portrait                       Draws portraits of the people in the story, and finds them again.
    dice-roller          0.1.0    built-in  roll-dice                                                Rolls dice for anything whose outcome is uncertain.
    location             0.1.0    built-in  generate                                                 Brings new places into the story, each with a description, an atmosphere and features.
    memory               0.1.0    built-in  remember, search, pin, forget                            Remembers what matters for the story, and finds it again by its words.
    npc-perception       0.1.0    built-in  query-perception, update-perception                      What each person of the story thinks of the player and remembers, and what that does to a roll.
    player-choices       0.1.0    built-in  generate-choices                                         Offers the player three to five things to do next.
    plot                 0.1.0    built-in  open, resolve, list, advance, choose, hint, journal      Tells the storylets of a campaign when their conditions hold, and keeps the open threads of the story until they are paid off.
    relationship         0.1.0    built-in  create, update, query                                    Keeps what the people of the story are to each other: type, status, intensity, both perspectives, history.
    reputation           0.1.0    built-in  query-reputation, update-reputation                      What the factions of the story think of the player, and what that opens and closes.
    storyteller          0.1.0    built-in  narrate                                                  Tells what happens next in a few sentences, from the player's words, the dice and the story so far.
    world                0.1.0    built-in  create, understand, read, describe, recall, act, change  The places, things and people of the story: reads a sentence into actions over what is there, and applies them.
    --- stderr
    --- exit 0
    ");
    let ran = machine.run(&["skill", "list", "--format", "json"], "");
    let skills: Value = serde_json::from_str(&ran.stdout).unwrap();
    let skills = skills.as_array().unwrap();
    let dice = skills.iter().find(|skill| skill["name"] == "dice-roller").unwrap();
    assert_eq!(dice["scripts"][0]["toolPath"], "dice-roller/roll-dice");
    assert_eq!(dice["scripts"][0]["inputSchema"]["required"], json!(["formula"]));
}

#[test]
fn a_script_runs_alone() {
    let machine = PlayerMachine::new();
    let args = ["skill", "run", "dice-roller/roll-dice", "--seed", "7"];
    let ran = machine.run(&args, r#"{"formula": "2d6+3"}"#);
    let used = regex::Regex::new(r"used: .*").unwrap();
    insta::assert_snapshot!(used.replace(&ran.transcript(), "used: [USAGE]"), @r#"
    info: rolled 2d6+3 for 7 (d6: 3, d6: 1)
    ui_event: dice_roll {"dice":[{"kept":true,"sides":6,"value":3},{"kept":true,"sides":6,"value":1}],"formula":"2d6+3","maximum":15,"minimum":5,"mode":"normal","modifier":3,"total":7}
    state_patch: {"dice":{"last":{"formula":"2d6+3","kept":[3,1],"maximum":15,"minimum":5,"mode":"normal","modifier":3,"rolls":[3,1],"total":7}}}
    done: ok, rolled 2d6+3 for 7
    output: {"formula":"2d6+3","rolls":[3,1],"kept":[3,1],"modifier":3,"total":7,"minimum":5,"maximum":15,"mode":"normal"}
    used: [USAGE]
    --- stderr
    --- exit 0
    "#);
    let ran = machine.run(&[&args[..], &["--format", "json"]].concat(), r#"{"formula": "2d6+3"}"#);
    let lines = ran.lines();
    let types: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["log", "ui_event", "state_patch", "done", "invocation"]);
    assert_eq!(lines[4]["ok"], true);
    assert!(lines[4]["usage"]["fuelConsumed"].as_u64().unwrap() > 0);
}

#[test]
fn input_that_does_not_fit_is_refused_before_anything_runs() {
    let machine = PlayerMachine::new();
    let run = ["skill", "run", "dice-roller/roll-dice"];
    insta::assert_snapshot!(machine.transcript(&run, r#"{"formula": 7}"#), @r#"
    --- stderr
    error: the input does not fit `dice-roller/roll-dice`: /formula: 7 is not of type "string"
    hint: `narratoria skill list --format json` shows each script's input schema
    --- exit 2
    "#);
    insta::assert_snapshot!(machine.transcript(&run, "[]"), @r"
    --- stderr
    error: the input on stdin must be a JSON object, it is an array
    hint: the smallest one is `{}`
    --- exit 2
    ");
    insta::assert_snapshot!(machine.transcript(&run, ""), @r"
    --- stderr
    error: the input on stdin is empty, it must hold JSON
    hint: the smallest one is `{}`
    --- exit 2
    ");
}

#[test]
fn a_script_that_is_not_there_is_exit_3() {
    let machine = PlayerMachine::new();
    insta::assert_snapshot!(machine.transcript(&["skill", "run", "dice-rolle/roll-dice"], "{}"), @"
    --- stderr
    error: there is no skill `dice-rolle`
    hint: did you mean `dice-roller`?
    --- exit 3
    ");
    insta::assert_snapshot!(machine.transcript(&["skill", "run", "dice-roller/throw"], "{}"), @"
    --- stderr
    error: skill `dice-roller` has no script `throw`
    hint: it has `roll-dice`
    --- exit 3
    ");
    insta::assert_snapshot!(machine.transcript(&["skill", "run", "dice"], "{}"), @"
    --- stderr
    error: `dice` is not a tool path
    hint: write it as `<skill>/<script>`, for example `dice-roller/roll-dice`
    --- exit 2
    ");
}

#[test]
fn a_script_that_fails_is_exit_1() {
    let machine = PlayerMachine::new();
    machine.package("unlucky", "fail");
    machine.package("broken", "trap");
    let used = regex::Regex::new(r"used: .*").unwrap();
    let told = |script: &str, input: &str| {
        let told = machine.transcript(&["skill", "run", script, "--skills", "skills"], input);
        used.replace(&told, "used: [USAGE]").into_owned()
    };
    insta::assert_snapshot!(told("unlucky/act", r#"{"code": "JAMMED", "message": "it is jammed"}"#), @"
    error: it is jammed (JAMMED)
    done: not ok
    used: [USAGE]
    --- stderr
    --- exit 1
    ");
    insta::assert_snapshot!(told("broken/act", "{}"), @"
    used: [USAGE]
    --- stderr
    error: the script trapped: wasm `unreachable` instruction executed (TRAP)
    --- exit 1
    ");
}

#[test]
fn a_script_sees_the_state_and_the_inputs_of_the_files() {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    machine.write("inputs.json", r#"{"before": {"total": 4}}"#);
    let args = [
        "skill",
        "run",
        "mirror/act",
        "--skills",
        "skills",
        "--inputs",
        "inputs.json",
        "--seed",
        "7",
        "--format",
        "json",
    ];
    let ran = machine.run(&args, r#"{"a": [1, "é"]}"#);
    let lines = ran.lines();
    let done = lines.iter().find(|line| line["type"] == "done").unwrap();
    assert_eq!(
        (&done["output"]["input"], &done["output"]["inputs"], &done["output"]["seed"]),
        (&json!({"a": [1, "é"]}), &json!({"before": {"total": 4}}), &json!(7))
    );
}

#[test]
fn a_package_with_the_name_of_a_built_in_skill_is_not_used_without_an_agreement() {
    let machine = PlayerMachine::new();
    machine.package("dice-roller", "echo");
    let guide = "---\nname: storyteller\ndescription: A guide.\n---\nSay nothing.\n";
    fs::create_dir(machine.path().join("skills/storyteller")).unwrap();
    machine.write("skills/storyteller/SKILL.md", guide);
    let ran = machine.run(&["skill", "list", "--skills", "skills"], "");
    assert_eq!(ran.exit, Some(0));
    for name in ["dice-roller ", "storyteller "] {
        let row = ran.stdout.lines().find(|line| line.starts_with(name)).unwrap();
        assert_eq!(row.split_whitespace().nth(2), Some("built-in"), "{row}");
    }
    insta::assert_snapshot!(ran.stderr, @"
    note: package `dice-roller`: `skills/dice-roller` is not used: a package takes the place of a built-in skill only if you agree to that; `narratoria skill install` asks
    note: package `storyteller`: `skills/storyteller` is not used: a package takes the place of a built-in skill only if you agree to that; `narratoria skill install` asks
    ");
    let rolled = machine.run(&["run", "--skills", "skills"], "I roll 2d6\n");
    assert!(rolled.stdout.contains("2d6"), "{}", rolled.transcript());
}

#[test]
fn a_broken_package_is_told_and_stops_nobody() {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    machine.package("bad", "echo");
    fs::write(machine.path().join("skills/bad/skill.json"), "{").unwrap();
    let ran = machine.run(&["skill", "list", "--skills", "skills"], "");
    assert_eq!(ran.exit, Some(0));
    assert!(ran.stderr.contains("warning: package `bad`: skill.json: "), "{}", ran.stderr);
    assert!(ran.stdout.contains("mirror") && !ran.stdout.contains("bad"), "{}", ran.stdout);
}

#[test]
fn a_skills_folder_that_is_not_there_is_exit_3() {
    insta::assert_snapshot!(PlayerMachine::new().transcript(&["skill", "list", "--skills", "no"], ""), @"
    --- stderr
    error: the skills folder `no` does not exist
    hint: `--skills` takes a folder whose folders are skill packages
    --- exit 3
    ");
}

/// A stranger's package is checked without a network, also where its manifest asks for one.
#[test]
fn neither_a_check_nor_a_test_reaches_a_host() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let machine = PlayerMachine::new();
    machine.package_with("web", "fetches", json!({"grants": {"http": [host.clone()]}}));
    let folder = machine.path().join("skills/web");
    fs::create_dir(folder.join("examples")).unwrap();
    let example = json!({
        "script": "act", "input": {"url": format!("http://{host}/")}, "expect": {"ok": true},
    });
    fs::write(folder.join("examples/a.json"), example.to_string()).unwrap();
    for command in ["check", "test"] {
        let ran = machine.run(&["skill", command, "skills/web"], "");
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains("the host does not answer"), "{command} ran no request: {said}");
        let reached = listener.accept().map(|_| ());
        assert_eq!(reached.unwrap_err().kind(), std::io::ErrorKind::WouldBlock, "{command}");
    }
}
