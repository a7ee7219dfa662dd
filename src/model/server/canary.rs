//! Tries a model on a server out: whether it answers, whether it writes under a schema, and how fast it is.
//!
//! llama-server, Ollama and LM Studio all answer with status 200 where they ignore a schema. So the first question has a
//! schema with a single answer, a word that is drawn for it, under a prompt that asks for something else.

use std::time::Instant;

use narratoria_protocol::{JsonBounds, read_json};
use narratoria_sdk::Rng;
use serde_json::{Value, json};

use super::{
    ServedModel, ServerAddress, ServerKind, ServerReport,
    answer::{AnswerError, ServerAnswer},
    ask::{Progress, ask},
    connection::{ConnectionError, ServerConnection, shown},
    question::ServerQuestion,
};
use crate::llm::{
    CONTEXT_TOKENS_MAX, Chat, ChatMessage, ChatRole, MessagePart, PrefixLifetime, Sampling,
};

/// Most tokens of the answer: the object has about fifteen.
const TOKENS_MAX: usize = 32;
const WORD_LETTERS: usize = 8;
/// Fewer pieces say little about the speed.
const PIECES_MIN: usize = 4;

/// It asks for no JSON, so that only the schema can lead to it.
const PROMPT: &str = "Write one short sentence about the sea.";

/// Whether a server writes under a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaObedience {
    Obeys,
    /// It wrote this instead, without a word about the schema.
    Ignores {
        said: String,
    },
    /// It answered with an error.
    Refuses {
        why: String,
    },
}

impl SchemaObedience {
    /// Says on one line why plans cannot come from this server; `None` if they can.
    pub fn fault(&self) -> Option<String> {
        match self {
            SchemaObedience::Obeys => None,
            SchemaObedience::Ignores { said } => Some(format!(
                "the server ignores the schema of an answer: asked for one word it wrote `{said}`"
            )),
            SchemaObedience::Refuses { why } => {
                Some(format!("the server refuses the schema of an answer: {why}"))
            }
        }
    }
}

/// The result of the first question.
#[derive(Debug, Clone, PartialEq)]
pub struct Tryout {
    pub schema: SchemaObedience,
    /// Tokens that it writes in a second; `None` if it wrote too few to say.
    pub tokens_per_second: Option<f64>,
    /// The server takes fields that are no part of OpenAI's own protocol.
    pub(super) has_extensions: bool,
}

/// The model to try.
#[derive(Debug, Clone, Copy)]
pub(super) struct TriedModel<'a> {
    pub address: &'a ServerAddress,
    pub kind: ServerKind,
    pub name: &'a str,
    pub context_tokens: u32,
}

/// Asks a model of a server the first question. The error says why it gives no answer.
pub fn try_out(
    report: &ServerReport,
    model: &ServedModel,
    seed: u64,
    deadline: Instant,
) -> Result<Tryout, String> {
    let context_tokens = model.context_tokens.unwrap_or(CONTEXT_TOKENS_MAX).min(CONTEXT_TOKENS_MAX);
    let (address, kind, name) = (&report.address, report.kind, model.name.as_str());
    try_model(&TriedModel { address, kind, name, context_tokens }, seed, deadline)
        .map_err(|error| error.to_string())
}

/// As [`try_out`]. A server that refuses the fields which switch thinking off is asked again without them.
pub(super) fn try_model(
    model: &TriedModel<'_>,
    seed: u64,
    deadline: Instant,
) -> Result<Tryout, AnswerError> {
    let word = drawn_word(seed);
    let chat = chat();
    let schema = schema(&word);
    let mut question = ServerQuestion {
        model: model.name,
        chat: &chat,
        schema: Some(&schema),
        tokens_max: TOKENS_MAX,
        sampling: Sampling::Greedy,
        context_tokens: model.context_tokens,
        wants_labels: false,
        has_extensions: model.kind == ServerKind::OpenAi,
    };
    let mut asked = ask_once(model, &question, deadline);
    if question.has_extensions && is_refusal(&asked) {
        question.has_extensions = false;
        asked = ask_once(model, &question, deadline);
    }
    let has_extensions = question.has_extensions;
    if is_refusal(&asked) {
        let why = asked.err().map(|error| error.to_string()).unwrap_or_default();
        // It may refuse the schema or everything.
        question.schema = None;
        ask_once(model, &question, deadline)?;
        let schema = SchemaObedience::Refuses { why };
        return Ok(Tryout { schema, tokens_per_second: None, has_extensions });
    }
    // Thoughts instead of an answer: the schema did not hold them back.
    let ignored = |said: &str| SchemaObedience::Ignores { said: shown(said) };
    let (schema, tokens_per_second) = match &asked {
        Ok((answer, _)) if is_word(&answer.text, &word) => (SchemaObedience::Obeys, speed(&asked)),
        Ok((answer, _)) => (ignored(&answer.text), speed(&asked)),
        Err(AnswerError::OnlyThoughts | AnswerError::ThoughtsInText) => (ignored("<think>"), None),
        Err(error) => return Err(error.clone()),
    };
    Ok(Tryout { schema, tokens_per_second, has_extensions })
}

/// An answer, and how long it took after its first piece, in seconds.
type TimedAnswer = Result<(ServerAnswer, f64), AnswerError>;

fn ask_once(
    model: &TriedModel<'_>,
    question: &ServerQuestion<'_>,
    deadline: Instant,
) -> TimedAnswer {
    let connection = ServerConnection::new(model.address);
    let mut begun_at = None;
    let mut on_text = |_: &str| _ = begun_at.get_or_insert_with(Instant::now);
    let progress = Progress { on_text: &mut on_text, has_begun: &mut false };
    let answer = ask(&connection, model.kind, question, deadline, progress)?;
    Ok((answer, begun_at.map_or(0.0, |at| at.elapsed().as_secs_f64())))
}

/// The server understood the request and does not take it.
fn is_refusal(asked: &TimedAnswer) -> bool {
    let Err(AnswerError::Connection(ConnectionError::Status { status, .. })) = asked else {
        return matches!(asked, Err(AnswerError::Reported { .. }));
    };
    matches!(status, 400 | 422 | 500 | 501)
}

fn speed(asked: &TimedAnswer) -> Option<f64> {
    let (answer, seconds) = asked.as_ref().ok()?;
    let pieces = Some(answer.pieces).filter(|pieces| *pieces >= PIECES_MIN)?;
    // The first piece comes at the beginning of that time.
    (*seconds > 0.0).then(|| (pieces - 1) as f64 / seconds)
}

fn chat() -> Chat {
    let text = PROMPT.to_owned();
    let parts = vec![MessagePart { text, lifetime: PrefixLifetime::Job }];
    Chat { messages: vec![ChatMessage { role: ChatRole::User, parts }] }
}

fn schema(word: &str) -> Value {
    json!({
        "type": "object",
        "properties": {"k": {"const": word}},
        "required": ["k"],
        "additionalProperties": false,
    })
}

fn is_word(text: &str, word: &str) -> bool {
    let bounds = JsonBounds::of_bytes(text.len());
    read_json(text.trim().as_bytes(), bounds).is_ok_and(|answer| answer == json!({"k": word}))
}

fn drawn_word(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let letter = |_| char::from(b'a' + (rng.next_u64() % 26) as u8);
    (0..WORD_LETTERS).map(letter).collect()
}
