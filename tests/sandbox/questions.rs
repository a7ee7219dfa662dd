//! A script that asks the player something, and waits.
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

/// Far beyond every time limit here.
const AN_HOUR: Duration = Duration::from_secs(3_600);

/// A player at the other end.
struct TestPlayer {
    questions: UnboundedReceiver<Question>,
    answers: UnboundedSender<String>,
}

/// A job whose questions a player hears, and the player.
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

/// Runs with these answers given beforehand, after which nobody answers any more.
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
async fn who_read_stdin_to_its_end_before_asking_still_reads_the_answer() {
    let said = output(run_with("asks-after-the-end", &["Ada", "unasked"]).await);
    assert_eq!(said, json!({"before": null, "answer": "Ada", "after": null}));
}

#[tokio::test]
async fn where_nobody_answers_any_more_stdin_ends() {
    let said = run_with("asks", &["Ada"]).await;
    assert_eq!(ending_text(&said.ending), "gave up: there is nobody who answers questions");
    let said = run_with("asks-after-the-end", &[]).await;
    assert_eq!(output(said)["answer"], json!(null));
}

/// The clock is paused: it moves only where somebody waits for it, or where this test moves it.
#[tokio::test(start_paused = true)]
async fn the_clock_of_a_script_stands_still_while_it_waits_and_only_then() {
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

/// It waits an hour for the answer, then sleeps past what was left of its time.
#[tokio::test(start_paused = true)]
async fn the_clock_goes_on_where_it_stood() {
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
async fn who_asks_and_does_not_wait_has_no_more_time_for_it() {
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
    // Too late, and no harm done.
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
async fn what_is_no_question_is_not_answered_and_too_many_are_refused() {
    let said = output(run_with("asks-badly", &["Ada"]).await);
    assert_eq!(said, json!({"answer": null}));
    let said = run_with("asks-too-often", &["yes"; 20]).await;
    assert_eq!(ending_text(&said.ending), "asked more than 16 questions");
}
