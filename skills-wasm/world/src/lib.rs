//! The scripts: they read the state, call the world, and write what has changed.

use std::collections::BTreeMap;

use narratoria_facts::{difference, opinion_of};
use narratoria_sdk::{Ctx, SkillError, Value, json};
use narratoria_story_view::campaign_document;
use serde::Deserialize as _;
use understanding::wordings::check_world;
use world_model::{
    check::WorldFault,
    company::{everybody, factions, player},
    definition::WorldDefinition,
    now::Now,
    scope::scope,
    world::World,
};

pub mod act;
pub mod change;
mod conditions;
pub mod create;
pub mod describe;
mod opinion;
mod own_past;
pub mod read;
pub mod recall;
pub mod understand;

/// The world of this story.
fn load(ctx: &Ctx) -> Result<World, SkillError> {
    let is_campaign = ctx.state().pointer("/world/campaign") == Some(&Value::Bool(true));
    let mut world = if is_campaign { campaign_world(ctx)? } else { mapped_world(ctx)? };
    if let Some(now) = ctx.state_at::<Now>("/world/now")? {
        world.restore(&now);
    }
    world.opinions = opinions(ctx);
    Ok(world)
}

/// What people think of the player, as another skill keeps it. What cannot be read counts as nothing.
fn opinions(ctx: &Ctx) -> BTreeMap<String, i64> {
    let people = ctx.state().pointer("/perception/people").and_then(Value::as_object);
    let opinion = |(name, person): (&String, &Value)| {
        let points = person.get("perception").and_then(Value::as_f64)?;
        Some((name.clone(), opinion_of(points).round() as i64))
    };
    people.into_iter().flatten().filter_map(opinion).collect()
}

/// The world of the campaign, as it begins. Its map was checked when it was compiled.
fn campaign_world(ctx: &Ctx) -> Result<World, SkillError> {
    let found = campaign_document::<WorldDefinition>(ctx.campaign(), "world.json")?;
    let Some(definition) = found else {
        let message = "the campaign of this story has no `world.json`";
        return Err(SkillError::new("NO_CAMPAIGN", message));
    };
    if definition.places.is_empty() {
        return Err(SkillError::new("INVALID_MAP", "the campaign has no place"));
    }
    conditions::decided(ctx, World::begin(definition))
}

/// The world of a map in the state, as it begins.
fn mapped_world(ctx: &Ctx) -> Result<World, SkillError> {
    let map = ctx.state().pointer("/world/map").filter(|map| !map.is_null());
    let Some(map) = map else {
        let message = "there is no world yet: `world/create` makes one";
        return Err(SkillError::new("NO_WORLD", message));
    };
    let definition = WorldDefinition::deserialize(map).map_err(|error| {
        SkillError::new("INVALID_MAP", format!("the map in the state is not usable: {error}"))
    })?;
    check_world(&definition).map_err(|faults| refused_world("INVALID_MAP", faults))?;
    Ok(World::begin(definition))
}

/// Everything that is wrong with a definition, as one error.
fn refused_world(code: &str, faults: Vec<WorldFault>) -> SkillError {
    let messages: Vec<String> = faults.into_iter().map(|fault| fault.message).collect();
    SkillError::new(code, messages.join("; "))
}

/// Leaves a world to the end of the process, which comes now: freeing each of its names would take a tenth of its time.
fn leave(world: World) {
    std::mem::forget(world);
}

/// The parts of the state that an action may change, complete.
fn parts(world: &World) -> [(&'static str, Value); 5] {
    // `to_value` of the SDK's `json!` cannot fail for these types.
    [
        ("now", json!(world.now())),
        ("view", json!(world.view())),
        ("people", json!(everybody(world))),
        ("factions", json!(factions(world))),
        ("player", json!(player(world))),
    ]
}

/// Writes down where everything is now.
fn save(ctx: &mut Ctx, world: &World) -> Result<(), SkillError> {
    let mut patch = json!({ "scope": scope(world) });
    for (key, new) in parts(world) {
        let old = ctx.state().pointer("/world").and_then(|world| world.get(key));
        let change = difference(old, &new);
        if change != json!({}) {
            patch[key] = change;
        }
    }
    ctx.patch(json!({ "world": patch }));
    Ok(())
}
