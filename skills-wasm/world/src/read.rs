//! `world/read`: shows how a sentence is read, for authors. No turn calls it.

use narratoria_sdk::{Ctx, Done, SkillError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use understanding::{
    Certainty, Understanding,
    names::named_words::{ReadName, ReadWord, read_names, read_words},
    trace::{LostReading, ReadingStep, ReadingTrace},
};
use world_model::{action::Action, words, world::World};

use super::{opinion::opinion_of_nobody, own_past::own_past, understand::not_understood};

/// A sentence to explain.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadInput {
    /// What a player would type, word for word.
    #[schemars(length(max = 4000))]
    pub sentence: String,
    /// A place to read it in, as if the player stood there; otherwise it is read where the player is.
    #[schemars(length(max = 200))]
    pub at: Option<String>,
}

/// Most places that an error names.
const PLACES_NAMED_MAX: usize = 60;

/// How a sentence is read.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ReadOutput {
    /// The sentence.
    pub sentence: String,
    /// The place where the player is.
    pub here: String,
    /// Its words.
    pub words: Vec<ReadWord>,
    /// What runs of its words may mean, from left to right.
    pub names: Vec<ReadName>,
    /// What the parts of the reader made of it, in order.
    pub steps: Vec<ReadingStep>,
    /// The readings that were tried and lost.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<LostReading>,
    /// What the player does.
    pub actions: Vec<Action>,
    /// The names of which one must be chosen first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unclear: Vec<String>,
    /// Whether a part of it means nothing here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
    /// How sure the actions are; missing where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certainty: Option<Certainty>,
    /// What the player is told where there are no actions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Shows how a sentence is read. Changes nothing.
pub fn read(ctx: &mut Ctx, input: ReadInput) -> Result<Done<ReadOutput>, SkillError> {
    let mut world = super::load(ctx)?;
    if let Some(at) = &input.at {
        stand_at(&mut world, at)?;
    }
    let output = reading(&world, input.sentence);
    super::leave(world);
    let summary = format!("{} steps", output.steps.len());
    Ok(Done::ok().summary(summary).output(output))
}

/// Has the player stand in the place of this name. Nothing else changes: no time passes, and nobody follows.
fn stand_at(world: &mut World, name: &str) -> Result<(), SkillError> {
    let named = words::split(name);
    let bare = named.strip_prefix(&["the".to_owned()]).unwrap_or(&named);
    let found = world.place_ids().find(|id| world.names(*id).iter().any(|known| known == bare));
    let Some(place) = found else {
        return Err(SkillError::new("NO_PLACE", no_place(world, name)));
    };
    if place != world.here {
        world.last.there = Some(world.name(world.here).to_owned());
        world.here = place;
        world.conditions[place.0].known |= world.is_lit();
    }
    Ok(())
}

fn no_place(world: &World, name: &str) -> String {
    let places: Vec<String> = world.place_ids().map(|id| format!("`{}`", world.name(id))).collect();
    let shown = places[..places.len().min(PLACES_NAMED_MAX)].join(", ");
    let rest = match places.len().saturating_sub(PLACES_NAMED_MAX) {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    format!("there is no place `{name}`: the places are {shown}{rest}")
}

fn reading(world: &World, sentence: String) -> ReadOutput {
    let (words, names) = (read_words(&sentence), read_names(world, &sentence));
    let here = world.name(world.here).to_owned();
    let mut output = ReadOutput { sentence, here, words, names, ..ReadOutput::default() };
    let sentence = output.sentence.as_str();
    if let Some(fact) = opinion_of_nobody(world, sentence).or_else(|| own_past(world, sentence)) {
        let stage = "a question about the player".to_owned();
        output.steps.push(ReadingStep { clause: None, stage, made: fact.text.clone(), row: None });
        output.message = Some(fact.text);
        return output;
    }
    let (meaning, trace) = understanding::understand_traced(world, sentence);
    let is_done = !meaning.actions.is_empty();
    let is_nothing = meaning.unknown && !is_done && meaning.unclear.is_empty();
    let message = is_nothing.then(|| not_understood(world, sentence, &meaning).text);
    let ReadingTrace { steps, lost, .. } = trace;
    let Understanding { actions, unclear, unknown, certainty, .. } = meaning;
    let certainty = is_done.then_some(certainty);
    ReadOutput { steps, lost, actions, unclear, unknown, certainty, message, ..output }
}
