//! The three strategies of S2 for recovery: skip and continue, retry, and a planner that repairs the plan.

use narratoria_engine::{Session, StepEvent, StepUpdate, Update};
use narratoria_story::TurnOutcome;
use serde_json::{Value, json};

use super::{
    support::{
        LoggingPlanner, TurnStage, keeps, narrated, output_of, plan, plans_of, play, scripted,
        store_of, tool, with,
    },
    update_lines::lines_of,
};

/// A counter, a skill that always fails, and one that returns its input.
pub(super) fn stage() -> TurnStage {
    TurnStage::new(&[
        ("counter", "counts", keeps()),
        ("broken", "fail", json!({})),
        ("good", "echo", json!({})),
    ])
}

/// Counts, tries the door, and narrates.
pub(super) fn first_plan() -> Value {
    plan(json!([
        tool("count", "counter/counts", &[]),
        with(tool("open", "broken/fail", &["count"]), json!({"description": "Open the door"})),
        tool("tell", "good/echo", &["open"]),
    ]))
}

/// The record of each version, in one line.
fn versions(session: &Session) -> String {
    let rows = plans_of(session);
    let lines = rows.iter().filter_map(|row| row.record.as_ref()).map(|record| {
        let before = rows.iter().position(|row| Some(&row.id) == record.previous_plan_id.as_ref());
        let steps: Vec<String> =
            record.steps.iter().map(|step| format!("{} {}", step.tool_id, step.status)).collect();
        format!(
            "version {} after {:?}, {}: {}\n  changes: {}\n  reasoning: {}",
            record.version,
            before.map(|at| at + 1),
            record.status,
            steps.join(", "),
            record.changes.as_deref().unwrap_or("-"),
            record.reasoning.as_deref().unwrap_or("-"),
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// S2 "Strategy 1: Skip and Continue", S0 FR-013, FR-019: an optional step that fails stops no other.
#[tokio::test]
async fn the_turn_is_narrated_without_an_optional_step_that_fails() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([narrated(
        json!([
            with(tool("open", "broken/fail", &[]), json!({"required": false})),
            tool("count", "counter/counts", &[]),
            tool("tell", "good/echo", &["open", "count"]),
        ]),
        "The door stays shut.",
    )])));
    let (turn, updates) = play(&mut session, "I open the door").await;
    assert_eq!(
        (turn.outcome, turn.narration.as_str()),
        (TurnOutcome::Narrated, "The door stays shut.")
    );
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by scripted
    open started: broken/fail, attempt 1
    open retries: it failed on purpose
    open started: broken/fail, attempt 2
    open failed: it failed on purpose
    count started: counter/counts, attempt 1
    count success
    tell started: good/echo, attempt 1
    tell success
    plan over: success, can replan false, failed ["open"], disabled ["broken"]
    told after 1
    "#);
    assert_eq!(output_of(&updates, "tell")["inputs"], json!({"count": {"count": 1}, "open": null}));
}

/// S2 "Strategy 2: Retry", S0 FR-015, FR-016: the third try succeeds, and no other plan is requested.
#[tokio::test]
async fn a_step_that_fails_at_first_is_retried_until_it_succeeds() {
    let grants = json!({
        "retryPolicy": {"maxRetries": 2},
        "scripts": [{"grants": {"data": true}}],
    });
    let stage = TurnStage::new(&[("lucky", "lucky", grants)]);
    let step = with(tool("try", "lucky/lucky", &[]), json!({"input": {"unlucky": 2}}));
    let mut session = stage.session(scripted(json!([narrated(json!([step]), "At last.")])));
    let (_, updates) = play(&mut session, "I try").await;
    insta::assert_snapshot!(lines_of(&updates), @r"
    plan 1 by scripted
    try started: lucky/lucky, attempt 1
    try retries: no luck at try 1
    try started: lucky/lucky, attempt 2
    try retries: no luck at try 2
    try started: lucky/lucky, attempt 3
    try success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    ");
    let retries = updates.iter().find_map(|update| match update {
        Update::Step(StepUpdate { event: StepEvent::Finished { retry_count, .. }, .. }) => {
            Some(*retry_count)
        }
        _ => None,
    });
    assert_eq!(retries, Some(2));
    assert_eq!(plans_of(&session)[0].result.as_ref().unwrap()["toolResults"][0]["retryCount"], 2);
}

/// S2 "Strategy 3: Ask LLM": the planner gets the failures and the results, and retries with another input
/// and another skill. Finished steps do not run again. S0 FR-008, FR-010; S3 `replan`.
///
/// Long because the updates, the planner's prompt and the record are of the same turn.
#[tokio::test]
async fn a_planner_repairs_the_plan_and_finished_steps_keep_their_results() {
    let stage = stage();
    let (planner, requests) = LoggingPlanner::new(json!([
        first_plan(),
        narrated(
            json!([
                tool("count", "counter/counts", &[]),
                with(
                    tool("open", "good/echo", &["count"]),
                    json!({"input": {"with": "a crowbar"}})
                ),
                tool("tell", "good/echo", &["open"]),
            ]),
            "The door gives way.",
        ),
    ]));
    let mut session = stage.session(planner);
    let (turn, updates) = play(&mut session, "I open the door").await;
    assert_eq!(
        (turn.outcome, turn.narration.as_str()),
        (TurnOutcome::Narrated, "The door gives way.")
    );
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by listener
    count started: counter/counts, attempt 1
    count success
    open started: broken/fail, attempt 1
    open retries: it failed on purpose
    open started: broken/fail, attempt 2
    open failed: it failed on purpose
    tell skipped: dependency_failed
    plan over: failure, can replan true, failed ["open"], disabled ["broken"]
    plan 2 by listener
    version 2: changed step `open` (toolPath: "broken/fail" -> "good/echo", input.with: nothing -> "a crowbar", description: "Open the door" -> nothing); changed the plan (narrative: nothing -> "The door gives way.")
    count kept: success
    open started: good/echo, attempt 1
    open success
    tell started: good/echo, attempt 1
    tell success
    plan over: success, can replan false, failed [], disabled ["broken"]
    told after 2
    "#);
    insta::assert_snapshot!(requests.lock().unwrap()[1], @r#"
    attempt 2
    failure: step `open` (`broken/fail`) failed after 2 attempts: it failed on purpose
    disabled: broken
    Step failed: Open the door (broken/fail)
    Id: open
    Error: it failed on purpose

    Steps of the plan so far:
    - count: success {"count":1}
    - tell: skipped (dependency_failed)

    A step that is a success keeps its result and is not run again, if the new plan has it under the same id and unchanged.
    "#);
    insta::assert_snapshot!(versions(&session), @r#"
    version 1 after None, replanning: count complete, open failed, tell blocked
      changes: -
      reasoning: -
    version 2 after Some(1), complete: count complete, open complete, tell complete
      changes: changed step `open` (toolPath: "broken/fail" -> "good/echo", input.with: nothing -> "a crowbar", description: "Open the door" -> nothing); changed the plan (narrative: nothing -> "The door gives way.")
      reasoning: step `open` (`broken/fail`) failed after 2 attempts: it failed on purpose
    "#);
    assert_eq!(store_of(&session, "counter"), json!({"count": 1}));
    let rows = plans_of(&session);
    let kept = &rows[1].result.as_ref().unwrap()["toolResults"][0];
    assert_eq!((&kept["kept"], &kept["output"]), (&json!(true), &json!({"count": 1})));
    let [before, after] = [&rows[0], &rows[1]].map(|row| row.record.as_ref().unwrap());
    assert_eq!(before.steps[0], after.steps[0], "its times and its executor are those of its run");
    assert_eq!(rows[1].plan["metadata"]["version"], json!(2));
}

/// S2 "Strategy 3", "Skip and continue".
#[tokio::test]
async fn a_planner_may_skip_the_step_that_failed() {
    let stage = stage();
    let mut mended = first_plan();
    mended["tools"][1]["skip"] = json!(true);
    mended["narrative"] = json!("You leave the door alone.");
    let mut session = stage.session(scripted(json!([first_plan(), mended])));
    let (turn, updates) = play(&mut session, "I open the door").await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by scripted
    count started: counter/counts, attempt 1
    count success
    open started: broken/fail, attempt 1
    open retries: it failed on purpose
    open started: broken/fail, attempt 2
    open failed: it failed on purpose
    tell skipped: dependency_failed
    plan over: failure, can replan true, failed ["open"], disabled ["broken"]
    plan 2 by scripted
    version 2: changed step `open` (skip: nothing -> true); changed the plan (narrative: nothing -> "You leave the door alone.")
    count kept: success
    open skipped: skipped_by_planner
    tell started: good/echo, attempt 1
    tell success
    plan over: success, can replan false, failed [], disabled ["broken"]
    told after 2
    "#);
    insta::assert_snapshot!(versions(&session), @r#"
    version 1 after None, replanning: count complete, open failed, tell blocked
      changes: -
      reasoning: -
    version 2 after Some(1), complete: count complete, open skipped, tell complete
      changes: changed step `open` (skip: nothing -> true); changed the plan (narrative: nothing -> "You leave the door alone.")
      reasoning: step `open` (`broken/fail`) failed after 2 attempts: it failed on purpose
    "#);
    assert_eq!(output_of(&updates, "tell")["inputs"], json!({"open": null}));
}

/// S2 "Strategy 3", "Insert new recovery steps".
#[tokio::test]
async fn a_planner_may_insert_steps_before_the_one_that_failed() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([
        first_plan(),
        narrated(
            json!([
                tool("count", "counter/counts", &[]),
                tool("ladder", "good/echo", &["count"]),
                tool("open", "good/echo", &["count", "ladder"]),
                tool("tell", "good/echo", &["open"]),
            ]),
            "Through the window, then.",
        ),
    ])));
    let (turn, updates) = play(&mut session, "I open the door").await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by scripted
    count started: counter/counts, attempt 1
    count success
    open started: broken/fail, attempt 1
    open retries: it failed on purpose
    open started: broken/fail, attempt 2
    open failed: it failed on purpose
    tell skipped: dependency_failed
    plan over: failure, can replan true, failed ["open"], disabled ["broken"]
    plan 2 by scripted
    version 2: added step `ladder`; changed step `open` (toolPath: "broken/fail" -> "good/echo", dependencies: ["count"] -> ["count","ladder"], description: "Open the door" -> nothing); changed the plan (narrative: nothing -> "Through the window, then.")
    count kept: success
    ladder started: good/echo, attempt 1
    ladder success
    open started: good/echo, attempt 1
    open success
    tell started: good/echo, attempt 1
    tell success
    plan over: success, can replan false, failed [], disabled ["broken"]
    told after 2
    "#);
    assert_eq!(store_of(&session, "counter"), json!({"count": 1}));
}

/// S2 "Strategy 3", "Abort execution": the turn still ends in a story, and none of its results count.
#[tokio::test]
async fn a_planner_may_give_up_and_says_why() {
    let stage = stage();
    let mut session = stage
        .session(scripted(json!([first_plan(), {"abort": "the door is painted on the wall"}])));
    let (turn, updates) = play(&mut session, "I open the door").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Fallback, 2));
    assert!(turn.narration.contains("Nothing is lost"), "{}", turn.narration);
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by scripted
    count started: counter/counts, attempt 1
    count success
    open started: broken/fail, attempt 1
    open retries: it failed on purpose
    open started: broken/fail, attempt 2
    open failed: it failed on purpose
    tell skipped: dependency_failed
    plan over: failure, can replan true, failed ["open"], disabled ["broken"]
    plan 2 rejected: the planner gave up: the door is painted on the wall
    fallback after 2
    "#);
    assert_eq!(store_of(&session, "counter"), json!({}));
    let rows = plans_of(&session);
    assert_eq!(rows[1].errors, ["the planner gave up: the door is painted on the wall"]);
}

/// S2 "Strategy 3", "Retry with different args": a step that failed before its first attempt is no skill's fault,
/// so the same skill may try again.
#[tokio::test]
async fn a_planner_may_correct_an_input_for_the_same_skill() {
    let stage = stage();
    let reads = |reference: &str| {
        narrated(
            json!([
                tool("count", "counter/counts", &[]),
                with(tool("tell", "good/echo", &[]), json!({"input": {"times": reference}})),
            ]),
            "Once.",
        )
    };
    let mut session =
        stage.session(scripted(json!([reads("$count.total"), reads("$count.count")])));
    let (turn, updates) = play(&mut session, "I count").await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by scripted
    count started: counter/counts, attempt 1
    count success
    tell failed: `$count.total` has no value: there is no `total`, only count
    plan over: failure, can replan true, failed ["tell"], disabled []
    plan 2 by scripted
    version 2: changed step `tell` (input.times: "$count.total" -> "$count.count")
    count kept: success
    tell started: good/echo, attempt 1
    tell success
    plan over: success, can replan false, failed [], disabled []
    told after 2
    "#);
    assert_eq!(output_of(&updates, "tell")["input"], json!({"times": 1}));
}

/// S2 "Strategy 3", "Retry with different args": a script that gave up itself may try again with other input,
/// although its skill is disabled for the turn (S0 FR-024). With the same input it may not.
#[tokio::test]
async fn a_script_that_gave_up_may_try_again_only_with_other_input() {
    let grants = json!({
        "retryPolicy": {"maxRetries": 0},
        "scripts": [{"grants": {"data": true}}],
    });
    let stage = TurnStage::new(&[("lucky", "lucky", grants)]);
    let tries = |unlucky: u32, description: &str| {
        let more = json!({"input": {"unlucky": unlucky}, "description": description});
        narrated(json!([with(tool("try", "lucky/lucky", &[]), more)]), "At last.")
    };
    let plans = json!([tries(9, "first"), tries(9, "again"), tries(0, "otherwise")]);
    let mut session = stage.session(scripted(plans));
    let (turn, updates) = play(&mut session, "I try").await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by scripted
    try started: lucky/lucky, attempt 1
    try failed: no luck at try 1
    plan over: failure, can replan true, failed ["try"], disabled ["lucky"]
    plan 2 by scripted
    version 2: changed step `try` (description: "first" -> "again")
    plan 2 rejected: step `try` uses skill `lucky`, which is disabled
    plan 3 by scripted
    version 3: changed step `try` (input.unlucky: 9 -> 0, description: "again" -> "otherwise")
    try started: lucky/lucky, attempt 1
    try success
    plan over: success, can replan false, failed [], disabled ["lucky"]
    told after 3
    "#);
    let disabled = plans_of(&session).into_iter().map(|row| row.plan["disabledSkills"].clone());
    assert_eq!(json!(disabled.collect::<Vec<_>>()), json!([[], ["lucky"], []]));
}

/// S0 FR-008, FR-024: a plan that reuses a result of a disabled skill does not list that skill; it may not use it for
/// anything else.
#[tokio::test]
async fn a_plan_that_reuses_a_result_does_not_forbid_the_skill_that_made_it() {
    let grants = json!({
        "retryPolicy": {"maxRetries": 0},
        "scripts": [{"grants": {"data": true}}],
    });
    let stage = TurnStage::new(&[("lucky", "lucky", grants), ("good", "echo", json!({}))]);
    let first = with(tool("first", "lucky/lucky", &[]), json!({"input": {"unlucky": 0}}));
    let unlucky =
        |id: &str| with(tool(id, "lucky/lucky", &["first"]), json!({"input": {"unlucky": 9}}));
    let plans = json!([
        plan(json!([first, unlucky("second")])),
        plan(json!([first, unlucky("third")])),
        narrated(json!([first, tool("second", "good/echo", &["first"])]), "Another way."),
    ]);
    let mut session = stage.session(scripted(plans));
    let (turn, updates) = play(&mut session, "I try").await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    let lines = lines_of(&updates);
    assert!(
        lines.contains("rejected: step `third` uses skill `lucky`, which is disabled"),
        "{lines}"
    );
    assert!(lines.contains("first kept: success"), "{lines}");
    let rows = plans_of(&session);
    assert_eq!(rows[2].plan["disabledSkills"], json!([]));
    assert_eq!(rows[2].result.as_ref().unwrap()["disabledSkills"], json!(["lucky"]));
}
