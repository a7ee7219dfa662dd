//! Chooses sentences and fills them: [`Act`], dice and what was before → the text of a beat.

use narratoria_sdk::Rng;

use crate::{
    outcome::DiceResult,
    outcome::Outcome,
    prose::{self, SentencePool},
    sentence::PlayerAction,
    slots::Slots,
    story::{Mood, RECENT_MAX, StoryBefore, Style},
    verbs::Verb,
};

/// Most sentences of a beat.
const SENTENCES_MAX: usize = 4;

/// All that a beat is told from.
#[derive(Debug)]
pub(crate) struct BeatContext<'a> {
    pub(crate) act: &'a PlayerAction,
    pub(crate) dice: Option<DiceResult>,
    pub(crate) outcome: Option<Outcome>,
    /// An earlier step has a text of its own, which the player reads before this beat.
    pub(crate) has_told_step: bool,
    pub(crate) before: &'a StoryBefore,
    pub(crate) mood: Mood,
    pub(crate) style: Style,
}

/// A beat, told.
#[derive(Debug)]
pub(crate) struct NarratedBeat {
    pub(crate) text: String,
    /// The ids of the latest templates, the newest last.
    pub(crate) recent: Vec<String>,
}

/// Tells a beat in two to four sentences.
pub(crate) fn narrate_beat(beat: &BeatContext<'_>, rng: &mut Rng) -> NarratedBeat {
    let mut teller = BeatNarrator {
        slots: Slots::of(beat.act, beat.dice, beat.before),
        terse: beat.style == Style::Terse,
        rng,
        recent: beat.before.recent.clone(),
        sentences: Vec::new(),
    };
    let starts = beat.before.beats == 0 && beat.before.scene.is_none();
    if starts {
        teller.add(prose::opening(beat.style));
    }
    // The text of an earlier step has told the deed; the beat goes on from there.
    if !beat.has_told_step {
        teller.add_naming(prose::deed(beat.act.verb));
    }
    match beat.outcome {
        Some(outcome) => teller.add_result(outcome, beat.act.verb),
        None if beat.has_told_step => {}
        None => teller.add_detail(beat),
    }
    teller.add_close(beat, starts);
    if teller.sentences.is_empty() {
        teller.add(prose::hook(beat.style));
    }
    let BeatNarrator { sentences, mut recent, .. } = teller;
    let forgotten = recent.len().saturating_sub(RECENT_MAX);
    recent.drain(..forgotten);
    NarratedBeat { text: sentences.join(" "), recent }
}

struct BeatNarrator<'a> {
    slots: Slots,
    terse: bool,
    rng: &'a mut Rng,
    recent: Vec<String>,
    sentences: Vec<String>,
}

impl BeatNarrator<'_> {
    /// What the dice mean: for this kind of deed, in general, or both at the ends of the scale.
    fn add_result(&mut self, outcome: Outcome, verb: Verb) {
        let critical = matches!(outcome, Outcome::CriticalFailure | Outcome::CriticalSuccess);
        let wanted = critical || !self.one_in(3);
        let special = prose::special_result(outcome, verb)
            .filter(|_| wanted)
            .is_some_and(|pool| self.add(pool));
        let room = self.sentences.len() < SENTENCES_MAX;
        if !special || (critical && room) {
            self.add(prose::result(outcome));
        }
    }

    fn add_detail(&mut self, beat: &BeatContext<'_>) {
        let aside = prose::aside(beat.style).filter(|_| beat.act.object.is_some());
        let told = match aside {
            Some(pool) if self.one_in(2) => self.add(pool),
            _ => false,
        };
        if !told {
            self.add(prose::detail(beat.act.verb));
        }
    }

    /// How the place feels, and what pulls the story on.
    fn add_close(&mut self, beat: &BeatContext<'_>, starts: bool) {
        if self.terse {
            if self.one_in(3) {
                self.add(prose::hook(beat.style));
            }
            return;
        }
        if !starts && self.sentences.len() < SENTENCES_MAX {
            if self.one_in(4) && self.add(prose::link()) {
                return;
            }
            self.add(prose::ambience(beat.style, beat.mood));
        }
        if self.sentences.len() < SENTENCES_MAX && self.one_in(2) {
            self.add(prose::hook(beat.style));
        }
    }

    /// Adds one sentence of the pool; false where none of them fits.
    fn add(&mut self, pool: SentencePool) -> bool {
        let candidates = self.fitting(pool);
        self.add_one_of(pool, candidates)
    }

    /// Adds one that says as much as it can of what the player named.
    fn add_naming(&mut self, pool: SentencePool) -> bool {
        let mut candidates = self.fitting(pool);
        for place in Slots::PREFERRED {
            if self.slots.get(place).is_some() {
                let telling: Vec<_> =
                    candidates.iter().copied().filter(|(_, text)| mentions(text, place)).collect();
                if !telling.is_empty() {
                    candidates = telling;
                }
            }
        }
        self.add_one_of(pool, candidates)
    }

    /// The sentences whose places can be filled, with their numbers in the pool.
    fn fitting(&self, pool: SentencePool) -> Vec<(usize, &'static str)> {
        let short = pool.short.iter().copied().enumerate();
        let full = (pool.short.len()..).zip(pool.full.iter().copied());
        let fits = |(_, text): &(usize, &'static str)| self.slots.fit(text);
        let short: Vec<_> = short.filter(fits).collect();
        if self.terse && !short.is_empty() { short } else { full.filter(fits).collect() }
    }

    fn add_one_of(&mut self, pool: SentencePool, candidates: Vec<(usize, &'static str)>) -> bool {
        let named: Vec<(String, &str)> =
            candidates.iter().map(|(idx, text)| (format!("{}{idx}", pool.name), *text)).collect();
        let Some((id, template)) = self.freshest(&named) else { return false };
        self.recent.retain(|known| *known != id);
        self.recent.push(id);
        self.sentences.push(self.slots.fill(template));
        true
    }

    /// One that was not used lately; where all were, the one whose use is longest ago.
    fn freshest(
        &mut self,
        candidates: &[(String, &'static str)],
    ) -> Option<(String, &'static str)> {
        let age = |id: &String| self.recent.iter().position(|known| known == id);
        let fresh: Vec<_> = candidates.iter().filter(|(id, _)| age(id).is_none()).collect();
        let oldest = candidates.iter().min_by_key(|(id, _)| age(id));
        self.rng.pick(&fresh).copied().or(oldest).cloned()
    }

    fn one_in(&mut self, count: i64) -> bool {
        self.rng.range(1..=count) == 1
    }
}

/// Whether the template has the place.
fn mentions(template: &str, place: &str) -> bool {
    template.contains(&format!("{{{place}}}"))
}
