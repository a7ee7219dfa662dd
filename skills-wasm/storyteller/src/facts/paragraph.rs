//! The facts of a beat → one paragraph. Knows which facts belong together; `variety` says each of them.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_facts::Fact;
use narratoria_sdk::Rng;

use super::{
    known::{KnownFacts, WorldView},
    noun_phrase::NounPhrase,
    pools::{LOOK_AROUND, LOOK_AT, LOOK_AT_AGAIN, NO_ANSWER_AGAIN, READ_AGAIN, SAID_AGAIN},
    series::series_of,
    told::ToldLately,
    variety::{FactClass, choose, class_of, is_seen, key_of, slots_of, tell},
};
use crate::{
    prose::SentencePool,
    slots::{Slots, capitalised},
    story::Style,
};

/// Longest deed that is joined to the next one, in characters.
const JOINED_CHARS_MAX: usize = 64;

/// All that a beat of facts is told from.
#[derive(Debug)]
pub(crate) struct FactBeat<'a> {
    pub(crate) known: &'a KnownFacts,
    pub(crate) view: &'a WorldView,
    pub(crate) style: Style,
    /// What the dice mean, where no fact says it.
    pub(crate) dice: Option<SentencePool>,
    /// The player may have asked what there is to see; false for what follows from a story's own changes.
    pub(crate) is_deed: bool,
}

impl FactBeat<'_> {
    /// Returns true if the player looks. Who comes through a place on the way somewhere has not asked what it looks like.
    fn is_look(&self) -> bool {
        self.is_deed && !self.known.has("moved")
    }
}

/// A sentence of the paragraph.
struct ParagraphPart {
    text: String,
    /// A short deed of the player's, which may be joined to the next.
    is_deed: bool,
    object: Option<String>,
}

/// Tells the facts in their order. Never empty where there is a fact.
pub(crate) fn narrate_facts(beat: &FactBeat<'_>, told: &mut ToldLately, rng: &mut Rng) -> String {
    let mut teller = FactTeller { beat, told, rng, parts: Vec::new() };
    if let Some(pool) = beat.dice {
        teller.add_dice(pool);
    }
    let mut stated = BTreeSet::new();
    let mut settled = SettledThings::new();
    let mut facts = beat.known.facts.as_slice();
    while let Some((fact, rest)) = facts.split_first() {
        let all = std::mem::replace(&mut facts, rest);
        if let Some((count, sentence)) = series_of(all) {
            let (series, rest) = all.split_at(count);
            teller.add_series(series, sentence);
            facts = rest;
            continue;
        }
        // What a person is still doing is told once in a while.
        let is_known = fact.fact == "doing" && teller.told.has_fact(&key_of(fact));
        if is_known && beat.known.facts.len() > 1 {
            continue;
        }
        // Two deeds that fail for one reason have one answer, and what two steps find is told once.
        if class_of(fact) != FactClass::Deed && !stated.insert(fact.text.as_str()) {
            continue;
        }
        if is_refused_needlessly(fact, &mut settled) {
            continue;
        }
        match fact.fact.as_str() {
            "described" => teller.add_description(fact),
            "said" if fact.because.as_deref() == Some("fallback") => {
                teller.add_words(fact, NO_ANSWER_AGAIN);
            }
            "said" => teller.add_words(fact, SAID_AGAIN),
            "read" => teller.add_words(fact, READ_AGAIN),
            _ => teller.add_fact(fact),
        }
        teller.told.add_fact(&key_of(fact));
    }
    teller.join_deeds();
    let texts: Vec<String> = teller.parts.into_iter().map(|part| part.text).collect();
    texts.join(" ")
}

/// Reasons of a refusal that only say that what the player wants is so already.
const ALREADY: &[&str] = &[
    "held",
    "worn",
    "already_worn",
    "already_open",
    "already_closed",
    "already_locked",
    "already_lit",
    "already_there",
    "not_locked",
    "not_here",
    "not_carried",
];

/// The reason under which a deed settles that its thing is as the player wants it.
const DONE: &str = "done";

/// Returns true for a refusal that the player need not read: one that repeats the reason of an earlier refusal of the same thing, or
/// that says only what the player has just brought about. `take the cake and eat the cake, please take it` takes the cake once; a
/// lamp that the player takes and cannot light is refused aloud. `settled` keeps the reasons of deeds and refusals so far.
fn is_refused_needlessly<'f>(fact: &'f Fact, settled: &mut SettledThings<'f>) -> bool {
    let Some(object) = fact.object.as_deref() else { return false };
    match fact.fact.as_str() {
        "refused" => {
            let because = fact.because.as_deref().unwrap_or_default();
            let reasons = settled.entry(object).or_default();
            let is_done = reasons.contains(DONE) && ALREADY.contains(&because);
            !reasons.insert(because) || is_done
        }
        "taken" | "received" | "opened" | "worn" | "lit" | "unlocked" | "closed" => {
            settled.entry(object).or_default().insert(DONE);
            false
        }
        _ => false,
    }
}

/// Things of which it is settled how they are, each with the reasons.
type SettledThings<'f> = BTreeMap<&'f str, BTreeSet<&'f str>>;

struct FactTeller<'a> {
    beat: &'a FactBeat<'a>,
    told: &'a mut ToldLately,
    rng: &'a mut Rng,
    parts: Vec<ParagraphPart>,
}

impl FactTeller<'_> {
    fn add(&mut self, text: String, is_deed: bool, object: Option<&String>) {
        let text = capitalised(&text);
        self.told.add_text(&text);
        self.parts.push(ParagraphPart { text, is_deed, object: object.cloned() });
    }

    /// Facts of one kind in one sentence.
    fn add_series(&mut self, facts: &[Fact], sentence: String) {
        self.add(sentence, false, None);
        facts.iter().for_each(|fact| self.told.add_fact(&key_of(fact)));
    }

    fn add_dice(&mut self, pool: SentencePool) {
        let templates = if self.beat.style == Style::Terse { pool.short } else { pool.full };
        let slots = Slots::default();
        let said = choose(templates, &slots, self.told, self.rng)
            .or_else(|| choose(pool.full, &slots, self.told, self.rng));
        if let Some(text) = said {
            self.add(text, false, None);
        }
    }

    fn add_fact(&mut self, fact: &Fact) {
        let is_known = fact.fact == "contents" && self.told.has_fact(&key_of(fact));
        if is_known && !self.beat.is_look() {
            return;
        }
        let text = tell(fact, self.beat.view, self.beat.style, self.told, self.rng);
        if is_seen(fact) && !self.beat.is_look() && self.told.without_known(&text).is_empty() {
            return;
        }
        let is_deed = class_of(fact) == FactClass::Deed && text.chars().count() <= JOINED_CHARS_MAX;
        self.add(text, is_deed, fact.object.as_ref());
    }

    /// An author's description, word for word: a player who looks again wants to read it again.
    fn add_description(&mut self, fact: &Fact) {
        let slots = slots_of(fact, self.beat.view);
        let is_place = self.is_here(fact);
        if self.told.has_beginning_of(&fact.text) {
            // Who passes through a place that was described a short time ago knows what it looks like.
            if is_place && !self.beat.is_look() {
                return;
            }
            if !is_place
                && self.beat.style != Style::Terse
                && self.told.has_fact(&key_of(fact))
                && let Some(lead) = choose(LOOK_AT_AGAIN, &slots, self.told, self.rng)
            {
                self.add(lead, false, None);
            }
            self.add(fact.text.clone(), false, None);
            return;
        }
        let names_it = fact
            .object
            .as_ref()
            .is_none_or(|object| fact.text.to_lowercase().contains(&object.to_lowercase()));
        // Where the player has just gone there, or the text names it, it needs no other lead.
        let is_led = names_it || (is_place && self.beat.known.has("moved"));
        if !is_led && self.beat.style != Style::Terse {
            let pool = if is_place { LOOK_AROUND } else { LOOK_AT };
            if let Some(lead) = choose(pool, &slots, self.told, self.rng) {
                self.add(lead, false, None);
            }
        }
        let text = self.told.without_known(&fact.text);
        self.add(text, false, None);
    }

    fn is_here(&self, fact: &Fact) -> bool {
        let object = fact.object.as_ref();
        object.is_some()
            && (object == self.beat.view.here.as_ref() || object == fact.place.as_ref())
    }

    /// Words as their author wrote them; where the player has just heard or read them, only that they are the same again.
    fn add_words(&mut self, fact: &Fact, again: &[&'static str]) {
        if self.told.has_fact(&key_of(fact)) {
            let slots = slots_of(fact, self.beat.view);
            if let Some(text) = choose(again, &slots, self.told, self.rng) {
                self.add(text, false, None);
                return;
            }
        }
        self.add(fact.text.clone(), false, None);
    }

    /// Two short deeds in a row become one sentence: "You take the lantern and light it."
    fn join_deeds(&mut self) {
        let mut joined: Vec<ParagraphPart> = Vec::new();
        for part in std::mem::take(&mut self.parts) {
            let together = joined.last().and_then(|last: &ParagraphPart| {
                let fits = last.is_deed && part.is_deed;
                fits.then(|| both(&last.text, &part)).flatten()
            });
            match (together, joined.last_mut()) {
                (Some(text), Some(last)) => {
                    self.told.add_text(&text);
                    // A third deed stands alone again.
                    *last = ParagraphPart { text, is_deed: false, object: part.object };
                }
                _ => joined.push(part),
            }
        }
        self.parts = joined;
    }
}

/// Both deeds in one sentence; `None` where they are no plain sentences.
fn both(first: &str, second: &ParagraphPart) -> Option<String> {
    let first_open = first.strip_suffix('.')?;
    let rest = second.text.strip_prefix("You ")?;
    let plain = |text: &str| !text.contains([',', ';', ':', '“', '"']);
    let is_joined = first_open.contains(" and ") || rest.contains(" and ");
    if !first.starts_with("You ") || is_joined || !plain(first_open) || !plain(rest) {
        return None;
    }
    let noun = second.object.as_ref().map(|object| NounPhrase::of(object, &second.text));
    let rest = match noun {
        Some(noun) if first_open.contains(&noun.the) => {
            rest.replacen(&noun.the, noun.pick("it", "them"), 1)
        }
        _ => rest.to_owned(),
    };
    // A way through several places: "You go up to the stair and then up to the green."
    Some(match rest.strip_prefix("go ").filter(|_| first.starts_with("You go ")) {
        Some(way) => format!("{first_open} and then {way}"),
        None => format!("{first_open} and {rest}"),
    })
}
