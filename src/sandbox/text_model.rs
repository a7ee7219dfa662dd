//! A language model as scripts use it. The sandbox knows no model; its caller passes one in behind this trait.

use std::{
    fmt,
    pin::Pin,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use narratoria_skills::StoryGuidance;

/// Writes prose for scripts.
pub trait TextModel: Send + Sync {
    /// Writes a text. Each piece goes to `on_text` as it is written, from any thread, and all of them
    /// before the future is ready. Must not block. Dropping the future cancels the text.
    fn generate(&self, request: TextRequest, on_text: TextModelSink) -> TextFuture;
}

/// Gets each piece of a text.
pub type TextModelSink = Box<dyn FnMut(&str) + Send>;

pub type TextFuture = Pin<Box<dyn Future<Output = Result<TextResponse, TextModelError>> + Send>>;

/// A script's request for a text, within the limits of `contracts/wit/llm.wit`.
#[derive(Debug, Clone, PartialEq)]
pub struct TextRequest {
    /// The skill. The queue serves its clients in turn.
    pub client: String,
    /// Instructions for the writing. Most texts of a script share them.
    pub system: Option<String>,
    pub prompt: String,
    /// The guidance of the player's skills, for a text that the player reads as it is written. It goes below the
    /// system text, as far as it fits.
    pub guidance: Option<Arc<StoryGuidance>>,
    pub tokens_max: u32,
    /// From 0, the likeliest word, to 2.
    pub temperature: f32,
    /// The only source of chance.
    pub seed: u64,
    /// Longest time, including the wait in the queue. The script stops waiting by then.
    pub time: Duration,
}

/// How a text ended. The sink has received all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextResponse {
    /// False for a text that was cut at [`TextRequest::tokens_max`].
    pub is_complete: bool,
}

/// Why there is no text, or only a part of it. Each `reason` is a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextModelError {
    /// There is no model, or it is not ready.
    #[error("{reason}")]
    Unavailable { reason: String },
    /// The request exceeds a limit of the model.
    #[error("{reason}")]
    Refused { reason: String },
    #[error("the time was over")]
    TimedOut,
    #[error("{reason}")]
    Failed { reason: String },
}

/// The model for one invocation.
#[derive(Clone)]
pub struct TextModelClient {
    pub model: Arc<dyn TextModel>,
    /// The skill. The queue serves its clients in turn.
    pub client: String,
    /// The guidance for texts that the player reads.
    pub guidance: Arc<StoryGuidance>,
}

/// Holds a model that may become ready while scripts already run. Clones share it. Empty by default.
#[derive(Clone)]
pub struct TextModelSlot(Arc<RwLock<Result<Arc<dyn TextModel>, String>>>);

impl TextModelSlot {
    /// Makes all later texts come from this model.
    pub fn set(&self, model: Arc<dyn TextModel>) {
        self.put(Ok(model));
    }

    /// Makes all later requests fail with this reason: a sentence for people, such as `the language model is on its
    /// way`.
    pub fn clear(&self, reason: impl Into<String>) {
        self.put(Err(reason.into()));
    }

    fn put(&self, content: Result<Arc<dyn TextModel>, String>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = content;
    }

    fn get(&self) -> Result<Arc<dyn TextModel>, String> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Default for TextModelSlot {
    fn default() -> TextModelSlot {
        TextModelSlot(Arc::new(RwLock::new(Err("there is no language model".to_owned()))))
    }
}

impl TextModel for TextModelSlot {
    fn generate(&self, request: TextRequest, on_text: TextModelSink) -> TextFuture {
        match self.get() {
            Ok(model) => model.generate(request, on_text),
            Err(reason) => {
                Box::pin(std::future::ready(Err(TextModelError::Unavailable { reason })))
            }
        }
    }
}

impl fmt::Debug for TextModelSlot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let content = self.get().map(|_| "a model");
        out.debug_tuple("TextModelSlot").field(&content).finish()
    }
}
