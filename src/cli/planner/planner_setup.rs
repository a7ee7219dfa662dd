//! A planner, its model, and the model that may still load.

#[cfg(feature = "llama")]
use narratoria_narrator::llama::ModelSlot;
use narratoria_narrator::{
    LexicalPlanner, Planner, ScriptIndex,
    tick::{LexicalTickPlanner, TickPlanner},
};
use narratoria_sandbox::TextModelSlot;

#[cfg(feature = "llama")]
use super::model_loader::ModelLoader;

/// A planner with its language model.
pub(crate) struct PlannerSetup {
    pub(crate) planner: Box<dyn Planner>,
    /// For scripts that may write with the model.
    pub(crate) text: TextModelSlot,
    pub(crate) pending_model: PendingModel,
    /// The model of this machine, if there is one or one loads.
    #[cfg(feature = "llama")]
    pub(crate) local_model: Option<ModelSlot>,
}

/// A planner of ticks with its language model.
pub(crate) struct TickPlannerSetup {
    pub(crate) planner: Box<dyn TickPlanner>,
    /// For scripts that may write with the model.
    pub(crate) text: TextModelSlot,
}

/// A model that may still load. Dropping this stops the loading; the part that was fetched stays on the disk.
#[derive(Default)]
pub(crate) struct PendingModel {
    #[cfg(feature = "llama")]
    pub(super) loader: Option<ModelLoader>,
}

impl PendingModel {
    /// Completes when the model is loaded; never if none loads, or if it was there from the start.
    #[cfg(feature = "llama")]
    pub(crate) fn ready(&self) -> impl Future<Output = ()> + 'static {
        let slot = self.loader.as_ref().map(|loader| loader.slot());
        async move {
            let is_loaded = match slot {
                Some(slot) => slot.wait().await.is_ok(),
                None => false,
            };
            if !is_loaded {
                std::future::pending().await
            }
        }
    }

    #[cfg(not(feature = "llama"))]
    pub(crate) fn ready(&self) -> std::future::Pending<()> {
        std::future::pending()
    }

    /// Returns the news that the player has not seen yet.
    pub(crate) fn take_news(&self) -> Vec<String> {
        #[cfg(feature = "llama")]
        if let Some(loader) = &self.loader {
            return loader.take_news();
        }
        Vec::new()
    }
}

/// The planner without a model. With an index it finds skills by the meaning of their texts too.
pub(super) fn lexical(index: Option<ScriptIndex>) -> PlannerSetup {
    let planner = index.map_or_else(LexicalPlanner::new, LexicalPlanner::with_index);
    PlannerSetup {
        planner: Box::new(planner),
        text: TextModelSlot::default(),
        pending_model: PendingModel::default(),
        #[cfg(feature = "llama")]
        local_model: None,
    }
}

pub(super) fn lexical_ticks() -> TickPlannerSetup {
    TickPlannerSetup { planner: Box::new(LexicalTickPlanner), text: TextModelSlot::default() }
}
