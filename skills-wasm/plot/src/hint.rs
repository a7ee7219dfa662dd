//! What a player reads who asks for a hint. Pure.

use std::cmp::Reverse;

use narratoria_sdk::SkillError;
use narratoria_story_view::Environment;

use crate::{
    advance::{DeckReader, PlotParts},
    gate::GateMoment,
    now::PlotNow,
    variants::draw,
};

/// The hint of this moment: the campaign's first that holds, else that of a storylet which waits only for the place, the
/// people or the deed. None where there is neither.
pub fn hint(
    parts: PlotParts<'_>,
    now: &PlotNow,
    environment: &Environment<'_>,
    seed: u64,
    read: &mut DeckReader<'_>,
) -> Result<Option<String>, SkillError> {
    if now.ended.is_some() {
        return Ok(None);
    }
    let hints = &parts.plot.hints;
    if let Some(hint) = hints.iter().find(|hint| environment.holds(&hint.when) == Ok(true)) {
        return Ok(Some(hint.text.clone()));
    }
    let moment = GateMoment { gates: parts.gates, now, environment, actions: &[], seed };
    let waits = |gate: &&crate::document::StoryletGate| {
        gate.hinted && !gate.linked && moment.rested(gate).is_ok() && moment.condition(gate).is_ok()
    };
    let best = parts.gates.storylets.iter().filter(waits).min_by_key(|gate| {
        let order = draw(&["hint", &gate.id], moment.turn_seed());
        (Reverse(gate.priority), Reverse(gate.specificity), order)
    });
    let Some(gate) = best else { return Ok(None) };
    let Some(deck) = parts.gates.decks.get(gate.deck) else { return Ok(None) };
    let texts = read(&deck.id)?;
    Ok(texts.storylets.get(&gate.id).and_then(|storylet| storylet.hint.clone()))
}
