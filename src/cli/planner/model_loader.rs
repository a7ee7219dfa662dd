//! Downloads and loads a model on a thread of its own.

use std::sync::{Arc, Mutex, PoisonError};

use narratoria_narrator::llama::ModelSlot;
use tokio_util::sync::DropGuard;

/// Dropping it stops the loading.
pub(super) struct ModelLoader {
    pub(super) slot: ModelSlot,
    pub(super) news: Arc<Mutex<Vec<String>>>,
    pub(super) _stop: DropGuard,
}

impl ModelLoader {
    /// Holds the model once it is loaded.
    pub(super) fn slot(&self) -> ModelSlot {
        self.slot.clone()
    }

    /// Returns the news that the player has not seen yet.
    pub(super) fn take_news(&self) -> Vec<String> {
        std::mem::take(&mut *self.news.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
