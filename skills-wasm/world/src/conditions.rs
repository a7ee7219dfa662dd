//! Decides the conditions of a campaign's map, from its compiled conditions and the story's state.

use std::sync::Arc;

use narratoria_sdk::{Ctx, SkillError, Value, json};
use narratoria_story_view::{
    CONDITIONS_DOCUMENT, CompiledConditions, Environment, campaign_document,
};
use world_model::{
    check::has_conditions,
    situation::{ConditionDecider, WorldSituation},
    world::World,
};

/// The compiled conditions, with the parts of the state that they ask about beside the world's own.
#[derive(Debug)]
struct CampaignConditions {
    compiled: CompiledConditions,
    state: Value,
}

impl ConditionDecider for CampaignConditions {
    fn decide(&self, conditions: &[&str], situation: &WorldSituation) -> Vec<bool> {
        let view = json!(situation);
        let environment = Environment::of_parts(&view, &self.state);
        // What has no answer does not hold: the campaign's check reports it.
        let holds = |condition: &&str| self.compiled.holds(condition, &environment) == Ok(true);
        conditions.iter().map(holds).collect()
    }
}

/// The world with something that decides its conditions, if it has any.
pub(super) fn decided(ctx: &Ctx, world: World) -> Result<World, SkillError> {
    if !has_conditions(&world.definition) {
        return Ok(world);
    }
    let compiled = campaign_document(ctx.campaign(), CONDITIONS_DOCUMENT)?.unwrap_or_default();
    let part = |pointer: &str| ctx.state().pointer(pointer).cloned().unwrap_or_default();
    let state = json!({
        "plot": { "now": part("/plot/now") },
        "reputation": { "factions": part("/reputation/factions") },
        "perception": { "people": part("/perception/people") },
    });
    Ok(world.decided_by(Arc::new(CampaignConditions { compiled, state })))
}
