//! A process that ends in the middle of a plan, and the next one that resumes it (docs/plans.md, "After a
//! crash").

use std::path::Path;

use narratoria_engine::{FinishedTurn, Session, StepEvent, StepUpdate, UnfinishedPlan, Update};
use narratoria_story::TurnOutcome;
use rusqlite::Connection;
use serde_json::{Value, json};
use tokio::{select, sync::Notify};
use tokio_util::sync::CancellationToken;

use super::{
    support::{
        LoggingPlanner, TurnStage, keeps, narrated, output_of, plan, plans_of, play, scripted,
        session, store_of, tool, with,
    },
    update_lines::lines_of,
};

fn stage() -> TurnStage {
    TurnStage::new(&[
        ("counter", "counts", keeps()),
        ("guard", "asks", json!({})),
        ("broken", "fail", json!({})),
        ("good", "echo", json!({})),
    ])
}

/// Counts, asks, narrates. The process may end while it asks.
fn guarded() -> Value {
    let steps = json!([
        tool("count", "counter/counts", &[]),
        tool("guard", "guard/asks", &["count"]),
        tool("tell", "good/echo", &["guard"]),
    ]);
    narrated(steps, "You pass.")
}

/// Plays until a script asks, and then drops everything, as the end of a process does.
async fn play_until_asked(session: &mut Session, sentence: &str) {
    play_until(session, sentence, |update| {
        matches!(update, Update::Step(StepUpdate { event: StepEvent::Asked { .. }, .. }))
    })
    .await;
}

/// Plays until `is_time`, and then drops everything.
async fn play_until(
    session: &mut Session,
    sentence: &str,
    mut is_time: impl FnMut(&Update) -> bool + Send,
) {
    let (stop, cancel) = (Notify::new(), CancellationToken::new());
    let mut on_update = |update: Update| {
        if is_time(&update) {
            stop.notify_one();
        }
    };
    select! {
        turn = session.turn(sentence, &cancel, &mut on_update) => panic!("it ended: {turn:?}"),
        () = stop.notified() => {}
    }
}

/// Resumes the plan and answers the guard, unless the plan is dropped again.
async fn resume(session: &mut Session) -> (FinishedTurn, Vec<Update>) {
    let (pending, cancel, mut updates) =
        (session.pending_requests(), CancellationToken::new(), Vec::new());
    let mut on_update = |update: Update| {
        if let Update::Step(StepUpdate { tool_id, event: StepEvent::Asked { .. }, .. }) = &update {
            pending.answer(tool_id, "Ada").unwrap();
        }
        updates.push(update);
    };
    let resumed = session.resume(None, &cancel, &mut on_update).await.unwrap();
    (resumed.unwrap().0, updates)
}

/// The error of a session that refuses a turn, with its hints.
async fn refusal(session: &mut Session) -> String {
    let cancel = CancellationToken::new();
    let mut updates = Vec::new();
    let error = session.turn("on", &cancel, &mut |update| updates.push(update)).await.unwrap_err();
    assert_eq!(updates, []);
    format!("{} {error}\n{}", error.kind.as_str(), error.hints.join("\n"))
}

#[tokio::test]
async fn a_plan_that_was_cut_short_goes_on_without_repeating_a_finished_step() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([guarded()])));
    play_until_asked(&mut session, "I walk up").await;
    drop(session);

    let mut session = stage.session(scripted(json!([])));
    let unfinished = session.unfinished_plan().unwrap().unwrap();
    let UnfinishedPlan { prompt, finished, steps, is_stale, .. } = &unfinished;
    assert_eq!((prompt.as_str(), *finished, *steps, *is_stale), ("I walk up", 1, 3, false));
    insta::assert_snapshot!(refusal(&mut session).await, @r"
    refused the turn `I walk up` of the story `demo` was cut short after 1 of 3 steps
    `narratoria plan resume --story demo` goes on with it, `narratoria plan resume --story demo --drop` forgets it
    ");
    let began = session.story().plan("1").unwrap().row.record.unwrap().steps[0].clone();

    let (turn, updates) = resume(&mut session).await;
    assert_eq!((turn.turn, turn.outcome, turn.attempts), (1, TurnOutcome::Narrated, 1));
    insta::assert_snapshot!(lines_of(&updates), @r#"
    count kept: success
    guard started: guard/asks, attempt 1
    guard asks: Who goes there? ["A friend", "Nobody"]
    guard answered
    guard asks: And what does Ada want? []
    guard answered
    guard success
    tell started: good/echo, attempt 1
    tell success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    "#);
    assert_eq!(store_of(&session, "counter"), json!({"count": 1}));
    assert_eq!(output_of(&updates, "tell")["inputs"]["guard"]["name"], json!("Ada"));
    let rows = plans_of(&session);
    assert_eq!((rows.len(), &rows[0].id), (1, &unfinished.plan_id));
    assert_eq!(rows[0].record.as_ref().unwrap().steps[0], began, "its times are those of its run");
    assert_eq!(session.unfinished_plan().unwrap(), None);
}

/// Ending twice loses no more than ending once.
#[tokio::test]
async fn a_plan_may_be_cut_short_again_and_again() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([guarded()])));
    play_until_asked(&mut session, "I walk up").await;
    drop(session);
    let mut began = None;
    for _ in 0..3 {
        let mut session = stage.session(scripted(json!([])));
        let (asked, cancel) = (Notify::new(), CancellationToken::new());
        let mut on_update = |update: Update| {
            if matches!(update, Update::Step(StepUpdate { event: StepEvent::Asked { .. }, .. })) {
                asked.notify_one();
            }
        };
        select! {
            turn = session.resume(None, &cancel, &mut on_update) => panic!("it ended: {turn:?}"),
            () = asked.notified() => {}
        }
        let step = session.story().plan("1").unwrap().row.record.unwrap().steps[0].clone();
        assert!(step.completed_at.is_some());
        assert_eq!(began.get_or_insert(step.clone()), &step);
    }
    let mut session = stage.session(scripted(json!([])));
    resume(&mut session).await;
    assert_eq!(store_of(&session, "counter"), json!({"count": 1}));
    assert_eq!(plans_of(&session)[0].record.as_ref().unwrap().steps[0], began.unwrap());
}

/// The story is as it was before that turn.
#[tokio::test]
async fn a_plan_that_was_cut_short_may_be_dropped() {
    let stage = stage();
    let again = narrated(json!([tool("a", "counter/counts", &[])]), "On we go.");
    let mut session = stage.session(scripted(json!([guarded()])));
    play_until_asked(&mut session, "I walk up").await;
    drop(session);
    let mut session = stage.session(scripted(json!([again])));
    assert!(session.drop_unfinished().unwrap());
    assert!(!session.drop_unfinished().unwrap());
    assert_eq!((session.story().turns(), store_of(&session, "counter")), (0, json!({})));
    assert_eq!(play(&mut session, "go on").await.0.turn, 1);
    assert_eq!(store_of(&session, "counter"), json!({"count": 1}));
    let cancel = CancellationToken::new();
    assert!(session.resume(None, &cancel, &mut |_| ()).await.unwrap().is_none());
}

/// Dropping the future of a turn stops the turn, and the same session can resume it.
#[tokio::test]
async fn a_session_resumes_a_turn_that_it_dropped_itself() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([guarded()])));
    play_until_asked(&mut session, "I walk up").await;
    let pending = session.pending_requests();
    insta::assert_snapshot!(pending.answer("guard", "Ada").unwrap_err(), @"no plan is running, so nothing waits for step `guard`");
    insta::assert_snapshot!(refusal(&mut session).await, @r"
    refused the turn `I walk up` of the story `demo` was cut short after 1 of 3 steps
    `narratoria plan resume --story demo` goes on with it, `narratoria plan resume --story demo --drop` forgets it
    ");
    assert_eq!(resume(&mut session).await.0.narration, "You pass.");
}

/// Only one process at a time runs plans of a story.
#[tokio::test]
async fn a_plan_that_runs_in_another_process_is_not_unfinished() {
    let stage = stage();
    let mut one = stage.session(scripted(json!([guarded()])));
    let (asked, cancel) = (Notify::new(), CancellationToken::new());
    let mut on_update = |update: Update| {
        if matches!(update, Update::Step(StepUpdate { event: StepEvent::Asked { .. }, .. })) {
            asked.notify_one();
        }
    };
    let meanwhile = async {
        asked.notified().await;
        let mut two = stage.session(scripted(json!([guarded()])));
        let unfinished = two.unfinished_plan().unwrap_err();
        let results = format!("{unfinished}\n{}", refusal(&mut two).await);
        insta::assert_snapshot!(results.trim_end(), @r"
        a plan of the story `demo` is running elsewhere; wait for its end or stop it
        failed a plan of the story `demo` is running elsewhere; wait for its end or stop it
        ");
        assert!(two.drop_unfinished().is_err());
    };
    select! {
        turn = one.turn("I walk up", &cancel, &mut on_update) => panic!("it ended: {turn:?}"),
        () = meanwhile => {}
    }
}

/// A failed step stays failed in the next process: it is not tried again, and the turn goes on to the next plan.
#[tokio::test]
async fn a_step_that_had_failed_is_not_tried_again() {
    let stage = stage();
    let steps = json!([tool("open", "broken/fail", &[]), tool("guard", "guard/asks", &[])]);
    let mut session = stage.session(scripted(json!([narrated(steps, "Never.")])));
    play_until_asked(&mut session, "I walk up").await;
    drop(session);
    let steps = json!([tool("open", "good/echo", &[]), tool("guard", "guard/asks", &[])]);
    let mut session = stage.session(scripted(json!([narrated(steps, "You pass.")])));
    let (turn, updates) = resume(&mut session).await;
    assert_eq!((turn.narration.as_str(), turn.attempts), ("You pass.", 2));
    insta::assert_snapshot!(lines_of(&updates), @r#"
    open kept: failed
    guard started: guard/asks, attempt 1
    guard asks: Who goes there? ["A friend", "Nobody"]
    guard answered
    guard asks: And what does Ada want? []
    guard answered
    guard success
    plan over: failure, can replan true, failed ["open"], disabled ["broken"]
    plan 2 by scripted
    version 2: changed step `open` (toolPath: "broken/fail" -> "good/echo"); changed the plan (narrative: "Never." -> "You pass.")
    guard kept: success
    open started: good/echo, attempt 1
    open success
    plan over: success, can replan false, failed [], disabled ["broken"]
    told after 2
    "#);
}

/// S4 "STOP on first tool error": with `onFailure: "stop"` a failure that stopped the plan stops it again, and nothing
/// new starts.
#[tokio::test]
async fn a_failure_that_stopped_the_plan_still_stops_it() {
    let stage = stage();
    let mut steps = json!([tool("open", "broken/fail", &[]), tool("guard", "guard/asks", &[])]);
    for step in steps.as_array_mut().unwrap() {
        step["async"] = json!(true);
    }
    let mut plan = narrated(steps, "Never.");
    (plan["parallel"], plan["onFailure"]) = (json!(true), json!("stop"));
    let mut session = stage.session(scripted(json!([plan])));
    let mut seen = 0;
    play_until(&mut session, "I walk up", |update| {
        seen += usize::from(matches!(
            update,
            Update::Step(StepUpdate { event: StepEvent::Asked { .. }, .. })
                | Update::Step(StepUpdate { event: StepEvent::Finished { .. }, .. })
        ));
        seen == 2
    })
    .await;
    drop(session);
    let mut session = stage.session(scripted(json!([{"abort": "enough"}])));
    let (turn, updates) = resume(&mut session).await;
    assert_eq!(turn.outcome, TurnOutcome::Fallback);
    insta::assert_snapshot!(lines_of(&updates), @r#"
    open kept: failed
    guard skipped: plan_stopped
    plan over: failure, can replan true, failed ["open"], disabled ["broken"]
    plan 2 rejected: the planner gave up: enough
    fallback after 2
    "#);
}

/// A process may end in the middle of a repair: the results of the version before are still reused.
#[tokio::test]
async fn a_repair_that_was_cut_short_reuses_the_results_of_the_version_before() {
    let stage = stage();
    let first = json!([tool("count", "counter/counts", &[]), tool("open", "broken/fail", &[])]);
    let planner = scripted(json!([narrated(first, "Never."), guarded()]));
    let mut session = stage.session(planner);
    play_until_asked(&mut session, "I walk up").await;
    drop(session);
    let mut session = stage.session(scripted(json!([])));
    let (turn, updates) = resume(&mut session).await;
    assert_eq!((turn.narration.as_str(), turn.attempts), ("You pass.", 2));
    insta::assert_snapshot!(lines_of(&updates), @r#"
    count kept: success
    guard started: guard/asks, attempt 1
    guard asks: Who goes there? ["A friend", "Nobody"]
    guard answered
    guard asks: And what does Ada want? []
    guard answered
    guard success
    tell started: good/echo, attempt 1
    tell success
    plan over: success, can replan false, failed [], disabled ["broken"]
    told after 2
    "#);
    let rows = plans_of(&session);
    let lineage: Vec<_> = rows.iter().map(|row| (row.attempt, row.status.as_str())).collect();
    assert_eq!(lineage, [(1, "replanning"), (2, "complete")]);
    assert_eq!(store_of(&session, "counter"), json!({"count": 1}));
}

/// A repair may give a disabled skill other input, also in the process that resumes it.
#[tokio::test]
async fn a_repair_with_other_input_for_the_same_skill_goes_on() {
    let stage = stage();
    let steps = |input: Value, last: &str| {
        let mut open = tool("open", "broken/fail", &["guard"]);
        // The second try fails as well, which does not matter here.
        (open["input"], open["required"]) = (input, json!(last == "good/echo"));
        narrated(json!([tool("guard", last, &[]), open]), "You pass.")
    };
    let first = steps(json!({}), "good/echo");
    let again = steps(json!({"code": "OTHER"}), "guard/asks");
    let mut session = stage.session(scripted(json!([first, again])));
    play_until_asked(&mut session, "I walk up").await;
    drop(session);
    let mut session = stage.session(scripted(json!([])));
    let (turn, updates) = resume(&mut session).await;
    assert_eq!((turn.narration.as_str(), turn.attempts), ("You pass.", 2));
    insta::assert_snapshot!(lines_of(&updates), @r#"
    guard started: guard/asks, attempt 1
    guard asks: Who goes there? ["A friend", "Nobody"]
    guard answered
    guard asks: And what does Ada want? []
    guard answered
    guard success
    open started: broken/fail, attempt 1
    open retries: it failed on purpose
    open started: broken/fail, attempt 2
    open failed: it failed on purpose
    plan over: success, can replan false, failed ["open"], disabled ["broken"]
    told after 2
    "#);
    assert_eq!(plans_of(&session)[1].plan["disabledSkills"], json!([]));
}

/// S0 FR-024: the skills that failed before the process ended stay disabled, also one that the interrupted plan itself may
/// use because it repairs a step.
#[tokio::test]
async fn after_a_resumed_repair_the_skill_stays_disabled() {
    let stage = stage();
    let steps = |input: Value, last: &str| {
        let open = with(tool("open", "broken/fail", &["guard"]), json!({"input": input}));
        narrated(json!([tool("guard", last, &[]), open]), "You pass.")
    };
    let first = steps(json!({}), "good/echo");
    let again = steps(json!({"code": "OTHER"}), "guard/asks");
    let mut session = stage.session(scripted(json!([first, again])));
    play_until_asked(&mut session, "I walk up").await;
    drop(session);
    let elsewhere = narrated(json!([tool("knock", "broken/fail", &[])]), "Never.");
    let mut session = stage.session(scripted(json!([elsewhere])));
    let (_, updates) = resume(&mut session).await;
    let lines = lines_of(&updates);
    assert!(
        lines.contains("rejected: step `knock` uses skill `broken`, which is disabled"),
        "{lines}"
    );
}

/// S1 §3.1: the end of the process forgives a skill, also where the next one goes on with a turn. The plans of that turn do
/// without what its first one had to do without; those of the next turn do not.
#[tokio::test]
async fn a_skill_that_failed_for_good_is_healthy_again_after_a_resumed_turn() {
    let six = json!({"retryPolicy": {"maxRetries": 5, "backoffMs": 0}});
    let stage = TurnStage::new(&[
        ("broken", "fail", six),
        ("guard", "asks", json!({})),
        ("good", "echo", json!({})),
    ]);
    let fails = plan(json!([tool("open", "broken/fail", &[])]));
    let waits = narrated(json!([tool("guard", "guard/asks", &[])]), "You pass.");
    let mut session = stage.session(scripted(json!([fails, {"abort": "enough"}, waits])));
    play(&mut session, "I open the door").await;
    play_until_asked(&mut session, "I walk up").await;
    drop(session);

    let again = narrated(json!([tool("open", "broken/fail", &[])]), "Never.");
    let (planner, requests) = LoggingPlanner::new(json!([again, {"abort": "enough"}]));
    let mut session = stage.session(planner);
    assert_eq!(resume(&mut session).await.0.narration, "You pass.");
    assert_eq!(plans_of(&session)[0].plan["disabledSkills"], json!(["broken"]));
    let (_, updates) = play(&mut session, "I open the door again").await;
    assert_eq!(requests.lock().unwrap()[0], "attempt 1", "no skill is disabled");
    let lines = lines_of(&updates);
    assert!(lines.contains("open started: broken/fail, attempt 6"), "{lines}");
}

/// Skills may have been removed meanwhile: nothing is lost, and a hint says what to do.
#[tokio::test]
async fn a_plan_whose_skills_are_gone_cannot_go_on_and_says_so() {
    let stage = stage();
    let mut session_before = stage.session(scripted(json!([guarded()])));
    play_until_asked(&mut session_before, "I walk up").await;
    drop(session_before);
    let elsewhere = TurnStage::new(&[("good", "echo", json!({}))]);
    let poor = |home: &Path| {
        session(home, elsewhere.skills.path(), Box::new(scripted(json!([guarded()]))))
    };
    let mut without = poor(stage.home.path());
    let cancel = CancellationToken::new();
    let error = without.resume(None, &cancel, &mut |_| ()).await.unwrap_err();
    insta::assert_snapshot!(format!("{error}\n{}", error.hints.join("\n")), @r"
    the unfinished plan cannot go on: step `count`: there is no skill `counter`
    step `guard`: there is no skill `guard`
    bring back what it needs, or forget it with `narratoria plan resume --story demo --drop`; the story is as it was before it
    ");
    drop(without);
    // With the skills back it can be resumed.
    let mut session = stage.session(scripted(json!([])));
    assert_eq!(resume(&mut session).await.0.narration, "You pass.");
}

#[tokio::test]
async fn a_plan_whose_story_has_moved_on_can_only_be_dropped() {
    let stage = stage();
    let again = narrated(json!([tool("a", "good/echo", &[])]), "On we go.");
    let mut session = stage.session(scripted(json!([again, guarded()])));
    play(&mut session, "one").await;
    play_until_asked(&mut session, "I walk up").await;
    let db = session.story().folder().join("story.db");
    drop(session);
    let sql = "UPDATE journal SET head = NULL";
    Connection::open(db).unwrap().execute_batch(sql).unwrap();

    let mut session = stage.session(scripted(json!([again])));
    let UnfinishedPlan { is_stale, plan_id, .. } = session.unfinished_plan().unwrap().unwrap();
    assert!(is_stale);
    insta::assert_snapshot!(refusal(&mut session).await, @r"
    refused the turn `I walk up` of the story `demo` was cut short after 1 of 3 steps, and the story has moved on without it
    `narratoria plan resume --story demo --drop` forgets it
    ");
    let cancel = CancellationToken::new();
    let error = session.resume(None, &cancel, &mut |_| ()).await.unwrap_err();
    insta::assert_snapshot!(error.to_string().replace(&plan_id, "ID"), @r#"the plan `ID` ("I walk up") was cut off, and the story has moved on without it; `narratoria plan resume --drop` gives it up"#);
    assert!(session.drop_unfinished().unwrap());
    assert_eq!(play(&mut session, "go on").await.0.turn, 2);
}

/// Every kind of step, with side effects in the store.
fn rich() -> Value {
    let mut optional = tool("open", "broken/fail", &["a"]);
    optional["required"] = json!(false);
    let mut patches = tool("b", "good/echo", &["a"]);
    patches["input"] = json!({"patch": {"seen": {"times": "$a.count"}}});
    let mut never = tool("never", "good/echo", &["b"]);
    never["when"] = json!("steps.a.count > 1");
    let mut each = tool("each", "counter/counts", &["c"]);
    each["forEach"] = json!(["x", "y"]);
    let steps = json!([
        tool("a", "counter/counts", &[]),
        patches,
        optional,
        never,
        tool("c", "counter/counts", &["a", "never"]),
        each,
        tool("tell", "good/echo", &["each", "open"]),
    ]);
    narrated(steps, "Done.")
}

/// The results of the last turn's steps, for comparing.
fn ends(session: &Session) -> Vec<Value> {
    let rows = plans_of(session);
    let results = rows.last().unwrap().result.as_ref().unwrap()["toolResults"].clone();
    let results = results.as_array().unwrap();
    let end = |result: &Value| json!([result["toolId"], result["state"], result["output"]]);
    results.iter().map(end).collect()
}

/// Wherever a process ends, the next one gets the same results, and no finished step runs again.
#[tokio::test]
async fn a_plan_that_is_cut_short_anywhere_gets_the_same_results() {
    let stage = stage();
    let skills = stage.skills.path();
    let (mut whole, mut updates_max) = (None, 1);
    let mut cut_at = usize::MAX;
    loop {
        let home = tempfile::tempdir().unwrap();
        let fresh = || session(home.path(), skills, Box::new(scripted(json!([rich()]))));
        let (stop, cancel) = (Notify::new(), CancellationToken::new());
        let (mut count, mut over) = (0, Vec::new());
        let mut on_update = |update: Update| {
            count += 1;
            if count > cut_at {
                return;
            }
            if let Update::Step(StepUpdate { tool_id, event: StepEvent::Finished { .. }, .. }) =
                &update
            {
                over.push(tool_id.clone());
            }
            if count == cut_at {
                stop.notify_one();
            }
        };
        let mut first = fresh();
        select! {
            biased;
            () = stop.notified() => {}
            turn = first.turn("go", &cancel, &mut on_update) => drop(turn.unwrap()),
        }
        drop(first);
        let mut session = fresh();
        if session.unfinished_plan().unwrap().is_some() {
            for update in resume(&mut session).await.1 {
                if let Update::Step(StepUpdate {
                    tool_id, event: StepEvent::Started { .. }, ..
                }) = update
                {
                    assert!(!over.contains(&tool_id), "`{tool_id}` again, cut at {cut_at}");
                }
            }
        } else if session.story().turns() == 0 {
            play(&mut session, "go").await;
        }
        let state = session.story().state().clone();
        let came_to = (state, store_of(&session, "counter"), ends(&session));
        assert_eq!(whole.get_or_insert_with(|| came_to.clone()), &came_to, "cut at {cut_at}");
        if cut_at == usize::MAX {
            (updates_max, cut_at) = (count, 0);
            assert_eq!(came_to.1, json!({"count": 4}));
        }
        cut_at += 1;
        if cut_at > updates_max {
            return;
        }
    }
}
