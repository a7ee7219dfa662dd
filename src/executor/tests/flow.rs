//! References, conditions, loops, expectations, stores and reused results, as docs/plans.md describes them.

use insta::assert_snapshot;
use serde_json::json;

use super::harness::{ExecutionSetup, parallel, results, run};
use crate::{Failure, Outcome, ReusedResults};
use narratoria_plan::StepIdx;

fn with(more: serde_json::Value) -> ExecutionSetup {
    ExecutionSetup { tool_fields: more, ..ExecutionSetup::default() }
}

/// S2 "Execution Context".
#[tokio::test(start_paused = true)]
async fn a_reference_is_filled_with_the_output_of_its_step() {
    let more = json!({"b": {"input": {"all": "$a", "part": "$a.saw", "price": "$$a"}}});
    assert_snapshot!(results(&run("a b", with(more)).await), @r#"
    a success {"saw":"nobody","got":[]}, 1 tries
    b success {"saw":"a","got":["a"],"in":{"all":{"saw":"nobody","got":[]},"part":"nobody","price":"$a"}}, 1 tries
    {"last":"b","secret":"not read","steps":{"a":1,"b":1}}
    success, disabled:
    "#);
}

#[tokio::test(start_paused = true)]
async fn a_failed_step_reads_as_null_and_a_part_of_it_is_a_failure() {
    let more = json!({"b": {"input": {"x": "$a"}}, "c": {"input": {"x": "$a.saw"}}});
    let ran = run("a?:f1 b c@3 d<-c", with(more)).await;
    assert_snapshot!(ran.timeline, @"
    0 a starts
    1 a failed: the door is stuck
    1 b starts
    1 b success
    1 c failed: `$a.saw` has no value: step `a` failed
    1 d skipped: c failed
    1 plan failure
    ");
    assert!(ran.trace.steps[2].attempts.is_empty());
    assert!(!ran.trace.disabled_skills.contains("c"), "its skill did nothing wrong");
}

#[tokio::test(start_paused = true)]
async fn a_failure_names_the_missing_part() {
    let more = json!({"b": {"input": {"x": "$a.seen"}}, "c": {"input": {"x": "$a.got[3]"}}});
    assert_snapshot!(results(&run("a b? c?", with(more)).await), @r#"
    a success {"saw":"nobody","got":[]}, 1 tries
    b failed `$a.seen` has no value: there is no `seen`, only saw, got, 0 tries
    c failed `$a.got[3]` has no value: there is no item 3, the list has 0, 0 tries
    {"last":"a","secret":"not read","steps":{"a":1}}
    success, disabled:
    "#);
}

/// S2 "Conditional Steps".
#[tokio::test(start_paused = true)]
async fn a_step_with_a_false_condition_is_skipped_and_reads_as_null() {
    let more = json!({
        "b": {"when": "steps.a.saw == 'me'"},
        "c": {"when": "state.last == 'a' && steps.b == null"},
    });
    assert_snapshot!(run("a:d5 b<-a:d5 c<-b:d5", with(more)).await.timeline, @"
     0 a starts
     5 a success
     5 b skipped: condition_false
     5 c starts
    10 c success
    10 plan success
    ");
}

#[tokio::test(start_paused = true)]
async fn a_condition_without_a_result_fails_the_step() {
    let more = json!({"a": {"when": "state.gold > 3"}});
    let ran = run("a@2 b<-a c", with(more)).await;
    assert_snapshot!(ran.timeline, @"
    0 a failed: the condition `state.gold > 3` has no answer: `state` has no `gold`, only `last`, `secret`
    0 b skipped: a failed
    0 c starts
    0 c success
    0 plan failure
    ");
}

/// A condition may protect a reference whose value is missing.
#[tokio::test(start_paused = true)]
async fn a_condition_is_evaluated_before_the_input_is_filled() {
    let more = json!({"b": {"when": "steps.a != null", "input": {"x": "$a.saw"}}});
    assert_snapshot!(results(&run("a?:f1 b", with(more)).await), @r#"
    a failed the door is stuck, 1 tries
    b skipped condition_false, 0 tries
    {"last":"nobody","secret":"not read"}
    success, disabled: a
    "#);
}

/// S2 "Loops".
#[tokio::test(start_paused = true)]
async fn a_loop_runs_item_after_item_and_outputs_a_list() {
    let more = json!({
        "a": {"forEach": ["ant", "bee"], "input": {"x": "$item", "at": "$index"}},
        "b": {"forEach": "$a", "input": {"x": "$item.in.x"}},
        "c": {"input": {"x": "$b[1].in.x"}},
    });
    let ran = run("a@1:d5/f5/d5 b:d1 c:d1", with(more)).await;
    assert_snapshot!(ran.timeline, @"
      0 a starts
      5 a starts
     10 a the door is stuck; again in 100 ms
    110 a starts, try 2
    115 a success
    115 b starts
    116 b starts
    117 b success
    117 c starts
    118 c success
    118 plan success
    ");
    assert_snapshot!(results(&ran), @r#"
    a success [{"saw":"nobody","got":[],"in":{"x":"ant","at":0}},{"saw":"a","got":[],"in":{"x":"bee","at":1}}], 3 tries
    b success [{"saw":"a","got":["a"],"in":{"x":"ant"}},{"saw":"b","got":["a"],"in":{"x":"bee"}}], 2 tries
    c success {"saw":"b","got":["b"],"in":{"x":"bee"}}, 1 tries
    {"last":"c","secret":"not read","steps":{"a":2,"b":1,"c":1}}
    success, disabled:
    "#);
    assert_eq!((ran.trace.steps[0].retry_count(), ran.trace.steps[0].items), (1, Some(2)));
    assert_eq!(ran.trace.assets().filter_map(|asset| asset.item).collect::<Vec<_>>(), [0, 1, 0, 1]);
}

#[tokio::test(start_paused = true)]
async fn an_item_that_exhausts_its_retries_fails_the_loop_and_discards_its_results() {
    let more = json!({"a": {"forEach": [1, 2, 3]}});
    let ran = run("a:d5/f5/d5", with(more)).await;
    assert_snapshot!(ran.timeline, @"
     0 a starts
     5 a starts
    10 a failed: the door is stuck
    10 plan failure
    ");
    assert_eq!(ran.trace.assets().count(), 0);
    assert_eq!(ran.trace.state, super::harness::start());
}

#[tokio::test(start_paused = true)]
async fn a_loop_without_items_succeeds() {
    let more = json!({"a": {"forEach": []}});
    assert_snapshot!(results(&run("a", with(more)).await), @r#"
    a success [], 0 tries
    {"last":"nobody","secret":"not read"}
    success, disabled:
    "#);
}

#[tokio::test(start_paused = true)]
async fn a_loop_needs_a_list_that_is_not_too_long() {
    let more = json!({
        "b": {"forEach": "$a.saw"},
        "c": {"forEach": [1, 2, 3]},
        "d": {"forEach": "$c", "maxItems": 2},
    });
    assert_snapshot!(results(&run("a b? c d?", with(more)).await), @r#"
    a success {"saw":"nobody","got":[]}, 1 tries
    b failed `forEach` needs a list, but got a string, 0 tries
    c success [{"saw":"nobody","got":[]},{"saw":"c","got":[]},{"saw":"c","got":[]}], 3 tries
    d failed `forEach` got 3 items, 2 are allowed; `maxItems` sets the limit, 0 tries
    {"last":"c","secret":"not read","steps":{"a":1,"c":1}}
    success, disabled:
    "#);
}

#[tokio::test(start_paused = true)]
async fn a_loop_ends_between_two_items_when_the_plan_stops() {
    let more = json!({"a": {"forEach": [1, 2, 3]}});
    let ran =
        run("a&:d10 b&:f15", ExecutionSetup { tool_fields: more, stop: true, ..parallel() }).await;
    assert_snapshot!(ran.timeline, @"
     0 a starts
     0 b starts
    10 a starts
    15 b failed: the door is stuck
    20 a failed: was ended after 2 of 3 items (plan_stopped)
    20 plan failure
    ");
    assert_eq!(ran.trace.disabled_skills.iter().collect::<Vec<_>>(), ["b"]);
}

#[tokio::test(start_paused = true)]
async fn an_unexpected_output_is_a_failed_attempt() {
    let expect = json!({"properties": {"saw": {"const": "a"}}});
    let more = json!({"a": {"expect": expect}, "b": {"expect": expect}});
    assert_snapshot!(run("a?@1:d5 b<-a:d5", with(more)).await.timeline, @r#"
      0 a starts
      5 a its output is not what the plan expects: "a" was expected at `/saw`; again in 100 ms
    105 a starts, try 2
    110 a failed: its output is not what the plan expects: "a" was expected at `/saw`
    110 b starts
    115 b failed: its output is not what the plan expects: "a" was expected at `/saw`
    115 plan failure
    "#);
}

#[tokio::test(start_paused = true)]
async fn a_script_sees_store_writes_of_its_skill_from_ancestors_and_earlier_items() {
    let more = json!({"c": {"forEach": [1, 2]}});
    let store_skills = vec!["k", "m"];
    let setup = ExecutionSetup { tool_fields: more, store_skills, ..parallel() };
    let ran = run("a&%k:d9 b&%k@1<-a:f1/d1 x&%k:d1 c&%k<-b:d1 d&%m<-b:d1", setup).await;
    assert_snapshot!(results(&ran), @r#"
    a success {"saw":"nobody","got":[],"stored":null}, 1 tries
    b success {"saw":"a","got":["a"]}, 2 tries
    x success {"saw":"nobody","got":[],"stored":null}, 1 tries
    c success [{"saw":"b","got":["b"],"stored":"a"},{"saw":"c","got":["b"],"stored":"ac"}], 2 tries
    d success {"saw":"b","got":["b"],"stored":null}, 1 tries
    {"last":"d","secret":"not read","steps":{"a":1,"b":2,"x":1,"c":1,"d":1}}
    success, disabled:
    "#);
    let writes: Vec<String> = ran
        .trace
        .writes()
        .map(|(skill, write)| format!("{skill} {}", write.value.as_deref().unwrap_or("-")))
        .collect();
    assert_snapshot!(writes.join(", "), @"k a, k x, k ac, k acc, m d");
}

/// S2: a person takes a step out of the plan in review.
#[tokio::test(start_paused = true)]
async fn a_step_that_the_player_skips_reads_as_null() {
    let more = json!({"b": {"skip": true}});
    assert_snapshot!(run("a:f1 b<-a c<-b", with(more)).await.timeline, @"
    0 a starts
    1 a failed: the door is stuck
    1 b skipped: skipped_by_player
    1 c starts
    1 c success
    1 plan failure
    ");
}

#[tokio::test(start_paused = true)]
async fn reused_steps_do_not_run_again_and_their_results_count() {
    let first = run("a:d5 b<-a:d5 c<-b:f5", ExecutionSetup::default()).await;
    let reused_results: ReusedResults =
        (0..2).map(|idx| (StepIdx(idx), first.trace.steps[idx].clone())).collect();
    let again =
        run("a:f1 b<-a:f1 c<-b:d5", ExecutionSetup { reused_results, ..ExecutionSetup::default() })
            .await;
    assert_snapshot!(again.timeline, @"
    0 a reused
    0 b reused
    0 c starts
    5 c success
    5 plan success
    ");
    assert_snapshot!(results(&again), @r#"
    a success {"saw":"nobody","got":[]}, 1 tries
    b success {"saw":"a","got":["a"]}, 1 tries
    c success {"saw":"b","got":["b"]}, 1 tries
    {"last":"c","secret":"not read","steps":{"a":1,"b":1,"c":1}}
    success, disabled:
    "#);
    assert_eq!(again.trace.assets().count(), 3);
}

/// With one seed for all items, a loop would roll the same number again and again.
#[tokio::test(start_paused = true)]
async fn each_item_has_a_seed_of_its_own() {
    let ran = run("a@1:d1/f1", with(json!({"a": {"forEach": [1, 2]}}))).await;
    let seeds: Vec<u64> = ran.requests.iter().map(|request| request.seed).collect();
    assert_eq!(seeds[1], seeds[2], "a retry is no second throw of the dice");
    assert_ne!(seeds[0], seeds[1]);
}

#[tokio::test(start_paused = true)]
async fn a_filled_input_that_does_not_match_fails_before_the_first_attempt() {
    let plan = "a b";
    let more = json!({"b": {"input": {"x": "$a.saw"}}});
    let setup = ExecutionSetup {
        tool_fields: more,
        schema: Some(json!({"properties": {"x": {"type": "integer"}}})),
        ..ExecutionSetup::default()
    };
    let ran = run(plan, setup).await;
    let outcome = &ran.trace.steps[1].outcome;
    assert!(
        matches!(outcome, Outcome::Failed { why: Failure::InputMismatch { .. } }),
        "{outcome:?}"
    );
    assert_snapshot!(outcome.failure().unwrap().to_string(), @r#"its input is not what `b/run` takes: "nobody" is not of type "integer" at `/x`"#);
}
