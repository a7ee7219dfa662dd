//! (e) How soon a model stops in the middle of a long prompt: on request, at its deadline, and when the caller is gone.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use narratoria_model::llm::{
    Chat, ChatMessage, ChatRole, GenerateError, GenerateJob, Lane, MessagePart, Model,
    PrefixLifetime,
};
use tokio_util::sync::CancellationToken;

use crate::{Setup, median, ms};

/// How often each is tried, per repeat.
const TRIES: usize = 4;

/// Measures and prints.
pub(crate) fn measure(setup: &Setup) -> Result<(), Box<dyn Error>> {
    let model = setup.load(None)?;
    let (mut cancelled, mut overdue) = (Vec::new(), Vec::new());
    let tries = TRIES * setup.runs;
    for try_no in 0..tries {
        // Spread over the time that reading takes.
        let after = Duration::from_millis(30 + 37 * (try_no as u64 % 8));
        // Made before the time runs: to count the tokens of a long text takes longer than to stop.
        let job_to_cancel = job(setup, &model, try_no);
        let cancel = CancellationToken::new();
        let asked = {
            let cancel = cancel.clone();
            std::thread::spawn(move || {
                std::thread::sleep(after);
                let asked = Instant::now();
                cancel.cancel();
                asked
            })
        };
        let ended = run(setup, &model, GenerateJob { cancel, ..job_to_cancel })?;
        let asked = asked.join().map_err(|_| "the thread that asks has panicked")?;
        cancelled.extend(ended.map(|at| ms(at.saturating_duration_since(asked))));
        let job = job(setup, &model, try_no + 1000);
        let deadline = Instant::now() + after;
        let ended = run(setup, &model, GenerateJob { deadline, ..job })?;
        overdue.extend(ended.map(|at| ms(at.saturating_duration_since(deadline))));
    }
    println!("\n(e) stopping in the middle of a long prompt, {tries} times each (aim: 50 ms)");
    print("asked to", cancelled);
    print("past its deadline", overdue);
    Ok(())
}

fn print(what: &str, took: Vec<f64>) {
    if took.is_empty() {
        println!("    {what}: it was always done before");
        return;
    }
    let worst = took.iter().copied().fold(0.0, f64::max);
    println!(
        "    {what}: {} stopped, median {:.1} ms, worst {worst:.1} ms",
        took.len(),
        median(took)
    );
}

/// When it ended, if that was early.
fn run(setup: &Setup, model: &Model, job: GenerateJob) -> Result<Option<Instant>, Box<dyn Error>> {
    let ended = setup.runtime.block_on(model.generate(job, Box::new(|_| {})));
    let at = Instant::now();
    match ended {
        Err(GenerateError::Cancelled | GenerateError::TimedOut { .. }) => Ok(Some(at)),
        Ok(_) => Ok(None),
        Err(other) => Err(other.into()),
    }
}

/// A prompt as long as fits, that has nothing in common with the one before.
fn job(setup: &Setup, model: &Model, salt: usize) -> GenerateJob {
    let words = ["the", "ferry", "comes", "late", "and", "rain", "falls", "on", "Tarn", "again"];
    let mut text = String::new();
    let mut word = salt;
    while model.count(&text) + 100 < model.lane_tokens(Lane::Plan) {
        for _ in 0..40 {
            word = word.wrapping_mul(31).wrapping_add(salt + 17);
            text.push_str(words[word % words.len()]);
            text.push(' ');
        }
    }
    let text = text.split_at(text.len() * 9 / 10).0.to_owned();
    let part = MessagePart { text, lifetime: PrefixLifetime::Job };
    let chat = Chat { messages: vec![ChatMessage { role: ChatRole::User, parts: vec![part] }] };
    setup.job(chat, None, 1)
}
