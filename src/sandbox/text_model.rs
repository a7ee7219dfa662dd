//! A language model as scripts may use it. The sandbox knows no model: whoever has one hands it over behind
//! this trait.

use std::{
    fmt,
    pin::Pin,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

/// Writes prose for scripts.
pub trait TextModel: Send + Sync {
    /// Writes a text: each piece goes to `on_text` as it is written, from whatever thread, and all of them
    /// before the future is ready. Must not block. Dropping the future cancels it.
    fn generate(&self, ask: TextRequest, on_text: TextModelSink) -> TextFuture;
}

/// Hears each piece of a text.
pub type TextModelSink = Box<dyn FnMut(&str) + Send>;

/// A text on its way.
pub type TextFuture = Pin<Box<dyn Future<Output = Result<TextResponse, TextModelError>> + Send>>;

/// What a script has written, within the limits of `contracts/wit/llm.wit`.
#[derive(Debug, Clone, PartialEq)]
pub struct TextRequest {
    /// Whose turn it takes in the queue.
    pub client: String,
    /// Who writes, and how. The same from one text of a script to the next, more often than not.
    pub system: Option<String>,
    /// What to write about.
    pub prompt: String,
    /// Most tokens of the text.
    pub tokens_max: u32,
    /// From 0, the likeliest word, to 2.
    pub temperature: f32,
    /// The only source of chance.
    pub seed: u64,
    /// How long it may take, waiting for its turn included. Whoever asks stops waiting by then.
    pub time: Duration,
}

/// How a text ended; all of it has been heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextResponse {
    /// Whether it came to its own end, and not only to [`TextAsk::tokens_max`].
    pub is_complete: bool,
}

/// Why there is no text, or not all of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextModelError {
    /// There is no model, or it is not ready.
    #[error("{reason}")]
    Unavailable {
        /// Why not, in a sentence for people.
        reason: String,
    },
    /// What was asked goes beyond a limit of the model.
    #[error("{reason}")]
    Refused {
        /// Which, in a sentence for people.
        reason: String,
    },
    /// The time was over.
    #[error("the time was over")]
    TimedOut,
    /// The model failed.
    #[error("{reason}")]
    Failed {
        /// How, in a sentence for people.
        reason: String,
    },
}

/// Who writes for one invocation.
#[derive(Clone)]
pub struct TextModelClient {
    /// The model.
    pub model: Arc<dyn TextModel>,
    /// In whose name it is asked: the skill's. Each client has its turn.
    pub client: String,
}

/// A place for a model that may become ready while scripts run already. Clones share it. Empty by default.
#[derive(Clone)]
pub struct TextModelSlot(Arc<RwLock<Result<Arc<dyn TextModel>, String>>>);

impl TextModelSlot {
    /// From now on this one writes.
    pub fn set(&self, model: Arc<dyn TextModel>) {
        self.put(Ok(model));
    }

    /// From now on nobody writes, and this is what scripts are told: a sentence for people, such as `the
    /// language model is on its way`.
    pub fn clear(&self, why: impl Into<String>) {
        self.put(Err(why.into()));
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
    fn generate(&self, ask: TextRequest, on_text: TextModelSink) -> TextFuture {
        match self.get() {
            Ok(model) => model.generate(ask, on_text),
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
