//! The state of a story under skills that fill it, claim parts of it, or are gone: the real program and real components.

use narratoria_protocol::{
    EntityReader, Object, STATE_BYTES_MAX, STATE_SKILL_BYTES_MAX, StateAccount,
};
use narratoria_story::{Story, StoryName, TurnOutcome, TurnRecord};
use serde_json::{Value, json};

use crate::player_machine::{PlayerMachine, plan};

/// Plays the story without a model.
const PLAY: [&str; 9] =
    ["run", "--story", "demo", "--skills", "skills", "--planner", "lexical", "--format", "json"];

/// Runs a plan of one step as a turn: the guest `echo` of this skill writes the patch.
fn patch(machine: &PlayerMachine, skill: &str, patch: &Value) -> (Option<i32>, Value) {
    let step = json!({
        "toolId": "write", "toolPath": format!("{skill}/act"), "input": {"patch": patch},
        "dependencies": [],
    });
    machine.write("plan.json", plan(json!([step])));
    let args =
        ["plan", "run", "plan.json", "--story", "demo", "--skills", "skills", "--format", "json"];
    let told = machine.run(&args, "");
    (told.exit, told.result()["toolResults"][0].clone())
}

/// The error code of the step, or its state.
fn outcome(machine: &PlayerMachine, skill: &str, written: &Value) -> String {
    let (exit, result) = patch(machine, skill, written);
    let code = result["error"]["code"].as_str();
    assert_eq!(exit, Some(if code.is_some() { 1 } else { 0 }));
    assert_eq!(result["retryCount"], 0);
    code.unwrap_or(result["state"].as_str().unwrap()).to_owned()
}

fn open(machine: &PlayerMachine) -> Story {
    let name = StoryName::parse("demo").unwrap();
    Story::open(&machine.path().join("kept/stories"), &name, jiff::Timestamp::UNIX_EPOCH, 7)
        .unwrap()
}

fn object(value: Value) -> Object {
    value.as_object().unwrap().clone()
}

/// A turn that leaves these members in the state, each written by a skill.
fn commit(story: &mut Story, members: &[(&str, &str, usize)]) {
    let mut account = StateAccount::of(story.state());
    let mut patches = Vec::new();
    for (skill, member, bytes) in members {
        let patch = object(json!({*member: "x".repeat(*bytes)}));
        account.apply(skill, &patch);
        patches.push(patch);
    }
    patches.extend(account.record_patch());
    let turn = TurnRecord {
        prompt: "I fill the story".to_owned(),
        narration: "It is full.".to_owned(),
        outcome: TurnOutcome::Narrated,
        choices: Vec::new(),
        patches,
        plans: Vec::new(),
        assets: Vec::new(),
        store_writes: Vec::new(),
        seed: 7,
        started_at: jiff::Timestamp::UNIX_EPOCH,
        finished_at: jiff::Timestamp::UNIX_EPOCH,
    };
    story.commit(&turn).unwrap();
}

/// Two turns with the built-in skills alone. Each must be narrated and become part of the story.
#[track_caller]
fn play(machine: &PlayerMachine) {
    let turns = open(machine).turns();
    let told = machine.run(&PLAY, "I look around\nI roll 2d6\n");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let ended = told.lines().into_iter().filter(|line| line["type"] == "turn.finished");
    let outcomes: Vec<String> =
        ended.map(|line| line["outcome"].as_str().unwrap().to_owned()).collect();
    assert_eq!(outcomes, ["told", "told"], "{}", told.stdout);
    let story = open(machine);
    assert_eq!(story.turns(), turns + 2);
    assert!(story.state().as_object().contains_key("dice"));
}

#[test]
fn a_skill_that_fills_the_story_fails_alone_and_the_story_plays_on() {
    let machine = PlayerMachine::new();
    machine.package("flood", "echo");
    machine.package("lamp", "echo");
    let fill = |member: &str| json!({member: "x".repeat(690_000)});
    assert_eq!(outcome(&machine, "flood", &fill("a")), "success");
    assert_eq!(outcome(&machine, "flood", &fill("b")), "success");
    assert_eq!(outcome(&machine, "flood", &fill("c")), "success");
    let (_, result) = patch(&machine, "flood", &fill("d"));
    let message = result["error"]["message"].as_str().unwrap();
    assert_eq!(result["error"]["code"], "STATE_QUOTA");
    assert!(
        message.contains("`flood`") && message.contains(&STATE_SKILL_BYTES_MAX.to_string()),
        "{message}"
    );
    // It may still shrink, and others may write.
    assert_eq!(outcome(&machine, "lamp", &json!({"lamp": "lit"})), "success");
    play(&machine);
    assert_eq!(outcome(&machine, "flood", &json!({"a": null})), "success");
    assert_eq!(outcome(&machine, "flood", &fill("d")), "success");
}

#[test]
fn a_story_at_its_limit_plays_with_the_built_in_skills_and_repair_leads_out() {
    let machine = PlayerMachine::new();
    machine.package("lamp", "echo");
    let mut story = open(&machine);
    let most = STATE_SKILL_BYTES_MAX - 1_000;
    commit(&mut story, &[("flood-a", "a", most), ("flood-b", "b", most)]);
    commit(&mut story, &[("flood-c", "c", most), ("flood-d", "d", (1 << 20) - 2_000)]);
    drop(story);
    assert_eq!(outcome(&machine, "lamp", &json!({"lamp": "x".repeat(9_000)})), "STATE_FULL");
    play(&machine);
    let repair = |more: &[&str]| {
        let args = [&["story", "repair", "demo", "--skills", "skills"], more].concat();
        machine.run(&args, "")
    };
    let told = repair(&[]);
    assert_eq!(told.exit, Some(0));
    assert!(
        told.stderr.contains("`flood-a` is not loaded; `--drop-skill flood-a` drops"),
        "{}",
        told.stderr
    );
    // A pipe changes nothing without `--yes`.
    let told = repair(&["--drop-skill", "flood-a"]);
    assert_eq!(told.exit, Some(2), "{}", told.stderr);
    assert!(open(&machine).state().as_object().contains_key("a"));
    let told = repair(&["--drop-skill", "flood-a", "--drop", "/b", "--yes"]);
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    assert!(told.stdout.contains("story.before-repair-1.db"), "{}", told.stdout);
    let story = open(&machine);
    let members: Vec<&String> = story.state().as_object().keys().collect();
    assert!(
        !members.contains(&&"a".to_owned()) && !members.contains(&&"b".to_owned()),
        "{members:?}"
    );
    assert_eq!(&story.state_at(story.head().unwrap()).unwrap(), story.state());
    let backup = story.folder().join("story.before-repair-1.db");
    drop(story);
    assert!(backup.metadata().unwrap().len() > STATE_BYTES_MAX as u64 / 2);
    assert_eq!(outcome(&machine, "lamp", &json!({"lamp": "x".repeat(9_000)})), "success");
    play(&machine);
    let told = repair(&["--drop-skill", "nobody", "--yes"]);
    assert_eq!(told.exit, Some(3), "{}", told.stderr);
}

/// `{"":{}}` has seven bytes and takes five hundred of memory: what it takes is counted, not only its text.
#[test]
#[cfg(target_os = "linux")]
fn a_story_full_of_the_smallest_objects_leaves_the_process_small() {
    const PEAK_BYTES_MAX: u64 = 256 << 20;
    let machine = PlayerMachine::new();
    let nested = (0..50).fold(json!({}), |inner, _| json!({"": inner}));
    let skills = ["flood-a", "flood-b", "flood-c", "flood-d", "flood-e"];
    let ends = skills.map(|skill| {
        machine.package(skill, "echo");
        let fills = (0..9).map(|n| json!({format!("{skill}-{n}"): vec![&nested; 140]}));
        fills.map(|fill| outcome(&machine, skill, &fill)).find(|told| told != "success").unwrap()
    });
    assert_eq!(ends[..3], ["STATE_QUOTA"; 3]);
    assert_eq!(ends[4], "STATE_FULL");
    assert!(open(&machine).state().as_object().len() > 4);
    let mut live = machine.start(&PLAY);
    for sentence in ["I look around", "I roll 2d6"] {
        live.type_line(sentence);
        assert_eq!(live.updates_until("turn.finished").1["outcome"], "told");
    }
    let peak = live.peak_memory_bytes();
    println!("{} MB at most", peak >> 20);
    assert!(peak <= PEAK_BYTES_MAX, "{} MB", peak >> 20);
    assert_eq!(live.end().0, Some(0));
}

/// A story that an older program has filled to its last byte.
#[test]
fn a_story_that_was_full_before_there_were_quotas_plays_on() {
    let machine = PlayerMachine::new();
    machine.package("lamp", "echo");
    let mut story = open(&machine);
    let patch = object(json!({"old": "x".repeat(STATE_BYTES_MAX - 12)}));
    let turn = TurnRecord {
        prompt: "I fill it".to_owned(),
        narration: String::new(),
        outcome: TurnOutcome::Narrated,
        choices: Vec::new(),
        patches: vec![patch],
        plans: Vec::new(),
        assets: Vec::new(),
        store_writes: Vec::new(),
        seed: 7,
        started_at: jiff::Timestamp::UNIX_EPOCH,
        finished_at: jiff::Timestamp::UNIX_EPOCH,
    };
    story.commit(&turn).unwrap();
    drop(story);
    play(&machine);
    let told = machine.run(&["run", "--story", "demo"], "");
    assert!(
        told.stderr.contains("`narratoria story repair demo` shows what fills it"),
        "{}",
        told.stderr
    );
    assert_eq!(outcome(&machine, "lamp", &json!({"lamp": "lit"})), "STATE_FULL");
    assert_eq!(outcome(&machine, "lamp", &json!({"old": "short", "lamp": "lit"})), "success");
}

#[test]
fn what_a_removed_skill_has_remembered_is_dropped() {
    let machine = PlayerMachine::new();
    machine.package_with("crowd", "populates", json!({"grants": {"memory": true}}));
    let input = json!({"make": [{"kind": "memory", "count": 8, "pinned": true}]});
    let step = json!({
        "toolId": "crowd", "toolPath": "crowd/act", "input": input, "dependencies": [],
    });
    machine.write("plan.json", plan(json!([step])));
    let told =
        machine.run(&["plan", "run", "plan.json", "--story", "demo", "--skills", "skills"], "");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    let pinned = || open(&machine).entity_access().unwrap().amounts().unwrap().pinned;
    assert_eq!(pinned(), 8);
    std::fs::remove_dir_all(machine.path().join("skills/crowd")).unwrap();
    let told = machine.run(&["story", "repair", "demo", "--drop-skill", "crowd", "--yes"], "");
    assert_eq!(told.exit, Some(0), "{}", told.stderr);
    assert!(told.stdout.contains("8 remembered texts are gone"), "{}", told.stdout);
    assert_eq!(pinned(), 0);
    assert!(!machine.run(&["story", "repair", "demo"], "").stdout.contains("crowd"));
}

#[test]
fn no_skill_changes_what_another_one_claims() {
    let machine = PlayerMachine::new();
    for skill in ["lamp", "thief", "second-lamp"] {
        machine.package(skill, "echo");
    }
    let claim = |skill: &str, writes: Value| {
        let path = machine.path().join("skills").join(skill).join("skill.json");
        let mut manifest: Value =
            serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        manifest["writes"] = writes;
        std::fs::write(path, manifest.to_string()).unwrap();
    };
    claim("lamp", json!(["/room/lamp"]));
    assert_eq!(outcome(&machine, "lamp", &json!({"room": {"lamp": "lit"}})), "success");
    for stolen in [
        json!({"room": null}),
        json!({"room": {"lamp": "out"}}),
        json!({"room": []}),
        json!({"story": {"beats": null}}),
        json!({"dice": null}),
        json!({"narratoria": null}),
    ] {
        assert_eq!(outcome(&machine, "thief", &stolen), "STATE_PROTECTED", "{stolen}");
    }
    assert_eq!(outcome(&machine, "thief", &json!({"room": {"coat": "gone"}})), "success");
    let state = open(&machine).state().as_object().clone();
    assert_eq!(Value::Object(state), json!({"room": {"lamp": "lit", "coat": "gone"}}));
    // Of two skills that claim one part the second is not loaded, unless both share it.
    claim("second-lamp", json!([{"pointer": "/room", "shared": true}]));
    let list = || machine.run(&["skill", "list", "--skills", "skills"], "");
    insta::assert_snapshot!(list().stderr, @"warning: package `second-lamp`: skill.json: /writes/0: `/room` is claimed by the skill `lamp` (`/room/lamp`); both must declare it `shared`, or one of them must go");
    claim("lamp", json!([{"pointer": "/room/lamp", "shared": true}]));
    assert_eq!(list().stderr, "");
    assert_eq!(outcome(&machine, "second-lamp", &json!({"room": null})), "success");
}
