//! Scripts that ask the player in mid-run (S2 "Human-in-the-Loop").

use std::time::Duration;

use narratoria_engine::{FinishedTurn, Session, SessionOptions, StepEvent, StepUpdate, Update};
use narratoria_executor::{PendingRequest, PendingRequestKind, PendingRequests, QuestionPolicy};
use narratoria_story::TurnOutcome;
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

use super::{
    support::{TurnStage, narrated, options, output_of, play, scripted, tool},
    update_lines::told,
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
    let (desk, mut updates) = (session.pending_requests(), Vec::new());
    let cancel = CancellationToken::new();
    let mut hear = |update: Update| {
        if let Update::Step(StepUpdate {
            tool_id, event: StepEvent::Asked { question, .. }, ..
        }) = &update
        {
            answer(&desk, tool_id, question);
        }
        updates.push(update);
    };
    let turn = session.turn("I walk up", &cancel, &mut hear).await.unwrap();
    (turn, updates)
}

#[tokio::test]
async fn a_script_goes_on_with_the_players_answers() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([guarded()])));
    let (turn, updates) = play_answering(&mut session, |desk, tool_id, question| {
        let answer = if question.starts_with("Who") { "Ada" } else { "tea" };
        let [PendingRequest { kind: PendingRequestKind::Question(shown), .. }] =
            &desk.pending()[..]
        else {
            panic!("{:?}", desk.pending());
        };
        assert_eq!(shown.question, question);
        desk.answer(tool_id, answer).unwrap();
    })
    .await;
    assert_eq!(turn.narration, "You pass.");
    insta::assert_snapshot!(told(&updates), @r#"
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

/// Two scripts ask at the same time; each answer finds its own.
#[tokio::test]
async fn scripts_that_ask_at_the_same_time_are_answered_each_by_its_step() {
    let stage = stage();
    let mut steps = json!([tool("one", "guard/asks", &[]), tool("two", "twin/asks", &[])]);
    for step in steps.as_array_mut().unwrap() {
        step["async"] = json!(true);
    }
    let mut plan = narrated(steps, "Both pass.");
    plan["parallel"] = json!(true);
    let mut session = stage.session(scripted(json!([plan])));
    let mut names = 0;
    let (turn, updates) = play_answering(&mut session, |desk, tool_id, question| {
        if !question.starts_with("Who") {
            return desk.answer(tool_id, format!("a wish of {tool_id}")).unwrap();
        }
        names += 1;
        if names == 2 {
            // The last one first.
            desk.answer("two", "Bob").unwrap();
            desk.answer("one", "Ada").unwrap();
        }
    })
    .await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    assert_eq!(output_of(&updates, "one"), json!({"name": "Ada", "wish": "a wish of one"}));
    assert_eq!(output_of(&updates, "two"), json!({"name": "Bob", "wish": "a wish of two"}));
}

/// A question without an answer is the script's own failure, whether the player will not or nobody is there.
#[tokio::test]
async fn a_question_that_nobody_answers_fails_the_step_and_the_turn_is_still_told() {
    let stage = stage();
    let mut seen = Vec::new();
    for questions in [QuestionPolicy::Ask, QuestionPolicy::Unanswered] {
        let home = tempfile::tempdir().unwrap();
        let mut plan = guarded();
        plan["tools"][0]["required"] = json!(false);
        let voice = Box::new(scripted(json!([plan])));
        let options = SessionOptions { questions, ..options() };
        let skills = stage.skills.path();
        let mut session = super::support::session_within(home.path(), skills, voice, options);
        let (turn, updates) = play_answering(&mut session, |desk, tool_id, _| {
            desk.leave_unanswered(tool_id).unwrap();
        })
        .await;
        assert_eq!(turn.narration, "You pass.");
        seen.push(told(&updates));
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
async fn answers_that_fit_nothing_are_clear_errors_and_the_question_stays() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([guarded()])));
    let mut said = Vec::new();
    play_answering(&mut session, |desk, tool_id, _| {
        said.extend([
            desk.approve(tool_id),
            desk.answer("tell", "Ada"),
            desk.answer("nobody", "Ada"),
            desk.answer(tool_id, "x".repeat(70_000)),
            desk.answer(tool_id, "Ada"),
            desk.answer(tool_id, "Bob"),
            desk.leave_unanswered(tool_id),
        ]);
    })
    .await;
    said.push(session.pending_requests().answer("guard", "late"));
    let said: Vec<String> = said
        .into_iter()
        .map(|said| said.map_or_else(|error| error.to_string(), |()| "done".to_owned()))
        .collect();
    insta::assert_snapshot!(said.join("\n"), @r"
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

/// Neither the plan's minute nor the script's second passes while the player thinks.
#[tokio::test(start_paused = true)]
async fn a_player_may_think_for_an_hour() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([guarded()])));
    let desk = session.pending_requests();
    let (tell, mut hear) = unbounded_channel::<String>();
    let person = tokio::spawn(async move {
        while let Some(tool_id) = hear.recv().await {
            tokio::time::sleep(Duration::from_secs(3_600)).await;
            desk.answer(&tool_id, "Ada").unwrap();
        }
    });
    let (turn, updates) = play_answering(&mut session, move |_, tool_id, _| {
        tell.send(tool_id.to_owned()).unwrap();
    })
    .await;
    person.await.unwrap();
    assert_eq!(turn.outcome, TurnOutcome::Narrated, "{}", told(&updates));
    assert_eq!(output_of(&updates, "guard"), json!({"name": "Ada", "wish": "Ada"}));
}

/// S0 §6: the script is let go, and the next turn is fine.
#[tokio::test]
async fn leaving_while_a_script_asks_ends_the_turn() {
    let stage = stage();
    let again = narrated(json!([tool("a", "good/echo", &[])]), "On we go.");
    let options = SessionOptions { shutdown_grace: Duration::from_millis(50), ..options() };
    let mut session = stage.session_within(scripted(json!([guarded(), again])), options);
    let (cancel, mut updates) = (CancellationToken::new(), Vec::new());
    let mut hear = |update: Update| {
        if matches!(update, Update::Step(StepUpdate { event: StepEvent::Asked { .. }, .. })) {
            cancel.cancel();
        }
        updates.push(update);
    };
    let turn = session.turn("I wait", &cancel, &mut hear).await.unwrap();
    assert_eq!(turn.outcome, TurnOutcome::Cancelled);
    insta::assert_snapshot!(told(&updates), @r#"
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
