//! `skill test`: selected examples, examples that are brought up to date, the parts that no example shows, and reports.

use std::fs;

use serde_json::{Value, json};

use crate::kit::{
    junit_schema::valid_cases,
    recipe::{CheckFixture, NAME},
};

/// Two scripts with an example each, one of which differs; a trigger and an output field that no example shows.
fn two_scripts() -> CheckFixture {
    CheckFixture::from_recipe(
        "base plain act echo
set skill.json /scripts/0/outputSchema \"schemas/out.json\"
write schemas/out.json {\"type\": \"object\", \"properties\": {\"seed\": {}, \"input\": {}}}
set skill.json /triggers [{\"script\": \"act\", \"phrases\": [\"pick the lock\"], \"input\": {\"n\": 1}}, {\"script\": \"act\", \"phrases\": [\"swim\"], \"input\": {\"n\": 1}}]
set examples/three.json /sentence \"I am picking the old lock\"
set examples/three.json /expect {\"output\": {\"seed\": 7}}
write examples/four.json {\"script\": \"act\", \"input\": {\"n\": 4}, \"seed\": 9, \"expect\": {}}",
    )
}

#[test]
fn only_the_named_examples_run() {
    let bench = two_scripts();
    let run = |name: &str| bench.run(&["skill", "test", NAME, "--only", name]);
    let four = run("four");
    assert_eq!(four.exit, Some(0), "{}", four.transcript());
    assert!(four.stdout.ends_with("1 run, 1 as expected, 0 not\n"), "{}", four.stdout);
    assert!(run("act").stdout.ends_with("2 run, 1 as expected, 1 not\n"));
    assert!(run("examples/three.json").stdout.ends_with("1 run, 0 as expected, 1 not\n"));
    insta::assert_snapshot!(run("fore").transcript(), @"
    --- stderr
    error: no example and no script with examples is called `fore`
    hint: did you mean `four`?
    --- exit 2
    ");
}

#[test]
fn update_writes_what_came_out_and_keeps_the_rest_of_the_file() {
    let bench = two_scripts();
    let file = |name: &str| -> Value {
        let text = fs::read_to_string(bench.path().join(NAME).join("examples").join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let ran = bench.run(&["skill", "test", NAME, "--update"]);
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    assert!(ran.stdout.contains("updated dice-roller/examples/three.json\n"), "{}", ran.stdout);
    assert_eq!(file("three.json")["expect"], json!({"output": {"seed": 0}}));
    assert_eq!(file("three.json")["sentence"], "I am picking the old lock");
    // It expected nothing: it gets all of the output.
    assert_eq!(file("four.json")["expect"]["output"]["seed"], 9);
    let again = bench.run(&["skill", "test", NAME, "--update"]);
    assert!(again.stdout.contains("2 run, 2 as expected, 0 not"), "{}", again.transcript());
}

#[test]
fn a_script_that_the_host_stops_is_never_what_an_example_expects() {
    let bench = CheckFixture::from_recipe("base plain act panic");
    let path = bench.path().join(NAME).join("examples/three.json");
    let before = fs::read_to_string(&path).unwrap();
    let ran = bench.run(&["skill", "test", NAME, "--update"]);
    assert_eq!(ran.exit, Some(1), "{}", ran.transcript());
    assert_eq!(fs::read_to_string(path).unwrap(), before);
}

#[test]
fn what_no_example_shows_is_named_in_text_and_in_json() {
    let bench = two_scripts();
    let ran = bench.run(&["skill", "test", NAME]);
    let notes: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("note: ")).collect();
    insta::assert_snapshot!(notes.join("\n"), @"
    note: no example shows 1 trigger of 2: /triggers/1 of act (swim)
    note: no example shows 1 output field of 2: act.input
    ");
    let ran = bench.run(&["skill", "test", NAME, "--format", "json"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let coverage = &report["packages"][0]["coverage"];
    assert_eq!(coverage["scripts"], json!({"total": 1, "shown": 1, "missing": []}));
    assert_eq!(coverage["triggers"]["missing"], json!(["/triggers/1 of act (swim)"]));
    assert_eq!(coverage["outputFields"]["missing"], json!(["act.input"]));
}

#[test]
fn junit_of_examples_is_valid_for_ant_and_jenkins() {
    let bench = two_scripts();
    bench.built_in("player-choices");
    fs::create_dir_all(bench.path().join("broken")).unwrap();
    fs::write(bench.path().join("broken/skill.json"), "{").unwrap();
    let ran = bench.run(&["skill", "test", "--format", "junit"]);
    assert_eq!(ran.exit, Some(2), "{}", ran.stderr);
    let cases = valid_cases(&ran.stdout);
    for case in
        ["broken/package: error", "dice-roller/act four: passed", "dice-roller/act three: failure"]
    {
        assert!(cases.iter().any(|found| found == case), "{case}: {cases:?}");
    }
}
