//! Chooses sentences and fills them: [`PlayerAction`], dice and what was before → the text of a beat, where no step has
//! established a fact. A sentence that adds nothing new is left out: silence is better than one that the player has read
//! lately, or one that speaks of nothing in this turn.

use narratoria_sdk::Rng;

use crate::{
    outcome::DiceOutcome,
    outcome::DiceResult,
    prose::{self, SentencePool},
    sentence::PlayerAction,
    slots::Slots,
    story::{Mood, RECENT_MAX, StoryBefore, Style},
    variants::{alike, variant, variant_count},
    verbs::Verb,
};

/// Most sentences of a beat.
const SENTENCES_MAX: usize = 4;

/// All that a beat is told from.
#[derive(Debug)]
pub(crate) struct BeatContext<'a> {
    pub(crate) act: &'a PlayerAction,
    pub(crate) dice: Option<DiceResult>,
    pub(crate) outcome: Option<DiceOutcome>,
    /// An earlier step has a text of its own, which the player reads before this beat.
    pub(crate) has_told_step: bool,
    /// The story has a world, so that only facts say what happens.
    pub(crate) has_world: bool,
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

/// How lately a template may have been used without another being preferred, in sentences.
const LATELY: usize = 12;

/// Tells a beat in one to four sentences; in none where an earlier step has told the deed and nobody rolled.
pub(crate) fn narrate_beat(beat: &BeatContext<'_>, rng: &mut Rng) -> NarratedBeat {
    let mut teller = BeatNarrator {
        slots: Slots::of(beat.act, beat.dice),
        terse: beat.style == Style::Terse,
        rng,
        recent: beat.before.recent.clone(),
        last: beat.before.last_narration.as_deref().unwrap_or_default(),
        sentences: Vec::new(),
    };
    // The text of an earlier step has told the deed; the beat goes on from there.
    match (beat.has_told_step, beat.has_world) {
        (true, _) => {}
        (false, true) => {
            teller.add(prose::undone(beat.act.verb));
        }
        (false, false) => teller.add_deed(beat),
    }
    match beat.outcome {
        _ if beat.has_world => {}
        Some(outcome) => teller.add_result(outcome, beat.act),
        None if beat.has_told_step => {}
        None => teller.add_detail(beat),
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
    /// The last beat, of which no sentence comes back.
    last: &'a str,
    sentences: Vec<String>,
}

impl BeatNarrator<'_> {
    /// What the player does: in the words of its kind, or in the player's own where those say it better. Each helps out
    /// where the other has been told lately.
    fn add_deed(&mut self, beat: &BeatContext<'_>) {
        let act = beat.act;
        let own = if beat.outcome.is_some() { prose::ATTEMPT } else { prose::WORDS };
        let own = self.naming(own);
        let of_kind = match (act.in_words, own.is_empty()) {
            (false, _) if act.verb == Verb::Roll && beat.dice.is_none() => {
                self.naming(prose::NO_ROLL)
            }
            (false, _) => self.naming(prose::deed(act.verb)),
            // The sentences of its kind would say something else.
            (true, true) => self.naming(prose::deed(Verb::Other)),
            (true, false) => Vec::new(),
        };
        let [first, second] = if act.in_words { [&own, &of_kind] } else { [&of_kind, &own] };
        let told = self.add_one_of(first) || self.add_one_of(second);
        if !told && !self.add_oldest_of(first) {
            self.add_oldest_of(second);
        }
    }

    /// What the dice mean: for this kind of deed, in general, or both at the ends of the scale.
    fn add_result(&mut self, outcome: DiceOutcome, act: &PlayerAction) {
        let critical =
            matches!(outcome, DiceOutcome::CriticalFailure | DiceOutcome::CriticalSuccess);
        let wanted = !act.in_words && (critical || !self.one_in(3));
        let special = prose::special_result(outcome, act.verb)
            .filter(|_| wanted)
            .is_some_and(|pool| self.add_new(pool));
        let room = self.sentences.len() < SENTENCES_MAX;
        if !special || (critical && room) {
            self.add(prose::result(outcome));
        }
    }

    /// What a deed without dice shows of the thing that it is about. Of a deed in the player's own words too little is
    /// known to say anything of its object.
    fn add_detail(&mut self, beat: &BeatContext<'_>) {
        if beat.act.in_words || beat.act.object.is_none() {
            return;
        }
        let aside = prose::aside(beat.style);
        let told = match aside {
            Some(pool) if self.one_in(2) => self.add_new(pool),
            _ => false,
        };
        if let (false, Some(pool)) = (told, prose::detail(beat.act.verb)) {
            self.add_new(pool);
        }
    }

    /// Adds one sentence of the pool; false where none of them fits.
    fn add(&mut self, pool: SentencePool) -> bool {
        let candidates = self.fitting(pool);
        self.add_one_of(&candidates) || self.add_oldest_of(&candidates)
    }

    /// Adds one sentence of the pool that has not been used lately; false where there is none.
    fn add_new(&mut self, pool: SentencePool) -> bool {
        let candidates = self.fitting(pool);
        self.add_one_of(&candidates)
    }

    /// The templates that say as much as they can of what the player named.
    fn naming(&self, pool: SentencePool) -> Vec<TemplateChoice> {
        let mut candidates = self.fitting(pool);
        for place in Slots::PREFERRED {
            if self.slots.get(place).is_some() {
                let telling: Vec<TemplateChoice> = candidates
                    .iter()
                    .filter(|candidate| mentions(candidate.template, place))
                    .cloned()
                    .collect();
                if !telling.is_empty() {
                    candidates = telling;
                }
            }
        }
        candidates
    }

    /// The templates whose places can be filled.
    fn fitting(&self, pool: SentencePool) -> Vec<TemplateChoice> {
        let candidate = |(idx, template): (usize, &'static str)| TemplateChoice {
            key: format!("{}{idx}.", pool.name),
            template,
        };
        let fits = |candidate: &TemplateChoice| self.slots.fit(candidate.template);
        let short = pool.short.iter().copied().enumerate().map(candidate);
        let short: Vec<TemplateChoice> = short.filter(fits).collect();
        if self.terse && !short.is_empty() {
            return short;
        }
        let full = (pool.short.len()..).zip(pool.full.iter().copied()).map(candidate);
        full.filter(fits).collect()
    }

    /// Adds a text that was not used lately, of a template that was not used lately either where there is one.
    fn add_one_of(&mut self, candidates: &[TemplateChoice]) -> bool {
        let mut open: Vec<(&TemplateChoice, Vec<usize>)> = Vec::new();
        for candidate in candidates {
            let count = variant_count(candidate.template);
            let unused: Vec<usize> =
                (0..count).filter(|number| self.is_fresh(candidate, *number)).collect();
            if !unused.is_empty() {
                open.push((candidate, unused));
            }
        }
        let recent = &self.recent;
        let age = |candidate: &TemplateChoice| {
            recent.iter().rev().position(|id| id.starts_with(&candidate.key))
        };
        let rested: Vec<usize> =
            (0..open.len()).filter(|at| age(open[*at].0).is_none_or(|age| age >= LATELY)).collect();
        let at = match self.rng.pick(&rested) {
            Some(at) => *at,
            // All were used lately: the one whose use is longest ago.
            None => match (0..open.len()).max_by_key(|at| age(open[*at].0)) {
                Some(at) => at,
                None => return false,
            },
        };
        let (candidate, unused) = &open[at];
        let fewest_alike = |number: &usize| self.alike_lately(candidate, *number);
        let least = unused.iter().map(fewest_alike).min();
        let freshest: Vec<usize> =
            unused.iter().copied().filter(|number| Some(fewest_alike(number)) == least).collect();
        let Some(number) = self.rng.pick(&freshest).copied() else { return false };
        self.tell(candidate, number);
        true
    }

    /// Returns true if the text was not used lately, and does not stand in the last beat by way of another template.
    fn is_fresh(&self, candidate: &TemplateChoice, number: usize) -> bool {
        let text = || self.slots.fill(&variant(candidate.template, number));
        !self.recent.contains(&candidate.id(number)) && !self.last.contains(&text())
    }

    /// How much of a text the last texts of its template have shown.
    fn alike_lately(&self, candidate: &TemplateChoice, number: usize) -> usize {
        let used = self.recent.iter().rev().filter_map(|id| id.strip_prefix(&candidate.key));
        let used = used.filter_map(|number| number.parse().ok()).take(3);
        used.map(|other| alike(candidate.template, number, other)).sum()
    }

    /// Adds the text whose use is longest ago.
    fn add_oldest_of(&mut self, candidates: &[TemplateChoice]) -> bool {
        let ids = candidates.iter().flat_map(|candidate| {
            (0..variant_count(candidate.template)).map(move |number| (candidate, number))
        });
        let age = |(candidate, number): &(&TemplateChoice, usize)| {
            let id = candidate.id(*number);
            self.recent.iter().position(|known| *known == id)
        };
        let Some((candidate, number)) = ids.min_by_key(age) else { return false };
        self.tell(candidate, number);
        true
    }

    fn tell(&mut self, candidate: &TemplateChoice, number: usize) {
        let id = candidate.id(number);
        self.recent.retain(|known| *known != id);
        self.recent.push(id);
        self.sentences.push(self.slots.fill(&variant(candidate.template, number)));
    }

    fn one_in(&mut self, count: i64) -> bool {
        self.rng.range(1..=count) == 1
    }
}

/// A template that can be filled.
#[derive(Debug, Clone)]
struct TemplateChoice {
    /// The pool and the place in it; the id of a text begins so.
    key: String,
    template: &'static str,
}

impl TemplateChoice {
    /// The id of one of its texts.
    fn id(&self, number: usize) -> String {
        format!("{}{number}", self.key)
    }
}

/// Returns true if the template has the place. Speech has two forms, by how it ends.
fn mentions(template: &str, place: &str) -> bool {
    let has = |place: &str| template.contains(&format!("{{{place}}}"));
    has(place) || (place == "speech" && has("said"))
}
