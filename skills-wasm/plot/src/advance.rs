//! One turn of the plot: which storylets fire, what they tell, and what they change. Pure.

use std::{cmp::Reverse, collections::BTreeSet, sync::Arc};

use narratoria_facts::{Fact, FeelingRise, WorldChange};
use narratoria_sdk::{SkillError, json};
use narratoria_story_view::Environment;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    action::{DoneAction, is_same},
    checked::{CHECKED_BYTES_MAX, CheckedStorylets, record},
    definition::ThreadOpening,
    document::{
        Effects, GatesDocument, PlotDocument, StoryletChoice, StoryletGate, StoryletTexts,
        TextsDocument,
    },
    gate::{GateFailure, GateMoment},
    now::{OfferedChoice, PlotNow, ReachedEnding},
    variants::{draw, next_variant},
};

/// Storylets that fire in one turn: a player reads a few paragraphs at once, not a chapter.
pub const FIRED_MAX: usize = 3;
/// Turns in which the player does something else before what was offered lapses: a question that was passed over three times
/// has been answered.
pub const OFFER_TURNS_MAX: u32 = 3;

/// Why a text is told that answers a deed: it stands in place of the world's own line about it. `object` is what the deed was
/// done to.
const DEED: &str = "deed";

/// Brings the texts of a deck. They are read only for decks that fire.
pub type DeckReader<'d> = dyn FnMut(&str) -> Result<Arc<TextsDocument>, SkillError> + 'd;

/// The campaign as far as the engine reads it at once.
#[derive(Debug, Clone, Copy)]
pub struct PlotParts<'a> {
    /// `gates.json`
    pub gates: &'a GatesDocument,
    /// `plot.json`
    pub plot: &'a PlotDocument,
}

/// What a turn of the plot has brought.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct PlotTurn {
    /// The storylets that have fired, in order.
    pub fired: Vec<FiredStorylet>,
    /// What the player reads.
    pub facts: Vec<Fact>,
    /// What changes in the world: the input of `world/change`.
    pub changes: Vec<WorldChange>,
    /// What factions think: the input of `reputation/update-reputation`.
    pub reputation: Vec<StandingRise>,
    /// What people think: the input of `npc-perception/update-perception`.
    pub feelings: Vec<FeelingRise>,
    /// What the player can choose now.
    pub offered: Vec<OfferedChoice>,
    /// The ending that was reached in this turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<ReachedEnding>,
    /// The storylets that did not fire, in groups by the reason, the nearest first.
    pub checked: Vec<CheckedStorylets>,
    /// Storylets that did not fire and for which `checked` has no room.
    #[serde(rename = "checkedLeftOff", skip_serializing_if = "is_zero")]
    pub checked_left_off: usize,
    /// Threads that begin.
    #[serde(skip)]
    pub opens: Vec<ThreadOpening>,
    /// Threads that end.
    #[serde(skip)]
    pub closes: Vec<String>,
    /// What the story remembers.
    #[serde(skip)]
    pub remember: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A storylet that has fired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FiredStorylet {
    /// Its id.
    pub id: String,
    /// Its deck.
    pub deck: String,
}

/// A faction that thinks differently of the player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StandingRise {
    /// The faction.
    pub faction: String,
    /// Points.
    pub by: i64,
    /// Whether this is what they think at the beginning, of which nothing is told.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub begin: bool,
}

/// A turn that is being made.
pub(crate) struct TurnMaker<'a, 's, 'd> {
    pub(crate) parts: PlotParts<'a>,
    pub(crate) now: &'a mut PlotNow,
    pub(crate) environment: Environment<'s>,
    pub(crate) read: &'a mut DeckReader<'d>,
    pub(crate) seed: u64,
    pub(crate) turn: PlotTurn,
    /// Where in the facts the question is told whose choices are offered.
    pub(crate) question: Option<usize>,
}

/// Advances the plot by one turn. `environment` holds the variables after the player's actions, and `now` after what people
/// have said.
pub fn advance(
    parts: PlotParts<'_>,
    now: &mut PlotNow,
    environment: Environment<'_>,
    actions: &[DoneAction],
    seed: u64,
    read: &mut DeckReader<'_>,
) -> Result<PlotTurn, SkillError> {
    let mut maker = TurnMaker::new(parts, now, environment, read, seed);
    if maker.now.ended.is_some() {
        return Ok(maker.turn);
    }
    maker.refresh();
    maker.drop_stale_offers(actions)?;
    for at in maker.select(actions) {
        let gate = &parts.gates.storylets[at];
        let is_asked = |action: &&DoneAction| gate.on.iter().any(|pattern| pattern.fits(action));
        maker.fire(gate, actions.iter().find(is_asked))?;
    }
    maker.ask_last();
    maker.end();
    maker.turn.offered.clone_from(&maker.now.offered);
    Ok(maker.turn)
}

/// The choice of this id, with its storylet; `None` where this version of the campaign has none.
pub(crate) fn find_choice<'a>(
    parts: PlotParts<'a>,
    id: &str,
    read: &mut DeckReader<'_>,
) -> Result<Option<(&'a StoryletGate, StoryletChoice)>, SkillError> {
    let storylet = id.split('/').next().unwrap_or_default();
    let gate = parts.gates.storylets.iter().find(|gate| gate.id == storylet);
    let Some(gate) = gate else { return Ok(None) };
    let Some(deck) = parts.gates.decks.get(gate.deck) else { return Ok(None) };
    let texts = read(&deck.id)?;
    let choices = texts.storylets.get(storylet).map(|storylet| storylet.choices.as_slice());
    let choice = choices.unwrap_or_default().iter().find(|choice| choice.id == id);
    Ok(choice.cloned().map(|choice| (gate, choice)))
}

impl<'a, 's, 'd> TurnMaker<'a, 's, 'd> {
    /// A turn in which nothing has happened yet.
    pub(crate) fn new(
        parts: PlotParts<'a>,
        now: &'a mut PlotNow,
        environment: Environment<'s>,
        read: &'a mut DeckReader<'d>,
        seed: u64,
    ) -> TurnMaker<'a, 's, 'd> {
        let turn = PlotTurn::default();
        TurnMaker { parts, now, environment, read, seed, turn, question: None }
    }
}

impl TurnMaker<'_, '_, '_> {
    /// The variables after what has changed in this turn.
    pub(crate) fn refresh(&mut self) {
        for (name, value) in &self.now.qualities {
            self.environment.set(name, json!(value));
        }
        self.environment.set("turn", json!(self.now.turn));
        self.environment.set("fired", json!(self.now.fired.keys().collect::<Vec<_>>()));
        self.environment.set("chosen", json!(self.now.chosen.keys().collect::<Vec<_>>()));
    }

    /// What was offered elsewhere or some turns ago lapses, and so does what has become impossible. A sentence that does
    /// nothing is no other answer.
    fn drop_stale_offers(&mut self, actions: &[DoneAction]) -> Result<(), SkillError> {
        let place = self.environment.get("place").and_then(|place| place.as_str());
        if !actions.is_empty() {
            self.now.offered_turns = self.now.offered_turns.saturating_sub(1);
        }
        if self.now.offered_at.as_deref() != place || self.now.offered_turns == 0 {
            self.now.drop_passing_offers();
        }
        let mut possible = Vec::new();
        for offered in std::mem::take(&mut self.now.offered) {
            let Some((gate, choice)) = find_choice(self.parts, &offered.id, self.read)? else {
                continue;
            };
            let holds = |when| self.environment.holds(when) == Ok(true);
            let is_here = |person: &String| self.environment.lists("present", person);
            if choice.when.as_ref().is_none_or(holds) && gate.present.iter().all(is_here) {
                possible.push(offered);
            }
        }
        self.now.offered = possible;
        Ok(())
    }

    /// What asks the player something is told last, next to its choices.
    fn ask_last(&mut self) {
        if let Some(at) = self.question.filter(|at| *at < self.turn.facts.len()) {
            let question = self.turn.facts.remove(at);
            self.turn.facts.push(question);
        }
    }

    /// The storylets that fire, the best first; all others are reported.
    fn select(&mut self, actions: &[DoneAction]) -> Vec<usize> {
        let moment = GateMoment {
            gates: self.parts.gates,
            now: self.now,
            environment: &self.environment,
            actions,
            seed: self.seed,
        };
        let gates = &self.parts.gates.storylets;
        let (mut fitting, mut failed) = (Vec::new(), Vec::new());
        for (at, gate) in gates.iter().enumerate() {
            match moment.check(gate) {
                Ok(()) => fitting.push(at),
                Err(failure) => failed.push((at, failure)),
            }
        }
        let seed = moment.turn_seed();
        fitting.sort_by_cached_key(|at| {
            let gate = &gates[*at];
            let order = draw(&["order", &gate.id], seed);
            (Reverse(gate.priority), Reverse(gate.specificity), order)
        });
        let mut chosen = Vec::new();
        let mut claimed = BTreeSet::new();
        let mut of_deck = vec![0_u32; self.parts.gates.decks.len()];
        for at in fitting {
            let gate = &gates[at];
            let left = self.parts.gates.decks.get(gate.deck).map_or(0, |deck| deck.per_turn);
            let used = of_deck.get(gate.deck).copied().unwrap_or(0);
            if gate.claims.iter().any(|name| claimed.contains(name)) {
                failed.push((at, GateFailure::Claims));
            } else if used >= left || chosen.len() >= FIRED_MAX {
                failed.push((at, GateFailure::PerTurn));
            } else {
                claimed.extend(gate.claims.iter().cloned());
                if let Some(used) = of_deck.get_mut(gate.deck) {
                    *used += 1;
                }
                chosen.push(at);
            }
        }
        let record = record(gates, failed, CHECKED_BYTES_MAX);
        self.turn.checked = record.groups;
        self.turn.checked_left_off = record.left_off;
        chosen
    }

    /// Tells a storylet and applies what it changes. `deed` is the deed that it tells of, if it waited for one.
    pub(crate) fn fire(
        &mut self,
        gate: &StoryletGate,
        deed: Option<&DoneAction>,
    ) -> Result<(), SkillError> {
        let Some(deck) = self.parts.gates.decks.get(gate.deck) else { return Ok(()) };
        let texts = (self.read)(&deck.id)?;
        let Some(storylet) = texts.storylets.get(&gate.id) else {
            let message = format!("the storylet `{}` has no texts in `{}`", gate.id, deck.id);
            return Err(SkillError::new("INVALID_CAMPAIGN", message));
        };
        self.now.fired.insert(gate.id.clone(), self.now.turn);
        self.turn.fired.push(FiredStorylet { id: gate.id.clone(), deck: deck.id.clone() });
        let told = self.turn.facts.len();
        self.tell(&gate.id, storylet, deed);
        self.apply(&storylet.effects);
        if self.offer(gate, storylet) && self.turn.facts.len() > told {
            self.question = Some(told);
        }
        Ok(())
    }

    fn tell(&mut self, id: &str, storylet: &StoryletTexts, deed: Option<&DoneAction>) {
        let at = match storylet.texts.len() {
            0 => return,
            1 => 0,
            count => {
                let used = self.now.texts.entry(id.to_owned()).or_default();
                next_variant(id, count, used, self.seed ^ self.now.turn)
            }
        };
        if let Some(text) = storylet.texts.get(at) {
            let mut fact = Fact::you("told", text.clone());
            if let Some(deed) = deed {
                fact.because = Some(DEED.to_owned());
                fact.object.clone_from(&deed.target);
            }
            self.turn.facts.push(fact);
        }
    }

    pub(crate) fn apply(&mut self, effects: &Effects) {
        self.now.apply_effects(self.parts.plot, effects);
        self.turn.changes.extend(effects.changes.iter().cloned());
        let standings = effects.reputation.iter();
        self.turn.reputation.extend(standings.map(|(faction, by)| StandingRise {
            faction: faction.clone(),
            by: *by,
            begin: false,
        }));
        let feelings = effects.feelings.iter();
        self.turn.feelings.extend(feelings.map(|(person, by)| FeelingRise {
            person: person.clone(),
            by: *by,
            remember: None,
        }));
        self.turn.opens.extend(effects.opens.clone());
        self.turn.closes.extend(effects.closes.clone());
        self.turn.remember.extend(effects.remember.clone());
        self.refresh();
    }

    /// Offers the choices of the first storylet of the turn that has any. Returns true if it is this one.
    fn offer(&mut self, gate: &StoryletGate, storylet: &StoryletTexts) -> bool {
        if !self.turn.offered.is_empty() {
            return false;
        }
        for choice in &storylet.choices {
            let holds = |when| self.environment.holds(when) == Ok(true);
            if choice.when.as_ref().is_none_or(holds) {
                let (id, label) = (choice.id.clone(), choice.label.clone());
                self.turn.offered.push(OfferedChoice { id, label, lasting: gate.lasting });
            }
        }
        if !self.turn.offered.is_empty() {
            let earlier = std::mem::replace(&mut self.now.offered, self.turn.offered.clone());
            // New choices come first. Of two with the same label, only the new one is offered.
            self.now.offered.extend(earlier.into_iter().filter(|choice| {
                choice.lasting
                    && choice.storylet() != gate.id
                    && !self.turn.offered.iter().any(|new| is_same(&new.label, &choice.label))
            }));
            let place = self.environment.get("place").and_then(|place| place.as_str());
            self.now.offered_at = place.map(str::to_owned);
            self.now.offered_turns = OFFER_TURNS_MAX;
        }
        !self.turn.offered.is_empty()
    }

    /// Brings the first ending whose condition holds.
    pub(crate) fn end(&mut self) {
        let holds = |ending: &&crate::document::StoryEnding| {
            self.environment.holds(&ending.when) == Ok(true)
        };
        let Some(ending) = self.parts.plot.endings.iter().find(holds) else { return };
        let reached = ReachedEnding { id: ending.id.clone(), title: ending.title.clone() };
        let mut fact = Fact::you("ended", ending.text.clone());
        fact.object = Some(ending.title.clone());
        self.turn.facts.push(fact);
        self.turn.ended = Some(reached.clone());
        self.now.ended = Some(reached);
        self.now.clear_offers();
    }
}
