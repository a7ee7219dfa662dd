//! `skill config`: settings by argument and by the form of a real terminal.

use std::fs;

use serde_json::Value;

use crate::player_machine::PlayerMachine;
use crate::pty::{CTRL_C, PtySession};

const SCHEMA: &str = r#"{
    "title": "The sky", "description": "What the sky is asked.",
    "type": "object", "required": ["token"],
    "properties": {
        "token": {"type": "string", "secret": true, "maxLength": 12, "env": "SKY_TOKEN", "title": "Key of the service"},
        "units": {"type": "string", "enum": ["metric", "imperial"], "default": "metric"},
        "days": {"type": "integer", "minimum": 1, "maximum": 7, "description": "How far it looks."},
        "towns": {"type": "array", "items": {"type": "string", "minLength": 2}}
    }
}"#;

fn machine() -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.package("sky", "echo");
    machine.write("skills/sky/config-schema.json", SCHEMA);
    machine
}

fn kept(machine: &PlayerMachine) -> String {
    fs::read_to_string(machine.settings_file("skills/sky")).unwrap_or_default()
}

/// The text without the digits of the folder's name.
fn steady(text: &str) -> String {
    let digits = regex::Regex::new("sky@[0-9a-f]{16}").unwrap();
    digits.replace_all(text, "sky@[FOLDER]").into_owned()
}

#[test]
fn settings_are_set_listed_and_taken_away() {
    let machine = machine();
    let config = |args: &[&str]| {
        steady(&machine.transcript(&[&["skill", "config", "skills/sky"][..], args].concat(), ""))
    };
    insta::assert_snapshot!(config(&["--list"]), @"
    SETTING  VALUE   FROM       WHAT
    token    -       required!  Key of the service
    units    metric  default
    days     -       not set    How far it looks.
    towns    -       not set
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(config(&["--set", "days=5", "--set", "towns=Bern", "--set", "towns=Rome, too"]), @"
    --- stderr
    note: `[machine]/kept/settings/sky@[FOLDER].json` is written
    warning: the setting `token` is required and not set
    --- exit 0
    ");
    insta::assert_snapshot!(config(&["--set", "token=s3cret=7", "--set", "units=metric"]), @"
    --- stderr
    note: `[machine]/kept/settings/sky@[FOLDER].json` is written
    --- exit 0
    ");
    insta::assert_snapshot!(kept(&machine), @r#"
    {
      "days": 5,
      "towns": [
        "Bern",
        "Rome, too"
      ],
      "token": "s3cret=7"
    }
    "#);
    insta::assert_snapshot!(config(&["--list"]), @r#"
    SETTING  VALUE                 FROM      WHAT
    token    ********              settings  Key of the service
    units    metric                default
    days     5                     settings  How far it looks.
    towns    ["Bern","Rome, too"]  settings
    --- stderr
    --- exit 0
    "#);
    insta::assert_snapshot!(config(&["--unset", "days", "--set", "token=${SKY_TOKEN}"]), @"
    --- stderr
    note: `[machine]/kept/settings/sky@[FOLDER].json` is written
    note: `sky` gets the environment variable `SKY_TOKEN`, in the setting `token`
    warning: the setting `token` reads the environment variable `SKY_TOKEN`, which is not set here
    --- exit 0
    ");
    insta::assert_snapshot!(kept(&machine), @r#"
    {
      "towns": [
        "Bern",
        "Rome, too"
      ],
      "token": "${SKY_TOKEN}"
    }
    "#);
    insta::assert_snapshot!(config(&["--unset", "days"]), @"
    --- stderr
    note: nothing was changed
    warning: the setting `token` reads the environment variable `SKY_TOKEN`, which is not set here
    --- exit 0
    ");
}

#[test]
fn what_is_refused_changes_nothing_and_names_no_secret() {
    let machine = machine();
    let config = |args: &[&str]| {
        let told = machine.transcript(&[&["skill", "config", "skills/sky"][..], args].concat(), "");
        assert!(!told.contains("s3cret"), "{told}");
        assert_eq!(kept(&machine), "");
        told
    };
    insta::assert_snapshot!(config(&["--set", "days=2", "--set", "token=a-s3cret-too-long"]), @"
    --- stderr
    error: the setting `token` cannot be this: the value is longer than 12 characters
    hint: `${SKY_TOKEN}` takes it from the environment variable of that name
    --- exit 2
    ");
    insta::assert_snapshot!(config(&["--set", "tokn=s3cret"]), @"
    --- stderr
    error: there is no setting `tokn`, did you mean `token`?
    hint: there are `token`, `units`, `days`, `towns`
    --- exit 2
    ");
    insta::assert_snapshot!(config(&["--set", "token", "s3cret"]), @"
    --- stderr
    error: there is a word too much on the command line
    hint: a value is written as `--set NAME=VALUE`, in quotes if it has blanks
    --- exit 2
    ");
    insta::assert_snapshot!(config(&["--set", "s3cret"]), @"
    --- stderr
    error: what follows `--set` has no `=`
    hint: a value is written as `--set NAME=VALUE`, in quotes if it has blanks
    --- exit 2
    ");
    insta::assert_snapshot!(config(&["--set", "days=s3cret"]), @"
    --- stderr
    error: the setting `days` must be a whole number, such as `3`
    hint: `${NAME}` works in texts only
    --- exit 2
    ");
    insta::assert_snapshot!(config(&["--set", "towns=[s3cret"]), @r#"
    --- stderr
    error: the setting `towns` must be a list of texts, such as `["a", "b"]`
    hint: repeat `--set towns=ITEM`, or write all of it as a list in JSON
    --- exit 2
    "#);
    insta::assert_snapshot!(config(&["--set", "towns=x"]), @"
    --- stderr
    error: the setting `towns` cannot be this: at /0 the value is shorter than 2 characters
    hint: repeat `--set towns=ITEM`, or write all of it as a list in JSON
    --- exit 2
    ");
    insta::assert_snapshot!(config(&[]), @"
    --- stderr
    error: the form needs a terminal that somebody types at
    hint: without one, `--set NAME=VALUE` and `--unset NAME` change settings, `--list` shows them
    --- exit 2
    ");
}

#[test]
fn programs_see_the_settings_and_no_secret() {
    let machine = machine();
    let set = ["skill", "config", "skills/sky", "--set", "token=s3cret", "--format", "json"];
    let ran = machine.run(&set, "");
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["version"], 1);
    assert_eq!(document["settings"][0]["value"], "********");
    assert_eq!(document["settings"][1]["from"], "default");
    assert!(!ran.transcript().contains("s3cret"), "{}", ran.transcript());
}

#[cfg(unix)]
#[test]
fn settings_are_closed_to_others_and_no_part_of_the_package() {
    use std::os::unix::fs::PermissionsExt;
    let machine = machine();
    machine.run(&["skill", "config", "skills/sky", "--set", "token=s3cret"], "");
    let file = machine.settings_file("skills/sky");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "no draft is left");
    assert!(!machine.path().join("skills/sky/config.json").exists());
}

/// Values that lie in the package may be a stranger's, so the player takes them over by hand or not at all.
#[test]
fn a_config_of_the_package_becomes_the_player_s_only_if_they_agree() {
    let machine = machine();
    let old = r#"{"token": "${SKY_TOKEN}", "days": 2, "tokn": "s3cret"}"#;
    machine.write("skills/sky/config.json", old);
    let config = |args: &[&str]| {
        steady(&machine.transcript(&[&["skill", "config", "skills/sky"][..], args].concat(), ""))
    };
    insta::assert_snapshot!(config(&["--list"]), @"
    SETTING  VALUE   FROM         WHAT
    token    -       required!    Key of the service
    units    metric  default
    days     2       config.json  How far it looks.
    towns    -       not set
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(config(&["--import"]), @r#"
    --- stderr
    config.json: days: 2
    config.json: token: "${SKY_TOKEN}"
    config.json: tokn: no setting of this package
    warning: `token` reads the environment variable `SKY_TOKEN` from then on
    error: the values came with the package, and nobody has agreed to them
    hint: `--yes` makes them your own settings
    --- exit 2
    "#);
    assert_eq!(kept(&machine), "");
    let mut terminal =
        PtySession::start_dumb(&machine, &["skill", "config", "skills/sky", "--import"]);
    terminal.answer("[y/N] ", "no");
    terminal.await_text("nothing was changed");
    assert_eq!(terminal.end(), Some(4));
    assert_eq!(kept(&machine), "");
    insta::assert_snapshot!(config(&["--import", "--yes"]), @r#"
    --- stderr
    config.json: days: 2
    config.json: token: "${SKY_TOKEN}"
    config.json: tokn: no setting of this package
    warning: `token` reads the environment variable `SKY_TOKEN` from then on
    note: `[machine]/kept/settings/sky@[FOLDER].json` is written
    note: `sky` gets the environment variable `SKY_TOKEN`, in the setting `token`
    warning: the setting `token` reads the environment variable `SKY_TOKEN`, which is not set here
    --- exit 0
    "#);
    assert!(kept(&machine).contains("${SKY_TOKEN}"));
    assert!(!machine.path().join("skills/sky/config.json").exists());
    insta::assert_snapshot!(config(&["--import"]), @"
    --- stderr
    note: there is no `config.json` with values that you have not set
    --- exit 0
    ");
}

#[test]
fn a_variable_that_the_player_s_policy_refuses_cannot_be_set() {
    let machine = machine();
    machine.write("kept/config.toml", "[grants]\nenv = [\"LANG\"]\n");
    let set = ["skill", "config", "skills/sky", "--set", "token=${AWS_SECRET}"];
    insta::assert_snapshot!(machine.transcript(&set, ""), @"
    --- stderr
    error: the setting `token` cannot be this: the environment variable `AWS_SECRET` may not be read: line 2 of `[machine]/kept/config.toml` does not allow it (`env` in `[grants]`)
    hint: `${SKY_TOKEN}` takes it from the environment variable of that name
    --- exit 2
    ");
    assert_eq!(kept(&machine), "");
}

#[test]
fn what_has_no_settings_says_so() {
    let machine = machine();
    insta::assert_snapshot!(machine.transcript(&["skill", "config", "dice-roller", "--list"], ""), @"
    --- stderr
    error: the package `dice-roller` has no settings: there is no `config-schema.json` in it
    --- exit 3
    ");
}

#[test]
fn the_form_asks_for_everything_and_never_shows_the_secret() {
    let machine = machine();
    let mut terminal = PtySession::start(&machine, &["skill", "config", "skills/sky"]);
    terminal.await_text("The sky");
    terminal.answer("token> ", "");
    terminal.await_text("is required");
    // Only once the prompt is there is the echo off.
    terminal.answer("token> ", "far-too-long-a-s3cret");
    terminal.await_text("longer than 12 characters");
    terminal.answer("token> ", "s3cret");
    terminal.answer("units> ", "furlongs");
    terminal.await_text("one of \"metric\"");
    terminal.answer("units> ", "2");
    terminal.answer("days> ", "many");
    terminal.await_text("a whole number");
    terminal.answer("days> ", "4");
    terminal.answer("towns> ", "Bern");
    terminal.answer("[1]> ", "Rome");
    terminal.answer("[2]> ", "");
    terminal.await_text("is written");
    let (exit, seen) = terminal.end_seen();
    assert_eq!(exit, Some(0), "{seen}");
    assert!(!seen.contains("s3cret"), "{seen:?}");
    insta::assert_snapshot!(kept(&machine), @r#"
    {
      "token": "s3cret",
      "units": "imperial",
      "days": 4,
      "towns": [
        "Bern",
        "Rome"
      ]
    }
    "#);
}

#[test]
fn a_terminal_that_can_do_nothing_shows_no_secret_either() {
    let machine = machine();
    machine.write_settings("skills/sky", r#"{"token": "0ld-s3cret", "days": 2}"#);
    let mut terminal = PtySession::start_dumb(&machine, &["skill", "config", "skills/sky"]);
    terminal.answer("token> ", "n3w-s3cret");
    terminal.answer("units> ", "");
    terminal.answer("days> ", "-");
    terminal.answer("towns> ", "");
    let told = steady(&terminal.transcript());
    let told = told.replace(&machine.path().display().to_string(), "[machine]");
    assert!(!told.contains("s3cret"), "{told}");
    insta::assert_snapshot!(told, @r#"
    The sky
    What the sky is asked.
    An empty line keeps what is there, `-` takes it away.
      `${NAME}` in a text is read from the environment when the
      skill is loaded. Ctrl-C leaves, and nothing is changed.

    token: Key of the service
      a text, required, secret, not shown
      better not written down: `${SKY_TOKEN}` takes it from the
        environment
      now: ********
    token>

    units
      one of 1. metric 2. imperial
      now: metric (default)
    units>

    days
      How far it looks.
      a whole number, such as `3`, at least 1, at most 7
      now: 2
    days> -

    towns
      a list of texts, such as `["a", "b"]`
      now: not set
    towns>
    note:
      `[machine]/kept/settings/sky@[FOLDER].json`
      is written
    --- exit 0
    "#);
    insta::assert_snapshot!(kept(&machine), @r#"
    {
      "token": "n3w-s3cret"
    }
    "#);
}

#[test]
fn ctrl_c_leaves_everything_as_it_was() {
    let machine = machine();
    for secret_first in [false, true] {
        let mut terminal = PtySession::start(&machine, &["skill", "config", "skills/sky"]);
        terminal.await_text("token> ");
        if secret_first {
            terminal.press("s3cret\r");
            terminal.await_text("units> ");
        }
        terminal.press(CTRL_C);
        terminal.await_text("nothing was changed");
        assert_eq!(terminal.end(), Some(130));
        assert_eq!(kept(&machine), "");
    }
}
