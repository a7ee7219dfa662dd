//! A beat of facts: what earlier steps have established becomes a paragraph. The language model writes it where there is
//! one and says nothing but the facts; else, and where it does not keep to them, the grammar does. What an author has
//! written for this moment follows word for word.

use narratoria_facts::Fact;
use narratoria_sdk::{Ctx, Done, SkillError, json};

use crate::{
    call::{Input, Output},
    facts::{
        FactBeat, KnownFacts, ToldLately, Untruth, WorldView, left_out, narrate_facts, untruths,
    },
    model_prose::{self, NoModelText},
    outcome::{DiceOutcome, DiceResult},
    prose, sentence,
    story::{StoryAfter, StoryBefore, mood_after},
};

/// Tells the facts of this turn.
pub(crate) fn narrate_known(
    ctx: &mut Ctx,
    input: &Input,
    before: &StoryBefore,
    known: &KnownFacts,
) -> Result<Done<Output>, SkillError> {
    let view = WorldView { has_moved: known.has("moved"), ..WorldView::read(ctx) };
    let style = input.style.or(before.style).unwrap_or_default();
    let dice = ctx.inputs().filter_map(|(_, output)| DiceResult::from_output(output?)).last();
    // Where a fact says how the attempt went, or that there was none, the dice add nothing to it.
    let of_facts = outcome_of(&known.facts);
    let is_told = known.tell_of_a_check() || known.has("refused");
    let rolled = dice.map(|dice| dice.outcome).filter(|_| !is_told);
    let outcome = of_facts.or(rolled).or(input.outcome);
    let mut told = ToldLately::read(ctx.state().pointer("/story/told"));
    let mut paragraphs = Vec::new();
    let mut by_model = false;
    let mut model_texts = None;
    if !known.facts.is_empty() {
        let written = write_with_model(ctx, input, before, known, &told, &view);
        by_model = written.is_ok();
        if matches!(written, Ok(_) | Err(NoModelText::Unusable(_))) {
            model_texts = Some(before.model_texts.clone().with(by_model));
        }
        paragraphs.push(match written {
            Ok(text) => {
                told.add_text(&text);
                text
            }
            Err(_) => {
                let beat = FactBeat {
                    known,
                    view: &view,
                    style,
                    dice: rolled.map(prose::result),
                    is_deed: true,
                };
                narrate_facts(&beat, &mut told, ctx.rng())
            }
        });
    }
    paragraphs.retain(|text| !text.is_empty());
    for text in authored_of(known, &told, !paragraphs.is_empty()) {
        told.add_text(&text);
        paragraphs.push(text);
    }
    if !known.after.is_empty() {
        let after = known.afterwards();
        let beat = FactBeat { known: &after, view: &view, style, dice: None, is_deed: false };
        paragraphs.push(narrate_facts(&beat, &mut told, ctx.rng()));
    }
    let text = paragraphs.join("\n\n");
    let act = sentence::parse(&input.prompt);
    let mood = mood_after(before.mood.unwrap_or_default(), act.verb, outcome);
    let after = StoryAfter {
        beats: before.beats.saturating_add(1),
        last_narration: text.clone(),
        last_verb: act.verb,
        last_outcome: outcome,
        mood,
        focus: focus_of(&known.facts),
        scene: view.here.as_deref().map(|here| Some(the(here))),
        recent: before.recent.clone(),
        told: Some(told.into_turns()),
        model_texts,
    };
    ctx.debug(&format!("beat {} tells {} facts, style {style:?}", after.beats, known.facts.len()));
    ctx.patch(json!({ "story": after }));
    Ok(Done::ok().summary(format!("told beat {}", after.beats)).output(Output { text, by_model }))
}

/// The paragraphs of an author. One that the player has read within the last turns is left out where something else
/// answers the turn: a question to the player stands until it is answered, and need not be put again after each deed.
fn authored_of(known: &KnownFacts, told: &ToldLately, has_answer: bool) -> Vec<String> {
    let paragraphs = || known.authored.iter().flat_map(|text| text.split("\n\n"));
    let is_new = |text: &&str| !told.without_known(text).is_empty();
    let kept: Vec<String> = paragraphs().filter(is_new).map(str::to_owned).collect();
    if kept.is_empty() && !has_answer {
        return known.authored.clone();
    }
    kept
}

/// The model's text, if it has written one and the text keeps to the facts. A text that does not is never shown: it is
/// written in silence, and the log says what was wrong with it.
fn write_with_model(
    ctx: &mut Ctx,
    input: &Input,
    before: &StoryBefore,
    known: &KnownFacts,
    told: &ToldLately,
    view: &WorldView,
) -> Result<String, NoModelText> {
    let style = input.style.or(before.style).unwrap_or_default();
    let written = model_prose::write_facts(ctx, before, known, told, style, &input.prompt);
    let text = written.inspect_err(|why| {
        if let Some(line) = why.log_line() {
            ctx.debug(&line);
        }
    })?;
    // The player's own words prove nothing: "I take the dragon's sword" makes no dragon.
    let wrong = untruths(&text, known, view);
    let missing = left_out(&text, known);
    let missing = missing.iter().map(|fact| format!("leaves out: {}", fact.text));
    let faults: Vec<String> = wrong.iter().map(Untruth::to_string).chain(missing).collect();
    if faults.is_empty() {
        return Ok(text);
    }
    let faults = faults.join("; ");
    ctx.warn(&format!("told without the model, whose text {faults}"));
    Err(NoModelText::Unusable(faults))
}

/// How an attempt went, by the facts.
fn outcome_of(facts: &[Fact]) -> Option<DiceOutcome> {
    facts.iter().rev().find_map(|fact| match (fact.fact.as_str(), fact.because.as_deref()) {
        ("persuaded" | "stolen", _) | (_, Some("success" | "picked" | "forced")) => {
            Some(DiceOutcome::Success)
        }
        ("unmoved" | "noticed" | "refused", _) | (_, Some("failure")) => Some(DiceOutcome::Failure),
        _ => None,
    })
}

/// What the story is about now: the last thing or person that a fact is about.
fn focus_of(facts: &[Fact]) -> Option<String> {
    let is_thing = |fact: &&Fact| {
        !matches!(
            fact.fact.as_str(),
            "moved"
                | "exits"
                | "things_here"
                | "people_here"
                | "refused"
                | "not_understood"
                | "waited"
                | "spoken"
        )
    };
    let named = facts.iter().rev().filter(is_thing);
    named.filter_map(|fact| fact.object.as_deref()).next().map(the)
}

/// The name with its article.
fn the(name: &str) -> String {
    let is_proper = name.chars().next().is_some_and(char::is_uppercase);
    let has_article =
        ["the ", "a ", "an ", "your "].iter().any(|article| name.starts_with(article));
    if is_proper || has_article { name.to_owned() } else { format!("the {name}") }
}
