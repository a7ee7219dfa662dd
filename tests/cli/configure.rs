//! `skill config`: settings by argument and by the form of a real terminal.

use std::fs;

use serde_json::Value;

use crate::{
    player_machine::PlayerMachine,
    pty::{CTRL_C, PtySession},
};

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
    fs::read_to_string(machine.path().join("skills/sky/config.json")).unwrap_or_default()
}

#[test]
fn settings_are_set_listed_and_taken_away() {
    let machine = machine();
    let config = |args: &[&str]| {
        machine.transcript(&[&["skill", "config", "skills/sky"][..], args].concat(), "")
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
    note: `skills/sky/config.json` is written
    warning: the setting `token` is required and not set
    --- exit 0
    ");
    insta::assert_snapshot!(config(&["--set", "token=s3cret=7", "--set", "units=metric"]), @"
    --- stderr
    note: `skills/sky/config.json` is written
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
    SETTING  VALUE                 FROM         WHAT
    token    ********              config.json  Key of the service
    units    metric                default
    days     5                     config.json  How far it looks.
    towns    ["Bern","Rome, too"]  config.json
    --- stderr
    --- exit 0
    "#);
    insta::assert_snapshot!(config(&["--unset", "days", "--set", "token=${SKY_TOKEN}"]), @"
    --- stderr
    note: `skills/sky/config.json` is written
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
fn a_file_with_secrets_is_closed_to_others() {
    use std::os::unix::fs::PermissionsExt;
    let machine = machine();
    machine.write("skills/sky/config.json", "{}");
    machine.run(&["skill", "config", "skills/sky", "--set", "token=s3cret"], "");
    let found = fs::metadata(machine.path().join("skills/sky/config.json")).unwrap();
    assert_eq!(found.permissions().mode() & 0o777, 0o600);
    let left: Vec<_> = fs::read_dir(machine.path().join("skills/sky")).unwrap().flatten().collect();
    assert!(left.iter().all(|entry| !entry.file_name().to_string_lossy().ends_with(".tmp")));
}

#[test]
fn what_has_no_settings_says_so() {
    let machine = machine();
    insta::assert_snapshot!(machine.transcript(&["skill", "config", "storyteller", "--list"], ""), @"
    --- stderr
    error: the package `storyteller` has no settings: there is no `config-schema.json` in it
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
    terminal.await_text("is not one of");
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
    machine.write("skills/sky/config.json", r#"{"token": "0ld-s3cret", "days": 2}"#);
    let mut terminal = PtySession::start_dumb(&machine, &["skill", "config", "skills/sky"]);
    terminal.answer("token> ", "n3w-s3cret");
    terminal.answer("units> ", "");
    terminal.answer("days> ", "-");
    terminal.answer("towns> ", "");
    let told = terminal.transcript();
    assert!(!told.contains("s3cret"), "{told}");
    insta::assert_snapshot!(told, @r#"
    The sky
    What the sky is asked.
    An empty line keeps what is there, `-` takes it away. `${NAME}` in a text is read from the environment when the skill is loaded. Ctrl-C leaves, and nothing is changed.

    token: Key of the service
      a text, required, secret, not shown
      better not written down: `${SKY_TOKEN}` takes it from the environment
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
    note: `skills/sky/config.json` is written
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
