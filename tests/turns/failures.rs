//! The planner's information about each way in which a plan can fail (S0 FR-021, FR-024, FR-027).

use std::time::Duration;

use narratoria_engine::{SessionOptions, Update};
use narratoria_story::TurnOutcome;
use serde_json::{Value, json};

use super::support::{
    LoggingPlanner, TurnStage, keeps, narrated, options, plan, plans_of, play, session_within,
    tool, with,
};

fn stage() -> TurnStage {
    let once = json!({"retryPolicy": {"maxRetries": 0}});
    TurnStage::new(&[
        ("counter", "counts", keeps()),
        ("good", "echo", json!({})),
        ("fails", "fail", json!({})),
        ("slow", "sleep", once.clone()),
        ("prints", "not-json", once.clone()),
        ("traps", "trap", once.clone()),
        ("exits", "exit-1-after-done", once),
    ])
}

/// Plays one plan, which must fail, with a planner that then gives up. Returns the planner's second request, the
/// `plan.finished` update, and code and category of each step that failed.
async fn check_within(options: SessionOptions, plan: Value) -> String {
    let stage = stage();
    let (planner, requests) = LoggingPlanner::new(json!([plan, {"abort": "enough"}]));
    let mut session =
        session_within(stage.home.path(), stage.skills.path(), Box::new(planner), options);
    let (turn, updates) = play(&mut session, "I open the door").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Fallback, 2));
    let requests = requests.lock().unwrap();
    let failure = requests[1].lines().find_map(|line| line.strip_prefix("failure: "));
    let mut lines = vec![failure.unwrap_or("nothing").to_owned()];
    lines.extend(updates.iter().filter_map(|update| match update {
        Update::PlanFinished { can_replan, failed_tools, disabled_skills, .. } => Some(format!(
            "can replan {can_replan}, failed {failed_tools:?}, disabled {disabled_skills:?}"
        )),
        _ => None,
    }));
    let rows = plans_of(&session);
    if let Some(result) = &rows[0].result {
        let results = result["toolResults"].as_array().unwrap();
        let failed = results.iter().filter(|result| result["error"].is_object());
        lines.extend(failed.map(|result| {
            let (error, state) = (&result["error"], &result["state"]);
            format!("{} {state}: {} {}", result["toolId"], error["category"], error["code"])
        }));
        assert_eq!(result["canReplan"], json!(true));
    }
    let lines = lines.join("\n").replace('"', "");
    // The rest of a plan's time differs in each run.
    (51..100).fold(lines, |lines, left| lines.replace(&format!(" {left} ms"), " 100 ms"))
}

async fn check(tools: Value) -> String {
    check_within(options(), plan(tools)).await
}

/// S0 FR-027: the script's own words and code, and how often it was tried (FR-026).
#[tokio::test]
async fn a_tool_failure_has_the_scripts_own_words() {
    let input = json!({"input": {"code": "LOCKED", "message": "the door is locked"}});
    insta::assert_snapshot!(check(json!([with(tool("a", "fails/fail", &[]), input)])).await, @r"
    step `a` (`fails/fail`) failed after 2 attempts: the door is locked
    can replan true, failed [a], disabled [fails]
    a failed: tool_failure LOCKED
    ");
}

/// S0 FR-017, FR-027, "take very long", S1 §7.1.
#[tokio::test]
async fn a_timeout_names_the_limit() {
    let sleeps =
        with(tool("a", "slow/sleep", &[]), json!({"input": {"ms": 60_000}, "timeoutMs": 50}));
    insta::assert_snapshot!(check(json!([sleeps])).await, @r"
    step `a` (`slow/sleep`) failed after 1 attempt: ran past its time limit of 50 ms
    can replan true, failed [a], disabled [slow]
    a timeout: timeout TOOL_TIMEOUT
    ");
}

/// S0 FR-018, FR-027: steps that never started are not among the failed ones, but the reason is given.
#[tokio::test]
async fn a_plan_out_of_time_says_so() {
    let short = |ms| SessionOptions { plan_timeout: Duration::from_millis(ms), ..options() };
    let sleeps = with(tool("a", "slow/sleep", &[]), json!({"input": {"ms": 60_000}}));
    let steps = plan(json!([sleeps, tool("b", "good/echo", &["a"])]));
    insta::assert_snapshot!(check_within(short(100), steps).await, @r"
    step `a` (`slow/sleep`) failed after 1 attempt: ran until the plan's time limit of 100 ms was over
    can replan true, failed [a], disabled [slow]
    a timeout: timeout PLAN_TIMEOUT
    ");
    let steps = plan(json!([tool("a", "good/echo", &[])]));
    insta::assert_snapshot!(check_within(short(0), steps).await, @r"
    the plan's time was over before every required step had run
    can replan true, failed [], disabled []
    ");
}

/// S0 FR-027: output that is no valid NDJSON, and an invocation that ends against the rules.
#[tokio::test]
async fn invalid_json_and_process_errors_have_their_own_categories() {
    insta::assert_snapshot!(check(json!([tool("a", "prints/not-json", &[])])).await, @r"
    step `a` (`prints/not-json`) failed after 1 attempt: broke the protocol: line 1 is `You rolled a 7!`, which is no event: stdout is for events, and other text belongs on stderr
    can replan true, failed [a], disabled [prints]
    a failed: invalid_json PROTOCOL_ERROR
    ");
    insta::assert_snapshot!(check(json!([tool("a", "traps/trap", &[])])).await, @r"
    step `a` (`traps/trap`) failed after 1 attempt: trapped: wasm `unreachable` instruction executed
    can replan true, failed [a], disabled [traps]
    a failed: process_error TRAP
    ");
    insta::assert_snapshot!(check(json!([tool("a", "exits/exit-1-after-done", &[])])).await, @r"
    step `a` (`exits/exit-1-after-done`) failed after 1 attempt: exited with a failure status after saying `done` with `ok: true`
    can replan true, failed [a], disabled [exits]
    a failed: process_error EXIT_FAILURE
    ");
}

/// S0 FR-012: a circle never runs, and the planner gets its path.
#[tokio::test]
async fn a_circular_dependency_names_the_circle() {
    let circle = json!([tool("a", "good/echo", &["b"]), tool("b", "good/echo", &["a"])]);
    insta::assert_snapshot!(check(circle).await, @"steps wait for each other: a -> b -> a (take one of these dependencies out)");
}

/// A mistake of the plan is not a skill's fault: no attempt is made and no skill is disabled.
#[tokio::test]
async fn a_mistake_of_the_plan_is_named_and_disables_no_skill() {
    let lit = with(tool("a", "good/echo", &[]), json!({"when": "state.torch.lit"}));
    insta::assert_snapshot!(check(json!([lit])).await, @r"
    step `a` (`good/echo`) failed before its first attempt: the condition `state.torch.lit` has no answer: `state` has no `torch`, it is empty
    can replan true, failed [a], disabled []
    a failed: invalid_json CONDITION_UNANSWERED
    ");

    let skipped = with(tool("a", "counter/counts", &[]), json!({"when": "has(state.torch)"}));
    let reads = with(tool("b", "good/echo", &[]), json!({"input": {"n": "$a.count"}}));
    insta::assert_snapshot!(check(json!([skipped, reads])).await, @r"
    step `b` (`good/echo`) failed before its first attempt: `$a.count` has no value: step `a` was skipped (condition_false)
    can replan true, failed [b], disabled []
    b failed: invalid_json REFERENCE_NO_OUTPUT
    ");

    let missing = with(tool("b", "good/echo", &[]), json!({"input": {"n": "$a.input.key[2]"}}));
    let gives = with(tool("a", "good/echo", &[]), json!({"input": {"key": ["brass", "iron"]}}));
    insta::assert_snapshot!(check(json!([gives, missing])).await, @r"
    step `b` (`good/echo`) failed before its first attempt: `$a.input.key[2]` has no value: there is no item 2, the list has 2
    can replan true, failed [b], disabled []
    b failed: invalid_json REFERENCE_MISSING
    ");

    let each = |of: &str| {
        let gives = json!({"input": {"keys": [1, 2, 3]}});
        json!([
            with(tool("a", "good/echo", &[]), gives),
            with(tool("b", "good/echo", &[]), json!({"forEach": of, "maxItems": 2})),
        ])
    };
    insta::assert_snapshot!(check(each("$a.input")).await, @r"
    step `b` (`good/echo`) failed before its first attempt: `forEach` needs a list, but got an object
    can replan true, failed [b], disabled []
    b failed: invalid_json NOT_A_LIST
    ");
    insta::assert_snapshot!(check(each("$a.input.keys")).await, @r"
    step `b` (`good/echo`) failed before its first attempt: `forEach` got 3 items, 2 are allowed; `maxItems` sets the limit
    can replan true, failed [b], disabled []
    b failed: invalid_json TOO_MANY_ITEMS
    ");
}

/// An output that the plan does not expect is a failure of the tool, and is retried.
#[tokio::test]
async fn an_unexpected_output_is_named() {
    let expect = json!({"expect": {"properties": {"count": {"minimum": 5}}}});
    insta::assert_snapshot!(check(json!([with(tool("a", "counter/counts", &[]), expect)])).await, @r"
    step `a` (`counter/counts`) failed after 2 attempts: its output is not what the plan expects: 1 is less than the minimum of 5 at `/count`
    can replan true, failed [a], disabled [counter]
    a failed: tool_failure UNEXPECTED_OUTPUT
    ");
}

/// The planner gets every failure with its step, but no skipped steps.
#[tokio::test]
async fn the_planner_gets_every_failure() {
    let steps = json!([
        tool("a", "fails/fail", &[]),
        tool("b", "traps/trap", &[]),
        tool("c", "good/echo", &["a", "b"]),
    ]);
    insta::assert_snapshot!(check(steps).await, @r"
    step `a` (`fails/fail`) failed after 2 attempts: it failed on purpose; step `b` (`traps/trap`) failed after 1 attempt: trapped: wasm `unreachable` instruction executed
    can replan true, failed [a, b], disabled [fails, traps]
    a failed: tool_failure ON_PURPOSE
    b failed: process_error TRAP
    ");
}

/// S0 FR-024, S1 §3.1: a skill that failed for good in this session is disabled from the first plan of the
/// next turn on, and a plan from a file is refused before the turn starts.
#[tokio::test]
async fn a_skill_that_failed_for_good_stays_disabled_for_the_session() {
    let three = json!({"retryPolicy": {"maxRetries": 2, "backoffMs": 0}});
    let stage = TurnStage::new(&[("fails", "fail", three), ("good", "echo", json!({}))]);
    let fails = plan(json!([tool("a", "fails/fail", &[])]));
    let (planner, requests) = LoggingPlanner::new(json!([
        fails, {"abort": "one"}, fails, {"abort": "two"}, fails, {"abort": "three"},
    ]));
    let mut session = stage.session(planner);
    for sentence in ["one", "two", "three"] {
        play(&mut session, sentence).await;
    }
    let firsts: Vec<String> = requests.lock().unwrap().iter().step_by(2).cloned().collect();
    insta::assert_snapshot!(firsts.join("\n--\n"), @r"
    attempt 1
    --
    attempt 1
    --
    attempt 1
    disabled: fails
    ");
    let request = narratoria_engine::TurnRequest {
        prompt: "four",
        plan: Some(serde_json::from_value(fails.clone()).unwrap()),
        reviewer: None,
    };
    let cancel = tokio_util::sync::CancellationToken::new();
    let mut reported = Vec::new();
    let error =
        session.play(request, &cancel, &mut |update| reported.push(update)).await.unwrap_err();
    insta::assert_snapshot!(error, @"step `a` uses skill `fails`, which is disabled");
    assert_eq!(reported, []);
    drop(session);

    // S1 §3.1: permanentFailure --[session restart]--> healthy, also in the same story.
    let works = narrated(json!([tool("a", "good/echo", &[])]), "Done.");
    let (planner, requests) = LoggingPlanner::new(json!([fails, works]));
    let mut session = stage.session(planner);
    let (turn, _) = play(&mut session, "five").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 2));
    assert_eq!(requests.lock().unwrap()[0], "attempt 1");
}
