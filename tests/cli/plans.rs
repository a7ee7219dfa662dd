//! `plan new`, `plan check`, `plan run`.

use narratoria_skills::Schema;
use serde_json::{Value, json};

use crate::player_machine::{PlayerMachine, plan};

/// Returns the report of `plan check` and `plan run`; they agree, and nothing runs.
#[track_caller]
fn refused(text: &str) -> String {
    let machine = PlayerMachine::new();
    machine.write("plan.json", text);
    let told = machine.transcript(&["plan", "check", "plan.json"], "");
    assert_eq!(machine.transcript(&["plan", "run", "plan.json"], ""), told);
    let as_turn = ["plan", "run", "plan.json", "--story", "demo"];
    assert_eq!(machine.transcript(&as_turn, ""), told);
    assert!(!machine.path().join("kept/stories/demo").exists(), "a story was begun");
    told
}

fn roll(id: &str, dependencies: &[&str]) -> Value {
    json!({
        "toolId": id, "toolPath": "dice-roller/roll-dice", "input": {"formula": "1d20"},
        "dependencies": dependencies,
    })
}

#[test]
fn a_cycle_names_its_path() {
    insta::assert_snapshot!(refused(&plan(json!([roll("a", &["b"]), roll("b", &["a"])]))), @"
    --- stderr
    error: `plan.json`: steps wait for each other: a -> b -> a
    hint: take one of these dependencies out
    --- exit 2
    ");
}

#[test]
fn an_unknown_tool_names_the_nearest() {
    let tools = json!([{"toolId": "a", "toolPath": "dice-rolller/roll-dice", "input": {}}]);
    insta::assert_snapshot!(refused(&plan(tools)), @"
    --- stderr
    error: `plan.json`: step `a`: there is no skill `dice-rolller`
    hint: did you mean `dice-roller`?
    --- exit 2
    ");
    let tools = json!([{"toolId": "a", "toolPath": "dice-roller/roll", "input": {}}]);
    insta::assert_snapshot!(refused(&plan(tools)), @"
    --- stderr
    error: `plan.json`: step `a`: skill `dice-roller` has no script `roll`
    hint: skill `dice-roller` has: roll-dice
    --- exit 2
    ");
}

/// A machine with the story `mill`, whose world is made from a premise.
fn machine_with_a_mill() -> PlayerMachine {
    let machine = PlayerMachine::new();
    let create = json!({
        "toolId": "a", "toolPath": "world/create", "dependencies": [],
        "input": {"premise": "a miller and a locked tower", "seed": 4},
    });
    machine.write("create.json", plan(json!([create])));
    assert_eq!(machine.run(&["plan", "run", "create.json", "--story", "mill"], "").exit, Some(0));
    machine
}

#[test]
fn a_story_says_which_names_there_are() {
    let machine = machine_with_a_mill();
    let take = json!({
        "toolId": "a", "toolPath": "world/act", "dependencies": [],
        "input": {"action": "take", "target": "holy sword"},
    });
    machine.write("take.json", plan(json!([take])));
    assert_eq!(machine.run(&["plan", "check", "take.json"], "").exit, Some(0));
    let told = machine.run(&["plan", "check", "take.json", "--story", "mill"], "");
    assert_eq!(told.exit, Some(2), "{}", told.stderr);
    assert!(told.stderr.contains("holy sword"), "{}", told.stderr);
    let missing = machine.run(&["plan", "check", "take.json", "--story", "no-such"], "");
    assert_eq!(missing.exit, Some(3), "{}", missing.stderr);
}

#[test]
fn a_duplicate_id_names_both_places() {
    insta::assert_snapshot!(refused(&plan(json!([roll("a", &[]), roll("a", &[])]))), @"
    --- stderr
    error: `plan.json`: `tools[0]` and `tools[1]` are both called `a`
    hint: give one of them another id
    --- exit 2
    ");
}

#[test]
fn a_missing_dependency_names_the_nearest() {
    insta::assert_snapshot!(refused(&plan(json!([roll("torch", &[]), roll("b", &["trch"])]))), @"
    --- stderr
    error: `plan.json`: step `b` needs `trch`, which is not in the plan
    hint: did you mean `torch`?
    --- exit 2
    ");
}

#[test]
fn bad_input_names_the_field_and_the_value() {
    let tools = json!([{
        "toolId": "a", "toolPath": "dice-roller/roll-dice", "input": {"formula": 20, "dice": "d6"},
    }]);
    insta::assert_snapshot!(refused(&plan(tools)), @r#"
    --- stderr
    error: `plan.json`: tools[0] ("a").input.formula: 20 is not of type "string"
    hint: `dice-roller/roll-dice` takes: formula, mode, modifier
    error: `plan.json`: tools[0] ("a").input: Additional properties are not allowed ('dice' was unexpected)
    hint: `dice-roller/roll-dice` takes: formula, mode, modifier
    --- exit 2
    "#);
}

#[test]
fn what_is_no_plan_is_refused_where_it_ends_to_be_one() {
    insta::assert_snapshot!(refused("once upon a time"), @r#"
    --- stderr
    error: `plan.json`: the plan: "once upon a time" is not of type "object"
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    --- exit 2
    "#);
    insta::assert_snapshot!(refused("{\"tools\": []}"), @r#"
    --- stderr
    error: `plan.json`: the plan: "requestId" is a required property
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    --- exit 2
    "#);
    insta::assert_snapshot!(refused(""), @r#"
    --- stderr
    error: `plan.json`: the plan is empty, it must hold JSON
    hint: a plan is one JSON object, the smallest is `{"requestId": "00000000-0000-4000-8000-000000000000", "tools": []}`
    --- exit 2
    "#);
}

#[test]
fn programs_get_the_errors_as_json() {
    let tools = plan(json!([roll("torch", &[]), roll("b", &["trch"])]));
    let ran = PlayerMachine::new().run(&["plan", "check", "-", "--format", "json"], tools);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(ran.exit, Some(2));
    assert_eq!(document["ok"], false);
    assert_eq!(document["errors"][0]["hint"], "did you mean `torch`?");
}

#[test]
fn a_good_plan_is_told_in_run_order() {
    let machine = PlayerMachine::new();
    let text = plan(json!([roll("b", &["a"]), roll("a", &[]), roll("c", &[])]));
    insta::assert_snapshot!(machine.transcript(&["plan", "check", "-"], text.clone()), @"
    ok: 3 steps: a, b, c
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(machine.transcript(&["plan", "check", "-", "--format", "json"], text), @r#"
    {
      "ok": true,
      "steps": [
        "a",
        "b",
        "c"
      ]
    }
    --- stderr
    --- exit 0
    "#);
}

#[test]
fn a_plan_that_is_not_there_is_exit_3() {
    insta::assert_snapshot!(PlayerMachine::new().transcript(&["plan", "check", "no.json"], ""), @"
    --- stderr
    error: the plan `no.json` does not exist
    --- exit 3
    ");
    insta::assert_snapshot!(PlayerMachine::new().transcript(&["plan", "run", "no.json"], ""), @"
    --- stderr
    error: the plan `no.json` does not exist
    --- exit 3
    ");
}

#[test]
fn an_endless_plan_is_not_read_to_its_end() {
    let machine = PlayerMachine::new();
    let ran = machine.run(&["plan", "check", "-"], vec![b' '; 3 << 20]);
    assert_eq!(ran.exit, Some(2));
    assert!(ran.stderr.contains("has more than"), "{}", ran.stderr);
}

#[test]
fn a_plan_that_runs_says_what_came_of_each_step() {
    let machine = PlayerMachine::new();
    machine.package("unlucky", "fail");
    let tools = json!([
        roll("roll", &[]),
        {"toolId": "open", "toolPath": "unlucky/act", "input": {"code": "JAMMED", "message": "it is jammed"}},
        roll("after", &["open"]),
    ]);
    machine.write("plan.json", plan(tools));
    let args = ["plan", "run", "plan.json", "--seed", "7", "--skills", "skills"];
    let ran = machine.run(&args, "");
    insta::assert_snapshot!(ran.timeless(), @"
    STEP   STATE    TIME RETRIES  WHAT
    roll   success  [TIME] 0        rolled 1d20 for 11
    open   failed   [TIME] 0        it is jammed
    after  skipped  [TIME] 0        dependency_failed
    the plan failed
    --- stderr
    roll 1d20: [11] = 11
    warning: step `open`: it is jammed (JAMMED)
    --- exit 1
    ");
    let ran = machine.run(&[&args[..], &["--format", "json"]].concat(), "");
    let result = ran.result();
    let contract = include_str!("../../contracts/execution-result.schema.json");
    let contract = Schema::build(serde_json::from_str(contract).unwrap()).unwrap();
    assert_eq!(contract.mismatches(&result), []);
    assert_eq!((ran.exit, &result["success"]), (Some(1), &json!(false)));
}

#[test]
fn a_plan_run_in_a_story_is_a_turn_of_it() {
    let machine = PlayerMachine::new();
    machine.write("plan.json", plan(json!([roll("roll", &[])])));
    let ran = machine.run(&["plan", "run", "plan.json", "--story", "demo"], "");
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    let ran = machine.run(&["run", "--story", "demo", "--format", "json"], "");
    assert_eq!(ran.lines()[0]["turns"], 1);
}

#[test]
fn a_sentence_becomes_a_plan_that_passes_the_check() {
    let machine = PlayerMachine::new();
    let ran = machine.run(&["plan", "new", "I roll to pick the lock", "--planner", "lexical"], "");
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    let new: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(new["tools"][0]["toolPath"], "dice-roller/roll-dice");
    assert_eq!(machine.run(&["plan", "check", "-"], ran.stdout).exit, Some(0));
}

/// S2: a plan made for a story knows what there is in it; outside of it, nobody knows the miller's tower.
#[test]
fn a_new_plan_for_a_story_is_made_from_the_state_of_that_story() {
    let machine = machine_with_a_mill();
    let new = |more: &[&str]| {
        let args = [&["plan", "new", "look", "--planner", "lexical"], more];
        let ran = machine.run(&args.concat(), "");
        assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
        let new: Value = serde_json::from_str(&ran.stdout).unwrap();
        let paths = new["tools"].as_array().unwrap().iter().map(|tool| tool["toolPath"].clone());
        (paths.collect::<Vec<Value>>(), ran.stdout)
    };
    let (paths, text) = new(&["--story", "mill"]);
    assert!(
        paths.contains(&"world/act".into()) || paths.contains(&"world/understand".into()),
        "{paths:?}"
    );
    let checked = machine.run(&["plan", "check", "-", "--story", "mill"], text);
    assert_eq!(checked.exit, Some(0), "{}", checked.transcript());
    assert!(!new(&[]).0.iter().any(|path| path.as_str().unwrap().starts_with("world/")));
    let missing = machine.run(&["plan", "new", "look", "--story", "no-such"], "");
    assert_eq!(missing.exit, Some(3), "{}", missing.stderr);
}

/// A path that is none hides neither a skill that is not there nor a capability that none has.
#[test]
fn one_wrong_path_hides_no_other() {
    let tools = json!([
        {"toolId": "a", "toolPath": "weather/get-weather", "input": {}},
        {"toolId": "b", "toolPath": "Xml.Extract", "input": {"x": "$a"}},
        {"toolId": "c", "toolPath": "capability:nothing", "input": {}},
    ]);
    let plan = json!({
        "requestId": "3f0c6a52-8d1e-4b7a-9c55-2f6e1d0b7a11", "narrative": "n", "parallel": true, "tools": tools,
    });
    let told = PlayerMachine::new().run(&["plan", "check", "-"], plan.to_string());
    assert_eq!(told.exit, Some(2));
    let errors: Vec<&str> =
        told.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(errors.len(), 3, "{}", told.stderr);
    for (error, part) in errors.iter().zip(["`weather`", "`Xml.Extract` is not", "`nothing`"]) {
        assert!(error.contains(part), "{error}");
    }
}

/// A turn without a storyteller has the summaries of its steps as its text, and never the words for a failure.
#[test]
fn a_plan_that_narrates_nothing_is_told_by_its_summaries() {
    let machine = PlayerMachine::new();
    machine.write("roll.json", plan(json!([roll("a", &[])])));
    let run = ["plan", "run", "roll.json", "--story", "demo", "--seed", "1"];
    insta::assert_snapshot!(machine.run(&run, "").timeless(), @"
    STEP  STATE    TIME RETRIES  WHAT
    a     success  [TIME] 0        rolled 1d20 for 10
    the plan succeeded
    --- stderr
    roll 1d20: [10] = 10
    Rolled 1d20 for 10.

    --- exit 0
    ");
}

/// A script with files runs only in a story: that is said before anything runs.
#[test]
fn a_plan_with_files_does_not_start_outside_a_story() {
    let machine = PlayerMachine::new();
    machine.package_with("lucky", "lucky", json!({"grants": {"data": true}}));
    let tools = json!([
        roll("luck", &[]),
        {"toolId": "count", "toolPath": "lucky/act", "input": {"unlucky": 0}},
    ]);
    machine.write("count.json", plan(tools));
    let run = ["plan", "run", "count.json", "--skills", "skills"];
    insta::assert_snapshot!(machine.transcript(&run, ""), @"
    --- stderr
    error: step `count` cannot run outside a story: `lucky/act` has files in a story's folder
    hint: `narratoria plan run FILE --story NAME` runs the plan in a story
    --- exit 2
    ");
    let in_story = machine.run(&[&run[..], &["--story", "demo"]].concat(), "");
    assert_eq!(in_story.exit, Some(0), "{}", in_story.transcript());
}

/// A reference inside a longer text is probably meant to be filled in: `plan check` and `plan run` say that it is not.
#[test]
fn a_reference_inside_a_longer_text_is_a_warning() {
    let machine = PlayerMachine::new();
    let tell = json!({
        "toolId": "tell", "toolPath": "storyteller/narrate",
        "input": {"prompt": "I rolled $a.total, and pay $5"},
    });
    machine.write("plan.json", plan(json!([roll("a", &[]), tell])));
    insta::assert_snapshot!(machine.transcript(&["plan", "check", "plan.json"], ""), @r#"
    ok: 2 steps: a, tell
    --- stderr
    warning: `plan.json`: tools[1] ("tell").input.prompt: `$a.total` stays as it is; only a value that is a reference as a whole is filled in
    --- exit 0
    "#);
    let json = machine.run(&["plan", "check", "plan.json", "--format", "json"], "").result();
    assert_eq!(json["warnings"].as_array().map(Vec::len), Some(1), "{json}");
    let ran = machine.run(&["plan", "run", "plan.json"], "");
    assert!(ran.stderr.contains("`$a.total` stays as it is"), "{}", ran.transcript());
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
}

/// S4's spelling of a tool is one in a file, too.
#[test]
fn a_tool_may_be_named_with_a_dot() {
    let machine = PlayerMachine::new();
    let tools =
        json!([{"toolId": "a", "toolPath": "dice-roller.roll-dice", "input": {"formula": "1d6"}}]);
    machine.write("plan.json", plan(tools));
    insta::assert_snapshot!(machine.transcript(&["plan", "check", "plan.json"], ""), @"
    ok: 1 step: a
    --- stderr
    --- exit 0
    ");
    assert_eq!(machine.run(&["plan", "run", "plan.json"], "").exit, Some(0));
}

/// S0 FR-006, FR-023: who wants more than S0 allows says that the turn leaves it.
#[test]
fn more_than_s0_allows_is_refused_until_a_setting_says_so() {
    let machine = PlayerMachine::new();
    let run = ["run", "--planner", "lexical", "--plan-attempts", "7"];
    insta::assert_snapshot!(machine.transcript(&run, "I look around\n"), @"
    --- stderr
    error: `plan-attempts` is 7, and S0 FR-023 allows 5 at most
    hint: `narratoria run --plan-beyond-s0 on` allows more, and the turn then leaves what S0 asks
    --- exit 2
    ");
    let beyond = [&run[..], &["--plan-beyond-s0", "on"]].concat();
    let ran = machine.run(&beyond, "I look around\n");
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
}

/// docs/plans.md, "Checking".
#[test]
fn a_program_reads_what_a_check_of_a_plan_finds() {
    let machine = PlayerMachine::new();
    let checked = |tools: Value| {
        machine.write("plan.json", plan(tools));
        let ran = machine.run(&["plan", "check", "plan.json", "--format", "json"], "");
        (ran.exit, ran.result())
    };
    let refused = json!({
        "ok": false,
        "errors": [{
            "message": "step `a` needs `b`, which is not in the plan",
            "hint": "a dependency is the `toolId` of another step of the plan",
        }],
        "leftOff": 0,
    });
    assert_eq!(checked(json!([roll("a", &["b"])])), (Some(2), refused));
    let fine = json!({"ok": true, "steps": ["b", "a"]});
    assert_eq!(checked(json!([roll("a", &["b"]), roll("b", &[])])), (Some(0), fine));
}

/// The JSON below these words of a page.
fn of_page(page: &str, words: &str) -> Value {
    let file = format!("{}/docs/{page}.md", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(file).unwrap();
    let (_, below) = text.split_once(words).unwrap();
    let block = below.split_once("```json\n").unwrap().1.split("```").next().unwrap();
    serde_json::from_str(block).unwrap_or_else(|error| panic!("{error}: {block}"))
}

/// docs/plans.md, "A plan that uses everything": what the page says of its plan, with the dice of its two seeds.
#[test]
fn the_plan_of_the_page_runs_as_the_page_says() {
    let machine = PlayerMachine::new();
    machine.write("door.json", of_page("plans", "## A plan that uses everything").to_string());
    insta::assert_snapshot!(machine.transcript(&["plan", "check", "door.json"], ""), @"
    ok: 4 steps: roll, tell, again, offer
    --- stderr
    --- exit 0
    ");
    let run = ["plan", "run", "door.json", "--seed"];
    let approved = machine.run(&[&run[..], &["1", "--yes"]].concat(), "");
    assert_eq!(approved.exit, Some(0), "{}", approved.transcript());
    assert!(approved.stdout.ends_with("the plan succeeded\n"), "{}", approved.transcript());
    for line in [
        "roll   success  0 ms  0        rolled 1d20+3 for 9\n",
        "tell   success  0 ms  0  ",
        "again  success  0 ms  0        rolled 1d20+3 for 17\n",
        "offer  success  0 ms  0  ",
    ] {
        assert!(approved.stdout.contains(line), "no `{line}`: {}", approved.stdout);
    }
    let denied = machine.run(&[&run[..], &["4"]].concat(), "");
    assert_eq!(denied.exit, Some(4), "{}", denied.transcript());
    let end = "the plan succeeded without the steps that were denied; `--yes` approves them\n";
    assert!(denied.stdout.ends_with(end), "{}", denied.transcript());
    for line in [
        "roll   success  0 ms  0        rolled 1d20+3 for 16\n",
        "again  skipped  0 ms  0        condition_false\n",
        "offer  skipped  0 ms  0        denied\n",
    ] {
        assert!(denied.stdout.contains(line), "no `{line}`: {}", denied.stdout);
    }
    let warning = "step `offer` is denied: nobody is there to be asked, `--yes` would approve it";
    assert!(denied.stderr.contains(warning), "{}", denied.transcript());
}

/// docs/built-in-skills.md, "Perception".
#[test]
fn the_plan_of_a_persuasion_can_run() {
    let machine = PlayerMachine::new();
    let mut plan = of_page("built-in-skills", "The modifier goes into the roll by reference:");
    plan["requestId"] = json!("3f0c6a52-8d1e-4b7a-9c55-2f6e1d0b7a11");
    machine.write("persuade.json", plan.to_string());
    insta::assert_snapshot!(machine.transcript(&["plan", "check", "persuade.json"], ""), @"
    ok: 4 steps: perceive, roll, won, tell
    --- stderr
    --- exit 0
    ");
}
