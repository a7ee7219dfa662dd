//! `plan list | show | diff | export`: what is kept of plans (S3).

use narratoria_skills::Schema;
use serde_json::{Value, json};

use crate::player_machine::{PlayerMachine, check_updates, is_record_note, plan, timeless};

/// A story with two plans: one that succeeded, and one that failed.
fn machine() -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    machine.package("unlucky", "fail");
    let look = json!({
        "toolId": "look", "toolPath": "mirror/act", "input": {"at": "door"}, "description": "Look at it",
    });
    let sing = json!({"toolId": "sing", "toolPath": "mirror/act", "input": {"song": "old"}});
    let open = json!({
        "toolId": "open", "toolPath": "unlucky/act", "input": {}, "dependencies": ["look"],
    });
    machine.write("good.json", plan(json!([look, sing])));
    machine.write("bad.json", plan(json!([look, open])));
    for (file, exit) in [("good.json", 0), ("bad.json", 1)] {
        let args = ["plan", "run", file, "--story", "demo", "--skills", "skills", "--seed", "7"];
        let ran = machine.run(&args, "");
        assert_eq!(ran.exit, Some(exit), "{}", ran.transcript());
    }
    machine
}

fn of(machine: &PlayerMachine, args: &[&str]) -> String {
    let told = machine.run(&[&["plan"], args].concat(), "").timeless();
    let ids = regex::Regex::new(r"(?m)^(\d+ +)[0-9a-f]{8}").unwrap();
    let told = ids.replace_all(&told, "$1[  id  ]").into_owned();
    let took = regex::Regex::new(r"(?m)^(took     )\d+ ms").unwrap();
    took.replace_all(&told, "$1[TOOK]").into_owned()
}

fn document(machine: &PlayerMachine, args: &[&str]) -> Value {
    let ran = machine.run(&[&["plan"], args].concat(), "");
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn plans_are_listed_newest_first() {
    let machine = machine();
    insta::assert_snapshot!(of(&machine, &["list", "--story", "demo"]), @"
    PLAN  ID        TURN  VERSION  BY    STATUS    TASK
    2     [  id  ]  2     1        file  failed    (the plan `bad.json`)
    1     [  id  ]  1     1        file  complete  (the plan `good.json`)
    --- stderr
    --- exit 0
    ");
    let rows = document(&machine, &["list", "--story", "demo", "--limit", "1", "--format", "json"]);
    assert_eq!(rows.as_array().unwrap().len(), 1);
    assert_eq!((&rows[0]["ordinal"], &rows[0]["status"]), (&json!(2), &json!("failed")));
    insta::assert_snapshot!(of(&machine, &["list", "--story", "demo", "--limit", "some"]), @"
    --- stderr
    error: invalid value 'some' for '--limit <N>': invalid digit found in string

    For more information, try '--help'.
    --- exit 2
    ");
}

#[test]
fn a_story_without_plans_says_so() {
    let machine = PlayerMachine::new();
    machine.run(&["run", "--story", "empty"], "");
    insta::assert_snapshot!(of(&machine, &["list", "--story", "empty"]), @"
    this story has no plans yet
    --- stderr
    --- exit 0
    ");
    assert_eq!(document(&machine, &["list", "--story", "empty", "--format", "json"]), json!([]));
}

#[test]
fn a_plan_is_shown_with_what_became_of_its_steps() {
    let machine = machine();
    insta::assert_snapshot!(of(&machine, &["show", "2", "--story", "demo"]), @r#"
    plan [ID]
    status   failed, version 1
    task     (the plan `bad.json`)
    made by  file, [AT]
    changed  [AT]
    took     [TOOK], estimated 60.0 s

    #  STEP  STATUS    BY             TOOK STARTED
    1  look  complete  mirror@0.9.0   [TIME] [AT]
         Look at it
         output: {"input":{"at":"door"},"inputs":{},"state":{},"seed":6139460660283697}
    2  open  failed    unlucky@0.9.0  [AT]
         unlucky/act
         needs 1
         error: it failed on purpose
    --- stderr
    --- exit 0
    "#);
    let shown = document(&machine, &["show", "1", "--story", "demo", "--format", "json"]);
    assert_eq!(shown["status"], "complete");
    let id = shown["id"].as_str().unwrap().to_owned();
    let by_id = document(&machine, &["show", &id[..6], "--story", "demo", "--format", "json"]);
    assert_eq!(by_id, shown);
}

#[test]
fn two_plans_are_compared() {
    let machine = machine();
    insta::assert_snapshot!(of(&machine, &["diff", "1", "2", "--story", "demo"]), @"
    - sing: mirror/act
    + open: unlucky/act
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(of(&machine, &["diff", "good.json", "bad.json"]), @"
    - sing: mirror/act
    + open: unlucky/act
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(of(&machine, &["diff", "1", "1", "--story", "demo"]), @"
    the plans do not differ
    --- stderr
    --- exit 0
    ");
    let diff =
        document(&machine, &["diff", "1", "bad.json", "--story", "demo", "--format", "json"]);
    assert!(diff.is_object(), "{diff}");
}

/// An exported plan can run again.
#[test]
fn a_plan_is_exported_in_three_forms() {
    let machine = machine();
    let json = document(&machine, &["export", "1", "--story", "demo"]);
    assert_eq!(json["status"], "complete");
    let yaml = machine.run(&["plan", "export", "1", "--story", "demo", "--as", "yaml"], "");
    assert_eq!(yaml.exit, Some(0), "{}", yaml.transcript());
    assert!(yaml.stdout.contains("status: complete\n"), "{}", yaml.stdout);
    let bare = machine.run(&["plan", "export", "1", "--story", "demo", "--plan-only"], "");
    let again = ["plan", "run", "-", "--skills", "skills"];
    insta::assert_snapshot!(machine.run(&again, bare.stdout).timeless(), @"
    STEP  STATE    TIME RETRIES  WHAT
    look  success  [TIME] 0
    sing  success  [TIME] 0
    the plan succeeded
    --- stderr
    --- exit 0
    ");
    let yaml = ["plan", "export", "1", "--story", "demo", "--plan-only", "--as", "yaml"];
    insta::assert_snapshot!(timeless(&machine.run(&yaml, "").transcript()), @"
    requestId: [ID]
    tools:
    - toolId: look
      toolPath: mirror/act
      input:
        at: door
      dependencies: []
      description: Look at it
    - toolId: sing
      toolPath: mirror/act
      input:
        song: old
      dependencies: []
    parallel: false
    disabledSkills: []
    metadata:
      generationAttempt: 1
      parentPlanId: [ID]
    --- stderr
    --- exit 0
    ");
}

/// A plan that is exported as YAML runs as the one that is exported as JSON.
#[test]
fn an_exported_plan_runs_in_either_form() {
    let machine = machine();
    let export = ["plan", "export", "1", "--story", "demo", "--plan-only", "--as"];
    let states = ["json", "yaml"].map(|form| {
        let exported = machine.run(&[&export[..], &[form]].concat(), "").stdout;
        let run = ["plan", "run", "-", "--skills", "skills", "--format", "json"];
        let result = machine.run(&run, exported).result();
        let results = result["toolResults"].as_array().unwrap();
        results.iter().map(|tool| tool["state"].clone()).collect::<Vec<Value>>()
    });
    let expected = vec![json!("success"), json!("success")];
    assert_eq!(states, [expected.clone(), expected]);
}

/// S0 FR-029, FR-020: a plan outside any story leaves a record too, and the stream says where.
#[test]
fn a_plan_outside_a_story_leaves_a_record() {
    let machine = machine();
    let run = ["plan", "run", "bad.json", "--skills", "skills"];
    let ran = machine.run(&run, "");
    let line = ran.stderr.lines().find(|line| is_record_note(line));
    let path = line.and_then(|line| line.split('`').nth(1)).map(str::to_owned);
    let path = path.unwrap_or_else(|| panic!("{}", ran.stderr));
    assert!(path.starts_with("[machine]/kept/records/"), "{path}");
    let path = path.replace("[machine]", machine.path().to_str().unwrap());
    let folder = machine.path().join("kept/records");
    let record: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(
        (&record["status"], &record["task"]),
        (&json!("failed"), &json!("(the plan `bad.json`)"))
    );
    assert_eq!(record["steps"][0]["executedBy"], "mirror@0.9.0");
    assert_eq!(record["steps"][1]["error"], "it failed on purpose");
    assert_eq!(record["result"]["failedTools"], json!(["open"]));
    assert_eq!(record["errors"].as_array().unwrap().len(), 1, "{record}");
    let shown = machine.run(&["plan", "show", &path], "");
    assert!(shown.stdout.contains("2  open  failed"), "{}", shown.transcript());

    let lines = machine.run(&[&run[..], &["--format", "json"]].concat(), "").lines();
    let recorded = lines.iter().find(|line| line["type"] == "plan.recorded").unwrap();
    let path = recorded["path"].as_str().unwrap();
    let path = path.replace("[machine]", machine.path().to_str().unwrap());
    assert!(std::path::Path::new(&path).exists(), "{path}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    let seeded = machine.run(&[&run[..], &["--seed", "7"]].concat(), "");
    assert!(!seeded.stderr.contains("records"), "{}", seeded.stderr);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 3);
}

/// S2 "Progress Streaming": `plan run` tells programs as much as `run`, and the result comes last.
#[test]
fn a_plan_streams_the_updates_of_a_session() {
    let machine = machine();
    for story in [&[][..], &["--story", "other"]] {
        let run = ["plan", "run", "bad.json", "--skills", "skills", "--format", "json"];
        let ran = machine.run(&[&run[..], story].concat(), "");
        let mut lines = ran.lines();
        let result = lines.pop().unwrap();
        check_updates(&lines);
        let types: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
        for expected in ["plan.started", "step.started", "step.finished", "plan.finished"] {
            assert!(types.contains(&expected), "{expected} is not in {types:?}");
        }
        let started = lines.iter().find(|line| line["type"] == "plan.started").unwrap();
        assert!(started["estimatedDuration"].as_f64().unwrap() > 0.0, "{started}");
        assert_eq!((ran.exit, &result["success"]), (Some(1), &json!(false)));
        assert!(result.get("type").is_none(), "{result}");
        let of = |kind: &str, step: &str| {
            let mut lines = lines.iter();
            let found = lines.find(|line| line["type"] == kind && line["toolId"] == step);
            found.unwrap_or_else(|| panic!("no {kind} of {step}"))
        };
        assert_eq!(of("step.logged", "look")["message"], "still here");
        let (look, open) = (of("step.finished", "look"), of("step.finished", "open"));
        assert_eq!(
            (&look["state"], &look["output"]["input"]["at"]),
            (&json!("success"), &json!("door"))
        );
        assert_eq!(
            (&open["state"], &open["error"]),
            (&json!("failed"), &json!("it failed on purpose"))
        );
    }
}

/// S2 `estimatedDuration`: a script is expected to take as long as it took before.
#[test]
fn an_estimate_comes_from_the_runs_before() {
    let machine = machine();
    let before = document(&machine, &["show", "1", "--story", "demo", "--format", "json"]);
    assert_eq!(before["estimatedDuration"], 60.0, "a plan may take a minute");
    assert_eq!(before["steps"][0]["estimatedDuration"], 60.0, "its script never ran");
    let run = ["plan", "run", "good.json", "--story", "demo", "--skills", "skills"];
    assert_eq!(machine.run(&run, "").exit, Some(0));
    let after = document(&machine, &["show", "3", "--story", "demo", "--format", "json"]);
    let estimate = after["estimatedDuration"].as_f64().unwrap();
    assert!(estimate < 10.0, "{after}");
    let shown = machine.run(&["plan", "show", "3", "--story", "demo"], "").stdout;
    let took = regex::Regex::new(r"(?m)^took     [\d.]+ m?s, estimated [\d.]+ m?s$").unwrap();
    assert!(took.is_match(&shown), "{shown}");
}

#[test]
fn what_is_not_there_is_exit_3_with_a_near_miss() {
    let machine = machine();
    insta::assert_snapshot!(of(&machine, &["list", "--story", "demi"]), @"
    --- stderr
    error: there is no story `demi` in `[machine]/kept/stories`: did you mean `demo`?
    --- exit 3
    ");
    insta::assert_snapshot!(of(&machine, &["list", "--story", "../etc"]), @"
    --- stderr
    error: `../etc` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `etc` would do
    --- exit 2
    ");
    insta::assert_snapshot!(of(&machine, &["show", "1"]), @"
    --- stderr
    error: there is no story `default` in `[machine]/kept/stories`: there are `demo`
    --- exit 3
    ");
    insta::assert_snapshot!(of(&machine, &["show", "3", "--story", "demo"]), @"
    --- stderr
    error: the story `demo` has no plan `3`: its last is `plan_002` (`[ID]`); name one by its number, its id, or the first 4 or more characters of that
    --- exit 3
    ");
    insta::assert_snapshot!(of(&machine, &["show", "0", "--story", "demo"]), @"
    --- stderr
    error: the story `demo` has no plan `0`: its last is `plan_002` (`[ID]`); name one by its number, its id, or the first 4 or more characters of that
    --- exit 3
    ");
    insta::assert_snapshot!(of(&machine, &["show", "zzz", "--story", "demo"]), @"
    --- stderr
    error: the story `demo` has no plan `zzz`: its last is `plan_002` (`[ID]`); name one by its number, its id, or the first 4 or more characters of that
    --- exit 3
    ");
    insta::assert_snapshot!(of(&machine, &["show", "", "--story", "demo"]), @"
    --- stderr
    error: the story `demo` has no plan ``: its last is `plan_002` (`[ID]`); name one by its number, its id, or the first 4 or more characters of that
    --- exit 3
    ");
    insta::assert_snapshot!(of(&machine, &["export", "99999999999999999999999", "--story", "demo"]), @"
    --- stderr
    error: the story `demo` has no plan `99999999999999999999999`: its last is `plan_002` (`[ID]`); name one by its number, its id, or the first 4 or more characters of that
    --- exit 3
    ");
    insta::assert_snapshot!(of(&machine, &["export", "1", "--story", "demo", "--as", "toml"]), @"
    --- stderr
    error: invalid value 'toml' for '--as <FORM>'
      [possible values: json, yaml]

    For more information, try '--help'.
    --- exit 2
    ");
    insta::assert_snapshot!(of(&machine, &["diff", "1", "no.json", "--story", "demo"]), @"
    --- stderr
    error: the plan `no.json` does not exist
    --- exit 3
    ");
    insta::assert_snapshot!(of(&machine, &["diff", "1", "2", "--story", "nowhere"]), @"
    --- stderr
    error: there is no story `nowhere` in `[machine]/kept/stories`: there are `demo`
    --- exit 3
    ");
    assert!(!machine.path().join("kept/stories/nowhere").exists(), "a story was begun");
    machine.write("broken.json", "{");
    insta::assert_snapshot!(of(&machine, &["diff", "1", "broken.json", "--story", "demo"]), @"
    --- stderr
    error: `broken.json`: the plan is not JSON: line 1, column 1: EOF while parsing an object
    --- exit 2
    ");
}

/// The beginning of an id must be enough to tell it from all others.
#[test]
fn a_beginning_that_several_ids_share_is_refused() {
    let machine = machine();
    let rows = document(&machine, &["list", "--story", "demo", "--format", "json"]);
    let ids: Vec<&str> =
        rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    let shared = ids[0].chars().zip(ids[1].chars()).take_while(|(a, b)| a == b).count();
    // Any two ids differ somewhere; up to there, and not being a number, they cannot be told apart.
    let begin = &ids[0][..shared];
    if begin.parse::<u64>().is_err() && !begin.is_empty() {
        // Fewer than four letters are no beginning of an id.
        let expect = if shared < 4 { 3 } else { 2 };
        let ran = machine.run(&["plan", "show", begin, "--story", "demo"], "");
        assert_eq!(ran.exit, Some(expect), "{}", ran.transcript());
    }
    let ran = machine.run(&["plan", "show", ids[0], "--story", "demo"], "");
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
}

/// S0 §5.3(7): what scripts write into their log stays with the plan: `plan show --logs` and `story why` show it, on a pipe
/// `--logs` prints it while the plan runs, and the log file has it.
#[test]
fn the_log_of_a_script_has_a_place_that_lasts() {
    let machine = machine();
    let shown = of(&machine, &["show", "1", "--story", "demo", "--logs"]);
    assert_eq!(shown.matches("     log info: still here\n").count(), 2, "{shown}");
    let without = of(&machine, &["show", "1", "--story", "demo"]);
    assert!(!without.contains("still here"), "{without}");
    let why = machine.run(&["story", "why", "1", "--full", "--story", "demo"], "").stdout;
    assert!(why.contains("    log info: still here\n"), "{why}");
    let run = ["plan", "run", "good.json", "--skills", "skills"];
    let told = machine.run(&[&run[..], &["--logs"]].concat(), "").stderr;
    assert!(told.contains("log: step `look`: info: still here\n"), "{told}");
    let told = machine.run(&run, "").stderr;
    assert!(!told.contains("still here"), "{told}");
    let path = told.split('`').find(|part| part.contains("/kept/records/")).unwrap();
    let path = path.replace("[machine]", &machine.path().display().to_string());
    let of_file = machine.run(&["plan", "show", &path, "--logs"], "").stdout;
    assert!(of_file.contains("log info: still here"), "{of_file}");
    let log = std::fs::read_to_string(machine.path().join("kept/logs/narratoria.log")).unwrap();
    assert!(log.contains("log of a skill") && log.contains("still here"), "{log}");
}

/// `plan export` prints what its contract says, also of a plan that runs outside any story.
#[test]
fn an_exported_plan_fits_its_contract() {
    let machine = machine();
    let contract = include_str!("../../contracts/plan-export.schema.json");
    let contract = Schema::build(serde_json::from_str(contract).unwrap()).unwrap();
    for number in ["1", "2"] {
        let exported = document(&machine, &["export", number, "--story", "demo"]);
        assert_eq!(contract.mismatches(&exported), [], "{exported}");
    }
    let told = machine.run(&["plan", "run", "good.json", "--skills", "skills"], "").stderr;
    let path = told.split('`').find(|part| part.contains("/kept/records/")).unwrap();
    let path = path.replace("[machine]", &machine.path().display().to_string());
    let shown = document(&machine, &["show", &path, "--format", "json"]);
    assert_eq!(contract.mismatches(&shown), [], "{shown}");
}
