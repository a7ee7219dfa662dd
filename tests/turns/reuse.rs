//! Steps that a repaired plan need not run again (S2, strategy 3), and those that it must.

use narratoria_engine::{StepEvent, StepUpdate, Update};
use narratoria_story::TurnOutcome;
use serde_json::{Value, json};

use super::{
    recovery::{first_plan, stage},
    support::{
        LoggingPlanner, TurnStage, narrated, output_of, play, scripted, store_of, tool, with,
    },
    update_lines::lines_of,
};

/// S2, strategy 3: a result is reused only if the step and its needs are unchanged.
#[tokio::test]
async fn a_changed_step_and_those_after_it_run_again() {
    let stage = stage();
    let steps = |input: Value, last: &str| {
        narrated(
            json!([
                with(tool("a", "counter/counts", &[]), json!({"input": input})),
                tool("b", "good/echo", &["a"]),
                tool("c", "good/echo", &[]),
                tool("d", last, &["b", "c"]),
            ]),
            "Done.",
        )
    };
    let again = steps(json!({"again": true}), "good/echo");
    let mut session = stage.session(scripted(json!([steps(json!({}), "broken/fail"), again])));
    let (turn, updates) = play(&mut session, "go").await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by scripted
    a started: counter/counts, attempt 1
    a success
    b started: good/echo, attempt 1
    b success
    c started: good/echo, attempt 1
    c success
    d started: broken/fail, attempt 1
    d retries: it failed on purpose
    d started: broken/fail, attempt 2
    d failed: it failed on purpose
    plan over: failure, can replan true, failed ["d"], disabled ["broken"]
    plan 2 by scripted
    version 2: changed step `a` (input.again: nothing -> true); changed step `d` (toolPath: "broken/fail" -> "good/echo")
    c kept: success
    a started: counter/counts, attempt 1
    a success
    b started: good/echo, attempt 1
    b success
    d started: good/echo, attempt 1
    d success
    plan over: success, can replan false, failed [], disabled ["broken"]
    told after 2
    "#);
    assert_eq!(store_of(&session, "counter"), json!({"count": 1}), "the first run does not count");
}

/// A condition that was false is false again: a step that read null for it keeps its result.
#[tokio::test]
async fn a_step_after_one_with_a_false_condition_keeps_its_result() {
    let stage = stage();
    let steps = |last: &str| {
        let lit = with(tool("lit", "good/echo", &[]), json!({"when": "has(state.torch)"}));
        let steps = json!([lit, tool("count", "counter/counts", &["lit"]), tool("end", last, &[])]);
        narrated(steps, "In the dark.")
    };
    let mut session = stage.session(scripted(json!([steps("broken/fail"), steps("good/echo")])));
    let (turn, updates) = play(&mut session, "go").await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by scripted
    lit skipped: condition_false
    count started: counter/counts, attempt 1
    count success
    end started: broken/fail, attempt 1
    end retries: it failed on purpose
    end started: broken/fail, attempt 2
    end failed: it failed on purpose
    plan over: failure, can replan true, failed ["end"], disabled ["broken"]
    plan 2 by scripted
    version 2: changed step `end` (toolPath: "broken/fail" -> "good/echo")
    count kept: success
    lit skipped: condition_false
    end started: good/echo, attempt 1
    end success
    plan over: success, can replan false, failed [], disabled ["broken"]
    told after 2
    "#);
}

/// The patches of a reused result count once, as those of a step that has run.
#[tokio::test]
async fn patches_of_reused_results_count_once_and_later_steps_see_them() {
    let stage = stage();
    let steps = |last: &str| {
        let patch = json!({"input": {"patch": {"seen": {"door": "open"}}}});
        let steps = json!([
            with(tool("a", "good/echo", &[]), patch),
            tool("b", last, &["a"]),
            tool("c", "good/echo", &["a"]),
        ]);
        narrated(steps, "Done.")
    };
    // `c` runs in both versions: the first one stops before it.
    let mut first = steps("broken/fail");
    first["onFailure"] = json!("stop");
    let mut session = stage.session(scripted(json!([first, steps("good/echo")])));
    let (_, updates) = play(&mut session, "go").await;
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by scripted
    a started: good/echo, attempt 1
    a success
    b started: broken/fail, attempt 1
    b retries: it failed on purpose
    b started: broken/fail, attempt 2
    b failed: it failed on purpose
    c skipped: plan_stopped
    plan over: failure, can replan true, failed ["b"], disabled ["broken"]
    plan 2 by scripted
    version 2: changed step `b` (toolPath: "broken/fail" -> "good/echo"); changed the plan (onFailure: "stop" -> nothing)
    a kept: success
    b started: good/echo, attempt 1
    b success
    c started: good/echo, attempt 1
    c success
    plan over: success, can replan false, failed [], disabled ["broken"]
    told after 2
    "#);
    assert_eq!(output_of(&updates, "c")["state"], json!({"seen": {"door": "open"}}));
    let state = session.story().state().as_object().clone();
    assert_eq!(Value::Object(state), json!({"seen": {"door": "open"}}));
}

/// An invalid repair is refused; the planner then gets both failures, and finished steps keep their results.
#[tokio::test]
async fn a_planner_whose_repair_is_refused_still_gets_the_last_plan_that_ran() {
    let stage = stage();
    let mut mended = first_plan();
    mended["tools"][1]["toolPath"] = json!("good/echo");
    mended["narrative"] = json!("Done.");
    let (planner, requests) = LoggingPlanner::new(json!([first_plan(), first_plan(), mended]));
    let mut session = stage.session(planner);
    let (turn, updates) = play(&mut session, "go").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 3));
    insta::assert_snapshot!(requests.lock().unwrap()[2], @r#"
    attempt 3
    failure: step `open` uses skill `broken`, which is disabled (known scripts: counter/counts, good/echo)
    disabled: broken
    Step failed: Open the door (broken/fail)
    Id: open
    Error: it failed on purpose

    Steps of the plan so far:
    - count: success {"count":1}
    - tell: skipped (dependency_failed)

    A step that is a success keeps its result and is not run again, if the new plan has it under the same id and unchanged.
    "#);
    assert!(lines_of(&updates).contains("count kept: success"), "{}", lines_of(&updates));
}

/// The files of a reused result are in the folder of the version that ran the step.
#[tokio::test]
async fn the_assets_of_a_reused_result_are_kept() {
    let stage = TurnStage::new(&[
        ("rich", "uses-grants", json!({"scripts": [{"grants": {"assets": true}}]})),
        ("broken", "fail", json!({})),
        ("good", "echo", json!({})),
    ]);
    let steps = |last: &str| {
        narrated(json!([tool("map", "rich/uses-grants", &[]), tool("end", last, &[])]), "Done.")
    };
    let mut session = stage.session(scripted(json!([steps("broken/fail"), steps("good/echo")])));
    let (_, updates) = play(&mut session, "go").await;
    let kept: Vec<String> = updates
        .iter()
        .filter_map(|update| match update {
            Update::Step(StepUpdate {
                event: StepEvent::AssetCreated { asset_id, path, .. },
                ..
            }) => {
                let text = std::fs::read_to_string(session.story().folder().join(path)).unwrap();
                Some(format!("{asset_id}: {text}"))
            }
            _ => None,
        })
        .collect();
    assert_eq!(kept, ["map: here be dragons"]);
}
