//! `world/create`: makes the map, from a definition or from a premise.

use std::fmt::Write as _;

use narratoria_sdk::{Ctx, Done, SkillError, Value, json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use understanding::wordings::check_world;
use world_model::{
    act::{Dice, act},
    action::{Action, Verb},
    check::conditions_of,
    definition::WorldDefinition,
    fact::{FactKind, WorldFact},
    premise,
    scope::{WorldScope, scope},
    world::World,
};

/// What the world is made of: the story's campaign, a definition, or a premise and a seed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateInput {
    /// One sentence that the world begins from, such as `a lighthouse keeper who has not slept for nine days`.
    #[serde(default)]
    #[schemars(length(max = 2000))]
    pub premise: Option<String>,
    /// A whole world.
    #[serde(default)]
    pub definition: Option<WorldDefinition>,
    /// The world of the story's campaign. Then nothing else is read.
    #[serde(default)]
    pub campaign: bool,
    /// Another seed than the step's.
    #[serde(default)]
    pub seed: Option<u64>,
}

/// The world that was made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CreateOutput {
    /// What the story is called.
    pub title: String,
    /// The opening: who the player is, where, and what there is to do.
    pub facts: Vec<WorldFact>,
    /// What is in scope now.
    pub scope: WorldScope,
}

/// Makes the world of this story.
pub fn create(ctx: &mut Ctx, input: CreateInput) -> Result<Done<CreateOutput>, SkillError> {
    if input.campaign {
        let world = super::campaign_world(ctx)?;
        return begin(ctx, world, json!({ "campaign": true }), None);
    }
    let seed = input.seed.unwrap_or(ctx.seed());
    let read_as =
        input.premise.as_deref().filter(|_| input.definition.is_none()).map(premise::read);
    let definition = match (input.definition, input.premise) {
        (Some(definition), _) => definition,
        (None, premise) => premise::make(premise.as_deref().unwrap_or_default(), seed),
    };
    check_world(&definition).map_err(|faults| super::refused_world("INVALID_WORLD", faults))?;
    let world = World::begin(definition);
    if let Some((place, condition)) = conditions_of(&world.definition).first() {
        let message =
            format!("{place} has the condition `{condition}`, and only a campaign has conditions");
        return Err(SkillError::new("INVALID_WORLD", message));
    }
    let map = json!({ "map": *world.definition });
    begin(ctx, world, map, read_as.as_ref())
}

/// Writes the state of the beginning, with what `base` says of where the map is.
fn begin(
    ctx: &mut Ctx,
    mut world: World,
    base: Value,
    read_as: Option<&premise::PremiseFindings>,
) -> Result<Done<CreateOutput>, SkillError> {
    let facts = opening(&mut world, base.get("campaign").is_some());
    let title = world.definition.title.clone();
    let parts = super::parts(&world);
    let mut cleared = json!({ "map": null, "campaign": null, "scope": null });
    let mut begun = json!({ "scope": scope(&world) });
    for (key, part) in parts {
        cleared[key] = Value::Null;
        begun[key] = part;
    }
    ctx.patch(json!({ "world": cleared }));
    ctx.patch(json!({ "world": base }));
    ctx.patch(json!({ "world": begun }));
    let (places, people) = (world.definition.places.len(), world.definition.people.len());
    let mut summary = format!("\u{201c}{title}\u{201d}: {places} places, {people} people");
    if let Some(read_as) = read_as {
        let _ = write!(summary, "; read as: {read_as}");
    }
    Ok(Done::ok().summary(summary).output(CreateOutput { title, facts, scope: scope(&world) }))
}

/// The facts of the first scene. What the author of a campaign has written is told word for word, and nothing is added to
/// it but what the player sees: it is all that a newcomer reads.
fn opening(world: &mut World, is_campaign: bool) -> Vec<WorldFact> {
    let mut facts = Vec::new();
    if is_campaign && !world.definition.opening.is_empty() {
        facts.push(WorldFact::you(FactKind::Told, world.definition.opening.clone()));
        facts.extend(act(world, &Action::new(Verb::Look), &mut Dice::new(None, 0)).facts);
        return facts;
    }
    let (name, text) = (&world.definition.player.name, world.definition.opening.clone());
    let says_who = !name.is_empty() && text.contains(name.as_str());
    if !text.is_empty() {
        facts.push(WorldFact::you(FactKind::Identity, text).object(name));
    }
    let mut dice = Dice::new(None, 0);
    if !says_who {
        facts.extend(act(world, &Action::new(Verb::WhoAmI), &mut dice).facts);
    }
    for thread in world.definition.threads.iter().filter(|thread| thread.after.is_empty()) {
        facts.push(
            WorldFact::you(FactKind::ThreadOpened, thread.opening.clone()).object(&thread.name),
        );
    }
    facts.extend(act(world, &Action::new(Verb::Look), &mut dice).facts);
    facts
}
