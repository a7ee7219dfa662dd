//! `world/change`: what the story does to its world.

use narratoria_sdk::{Ctx, Done, SkillError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use world_model::{
    act::consequences,
    change::{self, WorldChange},
    fact::WorldFact,
    scope::{WorldScope, scope},
};

/// Most changes of one step.
pub const CHANGES_MAX: usize = 100;

/// What the story changes, in order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeInput {
    /// The changes.
    #[schemars(length(max = 100))]
    pub changes: Vec<WorldChange>,
}

/// What has changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangeOutput {
    /// What the author's text cannot have told: who comes and goes meanwhile, a place that the player is sent to, threads
    /// that end.
    pub facts: Vec<WorldFact>,
    /// What is in scope now.
    pub scope: WorldScope,
}

/// Makes the changes. An unknown name is an error, and then nothing has changed.
pub fn change(ctx: &mut Ctx, input: ChangeInput) -> Result<Done<ChangeOutput>, SkillError> {
    let mut world = super::load(ctx)?;
    let count = input.changes.len();
    if count > CHANGES_MAX {
        let message = format!("{count} changes, {CHANGES_MAX} are allowed");
        return Err(SkillError::new("TOO_MANY_CHANGES", message));
    }
    let result = change::change(&mut world, &input.changes)
        .map_err(|problem| SkillError::new("INVALID_CHANGE", problem))?;
    for skipped in &result.skipped {
        ctx.warn(skipped);
    }
    let facts = consequences(&mut world, &result);
    let scope = scope(&world);
    super::save(ctx, &world)?;
    super::leave(world);
    let summary = if count == 1 { "one change".to_owned() } else { format!("{count} changes") };
    Ok(Done::ok().summary(summary).output(ChangeOutput { facts, scope }))
}
