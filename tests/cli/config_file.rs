//! `narratoria config`: the settings of `config.toml` by argument and in an editor.

use std::{fs, os::unix::fs::PermissionsExt};

use narratoria_skills::Schema;
use serde_json::{Value, json};

use crate::player_machine::PlayerMachine;
use crate::pty::PtySession;

const KEPT: &str =
    "# mine\n[plan]   # turns\nslots = 2 # two cores\n\n[packages]\nnames = [\"weather\"]\n";

fn machine(text: &str) -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.write("kept/config.toml", text);
    machine
}

fn config(machine: &PlayerMachine, args: &[&str]) -> String {
    machine.transcript(&[&["config"][..], args].concat(), "")
}

fn kept(machine: &PlayerMachine) -> String {
    fs::read_to_string(machine.path().join("kept/config.toml")).unwrap_or_default()
}

#[test]
fn a_setting_is_written_read_and_taken_out_and_the_rest_of_the_file_stays() {
    let machine = machine(KEPT);
    insta::assert_snapshot!(config(&machine, &["path"]), @"
    [machine]/kept/config.toml
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(config(&machine, &["set", "plan.slots", "4"]), @"
    --- stderr
    note: `[machine]/kept/config.toml` is written
    --- exit 0
    ");
    assert_eq!(kept(&machine), KEPT.replace("= 2 #", "= 4 #"));
    insta::assert_snapshot!(config(&machine, &["get", "plan.slots"]), @"
    4
    --- stderr
    --- exit 0
    ");
    config(&machine, &["set", "packages.names", "weather", "acme-*"]);
    config(&machine, &["set", "grants.http", "off"]);
    let expect =
        KEPT.replace("= 2 #", "= 4 #").replace("[\"weather\"]", "[\"weather\", \"acme-*\"]");
    assert_eq!(kept(&machine), format!("{expect}\n[grants]\nhttp = false\n"));
    insta::assert_snapshot!(config(&machine, &["get", "packages.names"]), @"
    weather
    acme-*
    --- stderr
    --- exit 0
    ");
    config(&machine, &["unset", "grants.http"]);
    assert_eq!(kept(&machine), format!("{expect}\n[grants]\n"));
    insta::assert_snapshot!(config(&machine, &["unset", "grants.http"]), @"
    --- stderr
    note: nothing was changed
    --- exit 0
    ");
    insta::assert_snapshot!(config(&machine, &["get", "limits.fuel"]), @"
    --- stderr
    note: `limits.fuel` is not set: that of each script
    --- exit 0
    ");
}

#[test]
fn the_first_setting_makes_the_file_and_a_later_one_keeps_its_permissions() {
    let machine = PlayerMachine::new();
    config(&machine, &["set", "story.campaign", "last-reading"]);
    assert_eq!(kept(&machine), "[story]\ncampaign = \"last-reading\"\n");
    let path = machine.path().join("kept/config.toml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    config(&machine, &["set", "plan.early", "false"]);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    let left: Vec<_> = fs::read_dir(machine.path().join("kept"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| name.to_string_lossy().ends_with(".tmp"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn what_is_refused_names_what_would_do_and_changes_nothing() {
    let machine = machine(KEPT);
    let refused = |args: &[&str]| {
        let told = config(&machine, args);
        assert_eq!(kept(&machine), KEPT, "{told}");
        told
    };
    insta::assert_snapshot!(refused(&["set", "plan.slot", "4"]), @"
    --- stderr
    error: there is no setting `plan.slot`
    hint: did you mean `plan.slots`?
    --- exit 3
    ");
    insta::assert_snapshot!(refused(&["get", "colour"]), @"
    --- stderr
    error: there is no setting `colour`
    hint: `narratoria config show` lists them
    --- exit 3
    ");
    insta::assert_snapshot!(refused(&["set", "plan.slots", "0"]), @"
    --- stderr
    error: `plan.slots` cannot be `0`, it takes a whole number from 1 to 128
    --- exit 2
    ");
    insta::assert_snapshot!(refused(&["set", "limits.fuel", "-1"]), @"
    --- stderr
    error: `limits.fuel` cannot be `-1`, it takes a whole number of at least 1
    --- exit 2
    ");
    insta::assert_snapshot!(refused(&["set", "plan.early", "maybe"]), @"
    --- stderr
    error: `plan.early` cannot be `maybe`, it takes `true` or `false`
    --- exit 2
    ");
    insta::assert_snapshot!(refused(&["set", "plan.slots", "2", "3"]), @"
    --- stderr
    error: `plan.slots` cannot be `2 3`, it takes a whole number from 1 to 128
    --- exit 2
    ");
    insta::assert_snapshot!(refused(&["set", "plan.attempts", "6"]), @"
    --- stderr
    error: `plan-attempts` is 6, and S0 FR-023 allows 5 at most
    hint: `narratoria run --plan-beyond-s0 on` allows more, and the turn then leaves what S0 asks
    --- exit 2
    ");
}

#[cfg(feature = "llama")]
#[test]
fn a_wrong_name_of_a_model_has_the_nearest_one() {
    let told = config(&machine(""), &["set", "model.use", "phi"]);
    assert!(told.contains("error: `model.use` cannot be `phi`, it takes `owner/repo/file.gguf`"));
    assert!(told.ends_with("hint: did you mean `phi-3.5-mini`?\n--- exit 2"), "{told}");
}

#[test]
fn a_file_with_another_fault_is_not_changed_and_one_with_this_fault_is_put_right() {
    let wrong = "[plan]\nslots = 0\n\n[modl]\n";
    let machine = machine(wrong);
    insta::assert_snapshot!(config(&machine, &["set", "plan.slots", "2"]), @"
    --- stderr
    error: the configuration `[machine]/kept/config.toml`, line 4: there is no key `modl`
    hint: did you mean `model`?
    hint: `narratoria config edit` opens it in your editor
    --- exit 2
    ");
    assert_eq!(kept(&machine), wrong);
    machine.write("kept/config.toml", "[plan]\nslots = 0\n");
    assert!(config(&machine, &["show"]).ends_with("--- exit 2"));
    assert!(config(&machine, &["set", "plan.slots", "2"]).ends_with("--- exit 0"));
    assert_eq!(kept(&machine), "[plan]\nslots = 2\n");
}

#[test]
fn each_value_is_shown_with_where_it_comes_from() {
    let machine = machine(KEPT);
    let mut command = machine.command(&["config", "show", "--origin", "--plan-early", "off"]);
    let told = command.env("NARRATORIA_PLAN_ATTEMPTS", "3").output().unwrap();
    assert!(told.status.success(), "{told:?}");
    let told = String::from_utf8(told.stdout).unwrap();
    let of = |name: &str| {
        let line = told.lines().find(|line| line.split_whitespace().next() == Some(name));
        let words: Vec<&str> =
            line.unwrap_or_else(|| panic!("{told}")).split_whitespace().collect();
        words.join(" ")
    };
    let names = [
        "SETTING",
        "plan.slots",
        "plan.attempts",
        "plan.early",
        "plan.repair",
        "packages.names",
        "story.premise",
        "limits.fuel",
    ];
    insta::assert_snapshot!(names.map(of).join("\n"), @"
    SETTING FROM VALUE
    plan.slots file: line 3 2
    plan.attempts environment: NARRATORIA_PLAN_ATTEMPTS 3
    plan.early flag: --plan-early false
    plan.repair default true
    packages.names file: line 6 weather
    story.premise environment: NARRATORIA_PREMISE none
    limits.fuel default (that of each script)
    ");
}

#[test]
fn the_documents_of_show_and_get_keep_their_contract() {
    let machine = machine(KEPT);
    let contract = include_str!("../../contracts/config-values.schema.json");
    let contract = Schema::build(serde_json::from_str(contract).unwrap()).unwrap();
    let document = |args: &[&str]| -> Value {
        let told = machine.run(args, "");
        let document = told.result();
        assert_eq!(contract.mismatches(&document), [], "{document}");
        document
    };
    let all = document(&["config", "show", "--format", "json"]);
    assert!(all["values"].as_array().unwrap().len() > 30, "{all}");
    let one = document(&["config", "get", "packages.names", "--format", "json"]);
    assert_eq!(
        one["values"],
        json!([{
            "key": "packages.names", "value": ["weather"], "origin": "file", "place": "line 6",
            "default": "all", "takes": "names of packages, such as `acme-*`",
        }])
    );
}

#[test]
fn a_variable_that_overrides_a_setting_is_named_when_it_is_written() {
    let machine = PlayerMachine::new();
    insta::assert_snapshot!(config(&machine, &["set", "story.premise", "a quiet inn"]), @"
    --- stderr
    note: `[machine]/kept/config.toml` is written
    warning: the variable NARRATORIA_PREMISE is set, and overrides the file
    --- exit 0
    ");
    assert_eq!(kept(&machine), "[story]\npremise = \"a quiet inn\"\n");
}

/// Opens the file, or a draft, in an editor that is this script. Returns the exit code, and what stood on the terminal.
fn edit(machine: &PlayerMachine, args: &[&str], script: &str) -> (Option<i32>, String) {
    let path = machine.path().join("my editor");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let editor = format!("'{}'", path.display());
    let args = [&["config", "edit"][..], args].concat();
    let env = [("EDITOR", editor.as_str()), ("NO_COLOR", "1"), ("PATH", "/usr/bin:/bin")];
    let (exit, seen) = PtySession::start_with(machine, &args, &env).end_seen();
    (exit, seen.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn drafts(machine: &PlayerMachine) -> usize {
    fs::read_dir(machine.path().join("kept/drafts")).map_or(0, Iterator::count)
}

#[test]
fn an_edited_file_takes_the_place_of_the_old_one() {
    let machine = machine(KEPT);
    let (exit, seen) = edit(&machine, &[], r#"sed -i 's/slots = 2/slots = 3/' "$1""#);
    assert_eq!((exit, drafts(&machine)), (Some(0), 0), "{seen}");
    assert_eq!(kept(&machine), KEPT.replace("= 2 #", "= 3 #"));
    let (exit, seen) = edit(&machine, &[], "exit 0");
    assert!(seen.contains("nothing was changed"), "{seen}");
    assert_eq!((exit, drafts(&machine)), (Some(0), 0), "{seen}");
}

#[test]
fn a_text_that_cannot_be_used_is_kept_as_a_draft_with_its_line_named() {
    let machine = machine(KEPT);
    let (exit, seen) = edit(&machine, &[], r#"sed -i 's/slots = 2/slts = 3/' "$1""#);
    assert_eq!((exit, drafts(&machine)), (Some(2), 1), "{seen}");
    for words in
        ["line 3: there is no key `slts`", "did you mean `slots`?", "the file is as it was"]
    {
        assert!(seen.contains(words), "{seen}");
    }
    assert_eq!(kept(&machine), KEPT);
    let draft = machine.path().join("kept/drafts/draft-1.toml");
    assert!(fs::read_to_string(&draft).unwrap().contains("slts = 3"));
    // The way out.
    let again = ["--draft", draft.to_str().unwrap()];
    let (exit, seen) = edit(&machine, &again, r#"sed -i 's/slts/slots/' "$1""#);
    assert_eq!(exit, Some(0), "{seen}");
    assert_eq!(kept(&machine), KEPT.replace("= 2 #", "= 3 #"));
}

#[test]
fn an_editor_needs_a_terminal() {
    insta::assert_snapshot!(config(&PlayerMachine::new(), &["edit"]), @"
    --- stderr
    error: an editor needs a terminal
    hint: `narratoria config set KEY VALUE` works without one
    --- exit 2
    ");
}
