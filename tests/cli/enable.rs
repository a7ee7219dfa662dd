//! `/skills` and `/enable NAME`: skills with their health, and the way back for one that has failed for good.

use serde_json::{Value, json};

use crate::player_machine::{PlayerMachine, check_updates, plan};

/// A machine whose planner asks a skill that always fails, six times in one turn, in each turn.
fn machine() -> PlayerMachine {
    let machine = PlayerMachine::new();
    machine.package("unlucky", "fail");
    let tools = json!([{
        "toolId": "open", "toolPath": "unlucky/act", "input": {},
        "retryPolicy": {"maxRetries": 5, "backoffMs": 0},
    }]);
    let fails: Value = serde_json::from_str(&plan(tools)).unwrap();
    let script = json!([fails, {"abort": "enough"}, fails, {"abort": "enough"}]);
    machine.write("script.json", script.to_string());
    machine
}

const PLAY: [&str; 5] = ["run", "--skills", "skills", "--planner", "scripted:script.json"];

/// S0 FR-028.
#[test]
fn a_skill_that_failed_for_good_is_brought_back_on_a_pipe() {
    let ran =
        machine().run(&PLAY, "I open it\n/skills\n/enable unlucky\n/skills\n/enable unlucky\n");
    let shown = |text: &str| {
        let lines =
            text.lines().filter(|line| line.contains("unlucky`") || line.contains("  unlucky"));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    insta::assert_snapshot!(shown(&ran.stdout), @"
    The narrator could not find a way to go on from your words. Nothing is lost: the story is as it was. `unlucky` has failed for good, so plans go without it: `/enable unlucky` brings it back, and `/skills` shows how the skills are.
      unlucky: A test. (failed for good, `/enable unlucky` brings it back)
      unlucky: A test.
    ");
    insta::assert_snapshot!(shown(&ran.stderr), @"
    note: `unlucky` fails often; plans use it with caution
    note: `unlucky` has failed for good, so plans go without it; in `run`, `/enable unlucky` brings it back
    note: `unlucky` is in play again
    note: `unlucky` is in play already
    ");
}

/// S0 FR-028.
#[test]
fn a_program_brings_a_skill_back_and_gets_the_list() {
    let args = [&PLAY[..], &["--format", "json"]].concat();
    let lines = "I open it\n/skills\n/enable unlucky\nI open it\n/enable unluky\n/enable\n";
    let ran = machine().run(&args, lines);
    let updates = ran.lines();
    check_updates(&updates);
    let relevant = |update: &&Value| {
        let kind = update["type"].as_str().unwrap_or_default();
        ["health.changed", "skills.listed", "plan.started", "turn.failed"].contains(&kind)
    };
    let shown = updates.iter().filter(relevant).map(|update| match update["type"].as_str() {
        Some("skills.listed") => {
            let skills = update["skills"].as_array().unwrap();
            let unlucky = skills.iter().find(|skill| skill["name"] == "unlucky").unwrap();
            format!("skills.listed: unlucky is {}", unlucky["health"].as_str().unwrap())
        }
        Some("health.changed") => format!("health.changed: {} -> {}", update["from"], update["to"]),
        Some("turn.failed") => format!("turn.failed: {} {}", update["kind"], update["message"]),
        _ => update["type"].as_str().unwrap().to_owned(),
    });
    insta::assert_snapshot!(shown.collect::<Vec<_>>().join("\n"), @r#"
    plan.started
    health.changed: "healthy" -> "degraded"
    health.changed: "degraded" -> "permanentFailure"
    skills.listed: unlucky is permanentFailure
    health.changed: "permanentFailure" -> "healthy"
    skills.listed: unlucky is healthy
    plan.started
    health.changed: "healthy" -> "degraded"
    health.changed: "degraded" -> "permanentFailure"
    turn.failed: "not_found" "there is no skill `unluky` in play"
    skills.listed: unlucky is permanentFailure
    turn.failed: "bad_input" "`/enable` takes the name of one skill, and `/skills` lists them"
    skills.listed: unlucky is permanentFailure
    "#);
    assert_eq!(ran.exit, Some(3), "a name that is not there: {}", ran.stderr);
}

#[test]
fn a_command_about_skills_that_is_none_says_what_there_is() {
    let ran =
        PlayerMachine::new().run(&["run"], "/enable\n/enable dice-roler\n/enable storyteller\n");
    insta::assert_snapshot!(ran.transcript(), @"
    --- stderr
    hint: `/enable` takes the name of one skill, and `/skills` lists them
    error: there is no skill `dice-roler` in play
    hint: did you mean `dice-roller`?
    note: `storyteller` is in play already
    --- exit 3
    ");
}
