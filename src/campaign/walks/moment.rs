//! The moment in which a walker decides.

use narratoria_conditions::{ConditionNode, answer};
use narratoria_story_view::Environment;
use plot_skill::{document::StoryletGate, gate::GateMoment, now::PlotNow};
use world_model::{entity::NamedId, world::World};

use super::campaign::WalkCampaign;

/// Everything that a walker knows.
#[derive(Debug, Clone, Copy)]
pub(super) struct WalkMoment<'a> {
    pub(super) campaign: &'a WalkCampaign,
    pub(super) world: &'a World,
    pub(super) now: &'a PlotNow,
    pub(super) environment: &'a Environment<'a>,
}

impl WalkMoment<'_> {
    pub(super) fn holds(&self, node: &ConditionNode) -> bool {
        answer(node, &self.environment) == Ok(true)
    }

    /// Returns true if a condition of the map holds, or if there is none.
    pub(super) fn allows(&self, condition: Option<&str>) -> bool {
        condition
            .is_none_or(|text| self.campaign.condition(text).is_some_and(|node| self.holds(node)))
    }

    /// Returns true if the storylet has not fired yet, or long enough ago.
    pub(super) fn is_rested(&self, gate: &StoryletGate) -> bool {
        let moment = GateMoment {
            gates: &self.campaign.documents.gates,
            now: self.now,
            environment: self.environment,
            actions: &[],
            seed: 0,
        };
        moment.rested(gate).is_ok()
    }

    pub(super) fn find(&self, name: &str) -> Option<NamedId> {
        self.world.find(name)
    }

    /// Returns true if the player can have it and does not.
    pub(super) fn is_missing(&self, thing: NamedId) -> bool {
        self.world.entity(thing).is_thing() && !self.world.is_with_player(thing)
    }
}
