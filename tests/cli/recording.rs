//! `skill run --record` and `--replay`, and answers that are given beforehand.

use std::fs;

use narratoria_skills::Schema;
use serde_json::{Value, json};

use crate::player_machine::{CommandOutput, PlayerMachine};

fn record(machine: &PlayerMachine) -> Value {
    let text = fs::read_to_string(machine.path().join("run.json")).unwrap();
    let record = serde_json::from_str(&text).unwrap();
    let contract = include_str!("../../contracts/skill-record.schema.json");
    let contract = Schema::build(serde_json::from_str(contract).unwrap()).unwrap();
    assert_eq!(contract.mismatches(&record), [], "{record}");
    record
}

fn change(machine: &PlayerMachine, change: impl FnOnce(&mut Value)) {
    let mut changed = record(machine);
    change(&mut changed);
    machine.write("run.json", changed.to_string());
}

fn replay(machine: &PlayerMachine) -> CommandOutput {
    machine.run(&["skill", "run", "--skills", "skills", "--replay", "run.json"], "")
}

#[test]
fn a_run_can_be_run_again() {
    let machine = PlayerMachine::new();
    let args = ["skill", "run", "dice-roller/roll-dice", "--record", "run.json"];
    let ran = machine.run(&args, r#"{"formula": "2d6+3"}"#);
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    let record = record(&machine);
    assert_eq!(record["given"]["request"]["input"], json!({"formula": "2d6+3"}));
    assert_eq!(record["came"]["lines"].as_array().unwrap().len(), 4);
    let again = replay(&machine);
    let events = |ran: &CommandOutput| ran.stdout.split("used: ").next().unwrap().to_owned();
    assert_eq!((again.exit, events(&again)), (Some(0), events(&ran)), "{}", again.transcript());
    assert!(again.stdout.ends_with("bytes of stdout\nthe same as recorded\n"), "{}", again.stdout);
    assert_eq!(again.stderr, "");
}

/// With a seed and nothing else that changes, the record itself is the same to the byte.
#[test]
fn a_record_with_a_seed_is_the_same_bytes() {
    let text = || {
        let machine = PlayerMachine::new();
        let args = ["skill", "run", "dice-roller/roll-dice", "--seed", "7", "--record", "run.json"];
        assert_eq!(machine.run(&args, r#"{"formula": "2d6+3"}"#).exit, Some(0));
        fs::read_to_string(machine.path().join("run.json")).unwrap()
    };
    assert_eq!(text(), text());
}

#[test]
fn the_first_difference_is_shown() {
    let machine = PlayerMachine::new();
    let args = ["skill", "run", "dice-roller/roll-dice", "--seed", "7", "--record", "run.json"];
    machine.run(&args, r#"{"formula": "1d6"}"#);
    let whole = record(&machine);
    let told = |ran: CommandOutput| {
        assert_eq!(ran.exit, Some(1), "{}", ran.transcript());
        ran.stderr
    };
    change(&machine, |record| record["came"]["lines"][0]["message"] = json!("rolled a seven"));
    insta::assert_snapshot!(told(replay(&machine)), @r#"
    error: line 1 is not as recorded
      recorded: {"version":"0","type":"log","level":"info","message":"rolled a seven"}
      replayed: {"version":"0","type":"log","level":"info","message":"rolled 1d6 for 3 (d6: 3)"}
    "#);
    machine.write("run.json", whole.to_string());
    change(&machine, |record| {
        record["came"]["lines"].as_array_mut().unwrap().pop();
    });
    assert!(
        told(replay(&machine))
            .starts_with("error: line 4 is not as recorded\n  recorded: nothing\n")
    );
    machine.write("run.json", whole.to_string());
    change(&machine, |record| record["came"]["fuelConsumed"] = json!(1));
    assert!(
        told(replay(&machine))
            .starts_with("error: what it cost is not as recorded\n  recorded: 1 fuel, ")
    );
    machine.write("run.json", whole.to_string());
    change(&machine, |record| record["came"]["stderr"] = json!("warned"));
    assert!(
        told(replay(&machine))
            .starts_with("error: stderr is not as recorded\n  recorded: warned\n")
    );
    let args = ["skill", "run", "--replay", "run.json", "--format", "json"];
    let last = machine.run(&args, "").lines().pop().unwrap();
    assert_eq!((&last["same"], &last["difference"]["what"]), (&json!(false), &json!("stderr")));
}

/// Cost depends on the component's build; output does not.
#[test]
fn another_component_is_told() {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    let args = ["skill", "run", "mirror/act", "--skills", "skills", "--record", "run.json"];
    assert_eq!(machine.run(&args, "{}").exit, Some(0));
    change(&machine, |record| {
        record["component"] = json!("0".repeat(64));
        record["came"]["fuelConsumed"] = json!(1);
    });
    let ran = replay(&machine);
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    assert_eq!(ran.stderr, "note: the component is not the one that was recorded\n");
    machine.package("mirror", "fail");
    assert_eq!(replay(&machine).exit, Some(1));
}

#[test]
fn answers_are_given_beforehand_and_recorded() {
    let machine = PlayerMachine::new();
    machine.package("gate", "asks");
    let args = ["skill", "run", "gate/act", "--skills", "skills", "--answer", "Ada"];
    let ran = machine.run(&[&args[..], &["--answer", "peace"]].concat(), "{}");
    assert!(
        ran.stdout.contains(r#"output: {"name":"Ada","wish":"peace"}"#),
        "{}",
        ran.transcript()
    );
    // No answer follows the last one.
    let ran = machine.run(&[&args[..], &["--record", "run.json"]].concat(), "{}");
    assert_eq!(ran.exit, Some(1), "{}", ran.transcript());
    assert!(ran.stdout.contains("NOBODY_ANSWERED"), "{}", ran.transcript());
    let record = record(&machine);
    assert_eq!(
        (&record["given"]["answers"], &record["came"]["ending"]["kind"]),
        (&json!(["Ada"]), &json!("gave_up"))
    );
    // The output is the same, failures included.
    assert_eq!(replay(&machine).exit, Some(0));
}

#[test]
fn a_refusal_is_recorded_too() {
    let machine = PlayerMachine::new();
    machine.package("broken", "trap");
    let args = ["skill", "run", "broken/act", "--skills", "skills", "--record", "run.json"];
    assert_eq!(machine.run(&args, "{}").exit, Some(1));
    assert_eq!(record(&machine)["came"]["ending"]["code"], "TRAP");
    assert_eq!(replay(&machine).exit, Some(0));
}

#[test]
fn no_secret_stands_in_a_record() {
    let machine = PlayerMachine::new();
    machine.package_with("mirror", "uses-grants", json!({"grants": {"env": ["GREETING"]}}));
    let folder = machine.path().join("skills/mirror");
    let schema = json!({"type": "object", "properties": {
        "token": {"type": "string", "secret": true}, "units": {"type": "string"},
    }});
    fs::write(folder.join("config-schema.json"), schema.to_string()).unwrap();
    let own = r#"{"token": "swordfish", "units": "metric"}"#;
    machine.write_settings("skills/mirror", own);
    let args = ["skill", "run", "mirror/act", "--skills", "skills", "--record", "run.json"];
    let with_greeting = |args: &[&str]| {
        let mut command = machine.command(args);
        command.env("GREETING", "under-the-mat");
        assert_cmd::Command::from_std(command)
            .write_stdin(r#"{"said": "swordfish"}"#)
            .output()
            .unwrap()
    };
    let ran = with_greeting(&args);
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    assert!(String::from_utf8(ran.stdout).unwrap().contains("under-the-mat"));
    let text = fs::read_to_string(machine.path().join("run.json")).unwrap();
    assert!(!text.contains("swordfish") && !text.contains("under-the-mat"), "{text}");
    let given = &record(&machine)["given"];
    assert_eq!(given["request"]["input"], json!({"said": "⟦config/token⟧"}));
    assert_eq!(given["request"]["config"], json!({"token": "********", "units": "metric"}));
    assert_eq!((&given["masked"], &given["env"]), (&json!(["token"]), &json!(["GREETING"])));
    let again = with_greeting(&["skill", "run", "--skills", "skills", "--replay", "run.json"]);
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    insta::assert_snapshot!(String::from_utf8(again.stderr).unwrap(), @"note: the record does not hold `token`, the settings of now are used");
    // Without the variable it cannot be the same, and says why.
    let ran = replay(&machine);
    assert_eq!(ran.exit, Some(1), "{}", ran.transcript());
    assert!(ran.stderr.contains("note: the environment variable `GREETING` was set, and is not"));
    fs::remove_file(machine.settings_file("skills/mirror")).unwrap();
    let ran = replay(&machine);
    assert_eq!(ran.exit, Some(2), "{}", ran.transcript());
    assert!(ran.stderr.contains("needs the setting `token`"), "{}", ran.stderr);
}

#[test]
fn what_is_no_record_is_refused() {
    let machine = PlayerMachine::new();
    machine.write("run.json", "{");
    insta::assert_snapshot!(replay(&machine).transcript(), @"
    --- stderr
    error: the record is not JSON: EOF while parsing an object at line 1 column 1
    --- exit 2
    ");
    machine.write("run.json", r#"{"version": 2, "tool": "a/b", "skillVersion": "1.0.0"}"#);
    insta::assert_snapshot!(replay(&machine).transcript(), @r#"
    --- stderr
    error: the record is none that this version knows: "component" is a required property; "given" is a required property; "came" is a required property; /version: 1 was expected
    --- exit 2
    "#);
    let args = ["skill", "run", "--replay", "run.json", "--seed", "7"];
    assert_eq!(machine.run(&args, "").exit, Some(2));
    assert_eq!(machine.run(&["skill", "run", "--replay", "nope.json"], "").exit, Some(3));
}
