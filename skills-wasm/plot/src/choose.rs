//! A choice that the player takes: its text and effects, and the storylet that follows. Pure.

use narratoria_facts::Fact;
use narratoria_sdk::SkillError;
use narratoria_story_view::Environment;

use crate::{
    action::is_same,
    advance::{DeckReader, PlotParts, PlotTurn, TurnMaker},
    document::{StoryletChoice, StoryletGate},
    gate::{CheckedStorylet, GateMoment},
    now::{OfferedChoice, PlotNow},
};

/// What the player reads where a choice has become impossible since it was offered.
const TOO_LATE: &str = "It is too late for that now.";

/// Takes a choice, by its label. The error names what can be chosen.
pub fn choose(
    parts: PlotParts<'_>,
    now: &mut PlotNow,
    environment: Environment<'_>,
    label: &str,
    seed: u64,
    read: &mut DeckReader<'_>,
) -> Result<PlotTurn, SkillError> {
    let offered = std::mem::take(&mut now.offered);
    now.offered_at = None;
    let Some(taken) = offered.iter().find(|choice| is_same(&choice.label, label)) else {
        return Err(not_offered(label, &offered));
    };
    let (gate, choice) = find(parts, &taken.id, read)?;
    let mut maker = TurnMaker { parts, now, environment, read, seed, turn: PlotTurn::default() };
    maker.refresh();
    let is_possible = |when| maker.environment.holds(when) == Ok(true);
    if !choice.when.as_ref().is_none_or(is_possible) {
        maker.turn.facts.push(Fact::you("told", TOO_LATE));
        return Ok(maker.turn);
    }
    maker.now.chosen.insert(choice.id.clone(), maker.now.turn);
    if let Some(text) = &choice.text {
        maker.turn.facts.push(Fact::you("told", text.clone()));
    }
    maker.apply(&choice.effects);
    let next = choice.then.as_deref().unwrap_or_default();
    if let Some(next) = parts.gates.storylets.iter().find(|one| one.id == next && *one != gate) {
        let moment =
            GateMoment { now: maker.now, environment: &maker.environment, actions: &[], seed };
        match moment.rested(next).and_then(|()| moment.condition(next)) {
            Ok(()) => maker.fire(next)?,
            Err(failure) => maker
                .turn
                .checked
                .push(CheckedStorylet { id: next.id.clone(), failed: failure.to_string() }),
        }
    }
    maker.end();
    maker.turn.offered.clone_from(&maker.now.offered);
    Ok(maker.turn)
}

/// The choice of this id, with its storylet.
fn find<'a>(
    parts: PlotParts<'a>,
    id: &str,
    read: &mut DeckReader<'_>,
) -> Result<(&'a StoryletGate, StoryletChoice), SkillError> {
    let storylet = id.split('/').next().unwrap_or_default();
    let gate = parts.gates.storylets.iter().find(|gate| gate.id == storylet);
    let deck = gate.and_then(|gate| parts.gates.decks.get(gate.deck));
    let found = match (gate, deck) {
        (Some(gate), Some(deck)) => {
            let texts = read(&deck.id)?;
            let choices = texts.storylets.get(storylet).map(|storylet| storylet.choices.as_slice());
            let choice = choices.unwrap_or_default().iter().find(|choice| choice.id == id);
            choice.cloned().map(|choice| (gate, choice))
        }
        _ => None,
    };
    found.ok_or_else(|| {
        let message = format!("the choice `{id}` is not in this version of the campaign");
        SkillError::new("NO_SUCH_CHOICE", message)
    })
}

fn not_offered(label: &str, offered: &[OfferedChoice]) -> SkillError {
    let labels: Vec<String> =
        offered.iter().map(|choice| format!("\u{201c}{}\u{201d}", choice.label)).collect();
    let message = match labels.is_empty() {
        true => format!("`{label:.100}` cannot be chosen: nothing is offered now"),
        false => format!("`{label:.100}` cannot be chosen; offered are {}", labels.join(", ")),
    };
    SkillError::new("NOT_OFFERED", message)
}
