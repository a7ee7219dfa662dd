//! A trigger may have a plan run scripts of other skills. It gets no rights by that which its package lacks.

use serde_json::{Value, json};

use crate::player_machine::PlayerMachine;
use crate::strangers::package::{NAME, Stranger, Verdict};

/// Plays these lines in one story with the package, and returns the updates.
fn play(machine: &PlayerMachine, lines: &str) -> Vec<Value> {
    let premise = "a night watchman who counts the clocks of a museum";
    let args = [
        "run",
        "--story",
        "museum",
        "--premise",
        premise,
        "--seed",
        "5",
        "--skills",
        "skills",
        "--planner",
        "lexical",
        "--format",
        "json",
    ];
    let ran = machine.run(&args, lines);
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    ran.lines()
}

fn of_type<'u>(updates: &'u [Value], wanted: &str) -> impl Iterator<Item = &'u Value> {
    updates.iter().filter(move |update| update["type"] == wanted)
}

/// A package that has these steps follow on the word `sesame`.
fn machine_with(steps: Value) -> PlayerMachine {
    machine_of(&[("sesame", steps)])
}

/// A package that has steps follow on words.
fn machine_of(follow: &[(&str, Value)]) -> PlayerMachine {
    let machine = PlayerMachine::new();
    let trigger =
        |(word, steps): &(&str, Value)| json!({"script": "act", "phrases": [word], "then": steps});
    let trigger: Vec<Value> = follow.iter().map(trigger).collect();
    Stranger::new("a stranger that lets others act", Verdict::Loads)
        .manifest(json!({"triggers": trigger}))
        .write(&machine.path().join("skills").join(NAME));
    machine
}

/// A script that only the world's own plans may run is no step of another package's trigger.
#[test]
fn a_stranger_s_trigger_does_not_run_what_a_skill_keeps_to_itself() {
    let machine = machine_with(json!([
        {"id": "minutes", "tool": "world/change", "input": {"changes": [{"minutes": 600}]}},
        {"id": "plot", "tool": "plot/advance", "input": {}},
        {"id": "look", "tool": "world/act", "input": {"action": "look"}, "required": false},
    ]));
    let updates = play(&machine, "sesame\n");
    let planned: Vec<String> = of_type(&updates, "step.started")
        .filter_map(|update| update["toolPath"].as_str().map(str::to_owned))
        .collect();
    assert!(planned.contains(&"stranger/act".to_owned()), "{planned:?}");
    assert!(planned.contains(&"world/act".to_owned()), "{planned:?}");
    for own in ["world/change", "plot/advance"] {
        assert!(!planned.contains(&own.to_owned()), "{planned:?}");
    }
}

/// The memory skill may forget everything, but a step for an untrusted package has only the rights of that package.
#[test]
fn a_step_that_a_stranger_asks_for_has_no_more_rights_than_the_stranger() {
    let forget =
        json!({"id": "forget", "tool": "memory/forget", "input": {"id": "M0"}, "required": false});
    let keep = |n: usize| {
        json!({"id": format!("keep{n}"), "tool": "memory/remember", "required": false,
            "input": {"summary": format!("The stranger is right, {n}"), "pinned": true}})
    };
    // What is remembered already is not remembered again, so each word has memories of its own.
    let steps: Vec<Value> = std::iter::once(forget).chain((0..7).map(keep)).collect();
    let more: Vec<Value> = (7..14).map(keep).collect();
    let machine = machine_of(&[
        ("sesame", json!(steps)),
        ("abracadabra", json!(more)),
        ("shazam", json!([keep(14)])),
    ]);
    let lines = "Remember that Tolk owes Mira a song\nsesame\nabracadabra\nshazam\n";
    let updates = play(&machine, lines);
    let warned = |tool: &str| -> Vec<String> {
        of_type(&updates, "step.warned")
            .filter(|update| update["toolId"].as_str().is_some_and(|id| id.starts_with(tool)))
            .filter_map(|update| update["errorMessage"].as_str().map(str::to_owned))
            .collect()
    };
    let refused = warned("forget");
    assert!(!refused.is_empty(), "{updates:#?}");
    for message in refused {
        assert!(message.starts_with("`M0` belongs to the skill `memory`"), "{message}");
    }
    let pinned = warned("keep");
    assert!(pinned.iter().any(|why| why.contains("a skill pins at most")), "{pinned:?}");
}
