//! Row 3: a language model on its own thread. Text goes in, text comes out, under a grammar where one is
//! given. Alone names llama.cpp and llguidance; knows nothing of skills, plans or stories.
//!
//! [`Model`] is a handle, and clones share it. One thread owns the contexts; jobs wait in a fair queue, one
//! runs at a time. What a prompt has in common with the one before it is not read again, and what stays the
//! same for long is kept on disk. A deadline and a cancel stop a job in the middle of whatever it does.

mod abort;
mod backend;
mod error;
mod gguf;
mod grammar;
mod hardware;
mod lane;
mod model;
mod prefix_cache;
mod prompt;
mod queue;
mod sample;
mod text_generator;
mod utf8;
mod vocabulary;
mod worker;

#[cfg(test)]
mod tests;

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub use error::ModelLoadError;
pub use model::{Model, ModelInfo};

/// Who speaks in a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChatRole {
    /// The host.
    System,
    /// The player.
    User,
    /// The model.
    Assistant,
}

/// What a model is asked, in the form that its own chat template gives it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Chat {
    /// In order. The reply follows the last one.
    pub messages: Vec<ChatMessage>,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ChatMessage {
    /// Whose.
    pub role: ChatRole,
    /// Its text, cut where one part changes more often than the one before it. Never read as control tokens:
    /// whatever `<|end|>` a player types stays text.
    pub parts: Vec<MessagePart>,
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MessagePart {
    /// Any text.
    pub text: String,
    /// How long the prompt up to the end of this part stays the same.
    pub lifetime: PrefixLifetime,
}

/// How long a prompt up to some place stays the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrefixLifetime {
    /// For one job.
    Job,
    /// From one job to the next: it is worth reading ahead of time.
    Session,
    /// From one start of the program to the next: it is worth a file.
    Disk,
}

/// The tokens of context are divided between two kinds of work, so that one does not throw out what the other has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Plans: three quarters of the context.
    Plan,
    /// Prose of skills: a quarter.
    Prose,
}

/// What the text must look like.
#[derive(Debug, Clone, PartialEq)]
pub struct Grammar {
    /// A JSON Schema in the subset that llguidance knows. The text is JSON without any white space between
    /// its tokens.
    pub schema: Arc<Value>,
}

/// How the next token is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sampling {
    /// The likeliest.
    Greedy,
    /// By chance.
    Random {
        /// 0 is the likeliest, 1 as the model has it.
        temperature: f32,
        /// The same seed and prompt give the same text.
        seed: u64,
    },
}

/// Something to be written.
#[derive(Debug, Clone)]
pub struct GenerateJob {
    /// Whose turn it is in the queue: `planner`, or the skill that asks.
    pub client: String,
    /// Which share of the context.
    pub lane: Lane,
    /// The prompt.
    pub chat: Chat,
    /// What the text must look like; anything goes without one.
    pub grammar: Option<Grammar>,
    /// Most tokens of the text.
    pub tokens_max: usize,
    /// How.
    pub sampling: Sampling,
    /// When to stop, waiting in the queue included.
    pub deadline: Instant,
    /// When nobody wants it any more.
    pub cancel: CancellationToken,
}

/// Hears each piece of text as it is written, in whole characters. Called on the model's thread: it must not
/// block.
pub type GeneratedTextSink = Box<dyn FnMut(&str) + Send>;

/// A text, and what it cost.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneratedText {
    /// All of it.
    pub text: String,
    /// Whether it came to its end or only to [`Job::tokens_max`].
    pub is_complete: bool,
    /// What it cost.
    pub usage: GenerateUsage,
}

/// What a text cost.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GenerateUsage {
    /// Tokens of the prompt.
    pub prompt: usize,
    /// Of those, how many had been read before.
    pub reused: usize,
    /// Of those reused, how many came from a file.
    pub restored: usize,
    /// Tokens that the model chose.
    pub sampled: usize,
    /// Tokens that the grammar left no choice about.
    pub forced: usize,
    /// Waiting for others.
    pub queued: Duration,
    /// Reading the prompt, up to the moment when the first token could be chosen.
    pub prefill: Duration,
    /// Everything after that.
    pub decode: Duration,
    /// Of that, what the grammar took.
    pub constraint: Duration,
}

/// How to load a model.
#[derive(Debug, Clone)]
pub struct LoadOptions {
    /// Threads that compute. More than free cores make it many times slower.
    pub threads: std::num::NonZeroUsize,
    /// Tokens of context, at most [`CONTEXT_TOKENS_MAX`] and at most what the model was trained for.
    pub context_tokens: u32,
    /// Where prefixes of prompts are kept; nowhere without it.
    pub prefix_folder: Option<PathBuf>,
}

/// Most tokens of context. Phi-3.5 changes its way of counting positions above, and gets worse at it.
pub const CONTEXT_TOKENS_MAX: u32 = 4096;

/// Why there is no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// The deadline came first.
    #[error("its time was over while it {doing}")]
    TimedOut {
        /// `waited for its turn`, `read the prompt` or `wrote`.
        doing: &'static str,
    },
    /// Nobody wants it any more.
    #[error("it was cancelled")]
    Cancelled,
    /// The prompt and the text do not fit.
    #[error("the prompt has {tokens} tokens, at most {limit} fit")]
    TooLong {
        /// How many.
        tokens: usize,
        /// How many fit.
        limit: usize,
    },
    /// Too many jobs wait already.
    #[error("{waiting} texts are waiting to be written already")]
    Busy {
        /// How many.
        waiting: usize,
    },
    /// The schema cannot be held to.
    #[error("the grammar cannot be used: {reason}")]
    Grammar {
        /// In llguidance's words.
        reason: String,
    },
    /// The model gives no usable numbers, or llama.cpp failed.
    #[error("the model failed: {reason}")]
    Failed {
        /// What happened.
        reason: String,
    },
}
