//! S2: approvals before a step, and questions in the midst of one.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::harness::{ExecutionSetup, parallel, results, run};
use crate::{ApprovalPolicy, PendingRequests, QuestionPolicy};

fn gated(ids: &[&str]) -> Value {
    ids.iter().map(|id| ((*id).to_owned(), json!({"requiresApproval": true}))).collect()
}

/// S2 "requestApproval", DESIGN §4.3.
#[tokio::test(start_paused = true)]
async fn a_plan_waits_for_approval_without_a_slot_and_without_burning_its_time() {
    let people: Vec<super::harness::PersonAction> =
        vec![(200_000, |desk| desk.approve("b").unwrap())];
    let setup = ExecutionSetup {
        tool_fields: gated(&["b"]),
        person_actions: people,
        slots: 1,
        ..parallel()
    };
    assert_snapshot!(run("a&:d5 b&:d5 c&<-b:d5 d&:d5", setup).await.timeline, @"
         0 b waits: {}
         0 a starts
         5 a success
         5 d starts
        10 d success
    200000 b granted
    200000 b starts
    200005 b success
    200005 c starts
    200010 c success
    200010 plan success
    ");
}

#[tokio::test(start_paused = true)]
async fn a_sequential_plan_asks_early_but_keeps_its_order() {
    let people: Vec<super::harness::PersonAction> = vec![
        (1, |desk| desk.approve("d").unwrap()),
        (50, |desk| assert_eq!(desk.approve_all(), ["b"])),
    ];
    let setup = ExecutionSetup {
        tool_fields: gated(&["b", "d"]),
        person_actions: people,
        ..ExecutionSetup::default()
    };
    assert_snapshot!(run("a:d5 b:d5 c:d5 d:d5", setup).await.timeline, @"
     0 b waits: {}
     0 d waits: {}
     0 a starts
     1 d granted
     5 a success
    50 b granted
    50 b starts
    55 b success
    55 c starts
    60 c success
    60 d starts
    65 d success
    65 plan success
    ");
}

/// S2 "requestApproval", DESIGN §4.3.
#[tokio::test(start_paused = true)]
async fn a_denied_step_is_skipped_and_takes_only_what_requires_it_along() {
    let people: Vec<super::harness::PersonAction> = vec![(10, |desk| {
        assert_eq!(desk.deny_all(), ["a", "b"]);
    })];
    let setup =
        ExecutionSetup { tool_fields: gated(&["a", "b"]), person_actions: people, ..parallel() };
    let ran = run("a& b?& c&<-a d&<-b:d1 e&<-c", setup).await;
    assert_snapshot!(ran.timeline, @"
     0 a waits: {}
     0 b waits: {}
    10 a denied
    10 a skipped: denied
    10 c skipped: a was denied
    10 e skipped: a was denied
    10 b denied
    10 b skipped: denied
    10 d starts
    11 d success
    11 plan success
    ");
    assert!(ran.trace.success && ran.trace.disabled_skills.is_empty());
}

#[tokio::test(start_paused = true)]
async fn where_nobody_is_there_everything_is_denied_or_granted() {
    let setup = |approvals| ExecutionSetup {
        tool_fields: gated(&["a"]),
        approvals,
        ..ExecutionSetup::default()
    };
    assert_snapshot!(run("a:d5 b<-a", setup(ApprovalPolicy::Deny)).await.timeline, @"
    0 a denied unasked
    0 a skipped: denied
    0 b skipped: a was denied
    0 plan success
    ");
    assert_snapshot!(run("a:d5 b<-a", setup(ApprovalPolicy::Grant)).await.timeline, @"
    0 a granted unasked
    0 a starts
    5 a success
    5 b starts
    5 b success
    5 plan success
    ");
}

#[tokio::test(start_paused = true)]
async fn what_waits_when_the_plan_ends_is_taken_off_the_desk() {
    let late: Vec<super::harness::PersonAction> =
        vec![(30, |desk| assert!(desk.pending().is_empty() && desk.approve("b").is_err()))];
    let setup = ExecutionSetup {
        tool_fields: gated(&["b"]),
        person_actions: late,
        cancel_at_ms: Some(20),
        ..parallel()
    };
    assert_snapshot!(run("a&:d40 b&<-c c& d&<-b", setup).await.timeline, @"
     0 a starts
     0 c starts
     0 c success
     0 b waits: {}
    20 b skipped: cancelled
    20 d skipped: cancelled
    40 a success
    40 plan failure, cancelled
    ");
}

#[tokio::test(start_paused = true)]
async fn a_step_whose_condition_is_false_asks_nobody() {
    let more = json!({"a": {"requiresApproval": true, "when": "state.last == 'me'"}});
    assert_snapshot!(run("a b<-a", ExecutionSetup { tool_fields: more, ..ExecutionSetup::default() }).await.timeline, @"
    0 a skipped: condition_false
    0 b starts
    0 b success
    0 plan success
    ");
}

/// Approving twice, late, or an unknown id is a clear error.
#[tokio::test(start_paused = true)]
async fn a_decision_that_fits_nothing_says_why() {
    fn told(desk: &PendingRequests, id: &str) -> String {
        desk.approve(id).map_or_else(|error| error.to_string(), |()| format!("{id} approved"))
    }
    let people: Vec<super::harness::PersonAction> = vec![
        (10, |desk| {
            let waiting = desk.pending();
            assert_eq!(waiting.len(), 1);
            assert_snapshot!(
                [told(desk, "b"), told(desk, "z"), told(desk, "a"), told(desk, "a")].join("\n"),
                @"
            step `b` is not waiting for anybody yet; waiting now: `a`
            the plan has no step `z`; waiting now: `a`
            a approved
            step `a` was approved already
            "
            );
            let answer = desk.answer("b", "yes").unwrap_err();
            assert_snapshot!(answer.to_string(), @"step `b` is not waiting for anybody yet; nothing waits now");
        }),
        (30, |desk| {
            assert_snapshot!(told(desk, "b"), @"step `b` waits for an answer to its question, not for an approval");
            assert_snapshot!(desk.answer("b", "x".repeat(70_000)).unwrap_err().to_string(), @"the answer for step `b` has 70000 bytes, 16384 are allowed");
            desk.answer("b", "no").unwrap();
            assert_snapshot!(desk.answer("b", "no").unwrap_err().to_string(), @"step `b` was answered already");
        }),
        (200, |desk| assert_snapshot!(told(desk, "a"), @"step `a` was approved already")),
    ];
    let setup = ExecutionSetup {
        tool_fields: gated(&["a"]),
        person_actions: people,
        ..ExecutionSetup::default()
    };
    let ran = run("a:d5 b<-a:q5 c:d500", setup).await;
    assert_snapshot!(ran.timeline, @r#"
      0 a waits: {}
     10 a granted
     10 a starts
     15 a success
     15 b starts
     20 b asks: b or not? ["yes"]
     30 b is told: no
     35 b success
     35 c starts
    535 c success
    535 plan success
    "#);
}

#[tokio::test(start_paused = true)]
async fn a_question_waits_for_its_answer_however_long() {
    let people: Vec<super::harness::PersonAction> =
        vec![(100_000, |desk| desk.answer("a", "no, thanks").unwrap())];
    let setup = ExecutionSetup {
        person_actions: people,
        step_timeout_ms: 50,
        plan_timeout_ms: 60,
        ..ExecutionSetup::default()
    };
    let ran = run("a:q20 b<-a:d5", setup).await;
    assert_snapshot!(ran.timeline, @r#"
         0 a starts
        20 a asks: a or not? ["yes"]
    100000 a is told: no, thanks
    100020 a success
    100020 b starts
    100025 b success
    100025 plan success
    "#);
    assert_snapshot!(results(&ran), @r#"
    a success {"saw":"nobody","got":[],"told":"no, thanks"}, 1 tries
    b success {"saw":"a","got":["a"]}, 1 tries
    {"last":"b","secret":"not read","steps":{"a":1,"b":1}}
    success, disabled:
    "#);
}

#[tokio::test(start_paused = true)]
async fn where_nobody_answers_a_script_reads_the_end_of_its_input() {
    let setup =
        ExecutionSetup { questions: QuestionPolicy::Unanswered, ..ExecutionSetup::default() };
    assert_snapshot!(results(&run("a:q20", setup).await), @r#"
    a success {"saw":"nobody","got":[],"told":null}, 1 tries
    {"last":"a","secret":"not read","steps":{"a":1}}
    success, disabled:
    "#);
}

#[tokio::test(start_paused = true)]
async fn a_question_is_withdrawn_when_the_plan_has_no_time_left() {
    let setup = ExecutionSetup { plan_timeout_ms: 100, ..parallel() };
    let ran = run("a&:q20 b&:d500", setup).await;
    assert_snapshot!(ran.timeline, @r#"
      0 a starts
      0 b starts
     20 a asks: a or not? ["yes"]
    100 b timeout: ran past its time limit of 100 ms
    120 a success
    120 plan failure
    "#);
}
