//! S2: approvals before a step, and questions during a step.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::harness::{ExecutionSetup, PersonAction, parallel, results, run};
use crate::{ApprovalPolicy, PLAN_ASKS_MAX, PendingRequests, QuestionPolicy};

fn gated(ids: &[&str]) -> Value {
    ids.iter().map(|id| ((*id).to_owned(), json!({"requiresApproval": true}))).collect()
}

/// S2 "requestApproval", docs/plans.md, "Approval".
#[tokio::test(start_paused = true)]
async fn waiting_for_approval_uses_neither_a_slot_nor_the_plans_time() {
    let actions: Vec<PersonAction> = vec![(200_000, |pending| pending.approve("b").unwrap())];
    let setup = ExecutionSetup {
        tool_fields: gated(&["b"]),
        person_actions: actions,
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
    let actions: Vec<PersonAction> = vec![
        (1, |pending| pending.approve("d").unwrap()),
        (50, |pending| assert_eq!(pending.approve_all(), ["b"])),
    ];
    let setup = ExecutionSetup {
        tool_fields: gated(&["b", "d"]),
        person_actions: actions,
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

/// S2 "requestApproval", docs/plans.md, "Approval".
#[tokio::test(start_paused = true)]
async fn a_denied_step_is_skipped_with_the_steps_that_require_it() {
    let actions: Vec<PersonAction> = vec![(10, |pending| {
        assert_eq!(pending.deny_all(), ["a", "b"]);
    })];
    let setup =
        ExecutionSetup { tool_fields: gated(&["a", "b"]), person_actions: actions, ..parallel() };
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

/// A loop or a series of retries asks as often as a plan may, and then reads the end of its input.
#[tokio::test(start_paused = true)]
async fn a_plan_asks_no_more_than_its_maximum() {
    let answer: fn(&PendingRequests) = |pending| pending.answer("a", "yes").unwrap();
    let person_actions = (1..=PLAN_ASKS_MAX as u64).map(|n| (n * 100, answer)).collect();
    let items: Vec<usize> = (0..PLAN_ASKS_MAX + 2).collect();
    let tool_fields = json!({"a": {"forEach": items, "maxItems": items.len()}});
    let ran = run("a:q20", ExecutionSetup { person_actions, tool_fields, ..Default::default() });
    let ran = ran.await;
    let answered = ran.timeline.matches("a is answered: yes").count();
    assert_eq!((answered, ran.timeline.matches("a asks").count()), (PLAN_ASKS_MAX, PLAN_ASKS_MAX));
    assert_eq!(results(&ran).matches(r#""answer":null"#).count(), 2, "{}", results(&ran));
}

#[tokio::test(start_paused = true)]
async fn without_a_person_the_policy_denies_or_grants() {
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
async fn open_requests_are_withdrawn_when_the_plan_ends() {
    let actions: Vec<PersonAction> = vec![(30, |pending| {
        assert!(pending.pending().is_empty() && pending.approve("b").is_err())
    })];
    let setup = ExecutionSetup {
        tool_fields: gated(&["b"]),
        person_actions: actions,
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
async fn a_step_with_a_false_condition_asks_no_approval() {
    let more = json!({"a": {"requiresApproval": true, "when": "state.last == 'me'"}});
    assert_snapshot!(run("a b<-a", ExecutionSetup { tool_fields: more, ..ExecutionSetup::default() }).await.timeline, @"
    0 a skipped: condition_false
    0 b starts
    0 b success
    0 plan success
    ");
}

/// An approval that comes twice or late, or for an unknown id, is a clear error.
#[tokio::test(start_paused = true)]
async fn a_decision_without_a_request_is_an_error() {
    fn approve(pending: &PendingRequests, id: &str) -> String {
        pending.approve(id).map_or_else(|error| error.to_string(), |()| format!("{id} approved"))
    }
    let actions: Vec<PersonAction> = vec![
        (10, |pending| {
            let waiting = pending.pending();
            assert_eq!(waiting.len(), 1);
            assert_snapshot!(
                [approve(pending, "b"), approve(pending, "z"), approve(pending, "a"), approve(pending, "a")].join("\n"),
                @"
            step `b` is not waiting for a decision yet; waiting now: `a`
            the plan has no step `z`; waiting now: `a`
            a approved
            step `a` was approved already
            "
            );
            let answer = pending.answer("b", "yes").unwrap_err();
            assert_snapshot!(answer.to_string(), @"step `b` is not waiting for a decision yet; nothing waits now");
        }),
        (30, |pending| {
            assert_snapshot!(approve(pending, "b"), @"step `b` waits for an answer to its question, not for an approval");
            assert_snapshot!(pending.answer("b", "x".repeat(70_000)).unwrap_err().to_string(), @"the answer for step `b` has 70000 bytes, 16384 are allowed");
            pending.answer("b", "no").unwrap();
            assert_snapshot!(pending.answer("b", "no").unwrap_err().to_string(), @"step `b` was answered already");
        }),
        (200, |pending| assert_snapshot!(approve(pending, "a"), @"step `a` was approved already")),
    ];
    let setup = ExecutionSetup {
        tool_fields: gated(&["a"]),
        person_actions: actions,
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
     30 b is answered: no
     35 b success
     35 c starts
    535 c success
    535 plan success
    "#);
}

#[tokio::test(start_paused = true)]
async fn a_question_waits_for_its_answer_without_a_limit() {
    let actions: Vec<PersonAction> =
        vec![(100_000, |pending| pending.answer("a", "no, thanks").unwrap())];
    let setup = ExecutionSetup {
        person_actions: actions,
        step_timeout_ms: 50,
        plan_timeout_ms: 60,
        ..ExecutionSetup::default()
    };
    let ran = run("a:q20 b<-a:d5", setup).await;
    assert_snapshot!(ran.timeline, @r#"
         0 a starts
        20 a asks: a or not? ["yes"]
    100000 a is answered: no, thanks
    100020 a success
    100020 b starts
    100025 b success
    100025 plan success
    "#);
    assert_snapshot!(results(&ran), @r#"
    a success {"saw":"nobody","got":[],"answer":"no, thanks"}, 1 tries
    b success {"saw":"a","got":["a"]}, 1 tries
    {"last":"b","secret":"not read","steps":{"a":1,"b":1}}
    success, disabled:
    "#);
}

#[tokio::test(start_paused = true)]
async fn without_a_person_a_script_reads_the_end_of_its_input() {
    let setup =
        ExecutionSetup { questions: QuestionPolicy::Unanswered, ..ExecutionSetup::default() };
    assert_snapshot!(results(&run("a:q20", setup).await), @r#"
    a success {"saw":"nobody","got":[],"answer":null}, 1 tries
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
    100 b timeout: ran until the plan's time limit of 100 ms was over
    120 a success
    120 plan failure
    "#);
}

/// S0 FR-018: the plan's time stands still only while a person is asked.
#[tokio::test(start_paused = true)]
async fn after_an_answer_the_plans_time_goes_on() {
    let setup = || ExecutionSetup {
        person_actions: vec![(1_000, |pending| pending.answer("a", "yes").unwrap())],
        plan_timeout_ms: 100,
        ..parallel()
    };
    assert_snapshot!(run("a&:q20 b&<-a:d500", setup()).await.timeline, @r#"
       0 a starts
      20 a asks: a or not? ["yes"]
    1000 a is answered: yes
    1020 a success
    1020 b starts
    1080 b timeout: ran until the plan's time limit of 100 ms was over
    1080 plan failure
    "#);
    // If the count were wrong in the other direction, as many steps would run.
    assert_snapshot!(run("a&:q20 b&?<-a:d500 c&?<-a:d500 d<-b", setup()).await.timeline, @r#"
       0 a starts
      20 a asks: a or not? ["yes"]
    1000 a is answered: yes
    1020 a success
    1020 b starts
    1020 c starts
    1080 d skipped: plan_timeout
    1080 b timeout: ran until the plan's time limit of 100 ms was over
    1080 c timeout: ran until the plan's time limit of 100 ms was over
    1080 plan failure
    "#);
}

/// S0 FR-018: the time also goes on if the question stays without an answer.
#[tokio::test(start_paused = true)]
async fn without_an_answer_the_plans_time_goes_on() {
    let setup = |person: PersonAction| ExecutionSetup {
        person_actions: vec![person],
        plan_timeout_ms: 100,
        ..parallel()
    };
    for plan in ["a&:q20 b&<-a:d500", "a&:q20 b&?<-a:d500 c&?<-a:d500 d<-b"] {
        let answered =
            run(plan, setup((1_000, |pending| pending.answer("a", "yes").unwrap()))).await;
        let left =
            run(plan, setup((1_000, |pending| pending.leave_unanswered("a").unwrap()))).await;
        let (answer, none) = ("1000 a is answered: yes", "1000 a stays unanswered");
        assert!(answered.timeline.contains(answer), "{}", answered.timeline);
        assert_eq!(left.timeline, answered.timeline.replace(answer, none));
    }
}

/// S0 "closes application": no person can answer any more, so the script gives up. That says nothing about the script;
/// without a cancel it does.
#[tokio::test(start_paused = true)]
async fn a_script_that_gives_up_because_the_player_left_was_cancelled() {
    let left = ExecutionSetup { cancel_at_ms: Some(50), ..ExecutionSetup::default() };
    let ran = run("a:u20", left).await;
    assert_snapshot!(ran.timeline, @r#"
     0 a starts
    20 a asks: a or not? ["yes"]
    70 a failed: was cancelled
    70 plan failure, cancelled
    "#);
    assert!(ran.trace.disabled_skills.is_empty());
    let nobody =
        ExecutionSetup { questions: QuestionPolicy::Unanswered, ..ExecutionSetup::default() };
    let ran = run("a:u20", nobody).await;
    assert_snapshot!(ran.timeline, @"
     0 a starts
    40 a failed: the door is stuck
    40 plan failure
    ");
    assert!(ran.trace.disabled_skills.contains("a"));
}

/// S0 FR-018: a question that its script no longer waits for does not hold the plan's time either.
#[tokio::test(start_paused = true)]
async fn after_a_withdrawn_question_the_plans_time_goes_on() {
    let setup = || ExecutionSetup { plan_timeout_ms: 100, ..parallel() };
    assert_snapshot!(run("a&:v20 b&?<-a:d500 d<-b", setup()).await.timeline, @r#"
      0 a starts
     20 a asks: a or not? ["yes"]
     40 a success
     40 b starts
    120 d skipped: plan_timeout
    120 b timeout: ran until the plan's time limit of 100 ms was over
    120 plan failure
    "#);
    assert_snapshot!(run("a&:v20 b&?<-a:d500 c&?<-a:d500 d<-b", setup()).await.timeline, @r#"
      0 a starts
     20 a asks: a or not? ["yes"]
     40 a success
     40 b starts
     40 c starts
    120 d skipped: plan_timeout
    120 b timeout: ran until the plan's time limit of 100 ms was over
    120 c timeout: ran until the plan's time limit of 100 ms was over
    120 plan failure
    "#);
}
