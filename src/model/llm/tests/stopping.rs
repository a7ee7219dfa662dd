//! Deadlines, cancellation, and the order of jobs.

use std::{
    pin::pin,
    sync::{Mutex, mpsc},
    task::{Context, Waker},
};

use super::{
    super::{
        abort::{AbortCheck, AbortConditions, ComputeAbortReason},
        queue::{JobQueue, QUEUE_MAX},
        *,
    },
    harness::*,
};

fn from(client: &str) -> GenerateJob {
    GenerateJob { client: client.to_owned(), tokens_max: 2, ..job(chat(&["user: a"])) }
}

/// Keeps the model busy until the sender is used or dropped. Returns the running job too.
fn busy(
    model: &Model,
) -> (mpsc::Sender<()>, impl Future<Output = Result<GeneratedText, GenerateError>> + use<>) {
    let (sink, first, release) = gated_sink();
    let running = model.generate(under_grammar(chat(&["user: first"])), sink);
    first.recv_timeout(LONG).unwrap();
    (release, running)
}

#[test]
fn a_waiting_job_times_out_while_the_model_is_busy() {
    let model = model(1);
    let (release, running) = busy(&model);
    let deadline = Instant::now() + Duration::from_millis(5);
    let (done, pieces) = write(&model, GenerateJob { deadline, ..from("late") });
    insta::assert_snapshot!(done.unwrap_err(), @"its time was over while it waited for its turn");
    assert!(pieces.is_empty());
    let past = write(&model, GenerateJob { deadline: Instant::now(), ..from("late") });
    assert!(matches!(past.0, Err(GenerateError::TimedOut { .. })));
    drop(release);
    assert!(wait(running).is_ok());
}

#[test]
fn a_deadline_stops_reading_and_writing() {
    let model = model(1);
    let long = |first: char| {
        let message = format!("user: {first}{}", "x".repeat(2900));
        GenerateJob { tokens_max: 100, ..under_grammar(chat(&[&message])) }
    };
    let usage = text(&model, long('a')).usage;
    let attempts = ('b'..='z').map(|first| {
        let deadline = Instant::now() + usage.prefill / 2;
        write(&model, GenerateJob { deadline, ..long(first) }).0.err()
    });
    // Other work on the machine may delay the model's thread, so one attempt may fail.
    let stopped = attempts.flatten().find(|error| error.to_string().contains("read the prompt"));
    insta::assert_snapshot!(stopped.unwrap(), @"its time was over while it read the prompt");
    let (sink, first, release) = gated_sink();
    let deadline = Instant::now() + Duration::from_millis(500);
    let writing =
        model.generate(GenerateJob { deadline, ..under_grammar(chat(&["user: a"])) }, sink);
    first.recv_timeout(LONG).unwrap();
    while Instant::now() < deadline {
        std::thread::yield_now();
    }
    drop(release);
    insta::assert_snapshot!(wait(writing).unwrap_err(), @"its time was over while it wrote");
    assert_eq!(text(&model, long('a')).text, text(&super::harness::model(1), long('a')).text);
}

#[test]
fn a_cancellation_stops_running_and_waiting_jobs() {
    let model = model(1);
    let cancel = CancellationToken::new();
    let (from_inside, mut pieces) = (cancel.clone(), 0);
    let count = Arc::new(Mutex::new(0));
    let counter = Arc::clone(&count);
    let sink: GeneratedTextSink = Box::new(move |_| {
        pieces += 1;
        *counter.lock().unwrap() = pieces;
        from_inside.cancel();
    });
    let done = wait(model.generate(GenerateJob { cancel, ..job(chat(&["user: sing"])) }, sink));
    assert_eq!((done, *count.lock().unwrap()), (Err(GenerateError::Cancelled), 1));

    let (release, running) = busy(&model);
    let cancel = CancellationToken::new();
    let waiting =
        model.generate(GenerateJob { cancel: cancel.clone(), ..from("waits") }, discard_text());
    cancel.cancel();
    assert_eq!(wait(waiting), Err(GenerateError::Cancelled));
    drop(release);
    assert!(wait(running).is_ok());
}

#[test]
fn dropping_the_future_cancels_the_job() {
    let model = model(1);
    let (sink, first, release) = gated_sink();
    let (tell_end, end) = mpsc::channel::<()>();
    let mut sink = sink;
    let mut pieces = 0;
    let counting: GeneratedTextSink = Box::new(move |text| {
        let _dropped_with_the_sink = &tell_end;
        pieces += 1;
        assert!(pieces <= 1, "it goes on: {text}");
        sink(text);
    });
    let mut running = Box::pin(model.generate(job(chat(&["user: sing"])), counting));
    assert!(running.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    first.recv_timeout(LONG).unwrap();
    drop(running);
    drop(release);
    // The sink is dropped with the job.
    assert_eq!(end.recv_timeout(LONG), Err(mpsc::RecvTimeoutError::Disconnected));
    assert!(write(&model, from("next")).0.is_ok());
    let (release, running) = busy(&model);
    drop(model.generate(from("never asked"), discard_text()));
    drop(release);
    assert!(wait(running).is_ok());
}

#[test]
fn a_sink_that_panics_fails_its_own_job_alone() {
    let model = model(1);
    let sink: GeneratedTextSink = Box::new(|_| std::panic::resume_unwind(Box::new(())));
    let done = wait(model.generate(job(chat(&["user: sing"])), sink));
    insta::assert_snapshot!(done.unwrap_err(), @"the model failed: something panicked");
    assert!(write(&model, from("next")).0.is_ok());
}

#[test]
fn clients_take_turns() {
    let model = model(1);
    let (release, running) = busy(&model);
    let order = Arc::new(Mutex::new(Vec::new()));
    let jobs: Vec<_> = ["a1", "a2", "a3", "b1", "c1", "b2"]
        .into_iter()
        .map(|name| {
            let order = Arc::clone(&order);
            let mut is_first = true;
            let sink: GeneratedTextSink = Box::new(move |_| {
                if std::mem::take(&mut is_first) {
                    order.lock().unwrap().push(name);
                }
            });
            let grammar = Some(grammar());
            model.generate(GenerateJob { grammar, ..from(&name[..1]) }, sink)
        })
        .collect();
    drop(release);
    wait(running).unwrap();
    for job in jobs {
        wait(job).unwrap();
    }
    assert_eq!(*order.lock().unwrap(), ["a1", "b1", "c1", "a2", "b2", "a3"]);
}

#[test]
fn a_full_queue_refuses_jobs() {
    let model = model(1);
    let (release, running) = busy(&model);
    let jobs: Vec<_> =
        (0..QUEUE_MAX).map(|_| model.generate(from("eager"), discard_text())).collect();
    insta::assert_snapshot!(
        write(&model, from("one more")).0.unwrap_err(),
        @"32 texts are waiting to be written already"
    );
    drop(jobs);
    drop(release);
    wait(running).unwrap();
    assert!(write(&model, from("one more")).0.is_ok());
}

#[test]
fn reading_ahead_yields_to_waiting_jobs() {
    let queue = Arc::new(JobQueue::default());
    let abort = AbortCheck::new(Arc::clone(&queue));
    let conditions = |yields_to_jobs| AbortConditions {
        deadline: None,
        cancel: CancellationToken::new(),
        abandoned: Arc::default(),
        yields_to_jobs,
    };
    abort.arm(conditions(true));
    assert_eq!(abort.reason(), None);
    let (reply, _answer) = tokio::sync::oneshot::channel();
    let id =
        queue.push((from("player"), Vec::new()), discard_text(), reply, Arc::default()).unwrap();
    assert_eq!(abort.reason(), Some(ComputeAbortReason::Preempted));
    queue.withdraw(id);
    assert_eq!(abort.reason(), Some(ComputeAbortReason::Preempted), "once stopped is stopped");
    abort.arm(conditions(false));
    assert_eq!(abort.reason(), None);
    queue.close();
    assert_eq!(abort.reason(), Some(ComputeAbortReason::Cancelled));
}

#[test]
fn an_interrupted_prefill_is_repeated() {
    let model = model(1);
    let long = "x".repeat(2800);
    let prompt =
        |input: &str| chat(&[&format!("system: {long}/session/"), &format!("user: {input}")]);
    let expected =
        text(&super::harness::model(1), GenerateJob { tokens_max: 100, ..job(prompt("go")) });
    model.prefill(prompt(""), Lane::Plan, None);
    for _ in 0..5 {
        assert!(write(&model, GenerateJob { lane: Lane::Prose, ..from("skill") }).0.is_ok());
    }
    let done = text(&model, GenerateJob { tokens_max: 100, ..job(prompt("go")) });
    assert_eq!(done.text, expected.text);
}

#[test]
fn the_last_handle_ends_the_thread_whatever_it_does() {
    let long = chat(&[&format!("system: {}/session/", "x".repeat(2900))]);
    let model = model(1);
    model.prefill(long.clone(), Lane::Plan, None);
    drop(model);
    // A future holds its model; the last handle may be dropped on the model's own thread.
    let model = super::harness::model(1);
    let held = Arc::new(Mutex::new(Some(model.clone())));
    let sink: GeneratedTextSink = Box::new(move |_| drop(held.lock().unwrap().take()));
    let running = model.generate(job(chat(&["user: sing"])), sink);
    drop(model);
    assert!(wait(running).is_ok());
    let model = super::harness::model(1);
    let (release, running) = busy(&model);
    let mut running = pin!(running);
    let waiting = model.generate(from("waits"), discard_text());
    drop(model);
    drop(waiting);
    drop(release);
    assert!(wait(running.as_mut()).is_ok());
}
