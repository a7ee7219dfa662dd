//! `plan save-template`, `plan templates`, `plan new --template` (S2 "Plan Templates").

use std::fs;

use serde_json::json;

use crate::player_machine::{PlayerMachine, plan, timeless};

/// With a template `visit`: a place to look at, and how often to roll.
fn machine() -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    let tools = plan(json!([{
        "toolId": "look", "toolPath": "mirror/act", "description": "Look at the old door",
        "input": {"at": "the old door", "times": 3, "loud": true},
    }]));
    machine.write("plan.json", tools);
    let args =
        ["--param", "place=the old door", "--param", "times=3", "--description", "Look around"];
    let ran = save(&machine, "visit", &args);
    insta::allow_duplicates! {
        insta::assert_snapshot!(ran, @"
        saved the template `visit`; use it with
          narratoria plan new --template visit place=… times=…
        --- stderr
        --- exit 0
        ");
    }
    machine
}

fn save(machine: &PlayerMachine, name: &str, more: &[&str]) -> String {
    machine.transcript(&[&["plan", "save-template", name, "plan.json"], more].concat(), "")
}

fn new(machine: &PlayerMachine, more: &[&str]) -> String {
    let args = [&["plan", "new", "--template"], more, &["--skills", "skills"]].concat();
    timeless(&machine.transcript(&args, ""))
}

#[test]
fn a_plan_with_other_values_comes_of_a_template() {
    let machine = machine();
    insta::assert_snapshot!(new(&machine, &["visit", "place=the mill", "times=5"]), @r#"
    {
      "requestId": "[ID]",
      "tools": [
        {
          "toolId": "look",
          "toolPath": "mirror/act",
          "input": {
            "at": "the mill",
            "times": 5,
            "loud": true
          },
          "dependencies": [],
          "description": "Look at the mill"
        }
      ],
      "parallel": false,
      "disabledSkills": [],
      "metadata": {
        "generationAttempt": 1,
        "parentPlanId": null
      }
    }
    --- stderr
    --- exit 0
    "#);
    let args =
        ["plan", "new", "--template", "visit", "place=$look", "times=1", "--skills", "skills"];
    let made = machine.run(&args, "");
    let ran =
        machine.run(&["plan", "run", "-", "--skills", "skills", "--format", "json"], made.stdout);
    let result = ran.result();
    assert_eq!(result["toolResults"][0]["output"]["input"]["at"], "$look");
}

#[test]
fn templates_are_listed() {
    let machine = machine();
    assert_eq!(save(&machine, "bare", &[]).lines().last(), Some("--- exit 0"));
    insta::assert_snapshot!(machine.transcript(&["plan", "templates"], ""), @"
    NAME   PARAMETERS   WHAT
    bare
    visit  place times  Look around
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(machine.transcript(&["plan", "templates", "--format", "json"], ""), @r#"
    [
      {
        "name": "bare",
        "parameters": [],
        "description": ""
      },
      {
        "name": "visit",
        "parameters": [
          "place",
          "times"
        ],
        "description": "Look around"
      }
    ]
    --- stderr
    --- exit 0
    "#);
    insta::assert_snapshot!(PlayerMachine::new().transcript(&["plan", "templates"], ""), @"
    there are no templates yet; `narratoria plan save-template` keeps one
    --- stderr
    --- exit 0
    ");
}

#[test]
fn what_is_given_must_be_what_the_template_takes() {
    let machine = machine();
    insta::assert_snapshot!(new(&machine, &["visit"]), @"
    --- stderr
    error: template `visit` still needs `place`, `times`
    hint: such as `narratoria plan new --template visit place=TEXT times=1`
    --- exit 2
    ");
    insta::assert_snapshot!(new(&machine, &["visit", "place=here"]), @"
    --- stderr
    error: template `visit` still needs `times`
    hint: such as `narratoria plan new --template visit … times=1`
    --- exit 2
    ");
    insta::assert_snapshot!(new(&machine, &["visit", "place=here", "times=3", "tims=3"]), @"
    --- stderr
    error: template `visit` has no parameter `tims`
    hint: did you mean `times`?
    --- exit 2
    ");
    insta::assert_snapshot!(new(&machine, &["visit", "place=here", "times=often"]), @"
    --- stderr
    error: parameter `times` must be a whole number, `often` is not
    --- exit 2
    ");
    insta::assert_snapshot!(new(&machine, &["visit", "here"]), @"
    --- stderr
    error: `here` has no `=`
    hint: a template takes KEY=VALUE: narratoria plan new --template visit place=… times=…
    --- exit 2
    ");
    insta::assert_snapshot!(new(&machine, &["visit", "place=here", "place=there", "times=1"]), @"
    --- stderr
    error: the parameter `place` is given twice
    --- exit 2
    ");
}

#[test]
fn a_template_that_is_not_there_is_exit_3() {
    let machine = machine();
    insta::assert_snapshot!(new(&machine, &["visits", "place=here"]), @"
    --- stderr
    error: there is no template `visits`
    hint: did you mean `visit`?
    --- exit 3
    ");
    insta::assert_snapshot!(new(&PlayerMachine::new(), &["visit"]), @"
    --- stderr
    error: there is no template `visit`
    hint: `narratoria plan save-template` keeps one
    --- exit 3
    ");
    insta::assert_snapshot!(new(&machine, &["../visit"]), @"
    --- stderr
    error: `../visit` cannot be the name of a template; a name is 1 to 64 lower-case letters, digits and `-`
    --- exit 2
    ");
}

#[test]
fn a_name_is_no_path_and_is_not_taken_twice() {
    let machine = machine();
    insta::assert_snapshot!(save(&machine, "a/b", &[]), @"
    --- stderr
    error: `a/b` cannot be the name of a template; a name is 1 to 64 lower-case letters, digits and `-`
    --- exit 2
    ");
    insta::assert_snapshot!(save(&machine, "Visit", &[]), @"
    --- stderr
    error: `Visit` cannot be the name of a template; a name is 1 to 64 lower-case letters, digits and `-`
    --- exit 2
    ");
    insta::assert_snapshot!(save(&machine, "visit", &[]), @"
    --- stderr
    error: there is a template `visit` already
    hint: `--force` replaces it
    --- exit 2
    ");
    assert!(save(&machine, "visit", &["--force"]).ends_with("--- exit 0"));
    assert!(new(&machine, &["visit"]).ends_with("--- exit 0"));
}

#[test]
fn what_no_template_can_be_made_of_is_said() {
    let machine = machine();
    insta::assert_snapshot!(save(&machine, "x", &["--param", "place"]), @r#"
    --- stderr
    error: `--param place` has no `=`
    hint: write `--param KEY=VALUE`, such as `--param door="the old door"`
    --- exit 2
    "#);
    insta::assert_snapshot!(save(&machine, "x", &["--param", "place=nowhere at all"]), @r#"
    --- stderr
    error: parameter `place`: `"nowhere at all"` stands nowhere in the plan's inputs and texts
    hint: text counts within texts, other values only as a whole
    --- exit 2
    "#);
    insta::assert_snapshot!(save(&machine, "x", &["--param", "a=3", "--param", "a=true"]), @"
    --- stderr
    error: there are two parameters `a`
    --- exit 2
    ");
    insta::assert_snapshot!(save(&machine, "x", &["--param", "a=3", "--param", "b=3"]), @"
    --- stderr
    error: the parameters `a` and `b` stand for the same value
    --- exit 2
    ");
    insta::assert_snapshot!(save(&machine, "x", &["--param", "Not A Name=3"]), @"
    --- stderr
    error: `Not A Name` cannot be the name of a parameter; a name is 1 to 64 lower-case letters, digits and `-`
    --- exit 2
    ");
    insta::assert_snapshot!(machine.transcript(&["plan", "save-template", "x", "no.json"], ""), @"
    --- stderr
    error: the plan `no.json` does not exist
    --- exit 3
    ");
    machine.write("broken.json", "[]");
    insta::assert_snapshot!(machine.transcript(&["plan", "save-template", "x", "broken.json"], ""), @r#"
    --- stderr
    error: `broken.json`: the plan: [] is not of type "object"
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    --- exit 2
    "#);
    assert!(!machine.path().join("kept/templates/x.json").exists());
}

#[test]
fn a_plan_of_a_story_becomes_a_template() {
    let machine = machine();
    let run = ["plan", "run", "plan.json", "--story", "demo", "--skills", "skills"];
    assert_eq!(machine.run(&run, "").exit, Some(0));
    let args = ["plan", "save-template", "kept", "1", "--story", "demo", "--param", "loud=true"];
    insta::assert_snapshot!(machine.transcript(&args, ""), @"
    saved the template `kept`; use it with
      narratoria plan new --template kept loud=…
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(new(&machine, &["kept", "loud=no"]), @"
    --- stderr
    error: parameter `loud` must be `true` or `false`, `no` is not
    --- exit 2
    ");
    assert!(new(&machine, &["kept", "loud=false"]).ends_with("--- exit 0"));
    let args = ["plan", "save-template", "other", "7", "--story", "demo"];
    insta::assert_snapshot!(timeless(&machine.transcript(&args, "")), @"
    --- stderr
    error: the story `demo` has no plan `7`: its last is `plan_001` (`[ID]`); name one by its number, its id, or the first 4 or more characters of that
    --- exit 3
    ");
    let args = ["plan", "save-template", "other", "1", "--story", "dema"];
    insta::assert_snapshot!(machine.transcript(&args, ""), @"
    --- stderr
    error: there is no story `dema` in `[machine]/kept/stories`: did you mean `demo`?
    --- exit 3
    ");
}

#[test]
fn a_template_that_was_damaged_is_named() {
    let machine = machine();
    let path = machine.path().join("kept/templates/visit.json");
    for damage in ["", "{", "[]", r#"{"name": "visit", "plan": {}, "more": 1}"#] {
        fs::write(&path, damage).unwrap();
        let ran = machine.run(&["plan", "new", "--template", "visit"], "");
        assert_eq!((ran.exit, ran.stdout.as_str()), (Some(2), ""), "{}", ran.transcript());
        assert!(ran.stderr.contains("kept/templates/visit.json` cannot be used"), "{}", ran.stderr);
    }
    save(&machine, "other", &[]);
    // One that is damaged does not hide the others.
    insta::assert_snapshot!(machine.transcript(&["plan", "templates"], ""), @"
    NAME   PARAMETERS  WHAT
    other
    --- stderr
    warning: the template `[machine]/kept/templates/visit.json` cannot be used: the template cannot be read: unknown field `more`, expected one of `$schema`, `$comment`, `name`, `description`, `parameters`, `plan` at line 1 column 36
    --- exit 0
    ");
}

/// A template may no longer fit the skills of today.
#[test]
fn a_template_whose_skill_is_gone_gives_no_plan() {
    let machine = machine();
    let args = ["plan", "new", "--template", "visit", "place=here", "times=1"];
    insta::assert_snapshot!(machine.transcript(&args, ""), @"
    --- stderr
    error: the template `visit`: step `look`: there is no skill `mirror`
    hint: known scripts: character/generate, character-portraits/generate-portrait, character-portraits/lookup-portrait, dice-roller/roll-dice, location/generate, memory/remember, memory/search, memory/pin, memory/forget, npc-perception/query-perception, npc-perception/update-perception, player-choices/generate-choices and 20 more
    --- exit 2
    ");
}
