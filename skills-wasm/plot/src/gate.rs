//! Whether a storylet may fire now, and if not, what stands first in its way.

use std::fmt;

use narratoria_story_view::Environment;

use crate::{
    action::{DoneAction, is_same},
    document::{GatesDocument, StoryletGate},
    now::PlotNow,
    variants::chance_of,
};

/// Why a storylet does not fire. The order is that in which gates are looked at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum GateFailure {
    /// It fires only as the `then` of a choice.
    Linked,
    /// It has fired, and fires once.
    Once,
    /// It has fired a short time ago.
    Cooldown,
    /// The player is elsewhere.
    Place,
    /// A person is not there.
    Present,
    /// The player has done something else.
    On,
    /// Its condition does not hold, or has no answer.
    When(String),
    /// Chance decided against it.
    Chance,
    /// Another storylet of the turn has claimed the same person or thing.
    Claims,
    /// Enough storylets have fired in this turn.
    PerTurn,
}

impl fmt::Display for GateFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GateFailure::When(text) => write!(f, "when: {text}"),
            other => f.write_str(other.word()),
        }
    }
}

impl GateFailure {
    /// Its kind in one word.
    pub fn word(&self) -> &'static str {
        match self {
            GateFailure::Linked => "linked",
            GateFailure::Once => "once",
            GateFailure::Cooldown => "cooldown",
            GateFailure::Place => "place",
            GateFailure::Present => "present",
            GateFailure::On => "on",
            GateFailure::When(_) => "when",
            GateFailure::Chance => "chance",
            GateFailure::Claims => "claims",
            GateFailure::PerTurn => "per-turn",
        }
    }

    /// How near the storylet was: the higher, the nearer.
    pub(crate) fn nearness(&self) -> u8 {
        match self {
            GateFailure::Linked => 0,
            GateFailure::Once => 1,
            GateFailure::Cooldown => 2,
            GateFailure::Place => 3,
            GateFailure::Present => 4,
            GateFailure::On => 5,
            GateFailure::When(_) => 6,
            GateFailure::Chance => 7,
            GateFailure::Claims => 8,
            GateFailure::PerTurn => 9,
        }
    }
}

/// The moment at which gates are looked at.
#[derive(Debug, Clone, Copy)]
pub struct GateMoment<'a> {
    /// All gates, with their conditions.
    pub gates: &'a GatesDocument,
    /// What play has changed.
    pub now: &'a PlotNow,
    /// The variables.
    pub environment: &'a Environment<'a>,
    /// What the player has done.
    pub actions: &'a [DoneAction],
    /// Decides chance.
    pub seed: u64,
}

impl GateMoment<'_> {
    /// The first gate that is closed, but for those that depend on other storylets of the turn.
    pub fn check(&self, gate: &StoryletGate) -> Result<(), GateFailure> {
        if gate.linked {
            return Err(GateFailure::Linked);
        }
        self.rested(gate)?;
        let place = self.environment.get("place").and_then(|place| place.as_str());
        let is_here = |wanted: &String| place.is_some_and(|place| is_same(wanted, place));
        if !gate.at.is_empty() && !gate.at.iter().any(is_here) {
            return Err(GateFailure::Place);
        }
        if !gate.present.iter().all(|person| self.environment.lists("present", person)) {
            return Err(GateFailure::Present);
        }
        let was_done = || {
            let fits = |action| gate.on.iter().any(|pattern| pattern.fits(action));
            self.actions.iter().any(fits)
        };
        if !gate.on.is_empty() && !was_done() {
            return Err(GateFailure::On);
        }
        self.condition(gate)?;
        match gate.chance {
            Some(chance) if chance_of(&["chance", &gate.id], self.turn_seed()) >= chance => {
                Err(GateFailure::Chance)
            }
            _ => Ok(()),
        }
    }

    /// Whether it has not fired yet, or long enough ago.
    pub fn rested(&self, gate: &StoryletGate) -> Result<(), GateFailure> {
        match (self.now.fired.get(&gate.id), gate.cooldown) {
            (None, _) => Ok(()),
            (Some(_), None) => Err(GateFailure::Once),
            (Some(turn), Some(turns)) if self.now.turn.saturating_sub(*turn) <= turns => {
                Err(GateFailure::Cooldown)
            }
            (Some(_), Some(_)) => Ok(()),
        }
    }

    /// Whether its condition holds. One that has no answer or is missing does not hold.
    pub fn condition(&self, gate: &StoryletGate) -> Result<(), GateFailure> {
        match self.gates.when_of(gate) {
            Some(when) if self.environment.holds(when) == Ok(true) => Ok(()),
            Some(when) => Err(GateFailure::When(when.text.clone())),
            None if gate.when.is_some() => Err(GateFailure::When(String::new())),
            None => Ok(()),
        }
    }

    /// A seed that differs from turn to turn.
    pub fn turn_seed(&self) -> u64 {
        self.seed ^ self.now.turn.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}
