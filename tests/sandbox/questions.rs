//! Scripts that ask the player a question and wait.
//!
//! S2 "Human-in-the-Loop".

use std::time::Duration;

use narratoria_protocol::Question;
use narratoria_protocol::{InvocationEnding, InvocationOutcome, InvocationOutput};
use narratoria_sandbox::{InvocationInput, InvocationLimits};
use serde_json::{Value, json};
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::Instant,
};

use super::{LIMITS, ending_text, event, job, prepared};

/// Longer than every time limit here.
const AN_HOUR: Duration = Duration::from_secs(3_600);

/// The player's side of the questions.
struct TestPlayer {
    questions: UnboundedReceiver<Question>,
    answers: UnboundedSender<String>,
}

/// An input with a player who gets its questions.
fn asking(
    limits: InvocationLimits,
) -> (InvocationInput, impl FnMut(InvocationOutput) + Send + 'static, TestPlayer) {
    let (ask, questions) = unbounded_channel();
    let (answers, answered) = unbounded_channel();
    let sink = move |said| {
        if let Some(question) = event(said).event.question() {
            let _ = ask.send(question);
        }
    };
    let job = InvocationInput { answers: Some(answered), ..job(json!({}), limits) };
    (job, sink, TestPlayer { questions, answers })
}

/// Runs with these answers, after which the player is gone.
async fn run_with(guest: &'static str, answers: &[&str]) -> InvocationOutcome {
    let (job, sink, player) = asking(LIMITS);
    for answer in answers {
        player.answers.send((*answer).to_owned()).unwrap();
    }
    drop(player);
    prepared(guest).run(job, Box::new(sink)).await
}

fn output(invocation: InvocationOutcome) -> Value {
    match invocation.ending {
        InvocationEnding::Done { output, .. } => Value::Object(output),
        other => panic!("it ended with {other:?}"),
    }
}

#[tokio::test]
async fn a_script_reads_the_answers_in_the_order_of_its_questions() {
    let said = output(run_with("asks", &["Ada \"L\"\n", "tea", "unasked"]).await);
    assert_eq!(said, json!({"name": "Ada \"L\"\n", "wish": "tea"}));
}

#[tokio::test]
async fn a_script_that_read_stdin_to_its_end_still_reads_an_answer() {
    let said = output(run_with("asks-after-the-end", &["Ada", "unasked"]).await);
    assert_eq!(said, json!({"before": null, "answer": "Ada", "after": null}));
}

#[tokio::test]
async fn stdin_ends_when_no_more_answers_will_come() {
    let said = run_with("asks", &["Ada"]).await;
    assert_eq!(ending_text(&said.ending), "gave up: there is nobody who answers questions");
    let said = run_with("asks-after-the-end", &[]).await;
    assert_eq!(output(said)["answer"], json!(null));
}

/// The clock is paused: it advances only when all tasks wait, or when this test advances it.
#[tokio::test(start_paused = true)]
async fn the_deadline_does_not_count_the_time_of_waiting_for_an_answer() {
    let asks = prepared("asks");
    let (job, sink, mut player) = asking(LIMITS);
    let started = Instant::now();
    let playing = async move {
        let question = player.questions.recv().await.unwrap();
        assert_eq!(question.choices, ["A friend", "Nobody"]);
        tokio::time::sleep(AN_HOUR).await;
        player.answers.send("Ada".to_owned()).unwrap();
        let question = player.questions.recv().await.unwrap();
        assert_eq!(question.question, "And what does Ada want?");
        tokio::time::sleep(AN_HOUR).await;
        player.answers.send("tea".to_owned()).unwrap();
    };
    let (invocation, ()) = tokio::join!(asks.run(job, Box::new(sink)), playing);
    assert_eq!(started.elapsed(), 2 * AN_HOUR);
    assert_eq!(invocation.usage.elapsed, Duration::ZERO);
    assert_eq!(output(invocation), json!({"name": "Ada", "wish": "tea"}));
}

#[tokio::test(start_paused = true)]
async fn a_script_may_wait_by_polling() {
    let (job, sink, mut player) = asking(LIMITS);
    let polls = prepared("asks-by-polling");
    let playing = async move {
        player.questions.recv().await.unwrap();
        tokio::time::sleep(AN_HOUR).await;
        player.answers.send("Ada".to_owned()).unwrap();
    };
    let (invocation, ()) = tokio::join!(polls.run(job, Box::new(sink)), playing);
    assert_eq!(output(invocation), json!({"early": 0, "answer": "Ada"}));
}

/// The guest waits an hour for the answer, then sleeps beyond the rest of its time.
#[tokio::test(start_paused = true)]
async fn the_deadline_moves_back_by_the_time_of_waiting() {
    let sleeps = prepared("asks-and-sleeps");
    for (ms, ending) in [(900, "ok"), (1_100, "ran past its time limit of 1000 ms")] {
        let (job, sink, mut player) = asking(LIMITS);
        let started = Instant::now();
        let playing = async move {
            player.questions.recv().await.unwrap();
            tokio::time::sleep(AN_HOUR).await;
            player.answers.send(ms.to_string()).unwrap();
        };
        let (invocation, ()) = tokio::join!(sleeps.run(job, Box::new(sink)), playing);
        assert_eq!(ending_text(&invocation.ending), ending);
        let spent = Duration::from_millis(ms).min(LIMITS.time);
        let rounding = Duration::from_millis(5);
        assert!(invocation.usage.elapsed.abs_diff(spent) < rounding, "{:?}", invocation.usage);
        assert!(started.elapsed().abs_diff(AN_HOUR + spent) < rounding);
    }
}

#[tokio::test]
async fn a_script_that_asks_without_waiting_gets_no_more_time() {
    let limits = InvocationLimits { time: Duration::from_millis(100), ..LIMITS };
    let (job, sink, player) = asking(limits);
    let invocation = prepared("asks-and-spins").run(job, Box::new(sink)).await;
    assert_eq!(ending_text(&invocation.ending), "ran past its time limit of 100 ms");
    drop(player);

    let (job, sink, mut player) = asking(LIMITS);
    let invocation = prepared("asks-and-leaves").run(job, Box::new(sink)).await;
    assert_eq!(ending_text(&invocation.ending), "ok");
    let question = player.questions.try_recv().unwrap();
    assert_eq!(question.question, "Who goes there?");
    assert_eq!(question, player.questions.try_recv().unwrap());
    // The late answer does no harm.
    assert!(player.answers.send("Ada".to_owned()).is_err());
}

#[tokio::test]
async fn a_script_that_waits_is_stopped_by_dropping_its_future() {
    let asks = prepared("asks");
    let (job, sink, mut player) = asking(LIMITS);
    tokio::select! {
        invocation = asks.run(job, Box::new(sink)) => panic!("it ended: {invocation:?}"),
        question = player.questions.recv() => assert!(question.is_some()),
    }
    assert!(player.questions.recv().await.is_none(), "the script is gone, and its sink with it");
    assert!(player.answers.is_closed());
}

#[tokio::test]
async fn malformed_questions_get_no_answer_and_too_many_are_refused() {
    let said = output(run_with("asks-badly", &["Ada"]).await);
    assert_eq!(said, json!({"answer": null}));
    let said = run_with("asks-too-often", &["yes"; 20]).await;
    assert_eq!(ending_text(&said.ending), "asked more than 16 questions");
}
