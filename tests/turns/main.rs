//! Whole turns: real components, a real story file, and a scripted planner where a plan must be exact.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod approval;
mod arbiter;
mod attempts;
mod criteria;
mod eager;
mod eager_failures;
mod failures;
mod freedoms;
mod full_story;
mod health;
mod persuasion;
mod planners;
mod questions;
mod record;
mod recovery;
mod resume;
mod reuse;
mod review;
mod skill_loader;
mod skill_stores;
mod standalone;
mod stepwise_planner;
mod support;
mod text_model;
mod tick;
mod update_lines;

use std::sync::Mutex;

use narratoria_engine::{StepEvent, StepUpdate, Update};
use narratoria_narrator::LexicalPlanner;
use narratoria_story::{PlanStatus, TurnOutcome};
use serde_json::{Value, json};
use support::{TurnStage, narrated, open_story, plan, play, scripted, session, tool, types, with};
use tokio_util::sync::CancellationToken;

/// S0 FR-010, FR-023, FR-024, FR-025, FR-026, FR-028, §5.5, SC-006, S1 §5.1, §5.2: the failing skill is disabled, at most five plans are made,
/// the player is informed, and the story keeps every attempt.
#[tokio::test]
async fn a_skill_that_always_fails_ends_in_fallback_narration_after_at_most_five_plans() {
    let stage = TurnStage::new(&[("broken", "trap", json!({}))]);
    let always = plan(json!([tool("a", "broken/trap", &[])]));
    let mut session =
        stage.session(scripted(json!([always, always, always, always, always, always])));
    let (turn, updates) = play(&mut session, "I open the door").await;

    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Fallback, 5));
    let told = &turn.narration;
    assert!(told.contains("I open the door") || told.contains("path is unclear"), "{told}");
    assert!(told.contains("Nothing is lost"), "{told}");
    insta::assert_snapshot!(types(&updates).join("\n"));
    let head = session.story().head().unwrap();
    let plans = session.story().plans_of_turn(head).unwrap();
    for plan in &plans {
        let lineage = &plan.plan["metadata"];
        assert_eq!(lineage["generationAttempt"], plan.attempt);
        assert_eq!(lineage["parentPlanId"].as_str(), plan.parent_plan_id.as_deref());
    }
    let trail: Vec<String> = plans
        .iter()
        .map(|plan| {
            let parent = plan.parent_plan_id.as_ref().map(|_| "child").unwrap_or("first");
            let ran = if plan.result.is_some() { "ran" } else { "did not run" };
            let why = plan.errors.join("; ");
            format!("{} {parent} {} {ran}: {why}", plan.attempt, plan.status.as_str())
        })
        .collect();
    insta::assert_snapshot!(trail.join("\n"));
    assert_eq!(session.story().state().as_object().len(), 0, "a fallback changes nothing");
}

/// S0 FR-022, SC-006: the text of the plan stands before the template.
#[tokio::test]
async fn the_player_reads_the_text_of_a_plan_that_failed() {
    let stage = TurnStage::new(&[("broken", "fail", json!({}))]);
    let idea = narrated(json!([tool("open", "broken/fail", &[])]), "The door creaks.");
    let mut session = stage.session(scripted(json!([idea, idea, idea, idea, idea])));
    let (turn, _) = play(&mut session, "I open the door").await;
    assert_eq!(turn.outcome, TurnOutcome::Fallback);
    assert!(turn.narration.starts_with("The door creaks.\n\n"), "{}", turn.narration);
}

/// A plan that succeeds without any text is no failure: the player reads what was done.
#[tokio::test]
async fn a_success_without_a_text_says_plainly_what_was_done() {
    let stage = TurnStage::new(&[("good", "echo", json!({}))]);
    let look = with(tool("look", "good/echo", &[]), json!({"description": "look at the door"}));
    let left_out = with(tool("sing", "good/echo", &[]), json!({"skip": true}));
    let plans =
        json!([plan(json!([look, tool("knock", "good/echo", &[])])), plan(json!([left_out]))]);
    let mut session = stage.session(scripted(plans));
    let (turn, _) = play(&mut session, "I open the door").await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    assert_eq!(turn.narration, "Done: look at the door. Done: `good/echo`.");
    let (turn, _) = play(&mut session, "I sing").await;
    assert_eq!((turn.outcome, &*turn.narration), (TurnOutcome::Narrated, "Nothing happens."));
}

/// S0 FR-005, "invalid Plan JSON": where the lexical planner finds nothing to do either, text that is no plan is rejected,
/// reported to the planner, and counts as an attempt.
#[tokio::test]
async fn an_invalid_plan_counts_as_an_attempt_and_the_next_one_may_succeed() {
    let stage = TurnStage::new(&[("good", "echo", json!({}))]);
    let mut session = stage.session(scripted(json!([
        "this is no JSON",
        {"error": "the model fell asleep"},
        plan(json!([tool("a", "good/echo", &["b"]), tool("b", "good/echo", &["a"])])),
        narrated(json!([tool("a", "good/echo", &[])]), "The door opens."),
    ])));
    let (turn, updates) = play(&mut session, "I open the door").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 4));
    assert_eq!(turn.narration, "The door opens.");
    let rejected: Vec<String> = updates
        .iter()
        .filter_map(|update| match update {
            Update::PlanRejected { attempt, errors, .. } => {
                Some(format!("{attempt}: {}", errors.join("; ")))
            }
            _ => None,
        })
        .collect();
    insta::assert_snapshot!(rejected.join("\n"));
}

/// S0 FR-023, S1 §5: the fifth plan of a turn runs like any other, also after four that ran and failed; only a sixth is not made.
#[tokio::test]
async fn the_fifth_plan_may_still_succeed() {
    let stage = TurnStage::new(&[
        ("one", "fail", json!({})),
        ("two", "fail", json!({})),
        ("three", "fail", json!({})),
        ("four", "fail", json!({})),
        ("good", "echo", json!({})),
    ]);
    let failing = ["one", "two", "three", "four"]
        .map(|skill| plan(json!([tool("a", &format!("{skill}/fail"), &[])])));
    let mut plans = failing.to_vec();
    plans.push(narrated(json!([tool("a", "good/echo", &[])]), "The door opens."));
    let mut session = stage.session(scripted(json!(plans)));
    let (turn, _) = play(&mut session, "I open the door").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 5));
    assert_eq!(turn.narration, "The door opens.");
    let plans = session.story().plans_of_turn(session.story().head().unwrap()).unwrap();
    assert_eq!(plans.len(), 5);
    assert_eq!(plans[4].plan["disabledSkills"], json!(["four", "one", "three", "two"]));
    assert_eq!(plans[4].plan["metadata"]["generationAttempt"], json!(5));
    assert_eq!(plans[4].plan["metadata"]["parentPlanId"], json!(plans[3].id));
}

/// S0 FR-008: the planner gets the disabled skills, and a plan that uses one all the same is refused.
#[tokio::test]
async fn the_plan_after_a_failure_does_without_the_failed_skill() {
    let stage = TurnStage::new(&[("broken", "fail", json!({})), ("good", "echo", json!({}))]);
    let mut session = stage.session(scripted(json!([
        plan(json!([tool("a", "broken/fail", &[])])),
        narrated(json!([tool("a", "good/echo", &[])]), "You find another way."),
    ])));
    let (turn, _) = play(&mut session, "I open the door").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 2));
    let plans = session.story().plans_of_turn(session.story().head().unwrap()).unwrap();
    assert_eq!(plans[1].plan["disabledSkills"], json!(["broken"]));
    assert_eq!(plans[1].plan["metadata"]["parentPlanId"], json!(plans[0].id));
    assert_eq!(plans[1].plan["metadata"]["generationAttempt"], json!(2));
    assert_eq!(plans[0].status, PlanStatus::Replanning);
    assert_eq!(plans[1].status, PlanStatus::Complete);
}

/// S0 §5.3(3): B and C overlap, as the updates show; S1 §4.3.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_diamond_overlaps_its_middle_and_gives_the_same_result_as_one_by_one() {
    let stage = TurnStage::new(&[("wait", "sleep", json!({})), ("good", "echo", json!({}))]);
    let diamond = |parallel: bool| {
        let step = |id: &str, path: &str, needs: &[&str], input: Value| {
            let mut tool = tool(id, path, needs);
            tool["async"] = json!(true);
            tool["input"] = input;
            tool
        };
        let mut plan = narrated(
            json!([
                step("A", "good/echo", &[], json!({"patch": {"seen": {"a": 1}}})),
                step("B", "wait/sleep", &["A"], json!({"ms": 150})),
                step("C", "wait/sleep", &["A"], json!({"ms": 150})),
                step("D", "good/echo", &["B", "C"], json!({"patch": {"seen": {"d": 2}}})),
            ]),
            "Done.",
        );
        plan["parallel"] = json!(parallel);
        plan
    };
    let mut results = Vec::new();
    for parallel in [false, true] {
        let home = tempfile::tempdir().unwrap();
        let planner = Box::new(scripted(json!([diamond(parallel)])));
        let mut session = session(home.path(), stage.skills.path(), planner);
        let (turn, updates) = play(&mut session, "go").await;
        assert_eq!(turn.outcome, TurnOutcome::Narrated);
        let story: Vec<String> = updates
            .iter()
            .filter_map(|update| match update {
                Update::Step(StepUpdate { tool_id, event: StepEvent::Started { .. }, .. }) => {
                    Some(format!("{tool_id}+"))
                }
                Update::Step(StepUpdate { tool_id, event: StepEvent::Finished { .. }, .. }) => {
                    Some(format!("{tool_id}-"))
                }
                _ => None,
            })
            .collect();
        let expected = match parallel {
            false => "A+ A- B+ B- C+ C- D+ D-".split(' ').collect::<Vec<_>>(),
            true => "A+ A- B+ C+".split(' ').collect(),
        };
        assert_eq!(story[..expected.len()], expected, "parallel: {parallel}");
        let outputs: Vec<Value> = updates
            .iter()
            .filter_map(|update| match update {
                Update::Step(StepUpdate {
                    tool_id,
                    event: StepEvent::Finished { output, .. },
                    ..
                }) if tool_id == "A" || tool_id == "D" => Some(json!(output)),
                _ => None,
            })
            .collect();
        results.push((outputs, session.story().state().clone()));
    }
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0].1.as_object()["seen"], json!({"a": 1, "d": 2}));
}

/// docs/plans.md, "Order, time and failure": a step sees the turn's start and its ancestors' patches, and only what it
/// reads.
#[tokio::test]
async fn a_step_reads_its_slices_of_the_state_and_its_dependencies_outputs() {
    let stage = TurnStage::new(&[("good", "echo", json!({}))]);
    let writes = json!({"toolId": "a", "toolPath": "good/echo",
        "input": {"patch": {"seen": {"door": "open"}, "secret": 1}}});
    let mut session = stage.session(scripted(json!([
        narrated(json!([writes]), "One."),
        narrated(json!([tool("b", "good/echo", &[]), tool("c", "good/echo", &["b"])]), "Two."),
    ])));
    play(&mut session, "first").await;
    let (_, updates) = play(&mut session, "second").await;
    let output_of_c =
        updates.iter().find_map(|update| match update {
            Update::Step(StepUpdate {
                tool_id, event: StepEvent::Finished { output, .. }, ..
            }) if tool_id == "c" => output.clone(),
            _ => None,
        });
    let output = output_of_c.unwrap();
    assert_eq!(output["state"], json!({"seen": {"door": "open"}}));
    assert_eq!(output["inputs"].as_object().unwrap().keys().collect::<Vec<_>>(), ["b"]);
}

/// S0 "closes application": the player leaves while a script runs. The turn ends, the story's state is as it was, and the
/// next turn is fine.
#[tokio::test]
async fn a_cancelled_turn_changes_nothing_and_the_next_one_is_fine() {
    let stage = TurnStage::new(&[
        ("slow", "says-then-sleeps", json!({"scripts": [{"timeout": 300_000}]})),
        ("good", "echo", json!({})),
    ]);
    let mut session = stage.session(scripted(json!([
        narrated(
            json!([
                {"toolId": "a", "toolPath": "good/echo", "input": {"patch": {"seen": 1}}},
                tool("b", "slow/says-then-sleeps", &["a"]),
            ]),
            "Never told.",
        ),
        narrated(json!([tool("a", "good/echo", &[])]), "On we go."),
    ])));
    // The test's own grace is short; nothing waits for it but this turn.
    let cancel = CancellationToken::new();
    let types = Mutex::new(Vec::new());
    let on_update = |update: Update| {
        if matches!(update, Update::Step(StepUpdate { event: StepEvent::Logged { .. }, .. })) {
            // The script has sent its one event and now sleeps for an hour.
            cancel.cancel();
        }
        types.lock().unwrap().push(update);
    };
    let turn = session.turn("wait", &cancel, &mut |update| on_update(update)).await.unwrap();
    assert_eq!((turn.outcome, turn.narration.as_str()), (TurnOutcome::Cancelled, ""));
    assert_eq!(session.story().state().as_object().len(), 0);
    let (turn, _) = play(&mut session, "go on").await;
    assert_eq!(turn.narration, "On we go.");
}

/// A story that is closed and opened again goes on.
#[tokio::test]
async fn a_story_is_resumed_by_its_name() {
    let stage = TurnStage::new(&[("good", "echo", json!({}))]);
    let one = narrated(
        json!([{"toolId": "a", "toolPath": "good/echo", "input": {"patch": {"seen": 1}}}]),
        "One.",
    );
    {
        let mut session = stage.session(scripted(json!([one])));
        assert_eq!(play(&mut session, "first").await.0.turn, 1);
    }
    let two = narrated(json!([tool("a", "good/echo", &[])]), "Two.");
    let mut session = stage.session(scripted(json!([two])));
    assert!(matches!(session.started_update(), Update::SessionStarted { turns: 1, .. }));
    assert_eq!(play(&mut session, "second").await.0.turn, 2);
    drop(session);
    let story = open_story(stage.home.path());
    let narrations: Vec<String> =
        story.recent_turns(10).unwrap().into_iter().map(|turn| turn.narration).collect();
    assert_eq!(narrations, ["One.", "Two."]);
    assert_eq!(story.state().as_object()["seen"], json!(1));
}

/// No skill is left to narrate, so the template does, at once.
#[tokio::test]
async fn a_session_without_usable_skills_still_ends_each_turn_in_a_story() {
    let stage = TurnStage::new(&[]);
    let mut session = stage.session(LexicalPlanner::new());
    let (turn, _) = play(&mut session, "I look around").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Fallback, 1));
    assert!(turn.narration.contains("I look around") || turn.narration.contains("path is unclear"));
}

/// S0 SC-012: a broken script is a failed step, never a crash of the host.
#[tokio::test]
async fn every_naughty_guest_fails_its_step_and_the_turn_goes_on() {
    let naughty = [
        "trap",
        "half-line",
        "after-done",
        "no-done",
        "exit-1-after-done",
        "allocate-forever",
        "panic",
    ];
    let packages: Vec<_> = naughty
        .iter()
        .map(|guest| (*guest, *guest, json!({"retryPolicy": {"maxRetries": 0}})))
        .collect();
    let stage = TurnStage::new(&packages);
    let steps: Vec<Value> = naughty
        .iter()
        .map(|guest| {
            let mut tool = tool(guest, &format!("{guest}/{guest}"), &[]);
            tool["required"] = json!(false);
            tool
        })
        .collect();
    let mut session = stage.session(scripted(json!([narrated(json!(steps), "All the same.")])));
    let (turn, updates) = play(&mut session, "go").await;
    assert_eq!((turn.outcome, turn.narration.as_str()), (TurnOutcome::Narrated, "All the same."));
    let ends: Vec<String> = updates
        .iter()
        .filter_map(|update| match update {
            Update::Step(StepUpdate {
                tool_id,
                event: StepEvent::Finished { state, error, .. },
                ..
            }) => Some(format!(
                "{tool_id}: {}: {}",
                state.as_str(),
                error.as_deref().unwrap_or_default()
            )),
            _ => None,
        })
        .collect();
    insta::assert_snapshot!(ends.join("\n"));
}

/// docs/writing-skills.md, "Grants and limits": a script gets exactly its grants, and an asset is kept only if its file is
/// where the event says.
#[tokio::test]
async fn a_script_gets_what_it_was_granted_and_no_more() {
    let grants =
        json!({"scripts": [{"grants": {"assets": true, "data": true, "env": ["GREETING"]}}]});
    let stage =
        TurnStage::new(&[("rich", "uses-grants", grants), ("poor", "uses-grants", json!({}))]);
    let both = narrated(
        json!([tool("rich", "rich/uses-grants", &[]), tool("poor", "poor/uses-grants", &[])]),
        "Done.",
    );
    let mut session = stage.session(scripted(json!([both, both])));
    let mut outputs = Vec::new();
    for _ in 0..2 {
        let (turn, updates) = play(&mut session, "go").await;
        assert_eq!(turn.outcome, TurnOutcome::Narrated);
        for update in updates {
            match update {
                Update::Step(StepUpdate {
                    tool_id,
                    event: StepEvent::Finished { output, .. },
                    ..
                }) => {
                    outputs.push(format!("{tool_id}: {}", json!(output)));
                }
                Update::Step(StepUpdate {
                    event: StepEvent::AssetCreated { asset_id, path, .. },
                    ..
                }) => {
                    let kept = std::fs::read_to_string(session.story().folder().join(path));
                    outputs.push(format!("asset {asset_id}: {}", kept.unwrap()));
                }
                Update::Step(StepUpdate {
                    event: StepEvent::Warned { error_message, .. }, ..
                }) => outputs.push(error_message),
                _ => {}
            }
        }
    }
    insta::assert_snapshot!(outputs.join("\n"));
}

/// The guest announces each asset, but its files are not what it declares.
#[tokio::test]
async fn an_asset_of_another_type_than_declared_is_not_kept() {
    let grants = json!({"scripts": [{"grants": {"assets": true}}]});
    let stage = TurnStage::new(&[("forger", "bad-assets", grants)]);
    let plan = narrated(json!([tool("forge", "forger/bad-assets", &[])]), "Done.");
    let mut session = stage.session(scripted(json!([plan])));
    let (turn, updates) = play(&mut session, "go").await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    let refused = |path: &str| {
        let start = format!("asset `{path}`: ");
        updates.iter().any(|update| match update {
            Update::Step(StepUpdate {
                event: StepEvent::Warned { error_code, error_message, .. },
                ..
            }) => error_code == "ASSET_NOT_KEPT" && error_message.starts_with(&start),
            _ => false,
        })
    };
    let bad = ["link.txt", "folder.txt", "vanishes.txt", "MAP.TXT", "../map.txt", "/etc/hostname"];
    for path in bad {
        assert!(refused(path), "`{path}` was kept: {updates:#?}");
    }
}

#[tokio::test]
async fn an_empty_or_too_long_sentence_is_refused_with_a_hint() {
    let stage = TurnStage::new(&[]);
    let mut session = stage.session(LexicalPlanner::new());
    let cancel = CancellationToken::new();
    for (sentence, expect) in [
        ("  ", "the sentence is empty".to_owned()),
        (&"x".repeat(70_000), "the sentence has 70000 bytes, the limit is 65536".to_owned()),
    ] {
        let error = session.turn(sentence, &cancel, &mut |_| ()).await.unwrap_err();
        assert_eq!(error.to_string(), expect);
        assert_eq!(error.hints.len(), 1);
    }
    assert_eq!(session.story().turns(), 0);
}
