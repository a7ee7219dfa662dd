//! How fast a model plans and writes on this machine.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::{
    pace::per_second,
    planner::CLIENT,
    tool_question::{ToolQuestion, beginning_job},
};
use narratoria_model::llm::{
    Chat, ChatMessage, ChatRole, GenerateError, GenerateJob, GenerateUsage, Lane, MessagePart,
    Model, PrefixLifetime, Sampling,
};

/// What the model reads and goes on with. It is long enough for a speed, and short enough for a slow machine.
const BEGINNING_OF_A_STORY: &str = include_str!("../data/speed-text.txt");

/// Tokens that the model writes.
const WRITTEN_TOKENS: usize = 48;

/// The tool of the questions, and what a player says.
const TOOL: &str = "dice-roller/roll-dice: Rolls dice. Such as \"roll 2d6\"";
const SENTENCES: [&str; 3] = [
    "Let fate decide whether the ice holds.",
    "I wave to the ferryman and wait by the rail.",
    "Toss something with six sides for me, and add two to what it shows.",
];

/// What a model costs on this machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlannerSpeed {
    /// Tokens that are read in a second; `None` if a server had read the text before.
    pub read_per_second: Option<f64>,
    /// Tokens that are written in a second.
    pub written_per_second: Option<f64>,
    /// The first question of a session, with the beginning that all have.
    pub first_question: Duration,
    /// Each further question, the median of three. `None` with a server that gives no probabilities.
    pub question: Option<Duration>,
}

/// Has the model read and write a text, and answer questions as the planner asks them. `seed` makes the text a new one,
/// for servers that remember what they have read.
pub async fn measure_speed(
    model: &Model,
    seed: u64,
    deadline: Instant,
    cancel: &CancellationToken,
) -> Result<PlannerSpeed, GenerateError> {
    let job = writing_job(seed, deadline, cancel);
    let usage = model.generate(job, Box::new(|_| {})).await?.usage;
    let started = Instant::now();
    let first = model.choose(beginning_job(deadline)).await;
    let first_question = started.elapsed();
    let question = match first {
        Ok(_) => Some(median_question(model, deadline).await?),
        Err(GenerateError::TimedOut { doing }) => return Err(GenerateError::TimedOut { doing }),
        // A server that gives no probabilities.
        Err(_) => None,
    };
    let GenerateUsage { prompt, reused, sampled, prefill, decode, .. } = usage;
    Ok(PlannerSpeed {
        read_per_second: per_second(prompt.saturating_sub(reused), prefill),
        written_per_second: per_second(sampled, decode),
        first_question,
        question,
    })
}

async fn median_question(model: &Model, deadline: Instant) -> Result<Duration, GenerateError> {
    let mut times = Vec::new();
    for sentence in SENTENCES {
        let started = Instant::now();
        ToolQuestion::about(TOOL, sentence).ask(model, deadline).await?;
        times.push(started.elapsed());
    }
    times.sort();
    Ok(times[times.len() / 2])
}

fn writing_job(seed: u64, deadline: Instant, cancel: &CancellationToken) -> GenerateJob {
    let part = |text: String| MessagePart { text, lifetime: PrefixLifetime::Job };
    let message = |role, text| ChatMessage { role, parts: vec![part(text)] };
    let story = format!("Chapter {}.\n{BEGINNING_OF_A_STORY}", seed % 100_000);
    let messages = vec![
        message(ChatRole::System, "You go on with a story.".to_owned()),
        message(ChatRole::User, story),
    ];
    GenerateJob {
        client: CLIENT.to_owned(),
        lane: Lane::Plan,
        chat: Chat { messages },
        grammar: None,
        tokens_max: WRITTEN_TOKENS,
        sampling: Sampling::Greedy,
        deadline,
        cancel: cancel.clone(),
    }
}
