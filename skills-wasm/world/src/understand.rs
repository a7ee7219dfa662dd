//! `world/understand`: reads a sentence into actions, and asks where it may mean several things.

use narratoria_sdk::{Ctx, Done, SkillError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use understanding::{Certainty, Shortfall, Understanding, by_meaning::TopicSearch};
use world_model::{
    act::{Dice, SkillCheck, act as apply, check_for},
    action::{Action, Verb},
    fact::{FactKind, WorldFact},
    possible::{nearest, nearest_with},
    words,
    world::World,
};

use super::{opinion::opinion_of_nobody, own_past::own_past};

/// Most questions about one sentence.
const QUESTIONS_MAX: usize = 3;

/// A sentence to read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnderstandInput {
    /// What the player typed, word for word.
    #[schemars(length(max = 4000))]
    pub sentence: String,
}

/// What the sentence means.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct UnderstandOutput {
    /// What the player does, in order; empty where the sentence is not understood.
    pub actions: Vec<Action>,
    /// How sure this is, where the words do not say all of it: `inferred` from a verb and a name among other words, or
    /// `guessed` from what an unknown verb is done to.
    #[serde(skip_serializing_if = "Certainty::is_said")]
    pub certainty: Certainty,
    /// The check that one of the actions needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<SkillCheck>,
    /// A question that the player has not answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// What is possible instead, where the sentence is not understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<NearestSentences>,
    /// What to tell the player where there are no actions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<WorldFact>,
}

/// Sentences that are possible now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NearestSentences {
    /// Up to three.
    pub nearest: Vec<String>,
}

/// Reads a sentence. Changes nothing.
pub fn understand(
    ctx: &mut Ctx,
    input: UnderstandInput,
) -> Result<Done<UnderstandOutput>, SkillError> {
    let world = super::load(ctx)?;
    let output = read(ctx, &world, &input.sentence)?;
    super::leave(world);
    let summary = match output.actions.len() {
        0 => "no action".to_owned(),
        1 => "one action".to_owned(),
        count => format!("{count} actions"),
    };
    Ok(Done::ok().summary(summary).output(output))
}

/// Reads a sentence, and asks which one is meant.
pub(super) fn read(
    ctx: &mut Ctx,
    world: &World,
    sentence: &str,
) -> Result<UnderstandOutput, SkillError> {
    let answer = opinion_of_nobody(world, sentence).or_else(|| own_past(world, sentence));
    if let Some(fact) = answer {
        return Ok(UnderstandOutput { facts: vec![fact], ..UnderstandOutput::default() });
    }
    let mut world = world.clone();
    let mut meaning = understanding::understand(&world, sentence);
    for _ in 0..QUESTIONS_MAX {
        if meaning.unclear.is_empty() {
            break;
        }
        let question = question(&world, &meaning);
        let choices: Vec<&str> = meaning.unclear.iter().map(String::as_str).collect();
        let answer = match ctx.ask(&question, &choices) {
            Ok(answer) => answer,
            Err(error) if error.code == SkillError::NOBODY_ANSWERED => {
                return Ok(unanswered(question, meaning));
            }
            Err(error) => return Err(error),
        };
        match choice(&world, &meaning.unclear, &answer) {
            Some(chosen) => {
                world.note(chosen);
                meaning = understanding::understand(&world, sentence);
            }
            // Another deed is a change of mind; what is no answer is asked again.
            None => {
                let other = understanding::understand(&world, &answer);
                if !other.actions.is_empty() {
                    meaning = other;
                }
            }
        }
    }
    if !meaning.unclear.is_empty() {
        let question = question(&world, &meaning);
        return Ok(unanswered(question, meaning));
    }
    find_topics(ctx, &world, sentence, &mut meaning.actions);
    let check = first_check(&world, &meaning.actions);
    let mut output = UnderstandOutput { check, ..UnderstandOutput::default() };
    if meaning.unknown && meaning.actions.is_empty() {
        let fact = not_understood(&world, sentence, &meaning);
        output.unknown = Some(NearestSentences { nearest: fact.details.clone() });
        output.facts.push(fact);
    }
    output.certainty = meaning.certainty;
    output.actions = meaning.actions;
    Ok(output)
}

/// The fact about a sentence that means nothing: what is certain about it, and what is possible.
pub(super) fn not_understood(world: &World, sentence: &str, meaning: &Understanding) -> WorldFact {
    let nearest = match &meaning.shortfall {
        Some(Shortfall::NoVerb { name, .. }) => nearest_with(world, sentence, *name),
        _ => nearest(world, sentence),
    };
    let why = meaning.shortfall.as_ref().map(|shortfall| certain(world, shortfall));
    let text = match (why, english::either(&quoted(&nearest))) {
        (None, None) => "You do not know how to do that here.".to_owned(),
        (None, Some(ways)) => format!("That means nothing here. You could try {ways}."),
        (Some(why), None) => why,
        (Some(why), Some(ways)) => format!("{why} You could try {ways}."),
    };
    WorldFact::you(FactKind::NotUnderstood, text).details(nearest)
}

/// What is certain, as a sentence.
fn certain(world: &World, shortfall: &Shortfall) -> String {
    match shortfall {
        Shortfall::NothingSpokenOf { verb, pronoun } => format!(
            "You want to {verb} something, and nothing has been named yet that \u{201c}{pronoun}\u{201d} could mean."
        ),
        Shortfall::NoVerb { name, word } => {
            let (the, them) = (world.the(*name), world.entity(*name).them());
            format!(
                "You mean {the}, and \u{201c}{word}\u{201d} says nothing that you could do with {them}."
            )
        }
        Shortfall::UnknownWords(words) => {
            let verb = if words.len() == 1 { "means" } else { "mean" };
            format!("{} {verb} nothing here.", english::list(&quoted(words)))
        }
    }
}

fn quoted(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| format!("\u{201c}{text}\u{201d}")).collect()
}

/// Finds the topics that are spoken of in words of the player's own, if there is a model that compares texts.
fn find_topics(ctx: &mut Ctx, world: &World, sentence: &str, actions: &mut [Action]) {
    let Some(search) = TopicSearch::of(world, actions) else { return };
    if let Ok(nearness) = ctx.meaning().compare(sentence, search.texts()) {
        search.resolve(world, sentence, &nearness, actions);
    }
}

/// The check that the actions come to, with everything before it done. None where what needs it will be refused, or is
/// never reached.
fn first_check(world: &World, actions: &[Action]) -> Option<SkillCheck> {
    if !actions.iter().any(|action| check_for(world, action).is_some()) {
        return None;
    }
    let (mut tried, mut dice) = (world.clone(), Dice::new(None, 0));
    for action in actions {
        let outcome = apply(&mut tried, action, &mut dice);
        if let Some(made) = outcome.check {
            return Some(made.check);
        }
        if outcome.refused.is_some() && action.action == Verb::Go {
            return None;
        }
    }
    None
}

fn question(world: &World, meaning: &Understanding) -> String {
    let names: Vec<String> = meaning
        .unclear
        .iter()
        .filter_map(|name| world.find(name))
        .map(|id| world.the(id))
        .collect();
    format!("Which do you mean, {}?", english::list(&names).replace(" and ", " or "))
}

/// The one option that the answer names better than the others.
fn choice(world: &World, options: &[String], answer: &str) -> Option<world_model::entity::NamedId> {
    let said = words::split(&answer.chars().take(200).collect::<String>());
    let score = |name: &String| -> u32 {
        let known = words::split(name);
        said.iter()
            .map(|word| {
                known.iter().map(|k| u32::from(english::likeness(word, k))).max().unwrap_or(0)
            })
            .sum()
    };
    let most = options.iter().map(score).max().filter(|most| *most > 0)?;
    let mut best = options.iter().filter(|name| score(name) == most);
    match (best.next(), best.next()) {
        (Some(only), None) => world.find(only),
        _ => None,
    }
}

fn unanswered(question: String, meaning: Understanding) -> UnderstandOutput {
    let fact = WorldFact::you(FactKind::Question, question.clone()).details(meaning.unclear);
    UnderstandOutput { question: Some(question), facts: vec![fact], ..UnderstandOutput::default() }
}
