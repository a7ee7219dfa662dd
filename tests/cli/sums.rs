//! Hostile skills against the sums of a turn: whatever they write, the process stays small, the turn ends, the next turn
//! with built-in skills plays, and nothing is left on the disk that the story does not list.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::cli::heavy_component::with_data;
use crate::player_machine::{PlayerMachine, check_updates};

/// The most that the whole process may have taken at any moment of a hostile case.
const PEAK_BYTES_MAX: u64 = 256 << 20;

const RUN: [&str; 11] = [
    "run",
    "--story",
    "demo",
    "--skills",
    "skills",
    "--planner",
    "scripted:script.json",
    "--seed",
    "7",
    "--format",
    "json",
];

struct HostileCase {
    name: &'static str,
    /// Fields of the plan's step.
    step: Value,
    /// How many plans of the turn have this step; more than one if it is required and fails.
    plans: usize,
    /// The turn's words about it: part of an update or of its narration.
    expect: &'static str,
}

/// One more step may be optional, so that the turn goes on without it.
fn case(name: &'static str, step: Value, expect: &'static str) -> HostileCase {
    HostileCase { name, step, plans: 1, expect }
}

/// Long because it is a table.
fn cases() -> Vec<HostileCase> {
    // `make hostile` runs everything as often as a stranger may ask for it. Without optimisation that takes longer than the
    // time of a step.
    let times = |whole: usize, quick: usize| match std::env::var_os("HOSTILE_WHOLE") {
        Some(_) => whole,
        None => quick,
    };
    let items: Vec<Value> = (0..30).map(|n| json!(n)).collect();
    let retries = json!({"maxRetries": 10, "backoffMs": 1});
    let each = |input: Value| json!({"forEach": items, "maxItems": 30, "input": input});
    let again = |input: Value| json!({"retryPolicy": retries, "input": input});
    let once = |input: Value| json!({"input": input});
    vec![
        case("nothing", once(json!({})), r#""state":"success""#),
        case(
            "eleven attempts of 62 MB",
            again(json!({"logs": times(64, 8), "logBytes": 1_000_000, "fails": true})),
            r#""retryCount":10"#,
        ),
        case(
            "eleven attempts of log lines",
            again(json!({"logs": times(9_900, 3_000), "logBytes": 1_500, "fails": true})),
            r#""retryCount":10"#,
        ),
        case(
            "thirty items of 9,900 log lines",
            each(json!({"logs": times(9_900, 800), "logBytes": 100})),
            r#""state":"success""#,
        ),
        case(
            "thirty items of errors",
            each(json!({"errors": times(9_000, 800), "errorBytes": 300})),
            r#""state":"success""#,
        ),
        case(
            "thirty items of log lines with values",
            each(json!({"logs": 9_900, "logBytes": 100, "logValues": 10})),
            "more than 200000 JSON values",
        ),
        case(
            "thirty items of large outputs",
            each(json!({"textBytes": 900_000})),
            "wrote more than its part of what a turn records",
        ),
        case(
            "thirty items of many values",
            each(json!({"values": 150_000})),
            "wrote more than its part of what a turn records",
        ),
        case(
            "UI events of a megabyte",
            once(json!({"shows": 60, "showBytes": 1_000_000})),
            "wrote more than its part of what a turn records",
        ),
        case("a narration of a book", once(json!({"textBytes": 900_000})), "… [cut]"),
        case(
            "values in a log",
            once(json!({"logs": 90, "logValues": 2_000})),
            r#""state":"success""#,
        ),
        case("a long message", once(json!({"errors": 1, "errorBytes": 88_000})), "xxx…"),
        case(
            "escapes in a log",
            once(json!({"logs": 3_000, "logBytes": 1_000, "character": "\u{1}"})),
            r#""state":"success""#,
        ),
        case("stderr", again(json!({"stderrBytes": 500_000, "fails": true})), r#""retryCount":10"#),
        case(
            "files that nobody announced",
            once(json!({"files": [
                {"path": "one.bin", "text": "x", "times": 20_000_000},
                {"path": "deep/two.bin", "text": "x", "times": 20_000_000},
            ]})),
            r#""state":"success""#,
        ),
        case(
            "folders deeper than a path",
            once(json!({"dig": 150, "digBytes": 100_000})),
            "nested folders deeper than 32 levels",
        ),
        case(
            "a disk full of items",
            json!({"forEach": items, "maxItems": 30, "input": {"files": [
                {"path": "big.bin", "text": "x", "times": 30_000_000}]}}),
            "would raise the bytes that the scripts of this turn have written to disk",
        ),
        HostileCase {
            plans: 5,
            ..case(
                "five plans of eleven attempts",
                again(
                    json!({"logs": times(300, 30), "logBytes": 90_000, "shows": 3, "showBytes": 900_000,
                    "fails": true}),
                ),
                r#""outcome":"fallback""#,
            )
        },
    ]
}

/// A plan whose first steps flood, and whose last is what the built-in skills make of the sentence.
fn hostile_plan(case: &HostileCase) -> Value {
    let mut step = json!({"toolId": "flood", "toolPath": "flooder/act",
        "required": case.plans > 1, "dependencies": []});
    step.as_object_mut().unwrap().extend(case.step.as_object().unwrap().clone());
    json!({"requestId": "6f1c1f9e-8d5e-4e9c-9a52-0d3f5a1b2c3d", "tools": [step]})
}

fn files_below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(files_below(&entry.path())),
            false => found.push(entry.path().display().to_string()),
        }
    }
    found
}

#[test]
fn after_each_hostile_turn_the_process_is_small_and_the_next_turn_plays() {
    let mut wrong = Vec::new();
    for case in cases() {
        let machine = PlayerMachine::new();
        let limits = json!({"stdoutBytes": 64 << 20});
        let grants = json!({"assets": true, "data": true});
        machine.package_with(
            "flooder",
            "floods-the-record",
            json!({"limits": limits, "grants": grants}),
        );
        let roll = json!({"toolId": "roll", "toolPath": "dice-roller/roll-dice", "input": {"formula": "1d6"}});
        let mut script = vec![hostile_plan(&case); case.plans];
        script.push(json!({"narrative": "The next turn.", "tools": [roll]}));
        machine.write("script.json", json!(script).to_string());
        let mut live = machine.start(&RUN);
        live.type_line("I open the door");
        let (told, finished) = live.updates_until("turn.finished");
        let peak = live.peak_memory_bytes();
        println!("{}: {} MB", case.name, peak >> 20);
        if peak > PEAK_BYTES_MAX {
            wrong.push(format!("{}: {} MB", case.name, peak >> 20));
        }
        let told: Vec<String> = told.iter().chain([&finished]).map(Value::to_string).collect();
        if !told.iter().any(|line| line.contains(case.expect)) {
            wrong.push(format!("{}: no `{}`: {finished:.300}", case.name, case.expect));
        }
        let left = files_below(&machine.path().join("kept/stories/demo/assets"));
        if !left.is_empty() {
            wrong.push(format!("{}: left {left:?}", case.name));
        }
        live.type_line("I roll a die");
        let (_, next) = live.updates_until("turn.finished");
        check_updates(std::slice::from_ref(&next));
        if next["outcome"] != "told" || next["narration"] != "The next turn." {
            wrong.push(format!("{}: then {next}", case.name));
        }
        assert_eq!(live.end().0, Some(0), "{}", case.name);
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// Once they are compiled, their bytes are no longer needed.
#[test]
fn packages_with_the_largest_components_leave_the_process_small() {
    let machine = PlayerMachine::new();
    fs::remove_file(machine.path().join("kept/cache")).unwrap();
    for skill in ["bulk-a", "bulk-b", "bulk-c"] {
        machine.package(skill, "echo");
        let script = machine.path().join("skills").join(skill).join("scripts/act.wasm");
        fs::write(&script, with_data(&fs::read(&script).unwrap(), 31 << 20)).unwrap();
    }
    let mut live = machine.start(&["run", "--skills", "skills", "--format", "json"]);
    live.type_line("I roll a die");
    let (told, finished) = live.updates_until("turn.finished");
    assert_eq!(finished["outcome"], "told", "{told:?}");
    let skills = told[0]["skills"].to_string();
    assert!(skills.contains("bulk-a") && skills.contains("bulk-c"), "{skills}");
    let now = live.resident_memory_bytes() >> 20;
    println!("{} MB at most, {now} MB now", live.peak_memory_bytes() >> 20);
    assert!(now <= PEAK_BYTES_MAX >> 20, "{now} MB");
    assert_eq!(live.end().0, Some(0));
}
