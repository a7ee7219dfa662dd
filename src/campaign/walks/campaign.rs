//! A campaign as walks use it: its documents, and the world at its beginning.

use std::{collections::BTreeMap, sync::Arc};

use narratoria_conditions::CONDITION_FORM;
use narratoria_story_view::{CompiledConditions, Environment};
use plot_skill::{
    advance::PlotParts,
    compile::{PlotDocuments, compile},
    document::{StoryletGate, TextsDocument},
};
use serde_json::{Value, json};
use world::{
    definition::WorldDefinition,
    situation::{ConditionDecider, WorldSituation},
    world::World,
};

use crate::compile::CampaignParts;

/// A campaign that can be walked through. Threads share it.
#[derive(Debug)]
pub(super) struct WalkCampaign {
    pub(super) documents: PlotDocuments,
    pub(super) texts: BTreeMap<String, Arc<TextsDocument>>,
    conditions: Arc<CompiledConditions>,
    /// All copies of it share its map and its names.
    world: World,
}

impl WalkCampaign {
    pub(super) fn of(parts: &CampaignParts) -> Result<WalkCampaign, String> {
        let mut documents =
            compile(&parts.plot, &parts.conditions).map_err(|faults| faults.join("; "))?;
        let texts = std::mem::take(&mut documents.texts);
        let nodes = parts.conditions.iter();
        let nodes = nodes.map(|(text, condition)| (text.clone(), condition.node.clone()));
        let conditions =
            CompiledConditions { version: CONDITION_FORM, conditions: nodes.collect() };
        Ok(WalkCampaign {
            documents,
            texts: texts.into_iter().map(|(deck, texts)| (deck, Arc::new(texts))).collect(),
            conditions: Arc::new(conditions),
            world: World::begin(parts.world.clone()),
        })
    }

    pub(super) fn parts(&self) -> PlotParts<'_> {
        PlotParts { gates: &self.documents.gates, plot: &self.documents.plot }
    }

    pub(super) fn gates(&self) -> &[StoryletGate] {
        &self.documents.gates.storylets
    }

    pub(super) fn definition(&self) -> &WorldDefinition {
        &self.world.definition
    }

    pub(super) fn begin(&self) -> World {
        self.world.clone()
    }

    /// Has conditions of the map answered from this state.
    pub(super) fn decide_by(&self, world: &mut World, state: Value) {
        let conditions = Arc::clone(&self.conditions);
        world.decider = Arc::new(WalkDecider { conditions, state });
    }
}

/// Answers the conditions of a map in the middle of a walk.
#[derive(Debug)]
struct WalkDecider {
    conditions: Arc<CompiledConditions>,
    state: Value,
}

impl ConditionDecider for WalkDecider {
    fn decide(&self, conditions: &[&str], situation: &WorldSituation) -> Vec<bool> {
        let view = json!(situation);
        let environment = Environment::of_parts(&view, &self.state);
        let holds = |text: &&str| self.conditions.holds(text, &environment) == Ok(true);
        conditions.iter().map(holds).collect()
    }
}
