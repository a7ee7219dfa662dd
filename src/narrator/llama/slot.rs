//! Where a model will be: it may come while the story is being played already.

use std::sync::Arc;

use tokio::sync::watch;

use crate::llm::Model;

/// A place for a model. Clones share it.
#[derive(Debug, Clone)]
pub struct ModelSlot(Arc<watch::Sender<State>>);

/// What is in it.
#[derive(Debug, Clone)]
enum State {
    /// Nothing yet.
    Empty,
    Ready(Model),
    /// Nothing, and nothing will come.
    Failed(String),
}

impl Default for ModelSlot {
    fn default() -> ModelSlot {
        ModelSlot(Arc::new(watch::Sender::new(State::Empty)))
    }
}

impl ModelSlot {
    /// With a model in it.
    pub fn of(model: Model) -> ModelSlot {
        let slot = ModelSlot::default();
        slot.fill(model);
        slot
    }

    /// The model is there.
    pub fn fill(&self, model: Model) {
        self.0.send_replace(State::Ready(model));
    }

    /// No model will come.
    pub fn fail(&self, why: String) {
        self.0.send_replace(State::Failed(why));
    }

    /// The model, if it is there.
    pub fn model(&self) -> Option<Model> {
        match &*self.0.borrow() {
            State::Ready(model) => Some(model.clone()),
            State::Empty | State::Failed(_) => None,
        }
    }

    /// The model, or why there will be none. Waits until one or the other is known.
    pub async fn wait(&self) -> Result<Model, String> {
        let mut news = self.0.subscribe();
        let known = news.wait_for(|state| !matches!(state, State::Empty)).await;
        match &*known.expect("the slot itself holds the sender") {
            State::Ready(model) => Ok(model.clone()),
            State::Failed(why) => Err(why.clone()),
            State::Empty => Err("it is not there yet".to_owned()),
        }
    }
}
