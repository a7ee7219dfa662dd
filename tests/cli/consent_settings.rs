//! What becomes of a player's settings when a package is upgraded or removed.

use std::fs;

use serde_json::{Value, json};

use crate::cli::consent::pack;
use crate::player_machine::PlayerMachine;

/// A value that was given as a secret is still there: it is asked for again, whether the new version lists it or not.
#[test]
fn an_upgrade_that_gets_a_secret_and_no_longer_keeps_it_secret_asks() {
    let machine = PlayerMachine::new();
    machine.package("sky", "echo");
    let schema = |settings: Value| json!({"type": "object", "properties": settings}).to_string();
    let secret = json!({"token": {"type": "string", "secret": true}});
    machine.write("skills/sky/config-schema.json", schema(secret));
    pack(&machine, "sky", "0.1.0", json!({}), json!({}));
    let install = ["skill", "install", "sky.tgz", "--yes", "--set", "token=t"];
    let first = machine.run(&install, "");
    assert_eq!(first.exit, Some(0), "{}", first.transcript());
    for settings in [json!({"token": {"type": "string"}}), json!({})] {
        machine.write("skills/sky/config-schema.json", schema(settings));
        pack(&machine, "sky", "0.2.0", json!({}), json!({}));
        insta::allow_duplicates! {
            insta::assert_snapshot!(machine.transcript(&["skill", "install", "sky.tgz"], ""), @"
            --- stderr
            sky 0.2.0 in place of 0.1.0 asks for more than before:
              + gets your setting `token`, and keeps it secret no longer
            error: sky 0.2.0 in place of 0.1.0 is not installed: nobody has agreed to what it asks for
            hint: `--yes` agrees to all of it; a terminal asks
            --- exit 2
            ");
        }
    }
}

/// A version without settings in between does not make a secret public.
#[test]
fn a_setting_that_was_given_to_an_earlier_version_is_asked_for_again() {
    let machine = PlayerMachine::new();
    machine.package("sky", "echo");
    let schema = |settings: Value| json!({"type": "object", "properties": settings}).to_string();
    machine.write(
        "skills/sky/config-schema.json",
        schema(json!({"token": {"type": "string", "secret": true}})),
    );
    pack(&machine, "sky", "0.1.0", json!({}), json!({}));
    let first = machine.run(&["skill", "install", "sky.tgz", "--yes", "--set", "token=t"], "");
    assert_eq!(first.exit, Some(0), "{}", first.transcript());
    fs::remove_file(machine.path().join("skills/sky/config-schema.json")).unwrap();
    pack(&machine, "sky", "0.2.0", json!({}), json!({}));
    let second = machine.run(&["skill", "install", "sky.tgz", "--yes"], "");
    assert_eq!(second.exit, Some(0), "{}", second.transcript());
    machine.write("skills/sky/config-schema.json", schema(json!({"token": {"type": "string"}})));
    pack(&machine, "sky", "0.3.0", json!({}), json!({}));
    insta::assert_snapshot!(machine.transcript(&["skill", "install", "sky.tgz"], ""), @"
    --- stderr
    sky 0.3.0 in place of 0.2.0 asks for more than before:
      + gets your setting `token`, which you gave to an earlier version
    error: sky 0.3.0 in place of 0.2.0 is not installed: nobody has agreed to what it asks for
    hint: `--yes` agrees to all of it; a terminal asks
    --- exit 2
    ");
}

/// The script gets it, so the player sees that it is there, and not what it is.
#[test]
fn a_value_that_the_config_schema_no_longer_lists_is_listed_without_its_text() {
    let machine = PlayerMachine::new();
    machine.package("sky", "echo");
    let schema = |name: &str| {
        json!({"type": "object", "properties": {name: {"type": "string"}}}).to_string()
    };
    machine.write("skills/sky/config-schema.json", schema("token"));
    let set = ["skill", "config", "skills/sky", "--set", "token=hunter2"];
    assert_eq!(machine.run(&set, "").exit, Some(0));
    machine.write("skills/sky/config-schema.json", schema("town"));
    let listed = machine.run(&["skill", "config", "skills/sky", "--list"], "").stdout;
    assert!(!listed.contains("hunter2"), "{listed}");
    let row = listed.lines().find(|line| line.starts_with("token ")).unwrap_or_default();
    assert!(row.contains("********") && row.contains("not in the config schema"), "{listed}");
}

#[test]
fn removing_a_package_removes_its_settings() {
    let machine = PlayerMachine::new();
    machine.package("sky", "echo");
    let schema = json!({"type": "object", "properties": {"town": {"type": "string"}}});
    machine.write("skills/sky/config-schema.json", schema.to_string());
    pack(&machine, "sky", "0.1.0", json!({}), json!({}));
    machine.run(&["skill", "install", "sky.tgz", "--set", "town=Bern"], "");
    insta::assert_snapshot!(machine.transcript(&["skill", "remove", "sky"], ""), @"
    sky removed
    --- stderr
    note: your settings of it are removed too
    --- exit 0
    ");
    assert!(!machine.settings_file("kept/skills/sky").exists());
}
