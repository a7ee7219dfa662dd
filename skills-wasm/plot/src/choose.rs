//! A choice that the player takes: its text and effects, and the storylet that follows. Pure.

use narratoria_facts::Fact;
use narratoria_sdk::SkillError;
use narratoria_story_view::Environment;

use crate::{
    action::is_same,
    advance::{DeckReader, PlotParts, PlotTurn, TurnMaker, find_choice},
    checked::CheckedStorylets,
    gate::GateMoment,
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
    let offered = now.clear_offers();
    let Some(taken) = offered.iter().find(|choice| is_same(&choice.label, label)) else {
        return Err(not_offered(label, &offered));
    };
    let stays = |choice: &&OfferedChoice| choice.lasting && choice.storylet() != taken.storylet();
    now.offered = offered.iter().filter(stays).cloned().collect();
    let (gate, choice) = find_choice(parts, &taken.id, read)?.ok_or_else(|| {
        let message = format!("the choice `{}` is not in this version of the campaign", taken.id);
        SkillError::new("NO_SUCH_CHOICE", message)
    })?;
    let mut maker = TurnMaker::new(parts, now, environment, read, seed);
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
    let next = choice.then.as_deref().filter(|next| *next != gate.id);
    if let Some(next) = parts.gates.storylets.iter().find(|one| Some(one.id.as_str()) == next) {
        let moment = GateMoment {
            gates: parts.gates,
            now: maker.now,
            environment: &maker.environment,
            actions: &[],
            seed,
        };
        match moment.rested(next).and_then(|()| moment.condition(next)) {
            Ok(()) => maker.fire(next, None)?,
            Err(failure) => maker.turn.checked.push(CheckedStorylets {
                failed: failure.to_string(),
                storylets: vec![next.id.clone()],
            }),
        }
    }
    maker.end();
    maker.turn.offered.clone_from(&maker.now.offered);
    Ok(maker.turn)
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
