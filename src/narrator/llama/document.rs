//! A document that a model writes under a schema, outside of any story: words for a campaign, for instance.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::token_budget::shorten;
use narratoria_model::llm::{
    Chat, ChatMessage, ChatRole, GenerateError, GenerateJob, Grammar, Lane, MessagePart, Model,
    PrefixLifetime, Sampling,
};

/// The name of this work in the model's queue.
const CLIENT: &str = "document";

/// The cost of the chat template.
const TEMPLATE_TOKENS: usize = 32;

/// Freer than a plan, and still to the point.
const TEMPERATURE: f32 = 0.7;

/// A document that a model is asked to write.
#[derive(Debug)]
pub struct DocumentRequest<'a> {
    /// The instructions for all documents of a kind.
    pub system: &'a str,
    /// The background that the documents of one run share. It loses its middle if it is too long.
    pub background: &'a str,
    /// This document.
    pub task: &'a str,
    /// The schema of the document.
    pub schema: Value,
    /// Most tokens of the document.
    pub tokens_max: usize,
    /// Equal seeds and requests give equal documents.
    pub seed: u64,
    /// The time for it.
    pub budget: Duration,
    /// Stops it.
    pub cancel: &'a CancellationToken,
}

/// Why there is no document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// The model cannot write under such a schema.
    #[error("the grammar of the answer is refused: {0}")]
    Schema(String),
    /// The model has no text.
    #[error(transparent)]
    NoText(#[from] GenerateError),
    /// The text was cut.
    #[error("its answer is longer than {tokens_max} tokens")]
    TooLong {
        /// The limit.
        tokens_max: usize,
    },
}

/// Has a model write a document under a schema.
pub async fn write_document(
    model: &Model,
    request: DocumentRequest<'_>,
) -> Result<String, DocumentError> {
    let asked_at = Instant::now();
    model.can_write(&request.schema).map_err(DocumentError::Schema)?;
    let count = |text: &str| model.count(text);
    let used = count(request.system) + count(request.task) + TEMPLATE_TOKENS;
    let room = model.lane_tokens(Lane::Plan).saturating_sub(request.tokens_max + used);
    let background = shorten(request.background, room, &count);
    let part = |text: String, lifetime| MessagePart { text, lifetime };
    let user = vec![
        part(format!("{background}\n\n"), PrefixLifetime::Session),
        part(request.task.to_owned(), PrefixLifetime::Job),
    ];
    let system = vec![part(request.system.to_owned(), PrefixLifetime::Session)];
    let tokens_max = request.tokens_max;
    let job = GenerateJob {
        client: CLIENT.to_owned(),
        lane: Lane::Plan,
        chat: Chat {
            messages: vec![
                ChatMessage { role: ChatRole::System, parts: system },
                ChatMessage { role: ChatRole::User, parts: user },
            ],
        },
        grammar: Some(Grammar { schema: Arc::new(request.schema) }),
        tokens_max,
        sampling: Sampling::Random { temperature: TEMPERATURE, seed: request.seed },
        deadline: asked_at + request.budget,
        cancel: request.cancel.clone(),
    };
    let written = model.generate(job, Box::new(|_| {})).await?;
    if written.is_complete { Ok(written.text) } else { Err(DocumentError::TooLong { tokens_max }) }
}
