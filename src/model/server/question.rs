//! A question to a server, before it has the form of one protocol. Pure.

use serde_json::{Value, json};

use super::control_marks::without_control_marks;
use crate::llm::{Chat, ChatMessage, ChatRole, Sampling};

/// Likeliest tokens that a question about labels asks for: the most that Ollama and OpenAI's protocol give.
pub(super) const LIKELIEST_TOKENS: usize = 20;

/// One text, or the probabilities of its first token.
#[derive(Debug, Clone, Copy)]
pub(super) struct ServerQuestion<'a> {
    /// The model's name on the server.
    pub model: &'a str,
    pub chat: &'a Chat,
    /// The text is JSON under this schema.
    pub schema: Option<&'a Value>,
    pub tokens_max: usize,
    pub sampling: Sampling,
    /// The context that the server is asked for, prompt and text together.
    pub context_tokens: u32,
    /// The probabilities of the first token are wanted instead of a text.
    pub wants_labels: bool,
    /// Fields that not every server of this kind knows may stand in the request.
    pub has_extensions: bool,
}

/// The largest seed: some servers have 32 bits with a sign.
const SEED_MASK: u64 = 0x7fff_ffff;

impl ServerQuestion<'_> {
    /// `[{"role": …, "content": …}]`.
    pub(super) fn messages(&self) -> Value {
        self.chat.messages.iter().map(message).collect()
    }

    /// The temperature, and the seed if chance decides.
    pub(super) fn chance(&self) -> (f32, Option<u64>) {
        match self.sampling {
            Sampling::Greedy => (0.0, None),
            Sampling::Random { temperature, seed } => (temperature, Some(seed & SEED_MASK)),
        }
    }
}

fn message(message: &ChatMessage) -> Value {
    let role = match message.role {
        ChatRole::System => "system",
        ChatRole::User => "user",
        ChatRole::Assistant => "assistant",
    };
    let text: String = message.parts.iter().map(|part| part.text.as_str()).collect();
    json!({"role": role, "content": without_control_marks(&text)})
}
