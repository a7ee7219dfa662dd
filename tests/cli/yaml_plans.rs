//! Plans in YAML: checked, run, resumed, and exported as they are read (S3 "Plan Persistence").

use serde_json::{Value, json};

use crate::player_machine::{PlayerMachine, plan};

const COUNT: &str = "\
# Counts, then knocks.
requestId: 00000000-0000-4000-8000-000000000000
tools:
  - toolId: count
    toolPath: counter/act
  - toolId: guard
    toolPath: gate/act
    dependencies: [count]
metadata:
  task: I knock
";

fn machine() -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.package_with("counter", "counts", json!({"grants": {"store": true}}));
    machine.package("gate", "asks");
    machine.write("knock.yaml", COUNT);
    machine
}

/// S3 "Plan Persistence", task: `plan check`, `plan run`, `plan resume`, `plan diff` of a plan in YAML.
#[test]
fn a_plan_in_yaml_is_checked_run_resumed_and_compared() {
    let machine = machine();
    let skills = ["--skills", "skills"];
    let run = |args: &[&str], stdin: &str| machine.run(&[args, &skills].concat(), stdin);
    let checked = run(&["plan", "check", "knock.yaml"], "").transcript();
    assert!(checked.starts_with("ok: 2 steps: count, guard\n"), "{checked}");
    let args = ["plan", "run", "knock.yaml", "--story", "demo", "--format", "json"];
    let mut live = machine.start(&[&args[..], &skills].concat());
    live.await_update("step.asked");
    live.signal("KILL");
    assert_eq!(live.end().0, None);
    let resumed = run(&["plan", "resume", "--story", "demo"], "Nobody\npeace\n").timeless();
    for line in [
        "the plan succeeded",
        "note: step `count` is not run again, its result stands (success)",
        "gate/act asks: And what does Nobody want?",
        "--- exit 0",
    ] {
        assert!(resumed.lines().any(|told| told == line), "`{line}` is missing: {resumed}");
    }
    let listed = run(&["plan", "list", "--story", "demo", "--format", "json"], "").result();
    assert!(listed.to_string().contains("\"task\":\"I knock\""), "{listed}");
    machine.write("knock.json", plan(json!([{"toolId": "count", "toolPath": "counter/act"}])));
    insta::assert_snapshot!(run(&["plan", "diff", "knock.json", "knock.yaml"], "").transcript(), @r#"
    ~ plan: metadata.task: nothing -> "I knock"
    + guard: gate/act
    --- stderr
    --- exit 0
    "#);
}

/// S3 "Plan Persistence": what `plan export` writes is a plan, in both forms.
#[test]
fn what_export_writes_runs_again() {
    let machine = machine();
    let run =
        |args: &[&str], stdin: &str| machine.run(&[args, &["--skills", "skills"]].concat(), stdin);
    run(&["plan", "run", "knock.yaml", "--story", "demo"], "Nobody\npeace\n");
    for form in ["yaml", "json"] {
        let export = ["plan", "export", "1", "--story", "demo", "--plan-only", "--as", form];
        let exported = machine.run(&export, "");
        let text = exported.transcript();
        let text = text.split("--- stderr").next().unwrap();
        assert_eq!(text.trim_start().starts_with('{'), form == "json", "{text}");
        machine.write("again", text);
        let ran = run(&["plan", "run", "again", "--format", "json"], "Nobody\npeace\n");
        assert_eq!(ran.result()["success"], Value::Bool(true), "{form}");
    }
}

/// S3 "Plan Persistence": a document that could stand for gigabytes, or for two plans, is refused with its reason.
#[test]
fn a_wrong_plan_in_yaml_is_refused_by_check_and_run() {
    let machine = machine();
    let bomb: String =
        (1..40).map(|at| format!("a{at}: &a{at} [*a{0}, *a{0}]\n", at - 1)).collect();
    for (name, text) in [
        ("bomb.yaml", format!("a0: &a0 x\n{bomb}")),
        ("twice.yaml", format!("{COUNT}metadata: {{}}\n")),
        ("typo.yaml", COUNT.replace("dependencies", "dependecies")),
        ("effort.yaml", COUNT.replace("task: I knock", "complexity: 99")),
        ("words.yaml", "I knock\n".to_owned()),
    ] {
        machine.write(name, text);
    }
    let mut told = String::new();
    for name in ["bomb.yaml", "twice.yaml", "typo.yaml", "effort.yaml", "words.yaml"] {
        let checked = machine.transcript(&["plan", "check", name, "--skills", "skills"], "");
        assert_eq!(machine.transcript(&["plan", "run", name, "--skills", "skills"], ""), checked);
        told += &format!("{checked}\n");
    }
    insta::assert_snapshot!(told, @r#"
    --- stderr
    error: `bomb.yaml`: the plan cannot be used: anchors and aliases (`&name`, `*name`) are not allowed
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    --- exit 2
    --- stderr
    error: `twice.yaml`: line 11, column 1: the key "metadata" stands twice in one object
    hint: take one of the two out: only one of them could count
    --- exit 2
    --- stderr
    error: `typo.yaml`: tools[1] ("guard") has a field `dependecies` that no plan has
    hint: did you mean `dependencies`?
    --- exit 2
    --- stderr
    error: `effort.yaml`: metadata.complexity: 99 is greater than the maximum of 10
    --- exit 2
    --- stderr
    error: `words.yaml`: the plan: "I knock" is not of type "object"
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    --- exit 2
    "#);
}

/// S3 createPlan, task: the sentence stays with the plan, wherever it runs.
#[test]
fn a_plan_of_a_sentence_keeps_the_sentence() {
    let machine = PlayerMachine::new();
    let new = ["plan", "new", "I", "roll", "a", "die", "--planner", "lexical", "--seed", "1"];
    let planned = machine.run(&new, "").result();
    assert_eq!(planned["metadata"]["task"], json!("I roll a die"));
    machine.write("roll.json", planned.to_string());
    machine.run(&["plan", "run", "roll.json", "--story", "demo", "--seed", "1"], "");
    let listed = machine.run(&["plan", "list", "--story", "demo", "--format", "json"], "").result();
    assert!(listed.to_string().contains("\"task\":\"I roll a die\""), "{listed}");
}

/// S3 createPlan, task: an exported plan of a turn takes the player's sentence along.
#[test]
fn an_exported_plan_of_a_turn_names_the_players_sentence() {
    let machine = PlayerMachine::new();
    let args = ["run", "--story", "demo", "--planner", "lexical", "--seed", "1"];
    machine.run(&args, "I roll a die\n");
    let export = ["plan", "export", "1", "--story", "demo", "--plan-only"];
    assert_eq!(machine.run(&export, "").result()["metadata"]["task"], json!("I roll a die"));
}
