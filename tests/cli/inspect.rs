//! `skill inspect`.

use std::fs;

use narratoria_skills::Schema;
use serde_json::{Value, json};

use crate::player_machine::PlayerMachine;

/// Removes the parts that change with each build or compiler.
fn steady(text: &str) -> String {
    let replaced = |text: &str, pattern: &str, with: &str| {
        regex::Regex::new(pattern).unwrap().replace_all(text, with).into_owned()
    };
    let text = replaced(text, r"\b[0-9a-f]{64}\b", "[DIGEST]");
    let text = replaced(&text, r"(?m)^(  bytes +)\d+$", "$1[BYTES]");
    let text = replaced(&text, r"\d+ core modules?, \d+ functions, \d+ tables?", "[PARTS]");
    let text = replaced(&text, r" {2,}\d+ +[0-9.]+ ms +\d+ KiB +\d+ bytes", "  [COST]");
    let text =
        replaced(&text, r"(?m)^  imports +wasi:.*\n( {12}wasi:.*\n)*", "  imports   [WASI]\n");
    let text = replaced(&text, r"(?m)^(  exports +wasi:cli/run@0\.2)\.\d+$", "$1");
    let text = replaced(&text, r"\d+ [KM]iB at first", "[SIZE] at first");
    replaced(&text, r"FUEL +TIME +MEMORY +STDOUT +RESULT", "[COST] RESULT")
}

#[test]
fn a_built_in_skill_shows_what_it_is_and_what_its_examples_cost() {
    let machine = PlayerMachine::new();
    insta::assert_snapshot!(steady(&machine.transcript(&["skill", "inspect", "dice-roller"], "")), @"
    dice-roller 0.1.0
      does      Rolls dice for anything whose outcome is uncertain.
      licence   MIT OR Apache-2.0
      author    Narratoria
      from      built-in
      asks      writes `/dice` of the story's state

    script roll-dice (scripts/roll-dice.wasm)
      bytes     [BYTES]
      sha256    [DIGEST]
      made of   [PARTS]
      memory    [SIZE] at first, no ceiling of its own
      imports   [WASI]
      exports   wasi:cli/run@0.2
      schemas   input 1126 bytes, output 1050 bytes
      grants    none, and none needed
      LIMIT    HOLDS      DEFAULT      AT MOST
      fuel     100000000  20000000000  1000000000000
      memory   16 MiB     64 MiB       1024 MiB
      stdout   64 KiB     4 MiB        64 MiB
      timeout  5000 ms    30000 ms     300000 ms

    EXAMPLE                                 SCRIPT     [COST] RESULT
    examples/ability-score.json             roll-dice  [COST]  ok
    examples/damage.json                    roll-dice  [COST]  ok
    examples/persuade-with-a-modifier.json  roll-dice  [COST]  ok
    examples/pick-the-lock.json             roll-dice  [COST]  ok
    examples/sneak-with-advantage.json      roll-dice  [COST]  ok
    examples/too-many-dice.json             roll-dice  [COST]  ok
    --- stderr
    --- exit 0
    ");
}

/// It keeps its contract.
#[track_caller]
fn fits(document: &Value) {
    let contract = include_str!("../../contracts/skill-inspection.schema.json");
    let contract = Schema::build(serde_json::from_str(contract).unwrap()).unwrap();
    assert_eq!(contract.mismatches(document), [], "{document}");
}

#[test]
fn programs_get_a_document_with_a_version() {
    let machine = PlayerMachine::new();
    let ran = machine.run(&["skill", "inspect", "dice-roller", "--format", "json"], "");
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    fits(&document);
    assert_eq!((&document["version"], &document["name"]), (&json!(1), &json!("dice-roller")));
    let script = &document["scripts"][0];
    assert_eq!(script["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(script["grants"]["http"], json!({"granted": false, "names": [], "use": null}));
    assert_eq!(script["limits"]["timeout"]["ceiling"], 300_000);
    let imports = script["component"]["imports"]["listed"].as_array().unwrap();
    assert!(imports.iter().any(|import| import.as_str().unwrap().starts_with("wasi:cli/stdout")));
    for example in document["examples"].as_array().unwrap() {
        assert_eq!(example["result"], "ok", "{example}");
        assert!(example["usage"]["fuelConsumed"].as_u64().unwrap() > 0);
    }
    assert_eq!(document["settings"], Value::Null);
}

#[test]
fn grants_that_are_missing_or_not_used_are_told_and_nothing_need_run_for_it() {
    let machine = PlayerMachine::new();
    machine.package("keeper", "keeps");
    machine.package_with("mirror", "echo", json!({"grants": {"llm": true, "env": ["LANG"]}}));
    let grants = |skill: &str| {
        let path = format!("skills/{skill}");
        let told = machine.transcript(&["skill", "inspect", &path, "--no-run"], "");
        let from = told.find("  GRANT").unwrap();
        told[from..]
            .lines()
            .take_while(|line| !line.contains("LIMIT"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    insta::assert_snapshot!(grants("keeper"), @"
    GRANT  GRANTED  USE
    store  no       needed and not granted: it will be refused
    ");
    insta::assert_snapshot!(grants("mirror"), @"
    GRANT  GRANTED  USE
    llm    yes      not used: nothing is imported for it
    env    LANG     may be used, most programs import it
    ");
}

/// The same list as before an installation.
#[test]
fn everything_that_a_package_asks_for_stands_in_one_list() {
    let machine = PlayerMachine::new();
    machine.package_with("sky", "echo", json!({"reads": ["/place"], "grants": {"env": ["LANG"]}}));
    let schema = json!({"type": "object", "properties": {
        "token": {"type": "string", "secret": true, "env": "SKY_TOKEN"},
        "town": {"type": "string", "env": "SKY_TOWN", "default": "${HOME}"},
    }});
    machine.write("skills/sky/config-schema.json", schema.to_string());
    machine.write_settings("skills/sky", r#"{"token": "${SKY_TOKEN}"}"#);
    let ran = machine.run(&["skill", "inspect", "skills/sky", "--no-run"], "");
    let asks: Vec<&str> = ran.stdout.lines().skip_while(|line| !line.contains("  asks ")).collect();
    let asks: Vec<&str> = asks.into_iter().take_while(|line| !line.is_empty()).collect();
    insta::assert_snapshot!(asks.join("\n"), @"
    asks      reads the environment variable `LANG` (grant `env`)
              reads `/place` of the story's state
              gets your secret setting `token`
              gets the environment variable `SKY_TOKEN`, which your settings name
              its setting `town` may be taken from the environment variable `SKY_TOWN`, if you set `${SKY_TOWN}`
    ");
    let told = "config-schema.json: /properties/town/default: `${…}` stays the text that it is";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    assert!(ran.stderr.contains("variable `SKY_TOKEN` is not set"), "{}", ran.stderr);
    let ran = machine.run(&["skill", "inspect", "skills/sky", "--no-run", "--format", "json"], "");
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    fits(&document);
    assert_eq!(document["asksFor"][1], json!({"kind": "reads", "what": "/place"}));
    assert_eq!(document["settings"][0]["from"], "settings");
}

#[test]
fn a_package_that_cannot_run_is_shown_all_the_same() {
    let machine = PlayerMachine::new();
    machine.package("keeper", "keeps");
    let folder = machine.path().join("skills/keeper");
    fs::create_dir(folder.join("examples")).unwrap();
    fs::write(folder.join("examples/a.json"), r#"{"script": "act", "input": {}, "expect": {}}"#)
        .unwrap();
    let ran = machine.run(&["skill", "inspect", "keeper", "--skills", "skills"], "");
    insta::assert_snapshot!(format!("{}exit {:?}", ran.stderr, ran.exit), @r#"
    warning: the examples are not run: scripts/act.wasm imports `narratoria:host/store@0.1.0`, which its manifest does not grant; `skill.json` would need "grants": {"store": true}
    exit Some(0)
    "#);
    assert!(ran.stdout.contains("not run"), "{}", ran.stdout);
    let told = machine.run(&["skill", "inspect", "skills/keeper", "--format", "json"], "");
    let document: Value = serde_json::from_str(&told.stdout).unwrap();
    fits(&document);
    assert_eq!(document["scripts"][0]["grants"]["store"]["use"], "missing");
    assert_eq!(document["examples"][0]["result"], Value::Null);
    // Cut short: the loader looks at the first bytes only, the parser at all of them.
    let component = fs::read(folder.join("scripts/act.wasm")).unwrap();
    fs::write(folder.join("scripts/act.wasm"), &component[..component.len() / 2]).unwrap();
    let ran = machine.run(&["skill", "inspect", "./skills/keeper", "--no-run"], "");
    assert!(ran.stdout.contains("  broken    unexpected end-of-file"), "{}", ran.stdout);
}

#[test]
fn strangers_text_does_not_reach_the_terminal_as_it_is() {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    let path = machine.path().join("skills/mirror/skill.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    manifest["description"] = json!("Shows\u{1b}[2J\u{202e}all.");
    manifest["license"] = json!("MIT\u{7}");
    fs::write(&path, manifest.to_string()).unwrap();
    let ran = machine.run(&["skill", "inspect", "skills/mirror"], "");
    assert!(ran.stdout.contains(r"does      Shows\u{1b}[2J\u{202e}all."), "{}", ran.stdout);
    assert!(!ran.stdout.contains(|c: char| c.is_control() && c != '\n'), "{:?}", ran.stdout);
}

#[test]
fn what_is_not_there_or_broken_is_told() {
    let machine = PlayerMachine::new();
    machine.package("bad", "echo");
    fs::write(machine.path().join("skills/bad/skill.json"), "{").unwrap();
    insta::assert_snapshot!(machine.transcript(&["skill", "inspect", "skills/bad"], ""), @"
    --- stderr
    error: package `bad`: skill.json: is not JSON: EOF while parsing an object at line 1 column 1
    --- exit 2
    ");
    insta::assert_snapshot!(machine.transcript(&["skill", "inspect", "./nowhere"], ""), @"
    --- stderr
    error: the package `./nowhere` does not exist
    --- exit 3
    ");
    insta::assert_snapshot!(machine.transcript(&["skill", "inspect", "dice-rolle"], ""), @"
    --- stderr
    error: there is no skill `dice-rolle`
    hint: did you mean `dice-roller`?
    hint: a folder is written with a slash: `./dice-rolle`
    --- exit 3
    ");
}
