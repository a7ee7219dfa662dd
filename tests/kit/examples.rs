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

/// The report of the only example of a package with this guest, whose script has these grants.
#[track_caller]
fn check_with_services(guest: &str, grants: &Value, example: &Value) {
    let mut example = example.clone();
    example["script"] = json!("act");
    let recipe = format!(
        "base plain act {guest}\nset skill.json /scripts/0/grants {grants}\nset skill.json /scripts/0/limits {{}}\n\
         write schemas/act.json {{\"type\": \"object\"}}\nwrite examples/three.json {example}"
    );
    let ran = CheckFixture::from_recipe(&recipe).run(&["skill", "test", NAME]);
    assert_eq!(ran.exit, Some(0), "{guest}: {}", ran.transcript());
}

#[test]
fn an_example_says_what_the_host_answers() {
    check_with_services(
        "asks",
        &json!({}),
        &json!({"input": {}, "answers": ["Ada", "a song"],
            "expect": {"output": {"name": "Ada", "wish": "a song"}}}),
    );
    check_with_services(
        "tallies",
        &json!({"store": true}),
        &json!({"input": {"id": "b"}, "store": {"count": 4, "list": ["a"]},
            "expect": {"output": {"count": 5, "list": ["a", "b"]}}}),
    );
    check_with_services(
        "remembers",
        &json!({"memory": true}),
        &json!({"input": {"do": [["recall", "Mira", [], 3]]},
            "memory": [{"text": "It rains."}, {"text": "Mira keeps the ferry.", "tags": ["person"]}],
            "expect": {"output": {"answers": [["Mira keeps the ferry. (person)"]]}}}),
    );
    check_with_services(
        "writes",
        &json!({"llm": true, "store": true}),
        &json!({"input": {"texts": [{"prompt": "The sky."}]}, "llm": ["Red, and full of gulls."],
            "expect": {"output": {"answers": ["Red, and full of gulls."]}}}),
    );
    let sky = "https://api.example.com/sky";
    check_with_services(
        "fetches",
        &json!({"http": ["api.example.com"]}),
        &json!({"input": {"url": sky}, "http": {sky: {"status": 404, "body": {"sky": "red"}}},
            "expect": {"output": {"status": 404, "text": "{\"sky\":\"red\"}"}}}),
    );
    // An address that the grant does not name stays out of reach.
    check_with_services(
        "fetches",
        &json!({"http": ["other.example.com"]}),
        &json!({"input": {"url": sky}, "http": {sky: {"body": "red"}}, "expect": {"ok": false}}),
    );
}

/// They stand over the defaults of the package, and `--update` leaves them as they are.
#[test]
fn an_example_says_which_settings_its_script_gets() {
    let bench = CheckFixture::from_recipe(
        "base plain act shows-config
write config-schema.json {\"type\": \"object\", \"properties\": {\"town\": {\"type\": \"string\", \"default\": \"Ulm\"}, \"sky\": {\"type\": \"string\", \"default\": \"red\"}}}
write examples/three.json {\"script\": \"act\", \"input\": {\"n\": 3}, \"config\": {\"town\": \"Bern\"}, \"expect\": {}}",
    );
    let ran = bench.run(&["skill", "test", NAME, "--update"]);
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    let path = bench.path().join(NAME).join("examples/three.json");
    let example: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(example["config"], json!({"town": "Bern"}));
    let got = &example["expect"]["output"]["request"]["config"];
    assert_eq!(*got, json!({"town": "Bern", "sky": "red"}));
}

/// The schema files of a package are older than its code, and an example has the new field already.
#[test]
fn update_writes_the_schemas_that_scripts_describe() {
    let bench = CheckFixture::new();
    bench.built_in("dice-roller");
    let path = bench.path().join("dice-roller/schemas/roll-dice.input.json");
    let text = fs::read_to_string(&path).unwrap();
    let new: Value = serde_json::from_str(&text).unwrap();
    let mut old = new.clone();
    let fields = old["properties"].as_object_mut().unwrap();
    let name = fields.keys().next_back().unwrap().clone();
    fields.shift_remove(&name);
    fs::write(&path, old.to_string()).unwrap();
    let ran = bench.run(&["skill", "test", "./dice-roller", "--update"]);
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    let updated = "updated dice-roller/schemas/roll-dice.input.json\n";
    assert!(ran.stdout.contains(updated), "{}", ran.stdout);
    let written: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(written["properties"], new["properties"]);
    let again = bench.run(&["skill", "test", "./dice-roller", "--update"]);
    assert!(!again.stdout.contains("updated"), "{}", again.stdout);
}
