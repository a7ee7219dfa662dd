//! A campaign as walks use it: its documents, and the world at its beginning.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use narratoria_conditions::{CONDITION_FORM, ConditionNode};
use narratoria_story_view::{CompiledConditions, Environment};
use plot_skill::{
    advance::PlotParts,
    compile::{PlotDocuments, compile},
    definition::PlotDefinition,
    document::{StoryletGate, StoryletTexts, TextsDocument},
};
use serde_json::{Value, json};
use world_model::{
    definition::WorldDefinition,
    situation::{ConditionDecider, WorldSituation},
    world::World,
};

use super::endings::EndingWay;
use crate::compile::CampaignParts;

/// A campaign that can be walked through. Threads share it.
#[derive(Debug)]
pub(crate) struct WalkCampaign {
    pub(crate) documents: PlotDocuments,
    pub(super) texts: BTreeMap<String, Arc<TextsDocument>>,
    conditions: Arc<CompiledConditions>,
    ways: Vec<EndingWay>,
    /// Texts that the player asks for, each time again, and refrains.
    may_come_again: BTreeSet<String>,
    /// All copies of it share its map and its names.
    world: World,
}

impl WalkCampaign {
    pub(crate) fn of(parts: &CampaignParts) -> Result<WalkCampaign, String> {
        let mut documents =
            compile(&parts.plot, &parts.conditions).map_err(|faults| faults.join("; "))?;
        let texts = std::mem::take(&mut documents.texts);
        let nodes = parts.conditions.iter();
        let nodes = nodes.map(|(text, condition)| (text.clone(), condition.node.clone()));
        let conditions =
            CompiledConditions { version: CONDITION_FORM, conditions: nodes.collect() };
        let ways = EndingWay::all(&documents.plot.endings);
        Ok(WalkCampaign {
            may_come_again: texts_that_may_come_again(&parts.plot),
            ways,
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

    /// Returns the texts and effects of a storylet.
    pub(super) fn texts_of(&self, gate: &StoryletGate) -> Option<&StoryletTexts> {
        let deck = self.documents.gates.decks.get(gate.deck)?;
        self.texts.get(&deck.id)?.storylets.get(&gate.id)
    }

    /// A condition of the map.
    pub(super) fn condition(&self, text: &str) -> Option<&ConditionNode> {
        self.conditions.conditions.get(text)
    }

    /// Returns true if the player asks for this text by a deed or a choice, or if it is a refrain.
    pub(super) fn may_come_again(&self, text: &str) -> bool {
        self.may_come_again.contains(text)
    }

    /// Returns the way to each ending.
    pub(super) fn ways(&self) -> &[EndingWay] {
        &self.ways
    }

    pub(super) fn definition(&self) -> &WorldDefinition {
        &self.world.definition
    }

    pub(crate) fn begin(&self) -> World {
        self.world.clone()
    }

    /// Has conditions of the map answered from this state.
    pub(crate) fn decide_by(&self, world: &mut World, state: Value) {
        let conditions = Arc::clone(&self.conditions);
        world.decider = Arc::new(WalkDecider { conditions, state });
    }
}

/// Texts that answer a deed or a choice, questions, which are asked again until they are answered, and refrains.
fn texts_that_may_come_again(plot: &PlotDefinition) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for storylet in plot.decks.iter().flat_map(|(_, deck)| &deck.storylet) {
        let is_answer = !storylet.on.is_empty() || storylet.linked || !storylet.choices.is_empty();
        let may_come_again = is_answer || storylet.refrain;
        let own = storylet.text.iter().chain(&storylet.texts).filter(|_| may_come_again);
        let chosen = storylet.choices.iter().filter_map(|choice| choice.text.as_ref());
        found.extend(own.chain(chosen).map(|text| text.trim().to_owned()));
    }
    found
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
