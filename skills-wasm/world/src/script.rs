//! The three scripts: they read the state, call the world, and write what has changed.

use narratoria_sdk::{Ctx, SkillError, Value, json};
use serde::Deserialize as _;

use crate::{definition::WorldDefinition, now::Now, scope::scope, world::World};

pub mod act;
pub mod create;
pub mod understand;

/// The world of this story.
fn load(ctx: &Ctx) -> Result<World, SkillError> {
    let map = ctx.state().pointer("/world/map").filter(|map| !map.is_null());
    let Some(map) = map else {
        let message = "there is no world yet: `world/create` makes one";
        return Err(SkillError::new("NO_WORLD", message));
    };
    let definition = WorldDefinition::deserialize(map).map_err(|error| {
        SkillError::new("INVALID_MAP", format!("the map in the state is not usable: {error}"))
    })?;
    crate::check::check(&definition)
        .map_err(|problems| SkillError::new("INVALID_MAP", problems.join("; ")))?;
    let mut world = World::begin(definition);
    if let Some(now) = ctx.state_at::<Now>("/world/now")? {
        world.restore(&now);
    }
    Ok(world)
}

/// The patch from the old `now` to the new one: objects merge, so what is gone must become null.
fn now_patch(old: Option<&Value>, new: &Value) -> Value {
    match (old, new) {
        (Some(Value::Object(old)), Value::Object(new)) => {
            let mut patch: Value = json!({});
            for (key, value) in new {
                match old.get(key) {
                    Some(was) if was == value => {}
                    was => patch[key] = now_patch(was, value),
                }
            }
            for key in old.keys().filter(|key| !new.contains_key(*key)) {
                patch[key] = Value::Null;
            }
            patch
        }
        (_, new) => new.clone(),
    }
}

/// Writes down where everything is now.
fn save(ctx: &mut Ctx, world: &World) -> Result<(), SkillError> {
    // `to_value` of the SDK's `json!` cannot fail for these types.
    let new = json!(world.now());
    let patch = now_patch(ctx.state().pointer("/world/now"), &new);
    ctx.patch(json!({ "world": { "now": patch, "scope": scope(world) } }));
    Ok(())
}
