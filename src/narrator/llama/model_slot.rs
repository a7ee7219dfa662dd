//! A slot for a model, which may finish loading after the story has begun.

use std::sync::Arc;

use tokio::sync::watch;

use narratoria_model::llm::Model;

/// Clones share the slot.
#[derive(Debug, Clone)]
pub struct ModelSlot(Arc<watch::Sender<ModelSlotState>>);

#[derive(Debug, Clone)]
enum ModelSlotState {
    /// No model yet.
    Empty,
    Ready(Model),
    /// Reports that no model will come.
    Failed(String),
}

impl Default for ModelSlot {
    fn default() -> ModelSlot {
        ModelSlot(Arc::new(watch::Sender::new(ModelSlotState::Empty)))
    }
}

impl ModelSlot {
    pub fn ready(model: Model) -> ModelSlot {
        let slot = ModelSlot::default();
        slot.fill(model);
        slot
    }

    pub fn fill(&self, model: Model) {
        self.0.send_replace(ModelSlotState::Ready(model));
    }

    /// Reports that no model will come.
    pub fn fail(&self, why: String) {
        self.0.send_replace(ModelSlotState::Failed(why));
    }

    pub fn model(&self) -> Option<Model> {
        match &*self.0.borrow() {
            ModelSlotState::Ready(model) => Some(model.clone()),
            ModelSlotState::Empty | ModelSlotState::Failed(_) => None,
        }
    }

    /// Waits for the model, or for the reason why there will be none.
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
