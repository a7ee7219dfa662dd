//! Where a model will be: it may come while the story is being played already.

use std::sync::Arc;

use tokio::sync::watch;

use narratoria_model::llm::Model;

/// A place for a model. Clones share it.
#[derive(Debug, Clone)]
pub struct ModelSlot(Arc<watch::Sender<ModelSlotState>>);

/// What is in it.
#[derive(Debug, Clone)]
enum ModelSlotState {
    /// Nothing yet.
    Empty,
    Ready(Model),
    /// Nothing, and nothing will come.
    Failed(String),
}

impl Default for ModelSlot {
    fn default() -> ModelSlot {
        ModelSlot(Arc::new(watch::Sender::new(ModelSlotState::Empty)))
    }
}

impl ModelSlot {
    /// With a model in it.
    pub fn ready(model: Model) -> ModelSlot {
        let slot = ModelSlot::default();
        slot.fill(model);
        slot
    }

    /// The model is there.
    pub fn fill(&self, model: Model) {
        self.0.send_replace(ModelSlotState::Ready(model));
    }

    /// No model will come.
    pub fn fail(&self, why: String) {
        self.0.send_replace(ModelSlotState::Failed(why));
    }

    /// The model, if it is there.
    pub fn model(&self) -> Option<Model> {
        match &*self.0.borrow() {
            ModelSlotState::Ready(model) => Some(model.clone()),
            ModelSlotState::Empty | ModelSlotState::Failed(_) => None,
        }
    }

    /// The model, or why there will be none. Waits until one or the other is known.
    pub async fn wait(&self) -> Result<Model, String> {
        let mut news = self.0.subscribe();
        let known = news.wait_for(|state| !matches!(state, ModelSlotState::Empty)).await;
        match &*known.expect("the slot itself holds the sender") {
            ModelSlotState::Ready(model) => Ok(model.clone()),
            ModelSlotState::Failed(why) => Err(why.clone()),
            ModelSlotState::Empty => Err("it is not there yet".to_owned()),
        }
    }
}
