//! Tells what happens: the player's words, the dice and the story so far become a few sentences that go on from
//! where the last ones ended. The language model writes them where there is one, else templates do.

mod call;
mod fact_beat;
mod facts;
mod model_prose;
mod narration;
mod noun;
mod outcome;
mod prose;
mod sentence;
mod slots;
mod story;
mod variants;
mod verbs;
mod words;

use std::process::ExitCode;

use narratoria_sdk::{Ctx, Done, SkillError, Value, json};

use call::{Input, Output};
use narration::{BeatContext, NarratedBeat, narrate_beat};
use noun::Noun;
use outcome::{DiceOutcome, DiceResult};
use sentence::PlayerAction;
use story::{StoryAfter, StoryBefore, mood_after};
use verbs::Verb;

/// Longest sentence of an earlier step's text that the model reads, in characters.
const TOLD_CHARS_MAX: usize = 240;

fn main() -> ExitCode {
    narratoria_sdk::run(narrate)
}

fn narrate(ctx: &mut Ctx, input: Input) -> Result<Done<Output>, SkillError> {
    let before = StoryBefore::read(ctx);
    let known = facts::KnownFacts::read(ctx);
    if !known.is_empty() {
        return fact_beat::narrate_known(ctx, &input, &before, &known);
    }
    let act = understand(&input, &before);
    let dice = ctx.inputs().filter_map(|(_, output)| DiceResult::from_output(output?)).last();
    let outcome = dice.map(|dice| dice.outcome).or(input.outcome);
    let mood = mood_after(before.mood.unwrap_or_default(), act.verb, outcome);
    let style = input.style.or(before.style).unwrap_or_default();
    let texts = ctx.inputs().filter_map(|(_, output)| text_of(output?));
    let already_told: Vec<String> = texts.filter_map(first_sentence).collect();
    let has_told_step = ctx.inputs().any(|(_, output)| output.and_then(text_of).is_some());
    let has_world = has_world(ctx);
    let beat = BeatContext {
        act: &act,
        dice,
        outcome,
        has_told_step,
        has_world,
        before: &before,
        mood,
        style,
    };
    let (told, by_model) = match dice.filter(|_| has_world) {
        Some(dice) => {
            (NarratedBeat { text: dice_alone(dice), recent: before.recent.clone() }, false)
        }
        None => tell_beat(ctx, &beat, &input.prompt, &already_told),
    };
    let after = StoryAfter {
        beats: before.beats.saturating_add(1),
        last_narration: told.text.clone(),
        last_verb: act.verb,
        last_outcome: outcome,
        mood,
        focus: act.object.as_ref().map(|noun| noun.text.clone()),
        scene: scene_after(&act, outcome),
        recent: told.recent,
        told: None,
        model_texts: None,
    };
    ctx.debug(&format!("beat {} is {:?}, mood {mood:?}, style {style:?}", after.beats, act.verb));
    ctx.patch(json!({ "story": after }));
    let output = Output { text: told.text, by_model };
    Ok(Done::ok().summary(format!("told beat {}", after.beats)).output(output))
}

/// The model tells the beat, else templates do. Returns true with a text of the model.
fn tell_beat(
    ctx: &mut Ctx,
    beat: &BeatContext<'_>,
    prompt: &str,
    already_told: &[String],
) -> (NarratedBeat, bool) {
    match model_prose::write_with_model(ctx, beat, prompt, already_told) {
        // No template was used.
        Ok(text) => (NarratedBeat { text, recent: beat.before.recent.clone() }, true),
        Err(why) => {
            if let Some(line) = why.log_line() {
                ctx.debug(&line);
            }
            (narrate_beat(beat, ctx.rng()), false)
        }
    }
}

/// Returns true if the story has a world.
fn has_world(ctx: &Ctx) -> bool {
    ctx.state().pointer("/world/now").is_some_and(|now| !now.is_null())
}

/// A roll of which no step made a fact. In a world only facts say what comes of an attempt, so nothing does.
fn dice_alone(dice: DiceResult) -> String {
    format!("The dice show {}.", dice.total)
}

/// What the player does, with what was left unsaid filled in from the planner and from the story.
fn understand(input: &Input, before: &StoryBefore) -> PlayerAction {
    let act = sentence::parse(&input.prompt);
    let named = input.focus.as_deref().and_then(Noun::from_text);
    let pronoun = act.refers_back;
    let fits = |focus: &&Noun| pronoun.is_some_and(|pronoun| pronoun.fits(focus));
    let meant = before.focus.as_ref().filter(fits).cloned();
    act.about(named.or(meant))
}

/// The text of an earlier step. The host tells it to the player word for word, so no beat repeats it.
fn text_of(output: &Value) -> Option<&str> {
    output.get("text")?.as_str().filter(|text| !text.trim().is_empty())
}

/// The first sentence of a text, if it is short and has words.
fn first_sentence(text: &str) -> Option<String> {
    let text = words::clean(text);
    let end = text.find(['.', '!', '?']).map_or(text.len(), |at| at + 1);
    let sentence = &text[..end];
    let usable =
        sentence.chars().count() <= TOLD_CHARS_MAX && sentence.chars().any(char::is_alphabetic);
    let ended = if end == text.len() && !text.ends_with(['.', '!', '?']) {
        format!("{sentence}.")
    } else {
        sentence.to_owned()
    };
    usable.then(|| slots::capitalised(&ended))
}

/// Where the player is afterwards: going somewhere changes it, leaving forgets it.
fn scene_after(act: &PlayerAction, outcome: Option<DiceOutcome>) -> Option<Option<String>> {
    match (act.verb, &act.object) {
        _ if outcome.is_some_and(DiceOutcome::is_failure) => None,
        (Verb::Go, Some(place)) if !place.person => Some(Some(place.text.clone())),
        (Verb::Leave, _) => Some(None),
        (Verb::Go, None) if act.way.is_some() => Some(None),
        _ => None,
    }
}

#[cfg(test)]
mod evening_tests;
#[cfg(test)]
mod tests;
