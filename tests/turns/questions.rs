//! Scripts that ask the player while they run (S2 "Human-in-the-Loop").

use std::time::Duration;

use narratoria_engine::{FinishedTurn, Session, SessionOptions, StepEvent, StepUpdate, Update};
use narratoria_executor::{PendingRequest, PendingRequestKind, PendingRequests, QuestionPolicy};
use narratoria_story::TurnOutcome;
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

use super::{
    support::{TurnStage, narrated, options, output_of, play, scripted, tool},
    update_lines::lines_of,
};

fn stage() -> TurnStage {
    let once = json!({"retryPolicy": {"maxRetries": 0}});
    TurnStage::new(&[
        ("guard", "asks", once.clone()),
        ("twin", "asks", once),
        ("good", "echo", json!({})),
    ])
}

fn guarded() -> Value {
    narrated(
        json!([tool("guard", "guard/asks", &[]), tool("tell", "good/echo", &["guard"])]),
        "You pass.",
    )
}

async fn play_answering(
    session: &mut Session,
    mut answer: impl FnMut(&PendingRequests, &str, &str) + Send,
) -> (FinishedTurn, Vec<Update>) {
    let (pending, mut updates) = (session.pending_requests(), Vec::new());
    let cancel = CancellationToken::new();
    let mut on_update = |update: Update| {
        if let Update::Step(StepUpdate {
            tool_id, event: StepEvent::Asked { question, .. }, ..
        }) = &update
        {
            answer(&pending, tool_id, question);
        }
        updates.push(update);
    };
    let turn = session.turn("I walk up", &cancel, &mut on_update).await.unwrap();
    (turn, updates)
}

/// S2 "Human-in-the-Loop".
#[tokio::test]
async fn a_script_goes_on_with_the_players_answers() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([guarded()])));
    let (turn, updates) = play_answering(&mut session, |pending, tool_id, question| {
        let answer = if question.starts_with("Who") { "Ada" } else { "tea" };
        let [PendingRequest { kind: PendingRequestKind::Question(shown), .. }] =
            &pending.pending()[..]
        else {
            panic!("{:?}", pending.pending());
        };
        assert_eq!(shown.question, question);
        pending.answer(tool_id, answer).unwrap();
    })
    .await;
    assert_eq!(turn.narration, "You pass.");
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by scripted
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
    assert_eq!(output_of(&updates, "guard"), json!({"name": "Ada", "wish": "tea"}));
}

/// Two scripts ask at the same time; each gets its own answer.
#[tokio::test]
async fn each_of_two_asking_scripts_gets_its_own_answer() {
    let stage = stage();
    let mut steps = json!([tool("one", "guard/asks", &[]), tool("two", "twin/asks", &[])]);
    for step in steps.as_array_mut().unwrap() {
        step["async"] = json!(true);
    }
    let mut plan = narrated(steps, "Both pass.");
    plan["parallel"] = json!(true);
    let mut session = stage.session(scripted(json!([plan])));
    let mut names = 0;
    let (turn, updates) = play_answering(&mut session, |pending, tool_id, question| {
        if !question.starts_with("Who") {
            return pending.answer(tool_id, format!("a wish of {tool_id}")).unwrap();
        }
        names += 1;
        if names == 2 {
            // Answers the last question first.
            pending.answer("two", "Bob").unwrap();
            pending.answer("one", "Ada").unwrap();
        }
    })
    .await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    assert_eq!(output_of(&updates, "one"), json!({"name": "Ada", "wish": "a wish of one"}));
    assert_eq!(output_of(&updates, "two"), json!({"name": "Bob", "wish": "a wish of two"}));
}

/// A question without an answer is the script's own failure, whether the player refuses or cannot be asked.
#[tokio::test]
async fn an_unanswered_question_fails_the_step_and_the_turn_is_still_narrated() {
    let stage = stage();
    let mut seen = Vec::new();
    for questions in [QuestionPolicy::Ask, QuestionPolicy::Unanswered] {
        let home = tempfile::tempdir().unwrap();
        let mut plan = guarded();
        plan["tools"][0]["required"] = json!(false);
        let planner = Box::new(scripted(json!([plan])));
        let options = SessionOptions { questions, ..options() };
        let skills = stage.skills.path();
        let mut session = super::support::session_within(home.path(), skills, planner, options);
        let (turn, updates) = play_answering(&mut session, |pending, tool_id, _| {
            pending.leave_unanswered(tool_id).unwrap();
        })
        .await;
        assert_eq!(turn.narration, "You pass.");
        seen.push(lines_of(&updates));
    }
    insta::assert_snapshot!(seen.join("\n--\n"), @r#"
    plan 1 by scripted
    guard started: guard/asks, attempt 1
    guard asks: Who goes there? ["A friend", "Nobody"]
    guard left unanswered
    guard failed: there is nobody who answers questions
    tell started: good/echo, attempt 1
    tell success
    plan over: success, can replan false, failed ["guard"], disabled ["guard"]
    told after 1
    --
    plan 1 by scripted
    guard started: guard/asks, attempt 1
    guard failed: there is nobody who answers questions
    tell started: good/echo, attempt 1
    tell success
    plan over: success, can replan false, failed ["guard"], disabled ["guard"]
    told after 1
    "#);
}

#[tokio::test]
async fn answers_that_fit_no_question_are_clear_errors_and_the_question_stays() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([guarded()])));
    let mut results = Vec::new();
    play_answering(&mut session, |pending, tool_id, _| {
        results.extend([
            pending.approve(tool_id),
            pending.answer("tell", "Ada"),
            pending.answer("nobody", "Ada"),
            pending.answer(tool_id, "x".repeat(70_000)),
            pending.answer(tool_id, "Ada"),
            pending.answer(tool_id, "Bob"),
            pending.leave_unanswered(tool_id),
        ]);
    })
    .await;
    results.push(session.pending_requests().answer("guard", "late"));
    let results: Vec<String> = results
        .into_iter()
        .map(|result| result.map_or_else(|error| error.to_string(), |()| "done".to_owned()))
        .collect();
    insta::assert_snapshot!(results.join("\n"), @r"
    step `guard` waits for an answer to its question, not for an approval
    step `tell` is not waiting for a decision yet; waiting now: `guard`
    the plan has no step `nobody`; waiting now: `guard`
    the answer for step `guard` has 70000 bytes, 16384 are allowed
    done
    step `guard` was answered already
    step `guard` was answered already
    step `guard` waits for an answer to its question, not for an approval
    step `tell` is not waiting for a decision yet; waiting now: `guard`
    the plan has no step `nobody`; waiting now: `guard`
    the answer for step `guard` has 70000 bytes, 16384 are allowed
    done
    step `guard` was answered already
    step `guard` was answered already
    no plan is running, so nothing waits for step `guard`
    ");
}

/// Neither the plan's time nor the script's passes while the player thinks.
#[tokio::test(start_paused = true)]
async fn a_player_may_think_for_an_hour() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([guarded()])));
    let pending = session.pending_requests();
    let (sender, mut receiver) = unbounded_channel::<String>();
    let person = tokio::spawn(async move {
        while let Some(tool_id) = receiver.recv().await {
            tokio::time::sleep(Duration::from_secs(3_600)).await;
            pending.answer(&tool_id, "Ada").unwrap();
        }
    });
    let (turn, updates) = play_answering(&mut session, move |_, tool_id, _| {
        sender.send(tool_id.to_owned()).unwrap();
    })
    .await;
    person.await.unwrap();
    assert_eq!(turn.outcome, TurnOutcome::Narrated, "{}", lines_of(&updates));
    assert_eq!(output_of(&updates, "guard"), json!({"name": "Ada", "wish": "Ada"}));
}

/// S0 "closes application": the script is stopped, and the next turn is fine.
#[tokio::test]
async fn leaving_while_a_script_asks_ends_the_turn() {
    let stage = stage();
    let again = narrated(json!([tool("a", "good/echo", &[])]), "On we go.");
    let options = SessionOptions { shutdown_grace: Duration::from_millis(50), ..options() };
    let mut session = stage.session_within(scripted(json!([guarded(), again])), options);
    let (cancel, mut updates) = (CancellationToken::new(), Vec::new());
    let mut on_update = |update: Update| {
        if matches!(update, Update::Step(StepUpdate { event: StepEvent::Asked { .. }, .. })) {
            cancel.cancel();
        }
        updates.push(update);
    };
    let turn = session.turn("I wait", &cancel, &mut on_update).await.unwrap();
    assert_eq!(turn.outcome, TurnOutcome::Cancelled);
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by scripted
    guard started: guard/asks, attempt 1
    guard asks: Who goes there? ["A friend", "Nobody"]
    tell skipped: cancelled
    guard failed: was cancelled
    plan over: failure, can replan false, failed ["guard"], disabled []
    cancelled after 1
    "#);
    assert_eq!(session.pending_requests().pending(), []);
    assert_eq!(play(&mut session, "go on").await.0.narration, "On we go.");
}
