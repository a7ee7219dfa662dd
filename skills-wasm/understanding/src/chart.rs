//! The readings of a verb and what stands behind it: every frame of the verb over every way to take the words apart. Each
//! costs what the world says against it, and the cheapest is the one.

use world_model::{action::Action, want::Want, world::World};

use crate::{
    asked::{self, AskedFor},
    built::{self, Built},
    frame_meaning::FrameClause,
    frame_slots::{FrameSlot, SlotWords},
    frames::{VerbFrame, frames_of},
    lexicon::ClauseVerb,
    meaning::Trouble,
    needed_words::ClauseWords,
    nouns::{self, Meant, entities, resolve},
    parts::ClauseParts,
    patterns, questions,
    tokens::Token,
    trace, travel,
    word_tests::is_known,
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
    /// The bits of its words.
    words: ClauseWords,
    /// The words that name something: no prepositions, directions and tools.
    naming: Vec<Token>,
}

/// One way to take the words apart, and what it costs.
struct ClauseCut {
    parts: ClauseParts,
    cost: u32,
}

/// Returns the actions of the cheapest reading of a verb with its words.
pub(super) fn built(world: &World, verb: &ClauseVerb) -> Built {
    best(world, verb).ok_or(Trouble::Unknown)?.1
}

/// Returns the cost and the actions of the cheapest reading, or why it has no actions.
pub(super) fn ranked(world: &World, verb: &ClauseVerb) -> Result<(u32, Vec<Action>), Trouble> {
    let (cost, built) = best(world, verb).ok_or(Trouble::Unknown)?;
    built.map(|actions| (cost, actions))
}

/// Returns the cost and the result of the cheapest reading; `None` if no frame fits.
pub(super) fn best(world: &World, verb: &ClauseVerb) -> Option<(u32, Built)> {
    let chart = ClauseChart::of(world, verb);
    let best = nouns::remembering(|| chart.best(frames_of(verb.name)))?;
    #[cfg(test)]
    crate::frames::tests::use_of(best.frame, verb);
    trace::frame(|| (best.frame.row(), best.cost), &best.built);
    // A clause without a verb of its own names nothing beside what its frame reads.
    let is_of_verb = !verb.phrase.is_empty();
    let built = best.built.map(|actions| match is_of_verb {
        true => built::with_left_over(world, &ClauseParts::of(&verb.rest), actions),
        false => actions,
    });
    Some((best.cost, built))
}

/// Answers a question with a noun, such as `where is the lantern`.
pub(super) fn question(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    questions::noun_question(world, clause, &|verb| reading(world, verb))
}

/// Reads a question by the frames of one kind of clause, such as `narrator question`.
pub(super) fn question_of(
    world: &World,
    kind: &'static str,
    clause: &[Token],
) -> Option<Vec<Action>> {
    questions::by_frames(world, kind, clause, &|verb| reading(world, verb))
}

/// Finds out what a question without a noun asks for.
pub(super) fn asked(world: &World, clause: &[Token]) -> Option<AskedFor> {
    asked::asked(world, clause, &|verb| reading(world, verb))
}

fn reading(world: &World, verb: &ClauseVerb) -> Option<Built> {
    best(world, verb).map(|(_, built)| built)
}

impl<'w> ClauseChart<'w> {
    fn of(world: &'w World, verb: &'w ClauseVerb) -> ClauseChart<'w> {
        let words = ClauseWords::of(&verb.rest);
        ClauseChart { world, verb, words, naming: travel::noun_of(&verb.rest) }
    }

    /// The cheapest reading; of several the one of the first row.
    fn best(&self, frames: &'static [VerbFrame]) -> Option<FrameReading> {
        let cut = ClauseCut { parts: ClauseParts::of(&self.verb.rest), cost: 0 };
        let best = self.cheaper(frames, &cut, None);
        if best.as_ref().is_some_and(|best| best.cost <= JOINED) {
            return best;
        }
        match joined(self.world, &cut.parts) {
            Some(parts) => self.cheaper(frames, &ClauseCut { parts, cost: JOINED }, best),
            None => best,
        }
    }

    /// The cheapest reading of the words that are taken apart so, or the one that is known, if it is no dearer.
    fn cheaper(
        &self,
        frames: &'static [VerbFrame],
        cut: &ClauseCut,
        mut best: Option<FrameReading>,
    ) -> Option<FrameReading> {
        let may_fit = |frame: &&VerbFrame| {
            (self.verb.rest.is_empty() || self.words.may_fit(frame.needed))
                && frame.is_of(self.verb)
                && (cut.cost == 0 || !frame.is_pattern())
        };
        for frame in frames.iter().filter(may_fit) {
            let floor = frame.cost + cut.cost;
            let is_dearer =
                |cost: u32| best.as_ref().is_some_and(|best: &FrameReading| best.cost <= cost);
            if is_dearer(floor) {
                continue;
            }
            let mut fit = FrameFit { chart: self, cut, slots: Vec::new(), read: 0, found: None };
            fit.walk(frame.frame, frame);
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
    slots: Vec<(FrameSlot<'c>, &'c [Token])>,
    /// The bits of the parts that are read: the object, then each preposition.
    read: u64,
    /// The cheapest reading so far, and its cost.
    found: Option<(u32, Built)>,
}

impl<'c> FrameFit<'c> {
    /// Fits the parts of a frame from left to right.
    fn walk(&mut self, frame: &'c str, row: &'static VerbFrame) {
        let parts = &self.cut.parts;
        let (part, rest) = frame.split_once(' ').unwrap_or((frame, ""));
        match part {
            "" => self.conclude(row),
            "$" => {
                if self.unread().count() == 0 {
                    self.walk(rest, row);
                }
            }
            "-" => {
                if parts.object.is_empty() {
                    self.walk(rest, row);
                }
            }
            "_" => self.slot(rest, built::named_by(parts), u64::MAX, row),
            "*" => self.slot(rest, &self.chart.naming, u64::MAX, row),
            "..." if !rest.starts_with('{') => {
                let before = std::mem::replace(&mut self.read, u64::MAX);
                self.walk(rest, row);
                self.read = before;
            }
            "..." => self.slot(rest, &self.chart.verb.rest, u64::MAX, row),
            "=" => self.pattern(rest, row),
            _ if part.starts_with('{') && parts.object.is_empty() => {}
            _ if part.starts_with('{') => self.slot(frame, &parts.object, 1, row),
            _ => self.preposition(part, rest, row),
        }
    }

    /// Fits a pattern to everything behind the verb, in each way in which it does.
    fn pattern(&mut self, pattern: &'c str, row: &'static VerbFrame) {
        let (world, tokens) = (self.chart.world, self.chart.verb.rest.as_slice());
        let mut fits = Vec::new();
        patterns::search(world, pattern, tokens, <[Token]>::is_empty, &mut |found, _| {
            fits.push(found.to_vec());
            false
        });
        let before = (self.read, self.slots.len());
        self.read = u64::MAX;
        for found in fits {
            let mut words = 0;
            for part in found {
                let slot = match part.phrase {
                    "" => FrameSlot::word(&mut words),
                    phrase => FrameSlot::of(phrase),
                };
                self.slots.push((slot, part.tokens));
            }
            self.walk("", row);
            self.slots.truncate(before.1);
        }
        self.read = before.0;
    }

    fn preposition(&mut self, part: &'c str, rest: &'c str, row: &'static VerbFrame) {
        let (words, is_wanted) = match part.strip_prefix('!') {
            Some(words) => (words, false),
            None => (part, true),
        };
        let leads =
            |word: &Token, words: &str| words.split('|').any(|known| is_known(known, word, false));
        if let Some(words) = words.strip_suffix("..") {
            let all = self.chart.verb.rest.as_slice();
            let at = all.iter().position(|word| leads(word, words));
            if let Some(at) = at {
                self.slot(rest, &all[at + 1..], u64::MAX, row);
            }
            return;
        }
        let is_it = |(word, tokens): &(String, Vec<Token>)| {
            !tokens.is_empty() && leads(&Token::of(word), words)
        };
        let at = self.cut.parts.after.iter().position(is_it);
        match at {
            None if !is_wanted => self.walk(rest, row),
            Some(at) if is_wanted => {
                let tokens = &self.cut.parts.after[at].1;
                self.slot(rest, tokens, 2 << at.min(62), row);
            }
            _ => {}
        }
    }

    /// Puts the words into the slot at the beginning of a frame, or into two of them, the longest first part first. Words that are not
    /// there fit `{?…}` alone.
    fn slot(&mut self, frame: &'c str, tokens: &'c [Token], bits: u64, row: &'static VerbFrame) {
        let (part, rest) = frame.split_once(' ').unwrap_or((frame, ""));
        let slot = FrameSlot::of(part);
        if rest.starts_with('{') {
            for at in (1..tokens.len().min(FIRST_WORDS_MAX + 1)).rev() {
                self.slots.push((slot, &tokens[..at]));
                self.slot(rest, &tokens[at..], bits, row);
                self.slots.pop();
            }
            return;
        }
        if tokens.is_empty() && !slot.may_be_empty() {
            return;
        }
        let before = self.read;
        self.read |= bits;
        self.slots.push((slot, tokens));
        self.walk(rest, row);
        self.slots.pop();
        self.read = before;
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
        let Some(slots) = SlotWords::all(world, &self.slots, &self.cut.parts) else { return };
        let cost = left_out + slots.iter().map(|slot| slot.cost).sum::<u32>();
        if self.found.as_ref().is_some_and(|(known, _)| *known <= cost) {
            return;
        }
        let read = |verb: &ClauseVerb| reading(world, verb);
        let verb = self.chart.verb;
        let clause = FrameClause { world, verb, slots: &slots, read: &read };
        if let Some(built) = clause.built(row.meaning) {
            self.found = Some((cost, built));
        }
    }
}
