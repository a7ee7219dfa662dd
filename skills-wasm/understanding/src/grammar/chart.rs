//! The readings of a verb and what stands behind it: every frame of the verb over every way to take the words apart. Each
//! costs what the world says against it, and the cheapest is the one.

use std::cell::OnceCell;

use world_model::{action::Action, want::Want, world::World};

use crate::{
    forms::frame_form::{AnyWord, FramePart, FrameSlot, FrameSlots, SlotSource},
    grammar::{
        built::{self, Built},
        frame_meaning::FrameClause,
        frame_slots::filled,
        frames::{VerbFrame, frames_of},
    },
    meaning::Trouble,
    names::{
        nouns::{self, Meant, entities, resolve},
        travel,
    },
    rows::patterns,
    trace,
    words::{
        lexicon::ClauseVerb, needed_words::ClauseWords, parts::ClauseParts, tokens::Token,
        word_tests::is_one_of,
    },
};

/// Most words of a phrase in front of another one.
const FIRST_WORDS_MAX: usize = 6;

/// The cost of reading an object and its first preposition as one phrase: `the stamps in the book`.
const JOINED: u32 = 1;

/// The cost of each part that a frame skips in front of one that it reads.
const LEFT_OUT: u32 = 3;

/// A reading of a clause by one frame.
struct FrameReading {
    cost: u32,
    built: Built,
    frame: &'static VerbFrame,
}

/// The words behind a verb, in each way in which they can be taken apart.
struct ClauseChart<'w> {
    world: &'w World,
    verb: &'w ClauseVerb,
    /// The words that name something: no prepositions, directions and tools.
    naming: OnceCell<Vec<Token>>,
}

/// One way to take the words apart, and what it costs.
struct ClauseCut {
    parts: ClauseParts,
    cost: u32,
}

/// What the cheapest reading of a verb with its words comes to; `None` if no frame fits.
pub(crate) fn read(world: &World, verb: &ClauseVerb) -> Option<Built> {
    best(world, verb).map(|(_, built)| built)
}

/// The same; where no frame fits, the verb makes no sense.
pub(crate) fn built(world: &World, verb: &ClauseVerb) -> Built {
    read(world, verb).unwrap_or(Err(Trouble::Unknown))
}

/// The same with its cost.
pub(crate) fn ranked(world: &World, verb: &ClauseVerb) -> Result<(u32, Vec<Action>), Trouble> {
    let (cost, built) = best(world, verb).ok_or(Trouble::Unknown)?;
    built.map(|actions| (cost, actions))
}

fn best(world: &World, verb: &ClauseVerb) -> Option<(u32, Built)> {
    let chart = ClauseChart::of(world, verb);
    let best = nouns::remembering(|| chart.best(frames_of(verb.name)))?;
    #[cfg(test)]
    crate::grammar::frames::tests::use_of(best.frame, verb);
    trace::frame(|| (best.frame.row(), best.cost), &best.built);
    // A clause without a verb of its own names nothing beside what its frame reads.
    let is_of_verb = !verb.phrase.is_empty();
    let built = best.built.map(|actions| match is_of_verb {
        true => built::with_left_over(world, &ClauseParts::of(&verb.rest), actions),
        false => actions,
    });
    Some((best.cost, built))
}

impl<'w> ClauseChart<'w> {
    fn of(world: &'w World, verb: &'w ClauseVerb) -> ClauseChart<'w> {
        ClauseChart { world, verb, naming: OnceCell::new() }
    }

    /// The cheapest reading; of several the one of the first row.
    fn best(&self, frames: &'static [&'static VerbFrame]) -> Option<FrameReading> {
        let rest = &self.verb.rest;
        let words = ClauseWords::of(rest);
        let may_fit = |frame: &&VerbFrame| {
            (rest.is_empty() || words.may_fit(frame.needed)) && frame.is_of(self.verb)
        };
        let mut frames: Vec<&VerbFrame> = frames.iter().copied().filter(may_fit).collect();
        if frames.is_empty() {
            return None;
        }
        let cut = ClauseCut { parts: ClauseParts::of(rest), cost: 0 };
        let best = self.cheaper(&frames, &cut, None);
        frames.retain(|frame| !frame.is_pattern());
        let is_done = best.as_ref().is_some_and(|best| best.cost <= JOINED) || frames.is_empty();
        let parts = if is_done { None } else { joined(self.world, &cut.parts) };
        match parts {
            Some(parts) => self.cheaper(&frames, &ClauseCut { parts, cost: JOINED }, best),
            None => best,
        }
    }

    /// The cheapest reading of the words that are taken apart so, or the one that is known, if it is no dearer.
    fn cheaper(
        &self,
        frames: &[&'static VerbFrame],
        cut: &ClauseCut,
        mut best: Option<FrameReading>,
    ) -> Option<FrameReading> {
        for frame in frames.iter().copied() {
            let floor = frame.cost + cut.cost;
            let is_dearer =
                |cost: u32| best.as_ref().is_some_and(|best: &FrameReading| best.cost <= cost);
            if is_dearer(floor) {
                continue;
            }
            let mut fit = FrameFit { chart: self, cut, slots: Vec::new(), read: 0, found: None };
            fit.walk(&frame.parts, frame);
            if let Some((cost, built)) = fit.found
                && !is_dearer(floor + cost)
            {
                if let Some(lost) = best.take() {
                    let words = (self.verb.phrase.as_str(), self.verb.rest.as_slice());
                    trace::frame_lost(|| (lost.frame.row(), lost.cost), words);
                }
                best = Some(FrameReading { cost: floor + cost, built, frame });
            }
        }
        best
    }
}

/// The parts with the object and the first of its prepositions as one phrase, if only both together say what is meant.
fn joined(world: &World, parts: &ClauseParts) -> Option<ClauseParts> {
    let (word, tokens) = parts.after.first()?;
    if !matches!(resolve(world, &parts.object, Want::Any), Meant::Unclear(_)) {
        return None;
    }
    let mut joined = parts.clone();
    joined.object.push(Token::of(word));
    joined.object.extend(tokens.iter().cloned());
    joined.after.remove(0);
    let ids = entities(world, &joined.object, Want::Any)?;
    (ids.len() == 1).then_some(joined)
}

/// A frame over one way to take the words apart.
struct FrameFit<'c> {
    chart: &'c ClauseChart<'c>,
    cut: &'c ClauseCut,
    slots: Vec<(&'static FrameSlot, &'c [Token])>,
    /// The bits of the parts that are read: the object, then each preposition.
    read: u64,
    /// The cheapest reading so far, and its cost.
    found: Option<(u32, Built)>,
}

/// The bits of all parts.
const ALL_READ: u64 = u64::MAX;

impl<'c> FrameFit<'c> {
    /// Fits the parts of a frame from left to right.
    fn walk(&mut self, frame: &'static [FramePart], row: &'static VerbFrame) {
        let Some((part, rest)) = frame.split_first() else { return self.conclude(row) };
        let parts = &self.cut.parts;
        let fits = match part {
            FramePart::End => self.unread().count() == 0,
            FramePart::NoObject => parts.object.is_empty(),
            FramePart::Without(words) => self.after(words).is_none(),
            FramePart::Rest => {
                let before = std::mem::replace(&mut self.read, ALL_READ);
                self.walk(rest, row);
                self.read = before;
                return;
            }
            FramePart::Pattern((pattern, slots)) => return self.pattern(pattern, slots, row),
            FramePart::Slots(FrameSlots { of, slots }) => {
                if let Some((tokens, bits)) = self.source(of) {
                    let before = self.read;
                    self.read |= bits;
                    self.fill(slots, tokens, rest, row);
                    self.read = before;
                }
                return;
            }
        };
        if fits {
            self.walk(rest, row);
        }
    }

    /// The words that are put into slots, with the bits of their parts.
    fn source(&self, of: &SlotSource) -> Option<(&'c [Token], u64)> {
        let (chart, parts) = (self.chart, &self.cut.parts);
        let all = chart.verb.rest.as_slice();
        Some(match of {
            SlotSource::Object if parts.object.is_empty() => return None,
            SlotSource::Object => (&parts.object, 1),
            SlotSource::Handled => (built::named_by(parts), ALL_READ),
            SlotSource::Naming => (chart.naming.get_or_init(|| travel::noun_of(all)), ALL_READ),
            SlotSource::Everything => (all, ALL_READ),
            SlotSource::Behind(words) => {
                let at = all.iter().position(|word| is_one_of(words, word))?;
                (&all[at + 1..], ALL_READ)
            }
            SlotSource::After(words) => {
                let at = self.after(words)?;
                (&parts.after[at].1, 2 << at.min(62))
            }
        })
    }

    /// The place of the first of these prepositions that something follows.
    fn after(&self, words: &AnyWord) -> Option<usize> {
        let is_it = |(word, tokens): &(String, Vec<Token>)| {
            !tokens.is_empty() && is_one_of(words, &Token::of(word))
        };
        self.cut.parts.after.iter().position(is_it)
    }

    /// Fits a pattern to everything behind the verb, in each way in which it does.
    fn pattern(
        &mut self,
        pattern: &'static str,
        slots: &'static [FrameSlot],
        row: &'static VerbFrame,
    ) {
        let (world, tokens) = (self.chart.world, self.chart.verb.rest.as_slice());
        let mut fits = Vec::new();
        patterns::search(world, pattern, tokens, <[Token]>::is_empty, &mut |found, _| {
            // What may be missing stands at the end of a pattern, so the slots are those of what is found.
            let filled = slots.iter().zip(found.iter().map(|part| part.tokens));
            fits.push(filled.collect::<Vec<_>>());
            false
        });
        let before = std::mem::replace(&mut self.read, ALL_READ);
        for slots in fits {
            if slots.iter().all(|(slot, tokens)| slot.may_have(tokens)) {
                self.slots = slots;
                self.conclude(row);
            }
        }
        self.read = before;
    }

    /// Puts words into one slot, or into several of them, the longest first part first. Words that are not there fit an open slot
    /// alone.
    fn fill(
        &mut self,
        slots: &'static [FrameSlot],
        tokens: &'c [Token],
        rest: &'static [FramePart],
        row: &'static VerbFrame,
    ) {
        let Some((slot, others)) = slots.split_first() else { return };
        let cuts = match others {
            [] if tokens.is_empty() && !slot.may_be_empty() => return,
            [] => tokens.len()..tokens.len() + 1,
            _ => 1..tokens.len().min(FIRST_WORDS_MAX + 1),
        };
        for at in cuts.rev() {
            let (words, behind) = tokens.split_at(at);
            if !slot.may_have(words) {
                continue;
            }
            self.slots.push((slot, words));
            match others {
                [] => self.walk(rest, row),
                _ => self.fill(others, behind, rest, row),
            }
            self.slots.pop();
        }
    }

    /// The places of the parts with words that no slot has.
    fn unread(&self) -> impl Iterator<Item = usize> {
        let parts = &self.cut.parts;
        let lens =
            std::iter::once(parts.object.len()).chain(parts.after.iter().map(|(_, it)| it.len()));
        lens.enumerate()
            .filter(|(at, len)| *len > 0 && self.read >> (*at).min(63) & 1 == 0)
            .map(|(at, _)| at)
    }

    /// Takes the reading, if all words mean what they have to and it is the cheapest.
    fn conclude(&mut self, row: &'static VerbFrame) {
        let world = self.chart.world;
        let last = 63 - self.read.leading_zeros().min(63) as usize;
        let left_out = self.unread().filter(|at| *at < last).map(|_| LEFT_OUT).sum::<u32>();
        let Some(slots) = filled(world, &self.slots, &self.cut.parts) else { return };
        let cost = left_out + slots.iter().map(|slot| slot.cost).sum::<u32>();
        if self.found.as_ref().is_some_and(|(known, _)| *known <= cost) {
            return;
        }
        let clause = FrameClause { world, verb: self.chart.verb, slots: &slots, read };
        if let Some(built) = row.meanings.iter().find_map(|meaning| clause.built(meaning)) {
            self.found = Some((cost, built));
        }
    }
}
