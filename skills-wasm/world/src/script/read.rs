//! `world/read`: shows how a sentence is read, for authors. No turn calls it.

use narratoria_sdk::{Ctx, Done, SkillError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    action::Action,
    parse::{
        self, Understanding,
        named_words::{ReadName, ReadWord, read_names, read_words},
        trace::{GUESSED, LostReading, NO_VERB, ReadingStep, ReadingTrace, SAID},
    },
    world::World,
};

use super::{opinion::opinion_of_nobody, own_past::own_past, understand::not_understood};

/// A sentence to explain.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadInput {
    /// What a player would type, word for word.
    #[schemars(length(max = 4000))]
    pub sentence: String,
}

/// How sure a reading is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadingSureness {
    /// Its verbs and its names are known.
    Sure,
    /// A clause has no verb that is known, or no rule reads it whole.
    Guessed,
    /// Something that it names is nothing that is here: the action is refused.
    Missing,
    /// The player is asked what is meant.
    Unclear,
    /// A part of it means nothing here.
    Partly,
    /// It means nothing here.
    Nothing,
}

/// How a sentence is read.
#[derive(Debug, Serialize, JsonSchema)]
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
    /// How sure the reading is.
    pub sureness: ReadingSureness,
    /// What the player is told where there are no actions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Shows how a sentence is read. Changes nothing.
pub fn read(ctx: &mut Ctx, input: ReadInput) -> Result<Done<ReadOutput>, SkillError> {
    let world = super::load(ctx)?;
    let output = reading(&world, input.sentence);
    super::leave(world);
    let summary = format!("{} steps", output.steps.len());
    Ok(Done::ok().summary(summary).output(output))
}

fn reading(world: &World, sentence: String) -> ReadOutput {
    let (words, names) = (read_words(&sentence), read_names(world, &sentence));
    let here = world.name(world.here).to_owned();
    let answer = opinion_of_nobody(world, &sentence).or_else(|| own_past(world, &sentence));
    if let Some(fact) = answer {
        let made = fact.text.clone();
        let stage = "a question about the player".to_owned();
        let steps = vec![ReadingStep { clause: None, stage, made, row: None }];
        let (lost, actions, unclear) = (Vec::new(), Vec::new(), Vec::new());
        let (sureness, message) = (ReadingSureness::Sure, Some(fact.text));
        return ReadOutput {
            sentence,
            here,
            words,
            names,
            steps,
            lost,
            actions,
            unclear,
            sureness,
            message,
        };
    }
    let (meaning, trace) = parse::understand_traced(world, &sentence);
    let sureness = sureness(&meaning, &trace);
    let message = (meaning.unknown && meaning.actions.is_empty() && meaning.unclear.is_empty())
        .then(|| not_understood(world, &sentence, &meaning).text);
    let ReadingTrace { steps, lost, .. } = trace;
    let Understanding { actions, unclear, .. } = meaning;
    ReadOutput { sentence, here, words, names, steps, lost, actions, unclear, sureness, message }
}

fn sureness(meaning: &Understanding, trace: &ReadingTrace) -> ReadingSureness {
    let is_guess = |step: &ReadingStep| [GUESSED, NO_VERB, SAID].contains(&step.stage.as_str());
    if !meaning.unclear.is_empty() {
        ReadingSureness::Unclear
    } else if meaning.actions.is_empty() {
        ReadingSureness::Nothing
    } else if meaning.unknown {
        ReadingSureness::Partly
    } else if meaning.actions.iter().any(|action| action.missing.is_some()) {
        ReadingSureness::Missing
    } else if trace.steps.iter().any(is_guess) {
        ReadingSureness::Guessed
    } else {
        ReadingSureness::Sure
    }
}
