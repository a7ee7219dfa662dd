//! A language model on its own thread. A prompt goes in, text comes out, within a grammar if the job has one. The
//! only module that uses llama.cpp and llguidance; knows nothing of skills, plans or stories.
//!
//! [`Model`] is a handle, and clones share it. One thread owns the contexts; jobs wait in a fair queue, and one runs
//! at a time. The prefix that a prompt shares with the previous one is not read again, and a long-lived prefix is
//! stored on disk. A deadline or a cancellation stops a job in the middle of its work.

mod abort;
mod backend;
mod embedding;
mod error;
mod gguf;
mod grammar;
mod hardware;
mod lane;
mod local_model;
mod model;
mod model_info;
mod prefix_cache;
mod prompt;
mod queue;
mod sample;
mod text_generator;
mod trial;
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

pub use embedding::EmbeddingModel;
pub use error::ModelLoadError;
pub use gguf::{GgufSummary, ModelPurpose, read_summary};
pub use grammar::guided;
pub use model::Model;
pub use model_info::ModelInfo;
pub use trial::{ModelTrial, try_for_parent};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChatRole {
    /// The host.
    System,
    /// The player.
    User,
    /// The model.
    Assistant,
}

/// A prompt, which the model's own chat template turns into text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Chat {
    /// In order. The reply follows the last one.
    pub messages: Vec<ChatMessage>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ChatMessage {
    pub role: ChatRole,
    /// The text, cut where a part changes more often than the one before it. Never read as control tokens: an
    /// `<|end|>` that a player types stays text.
    pub parts: Vec<MessagePart>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MessagePart {
    pub text: String,
    /// How long the prompt up to the end of this part stays the same.
    pub lifetime: PrefixLifetime,
}

/// How long a prefix of a prompt stays the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrefixLifetime {
    /// For one job.
    Job,
    /// From one job to the next: worth reading ahead of time.
    Session,
    /// From one start of the program to the next: worth a file.
    Disk,
}

/// Each kind of work has a context of its own, so that one does not evict the tokens that the other has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Plans: three quarters of the context.
    Plan,
    /// Prose of skills: a quarter.
    Prose,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Grammar {
    /// A JSON Schema in the subset that llguidance knows. The text is JSON without white space between its tokens.
    pub schema: Arc<Value>,
}

/// How the next token is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sampling {
    /// Always the likeliest token.
    Greedy,
    Random {
        /// 0 chooses the likeliest token, 1 follows the model's own probabilities.
        temperature: f32,
        /// An equal seed and an equal prompt give an equal text.
        seed: u64,
    },
}

#[derive(Debug, Clone)]
pub struct GenerateJob {
    /// `planner`, or the skill that asks. The queue gives each client its turn.
    pub client: String,
    pub lane: Lane,
    pub chat: Chat,
    /// Without a grammar the text is free.
    pub grammar: Option<Grammar>,
    /// Most tokens of the text.
    pub tokens_max: usize,
    pub sampling: Sampling,
    /// When to stop, waiting in the queue included.
    pub deadline: Instant,
    pub cancel: CancellationToken,
}

/// A question whose answer is one of a few labels. The model writes nothing: the probabilities of the labels as the next
/// token are the answer.
#[derive(Debug, Clone)]
pub struct ChooseJob {
    /// As in [`GenerateJob::client`].
    pub client: String,
    pub lane: Lane,
    pub chat: Chat,
    /// At most [`LABELS_MAX`] different labels, each a token of every vocabulary: a letter or a digit of ASCII.
    pub labels: Vec<char>,
    /// When to stop, waiting in the queue included.
    pub deadline: Instant,
    pub cancel: CancellationToken,
}

/// Most labels of a question: the letters and digits of ASCII.
pub const LABELS_MAX: usize = 62;

/// The answer to a [`ChooseJob`].
#[derive(Debug, Clone, PartialEq)]
pub struct LabelProbabilities {
    /// The natural logarithm of each label's probability among all labels, in their order.
    pub logarithms: Vec<f32>,
    pub usage: GenerateUsage,
}

/// Gets each piece of text as it is written, in whole characters. Called on the model's thread: it must not
/// block.
pub type GeneratedTextSink = Box<dyn FnMut(&str) + Send>;

#[derive(Debug, Clone, PartialEq)]
pub struct GeneratedText {
    pub text: String,
    /// False for a text that was cut at [`GenerateJob::tokens_max`].
    pub is_complete: bool,
    pub usage: GenerateUsage,
}

/// The cost of a text.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GenerateUsage {
    /// Tokens of the prompt.
    pub prompt: usize,
    /// Tokens of the prompt that the context already had.
    pub reused: usize,
    /// Reused tokens that came from a file.
    pub restored: usize,
    /// Tokens that the model chose.
    pub sampled: usize,
    /// Tokens that the grammar left no choice about.
    pub forced: usize,
    /// Time in the queue.
    pub queued: Duration,
    /// Time of reading the prompt, until the first token could be chosen.
    pub prefill: Duration,
    /// Time after that.
    pub decode: Duration,
    /// Time that the grammar took, part of `decode`.
    pub constraint: Duration,
}

#[derive(Debug, Clone)]
pub struct LoadOptions {
    /// Threads that compute. More threads than free cores make the model many times slower.
    pub threads: std::num::NonZeroUsize,
    /// Lowered to [`CONTEXT_TOKENS_MAX`] and to the length that the model was trained for.
    pub context_tokens: u32,
    /// The folder that stores prefixes of prompts; without it they are not stored.
    pub prefix_folder: Option<PathBuf>,
}

/// Most tokens of context. Above it Phi-3.5 encodes positions differently, and writes worse.
pub const CONTEXT_TOKENS_MAX: u32 = 4096;

/// Why there is no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    #[error("its time was over while it {doing}")]
    TimedOut {
        /// `waited for its turn`, `read the prompt` or `wrote`.
        doing: &'static str,
    },
    #[error("it was cancelled")]
    Cancelled,
    /// The prompt leaves no room for the text.
    #[error("the prompt has {tokens} tokens, at most {limit} fit")]
    TooLong { tokens: usize, limit: usize },
    /// The queue is full.
    #[error("{waiting} texts are waiting to be written already")]
    Busy { waiting: usize },
    #[error("the grammar cannot be used: {reason}")]
    Grammar {
        /// llguidance's message.
        reason: String,
    },
    /// The model's logits are unusable, or llama.cpp failed.
    #[error("the model failed: {reason}")]
    Failed { reason: String },
}
