//! `world/describe`: what a person looks like, for the player and for whoever draws the person.

use narratoria_facts::shortened;
use narratoria_sdk::{Ctx, Done, SkillError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use world_model::{
    company::own_name,
    fact::{FactKind, WorldFact},
    words,
};

/// Longest description that a picture is made from, in characters.
const DESCRIPTION_CHARS_MAX: usize = 400;

/// Whom to describe.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DescribeInput {
    /// The person's name.
    #[schemars(length(min = 1, max = 60), extend("valuesFrom" = "/world/people"))]
    pub person: String,
}

/// What the person looks like.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct DescribeOutput {
    /// The person's own name.
    pub name: String,
    /// What the player has seen of the person; missing where they have not met.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What to tell the player.
    pub facts: Vec<WorldFact>,
}

/// Describes a person whom the player sees or knows. Changes nothing.
pub fn describe(ctx: &mut Ctx, input: DescribeInput) -> Result<Done<DescribeOutput>, SkillError> {
    let world = super::load(ctx)?;
    let Some(id) = own_name(&world, &input.person).and_then(|name| world.find(&name)) else {
        let message = format!("`{:.80}` is no person of this world", input.person);
        return Err(SkillError::new("UNKNOWN_NAME", message));
    };
    let name = world.name(id).to_owned();
    let is_met = world.is_seen(id) || world.conditions[id.0].known;
    let text = world.description(id).to_owned();
    let description = is_met.then(|| shortened(&text, DESCRIPTION_CHARS_MAX).unwrap_or_default());
    let fact = match is_met {
        true => WorldFact::you(FactKind::Described, text).object(&name),
        false => {
            let the = world.the(id);
            let text = format!("You have not met {the} yet.");
            WorldFact::you(FactKind::Refused, text).object(&name).because("not_met")
        }
    };
    let summary = match &description {
        Some(_) => format!("described {name}"),
        None => format!("{} is not known", words::capitalised(&name)),
    };
    super::leave(world);
    let output = DescribeOutput { name, description, facts: vec![fact] };
    Ok(Done::ok().summary(summary).output(output))
}
