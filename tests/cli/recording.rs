//! `skill run --record` and `--replay`, and answers that are given beforehand.

use std::fs;

use narratoria_skills::Schema;
use serde_json::{Value, json};

use crate::player_machine::{CommandOutput, PlayerMachine};

fn record(desk: &PlayerMachine) -> Value {
    let text = fs::read_to_string(desk.path().join("run.json")).unwrap();
    let record = serde_json::from_str(&text).unwrap();
    let contract = include_str!("../../contracts/skill-record.schema.json");
    let contract = Schema::build(serde_json::from_str(contract).unwrap()).unwrap();
    assert_eq!(contract.mismatches(&record), [], "{record}");
    record
}

fn change(desk: &PlayerMachine, change: impl FnOnce(&mut Value)) {
    let mut changed = record(desk);
    change(&mut changed);
    desk.write("run.json", changed.to_string());
}

fn replay(desk: &PlayerMachine) -> CommandOutput {
    desk.run(&["skill", "run", "--skills", "skills", "--replay", "run.json"], "")
}

#[test]
fn a_run_can_be_run_again() {
    let desk = PlayerMachine::new();
    let args = ["skill", "run", "dice-roller/roll-dice", "--record", "run.json"];
    let ran = desk.run(&args, r#"{"formula": "2d6+3"}"#);
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    let record = record(&desk);
    assert_eq!(record["given"]["request"]["input"], json!({"formula": "2d6+3"}));
    assert_eq!(record["came"]["lines"].as_array().unwrap().len(), 4);
    let again = replay(&desk);
    let events = |ran: &CommandOutput| ran.stdout.split("used: ").next().unwrap().to_owned();
    assert_eq!((again.exit, events(&again)), (Some(0), events(&ran)), "{}", again.transcript());
    assert!(again.stdout.ends_with("bytes of stdout\nthe same as recorded\n"), "{}", again.stdout);
    assert_eq!(again.stderr, "");
}

/// With a seed and nothing else that changes, the record itself is the same to the byte.
#[test]
fn a_record_with_a_seed_is_the_same_bytes() {
    let text = || {
        let desk = PlayerMachine::new();
        let args = ["skill", "run", "dice-roller/roll-dice", "--seed", "7", "--record", "run.json"];
        assert_eq!(desk.run(&args, r#"{"formula": "2d6+3"}"#).exit, Some(0));
        fs::read_to_string(desk.path().join("run.json")).unwrap()
    };
    assert_eq!(text(), text());
}

#[test]
fn the_first_difference_is_shown() {
    let desk = PlayerMachine::new();
    let args = ["skill", "run", "dice-roller/roll-dice", "--seed", "7", "--record", "run.json"];
    desk.run(&args, r#"{"formula": "1d6"}"#);
    let whole = record(&desk);
    let told = |ran: CommandOutput| {
        assert_eq!(ran.exit, Some(1), "{}", ran.transcript());
        ran.stderr
    };
    change(&desk, |record| record["came"]["lines"][0]["message"] = json!("rolled a seven"));
    insta::assert_snapshot!(told(replay(&desk)), @r#"
    error: line 1 is not as recorded
      recorded: {"version":"0","type":"log","level":"info","message":"rolled a seven"}
      replayed: {"version":"0","type":"log","level":"info","message":"rolled 1d6 for 3 (d6: 3)"}
    "#);
    desk.write("run.json", whole.to_string());
    change(&desk, |record| {
        record["came"]["lines"].as_array_mut().unwrap().pop();
    });
    assert!(
        told(replay(&desk)).starts_with("error: line 4 is not as recorded\n  recorded: nothing\n")
    );
    desk.write("run.json", whole.to_string());
    change(&desk, |record| record["came"]["fuelConsumed"] = json!(1));
    assert!(
        told(replay(&desk))
            .starts_with("error: what it cost is not as recorded\n  recorded: 1 fuel, ")
    );
    desk.write("run.json", whole.to_string());
    change(&desk, |record| record["came"]["stderr"] = json!("warned"));
    assert!(
        told(replay(&desk)).starts_with("error: stderr is not as recorded\n  recorded: warned\n")
    );
    let args = ["skill", "run", "--replay", "run.json", "--format", "json"];
    let last = desk.run(&args, "").lines().pop().unwrap();
    assert_eq!((&last["same"], &last["difference"]["what"]), (&json!(false), &json!("stderr")));
}

/// Cost depends on the component's build; output does not.
#[test]
fn another_component_is_told() {
    let desk = PlayerMachine::new();
    desk.package("mirror", "echo");
    let args = ["skill", "run", "mirror/act", "--skills", "skills", "--record", "run.json"];
    assert_eq!(desk.run(&args, "{}").exit, Some(0));
    change(&desk, |record| {
        record["component"] = json!("0".repeat(64));
        record["came"]["fuelConsumed"] = json!(1);
    });
    let ran = replay(&desk);
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    assert_eq!(ran.stderr, "note: the component is not the one that was recorded\n");
    desk.package("mirror", "fail");
    assert_eq!(replay(&desk).exit, Some(1));
}

#[test]
fn answers_are_given_beforehand_and_recorded() {
    let desk = PlayerMachine::new();
    desk.package("gate", "asks");
    let args = ["skill", "run", "gate/act", "--skills", "skills", "--answer", "Ada"];
    let ran = desk.run(&[&args[..], &["--answer", "peace"]].concat(), "{}");
    assert!(
        ran.stdout.contains(r#"output: {"name":"Ada","wish":"peace"}"#),
        "{}",
        ran.transcript()
    );
    // No answer follows the last one.
    let ran = desk.run(&[&args[..], &["--record", "run.json"]].concat(), "{}");
    assert_eq!(ran.exit, Some(1), "{}", ran.transcript());
    assert!(ran.stdout.contains("NOBODY_ANSWERED"), "{}", ran.transcript());
    let record = record(&desk);
    assert_eq!(
        (&record["given"]["answers"], &record["came"]["ending"]["kind"]),
        (&json!(["Ada"]), &json!("gave_up"))
    );
    // The output is the same, failures included.
    assert_eq!(replay(&desk).exit, Some(0));
}

#[test]
fn a_refusal_is_recorded_too() {
    let desk = PlayerMachine::new();
    desk.package("broken", "trap");
    let args = ["skill", "run", "broken/act", "--skills", "skills", "--record", "run.json"];
    assert_eq!(desk.run(&args, "{}").exit, Some(1));
    assert_eq!(record(&desk)["came"]["ending"]["code"], "TRAP");
    assert_eq!(replay(&desk).exit, Some(0));
}

#[test]
fn no_secret_stands_in_a_record() {
    let desk = PlayerMachine::new();
    desk.package_with("mirror", "uses-grants", json!({"grants": {"env": ["GREETING"]}}));
    let folder = desk.path().join("skills/mirror");
    let schema = json!({"type": "object", "properties": {
        "token": {"type": "string", "secret": true}, "units": {"type": "string"},
    }});
    fs::write(folder.join("config-schema.json"), schema.to_string()).unwrap();
    let config = r#"{"token": "swordfish", "units": "metric"}"#;
    fs::write(folder.join("config.json"), config).unwrap();
    let args = ["skill", "run", "mirror/act", "--skills", "skills", "--record", "run.json"];
    let with_greeting = |args: &[&str]| {
        let mut command = desk.command(args);
        command.env("GREETING", "under-the-mat");
        assert_cmd::Command::from_std(command)
            .write_stdin(r#"{"said": "swordfish"}"#)
            .output()
            .unwrap()
    };
    let ran = with_greeting(&args);
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    assert!(String::from_utf8(ran.stdout).unwrap().contains("under-the-mat"));
    let text = fs::read_to_string(desk.path().join("run.json")).unwrap();
    assert!(!text.contains("swordfish") && !text.contains("under-the-mat"), "{text}");
    let given = &record(&desk)["given"];
    assert_eq!(given["request"]["input"], json!({"said": "⟦config/token⟧"}));
    assert_eq!(given["request"]["config"], json!({"token": "********", "units": "metric"}));
    assert_eq!((&given["masked"], &given["env"]), (&json!(["token"]), &json!(["GREETING"])));
    let again = with_greeting(&["skill", "run", "--skills", "skills", "--replay", "run.json"]);
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    insta::assert_snapshot!(String::from_utf8(again.stderr).unwrap(), @"note: the record does not hold `token`, the settings of now are used");
    // Without the variable it cannot be the same, and says why.
    let ran = replay(&desk);
    assert_eq!(ran.exit, Some(1), "{}", ran.transcript());
    assert!(ran.stderr.contains("note: the environment variable `GREETING` was set, and is not"));
    fs::remove_file(folder.join("config.json")).unwrap();
    let ran = replay(&desk);
    assert_eq!(ran.exit, Some(2), "{}", ran.transcript());
    assert!(ran.stderr.contains("needs the setting `token`"), "{}", ran.stderr);
}

#[test]
fn what_is_no_record_is_refused() {
    let desk = PlayerMachine::new();
    desk.write("run.json", "{");
    insta::assert_snapshot!(replay(&desk).transcript(), @"
    --- stderr
    error: the record is not JSON: EOF while parsing an object at line 1 column 1
    --- exit 2
    ");
    desk.write("run.json", r#"{"version": 2, "tool": "a/b", "skillVersion": "1.0.0"}"#);
    insta::assert_snapshot!(replay(&desk).transcript(), @r#"
    --- stderr
    error: the record is none that this version knows: "component" is a required property; "given" is a required property; "came" is a required property; /version: 1 was expected
    --- exit 2
    "#);
    let args = ["skill", "run", "--replay", "run.json", "--seed", "7"];
    assert_eq!(desk.run(&args, "").exit, Some(2));
    assert_eq!(desk.run(&["skill", "run", "--replay", "nope.json"], "").exit, Some(3));
}
