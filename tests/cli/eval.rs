//! `eval`: what is measured of a planner, and the floor of the voice that needs no model.

use std::{
    fs,
    path::{Path, PathBuf},
};

use narratoria_skills::Schema;
use serde_json::{Value, json};

use crate::player_machine::{PlayerMachine, plan};

/// The component of every package of a dataset. No plan runs, so it does nothing.
const SMALLEST_COMPONENT: &str = r#"
    (component
      (core module $module (func (export "run") (result i32) i32.const 0))
      (core instance $instance (instantiate $module))
      (func $run (result (result)) (canon lift (core func $instance "run")))
      (instance $command (export "run" (func $run)))
      (export "wasi:cli/run@0.2.0" (instance $command)))
"#;

const SMALL: &str = r#"{"id": "look", "kind": "narration", "sentence": "I look around", "accept": [["storyteller"]]}

{"id": "roll", "kind": "dice", "sentence": "roll 2d6+3", "accept": [["dice-roller"], ["dice-roller", "storyteller"]]}
{"id": "stuck", "kind": "choices", "sentence": "what can I do?", "accept": [["player-choices"]]}
{"id": "lost", "kind": "choices", "sentence": "I climb the wall", "accept": [["player-choices"], ["storyteller"]]}
"#;

fn contracts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("contracts")
}

fn path(name: &str) -> String {
    contracts().join(name).display().to_string()
}

/// The text without what is different each time.
fn timeless(text: &str) -> String {
    let replaced = |text: &str, pattern: &str, with: &str| {
        regex::Regex::new(pattern).unwrap().replace_all(text, with).into_owned()
    };
    let text = replaced(text, r" +\d+\.\d ms", " [TIME]");
    replaced(&text, "TIME +P50 +P90 +P95 +P99 +MAX", "TIME P50 P90 P95 P99 MAX")
}

/// The report, once it is known to be one.
#[track_caller]
fn report(machine: &PlayerMachine, args: &[&str]) -> Value {
    let ran = machine.run(&[args, &["--format", "json"]].concat(), "");
    assert_eq!((ran.exit, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let schema = fs::read_to_string(contracts().join("eval-report.schema.json")).unwrap();
    let schema = Schema::build(serde_json::from_str(&schema).unwrap()).unwrap();
    assert_eq!(schema.mismatches(&report), [], "{report:#}");
    report
}

#[test]
fn a_small_dataset_gives_one_screen() {
    let machine = PlayerMachine::new();
    machine.write("small.jsonl", SMALL);
    let told = machine.transcript(&["eval", "small.jsonl", "--planner", "lexical"], "");
    insta::assert_snapshot!(timeless(&told), @"
    lexical, 4 sentences, at most 5s each

                  BY ITSELF         95 % SURE        WITH STAND-IN
    valid plans   4 of 4 (100.0 %)  51.0 to 100.0 %  4 of 4 (100.0 %)
    right skills  3 of 4 (75.0 %)   30.1 to 95.4 %   3 of 4 (75.0 %)

    KIND       SENTENCES  VALID  RIGHT
    narration  1          1      1      100.0 %
    dice       1          1      1      100.0 %
    choices    2          2      1      50.0 %

    SKILL           RIGHTLY USED  PRECISION  FOUND   RECALL
    dice-roller     1 of 2        50.0 %     1 of 1  100.0 %
    player-choices  1 of 1        100.0 %    1 of 1  100.0 %
    storyteller     3 of 3        100.0 %    1 of 1  100.0 %

    TIME P50 P90 P95 P99 MAX
    answer [TIME] [TIME] [TIME] [TIME] [TIME]

    MISS  CHOSE                      RIGHT WOULD BE                  SENTENCE
    lost  dice-roller + storyteller  player-choices, or storyteller  I climb the wall
    --- stderr
    --- exit 0
    ");
}

#[test]
fn programs_get_the_same_in_numbers() {
    let machine = PlayerMachine::new();
    machine.write("small.jsonl", SMALL);
    let report = report(&machine, &["eval", "small.jsonl", "--misses", "0"]);
    assert_eq!(report["validPlans"]["byItselfRate"], 1.0);
    assert_eq!(
        report["rightSkills"],
        json!({
            "of": 4, "byItself": 3, "byItselfRate": 0.75, "byItselfInterval": [0.3006, 0.9544],
            "withStandIn": 3, "withStandInRate": 0.75
        })
    );
    assert_eq!((&report["misses"], &report["missesLeftOff"]), (&json!([]), &json!(1)));
    assert_eq!((&report["tokens"], &report["fallbacks"]), (&Value::Null, &json!([])));
}

#[test]
fn a_planner_that_is_worse_than_required_is_exit_1() {
    let machine = PlayerMachine::new();
    machine.write("small.jsonl", SMALL);
    let run = |valid: &str, accuracy: &str| {
        let required = ["--require-valid", valid, "--require-accuracy", accuracy];
        machine.run(&[&["eval", "small.jsonl"][..], &required].concat(), "")
    };
    assert_eq!(run("1", "0.75").exit, Some(0));
    let ran = run("1", "0.76");
    assert_eq!(
        (ran.exit, ran.stderr.as_str()),
        (Some(1), "error: right skills: 3 of 4 (0.7500), required 0.76\n")
    );
    insta::assert_snapshot!(machine.transcript(&["eval", "small.jsonl", "--require-valid", "95"], ""), @"
    --- stderr
    error: invalid value '95' for '--require-valid <RATE>': it must be a number from 0 to 1

    For more information, try '--help'.
    --- exit 2
    ");
}

// Long because the report is shown whole.
#[test]
fn plans_that_cannot_run_are_misses_with_their_reason() {
    let machine = PlayerMachine::new();
    let case = |id: &str, disabled: &str| {
        json!({"id": id, "kind": "scripted", "sentence": "roll", "accept": [["dice-roller"]],
            "disabled": if disabled.is_empty() { json!([]) } else { json!([disabled]) }})
        .to_string()
    };
    let ids = ["right", "other-skill", "circle", "no-skill", "not-json", "failed", "gave-up"];
    let mut cases: Vec<String> = ids.iter().map(|id| case(id, "")).collect();
    cases.push(case("disabled", "dice-roller"));
    cases.push(case("no-more", ""));
    machine.write("cases.jsonl", cases.join("\n"));
    let of = |tools: Value| -> Value { serde_json::from_str(&plan(tools)).unwrap() };
    let roll =
        json!({"toolId": "r", "toolPath": "dice-roller/roll-dice", "input": {"formula": "1d6"}});
    let mut circle = roll.clone();
    circle["dependencies"] = json!(["r"]);
    let script = json!([
        of(json!([roll])),
        of(json!([{"toolId": "n", "toolPath": "storyteller/narrate", "input": {"prompt": "roll"}}])),
        of(json!([circle])),
        of(json!([{"toolId": "x", "toolPath": "host/shell"}])),
        "rm -rf /",
        {"error": "out of memory"},
        {"abort": "no idea"},
        of(json!([roll])),
    ]);
    machine.write("script.json", script.to_string());
    let told =
        machine.transcript(&["eval", "cases.jsonl", "--planner", "scripted:script.json"], "");
    insta::assert_snapshot!(timeless(&told), @"
    scripted, 9 sentences, at most 5s each

                  BY ITSELF        95 % SURE      WITH STAND-IN
    valid plans   2 of 9 (22.2 %)  6.3 to 54.7 %  5 of 9 (55.6 %)
    right skills  1 of 9 (11.1 %)  2.0 to 43.5 %  1 of 9 (11.1 %)

    KIND      SENTENCES  VALID  RIGHT
    scripted  9          2      1      11.1 %

    SKILL        RIGHTLY USED  PRECISION  FOUND   RECALL
    dice-roller  4 of 4        100.0 %    4 of 9  44.4 %
    storyteller  0 of 4        0.0 %      0 of 0  100.0 %

    TIME P50 P90 P95 P99 MAX
    answer [TIME] [TIME] [TIME] [TIME] [TIME]

    FALLBACKS  BECAUSE
    1          out of memory
    1          the plan is not JSON: line 1, column 1: expected value
    1          the script has only 8 responses and was asked for more

    MISS         CHOSE                                                         RIGHT WOULD BE  SENTENCE
    other-skill  storyteller                                                   dice-roller     roll
    circle       no plan: step `r` needs itself (take that dependency out)     dice-roller     roll
    no-skill     no plan: step `x`: there is no skill `host` (known scripts:…  dice-roller     roll
    not-json     lexical in its place: dice-roller + storyteller               dice-roller     roll
    failed       lexical in its place: dice-roller + storyteller               dice-roller     roll
    gave-up      no plan: the planner gave up: no idea                         dice-roller     roll
    disabled     no plan: step `r` uses skill `dice-roller`, which is…         dice-roller     roll
    no-more      lexical in its place: dice-roller + storyteller               dice-roller     roll
    --- stderr
    --- exit 0
    ");
    let report = report(&machine, &["eval", "cases.jsonl", "--planner", "scripted:script.json"]);
    let misses: Vec<&Value> = report["misses"].as_array().unwrap().iter().collect();
    let errors: Vec<&str> = misses.iter().filter_map(|miss| miss["errors"][0].as_str()).collect();
    insta::assert_snapshot!(errors.join("\n"), @"
    step `r` needs itself (take that dependency out)
    step `x`: there is no skill `host` (known scripts: character/generate, character-portraits/generate-portrait, character-portraits/lookup-portrait, dice-roller/roll-dice, location/generate, memory/remember, memory/search, memory/pin, memory/forget, npc-perception/query-perception, npc-perception/update-perception, player-choices/generate-choices and 20 more)
    the planner gave up: no idea
    step `r` uses skill `dice-roller`, which is disabled (known scripts: character/generate, character-portraits/generate-portrait, character-portraits/lookup-portrait, location/generate, memory/remember, memory/search, memory/pin, memory/forget, npc-perception/query-perception, npc-perception/update-perception, player-choices/generate-choices, plot/open and 19 more)
    ");
}

#[test]
fn a_line_that_is_no_case_is_told_with_its_number() {
    let machine = PlayerMachine::new();
    let told = |text: &str| machine.transcript(&["eval", "-"], text);
    let first = SMALL.lines().next().unwrap();
    let look = |field: &str, value: Value| {
        let mut case: Value = serde_json::from_str(first).unwrap();
        case[field] = value;
        format!("\n{case}\n")
    };
    insta::assert_snapshot!(told(""), @r#"
    --- stderr
    error: the dataset has no case
    hint: each line is a JSON object such as {"id": "look", "kind": "narration", "sentence": "I look around", "accept": [["storyteller"]]}
    --- exit 2
    "#);
    insta::assert_snapshot!(told(&format!("{first}\n{{\"id\": ")), @r#"
    --- stderr
    error: line 2 is not JSON: EOF while parsing a value at column 6: `{"id":`
    hint: each line is a JSON object such as {"id": "look", "kind": "narration", "sentence": "I look around", "accept": [["storyteller"]]}
    --- exit 2
    "#);
    insta::assert_snapshot!(told(&look("accepts", json!([]))), @"
    --- stderr
    error: line 2 is no case: Additional properties are not allowed ('accepts' was unexpected); did you mean `accept`?
    hint: `contracts/eval.schema.json` says what a case has
    --- exit 2
    ");
    insta::assert_snapshot!(told(&look("accept", json!([["Dice"]]))), @r#"
    --- stderr
    error: line 2 is no case: /accept/0/0: "Dice" does not match "^[a-z0-9]+(-[a-z0-9]+)*$"
    hint: `contracts/eval.schema.json` says what a case has
    --- exit 2
    "#);
    insta::assert_snapshot!(told(&format!("{first}\n{first}")), @"
    --- stderr
    error: line 2 has the id `look`, which line 1 has already
    hint: give each case an id of its own
    --- exit 2
    ");
    insta::assert_snapshot!(told(&look("sentence", json!(" \t "))), @"
    --- stderr
    error: line 2: the sentence is empty
    hint: a case has a sentence that a player could type
    --- exit 2
    ");
    insta::assert_snapshot!(told(&look("repeat", json!(60_000))), @"
    --- stderr
    error: line 2: the sentence has 780000 bytes, the limit is 65536
    hint: a case has a sentence that a player could type
    --- exit 2
    ");
    insta::assert_snapshot!(told(&look("accept", json!([["dice-rolle"]]))), @"
    --- stderr
    error: line 2 names the skill `dice-rolle`, which is not there
    hint: `narratoria skill list` shows what there is, and `--skills` adds others
    --- exit 2
    ");
    insta::assert_snapshot!(machine.transcript(&["eval", "no.jsonl"], ""), @"
    --- stderr
    error: the dataset `no.jsonl` does not exist
    --- exit 3
    ");
}

/// The lexical planner's scores when this was written. If they improve, write the new figures
/// here. It may not get worse.
const FLOOR: &[(&str, u64)] = &[
    ("dice", 22),
    ("attempt", 44),
    ("narration", 44),
    ("chit-chat", 16),
    ("choices", 24),
    ("two-skills", 18),
    ("three-skills", 13),
    ("replan", 15),
    ("hostile", 30),
    ("unusual", 20),
];

/// S0 SC-001, SC-002: measured here for the voice that needs no model; `docs/evaluation.md` says how it is
/// done with one.
#[test]
fn the_lexical_voice_is_never_invalid_and_no_worse_than_it_was() {
    check_floor(&["eval", &path("eval/narratoria.jsonl")], FLOOR);
}

/// See [`FLOOR`].
const HELD_OUT_FLOOR: &[(&str, u64)] = &[
    ("dice", 7),
    ("attempt", 20),
    ("narration", 20),
    ("chit-chat", 5),
    ("choices", 9),
    ("two-skills", 6),
    ("three-skills", 4),
];

/// Part of the plans with dice whose case wants dice, at least.
const DICE_PRECISION: f64 = 0.95;

#[test]
fn nor_is_it_with_sentences_that_it_was_not_made_for() {
    check_floor(&["eval", &path("eval/held-out.jsonl")], HELD_OUT_FLOOR);
}

/// See [`FLOOR`].
const WORLD_FLOOR: &[(&str, u64)] = &[
    ("deed", 40),
    ("attempt-in-world", 12),
    ("dice-in-world", 6),
    ("choices-in-world", 6),
    ("memory", 6),
    ("standing", 5),
    ("feelings", 5),
    ("looks", 2),
];

/// Sentences for all skills of a story with a world.
#[test]
fn in_a_world_each_sentence_comes_to_its_skill() {
    check_floor(&["eval", &path("eval/world.jsonl")], WORLD_FLOOR);
}

/// See [`FLOOR`].
const HOSTILE_FLOOR: &[(&str, u64)] = &[("hostile-skill", 16)];

#[test]
fn a_skill_whose_prompt_wants_more_gets_no_more() {
    let (cases, skills) = (path("eval/hostile-skills.jsonl"), path("eval/hostile-skills"));
    check_floor(&["eval", &cases, "--skills", &skills], HOSTILE_FLOOR);
}

#[track_caller]
fn check_floor(args: &[&str], floor: &[(&str, u64)]) {
    let report = report(&PlayerMachine::new(), &[args, &["--planner", "lexical"]].concat());
    assert_eq!(report["validPlans"]["byItself"], report["cases"], "{:#}", report["misses"]);
    assert_eq!(report["fallbacks"], json!([]));
    let kinds = report["kinds"].as_array().unwrap().iter();
    let found: Vec<(&str, u64)> = kinds
        .map(|kind| {
            (kind["kind"].as_str().unwrap(), kind["rightSkills"]["byItself"].as_u64().unwrap())
        })
        .collect();
    let names = |scores: &[(&str, u64)]| {
        scores.iter().map(|(kind, _)| (*kind).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&found), names(floor), "{found:?}");
    let worse: Vec<_> =
        found.iter().zip(floor).filter(|(found, floor)| found.1 < floor.1).collect();
    assert!(worse.is_empty(), "{worse:?}\n{:#}", report["misses"]);
    let skills = report["skills"].as_array().unwrap();
    let dice = skills.iter().find(|score| score["skill"] == "dice-roller").unwrap();
    assert!(dice["precision"].as_f64().unwrap() >= DICE_PRECISION, "{dice}");
}

/// S0 FR-005. Without vectors of sentences only words count: what is asked for near to a trigger is found, and plain
/// narration starts nothing.
#[test]
fn packages_whose_authors_tuned_nothing_are_found_by_their_words_and_start_nothing_else() {
    for set in ["practice", "strangers"] {
        let (cases, skills) = (path(&format!("eval/{set}.jsonl")), path(&format!("eval/{set}")));
        let report = report(
            &PlayerMachine::new(),
            &["eval", &cases, "--skills", &skills, "--planner", "lexical"],
        );
        assert_eq!(report["validPlans"]["byItself"], report["cases"], "{:#}", report["misses"]);
        let right = |name: &str| {
            let mut kinds = report["kinds"].as_array().unwrap().iter();
            let kind = kinds.find(|kind| kind["kind"] == name).unwrap();
            kind["rightSkills"]["byItself"].as_u64().unwrap()
        };
        let found = (right("near"), right("none"), right("negation"));
        assert!(found.0 >= 10 && found.1 >= 27 && found.2 >= 12, "{set}: {found:?}");
    }
}

#[test]
fn the_dataset_covers_what_it_should() {
    let text = fs::read_to_string(contracts().join("eval/narratoria.jsonl")).unwrap();
    let kind_of = |line: &str| -> String {
        let case: Value = serde_json::from_str(line).unwrap();
        case["kind"].as_str().unwrap().to_owned()
    };
    let kinds: Vec<String> = text.lines().map(kind_of).collect();
    assert!(kinds.len() >= 160, "{}", kinds.len());
    for kind in [
        "dice",
        "attempt",
        "narration",
        "chit-chat",
        "choices",
        "two-skills",
        "three-skills",
        "replan",
        "hostile",
        "unusual",
    ] {
        let count = kinds.iter().filter(|found| *found == kind).count();
        assert!(count >= 12, "{count} of {kind}");
    }
}

#[test]
fn the_components_of_the_packages_do_nothing() {
    let component = wat::parse_str(SMALLEST_COMPONENT).unwrap();
    let folders =
        ["hostile-skills", "practice", "strangers"].map(|set| contracts().join("eval").join(set));
    let packages = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    for package in packages {
        let path = package.unwrap().path().join("scripts/act.wasm");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &component).unwrap();
        }
        assert!(fs::read(&path).unwrap() == component, "{} is another one", path.display());
    }
}
