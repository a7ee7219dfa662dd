//! The facts of a beat → one paragraph. Knows which facts belong together; `variety` says each of them.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_facts::Fact;
use narratoria_sdk::Rng;

use super::{
    known::{KnownFacts, WorldView},
    noun_phrase::NounPhrase,
    pools::{
        LOOK_AT, NO_ANSWER_AGAIN, NOTHING_NEW_ABOUT_IT, NOTHING_NEW_HERE, READ_AGAIN, SAID_AGAIN,
    },
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

    /// What the player looks at, where the turn is a look and nothing else.
    fn looked_at(&self) -> Option<&Fact> {
        let facts = &self.known.facts;
        let is_only_look = self.known.authored.is_empty()
            && facts.iter().all(|fact| is_seen(fact) || fact.fact == "doing");
        let described = facts.iter().filter(|fact| fact.fact == "described");
        if !is_only_look || !self.is_look() || described.clone().count() != 1 {
            return None;
        }
        described.into_iter().next()
    }
}

/// A sentence of the paragraph.
struct ParagraphPart {
    text: String,
    /// A short deed of the player's, which may be joined to the next.
    is_deed: bool,
    object: Option<String>,
}

/// Tells the facts in their order. Empty where an author tells all that there is.
pub(crate) fn narrate_facts(beat: &FactBeat<'_>, told: &mut ToldLately, rng: &mut Rng) -> String {
    let look = beat.looked_at();
    let look_key = look.map(|fact| format!("look|{}", fact.object.as_deref().unwrap_or_default()));
    let is_second_look = look_key.as_ref().is_some_and(|key| told.had_in_last_turn(key));
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
        // A second look in a row says what is new.
        if is_second_look && teller.told.had_in_last_turn(&key_of(fact)) {
            teller.told.add_fact(&key_of(fact));
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
        // An author says what comes of it.
        let has_author = !beat.known.authored.is_empty();
        if is_refused_needlessly(fact, &mut settled) || (has_author && comes_to_nothing(fact)) {
            continue;
        }
        match fact.fact.as_str() {
            "described" => teller.add_description(fact),
            "said" if teller.told.has_fact(&key_of(fact)) => {
                let is_evasion = fact.because.as_deref() == Some("fallback");
                teller.add_instead(fact, if is_evasion { NO_ANSWER_AGAIN } else { SAID_AGAIN });
            }
            "read" if teller.told.had_in_last_turn(&key_of(fact)) => {
                teller.add_instead(fact, READ_AGAIN);
            }
            _ => teller.add_fact(fact),
        }
        teller.told.add_fact(&key_of(fact));
    }
    if let Some(fact) = look.filter(|_| teller.parts.is_empty()) {
        let is_place = teller.is_here(fact);
        teller.add_instead(fact, if is_place { NOTHING_NEW_HERE } else { NOTHING_NEW_ABOUT_IT });
    }
    if let Some(key) = look_key {
        teller.told.add_fact(&key);
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

/// Returns true for a deed of the player's that the world has not done.
fn comes_to_nothing(fact: &Fact) -> bool {
    fact.fact == "gesture" && fact.subject == "you" && !fact.text.starts_with("You ")
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
        if self.is_known_without_looking(fact) {
            return;
        }
        let text = tell(fact, self.beat.view, self.beat.style, self.told, self.rng);
        let is_deed = class_of(fact) == FactClass::Deed && text.chars().count() <= JOINED_CHARS_MAX;
        self.add(text, is_deed, fact.object.as_ref());
    }

    /// Returns true if the fact lists what can be seen, the player has read it a short time ago, and does not look now.
    /// Who comes back to a place is told who and what is there, and of the rest what has changed.
    fn is_known_without_looking(&self, fact: &Fact) -> bool {
        if self.beat.is_look() || !is_seen(fact) {
            return false;
        }
        match fact.fact.as_str() {
            "contents" | "exits" => self.told.has_fact(&key_of(fact)),
            "described" => self.is_here(fact) && self.told.has_beginning_of(&fact.text),
            _ => !self.beat.is_deed && self.told.has_sentence_of(&fact.text),
        }
    }

    /// An author's description, word for word.
    fn add_description(&mut self, fact: &Fact) {
        if self.is_known_without_looking(fact) {
            return;
        }
        // Where there are several, each says what it describes.
        let described = self.beat.known.facts.iter().filter(|it| it.fact == "described").count();
        let object = fact.object.as_ref().map(|object| object.to_lowercase());
        let is_named = object.is_none_or(|object| fact.text.to_lowercase().contains(&object));
        if described > 1 && !is_named && !self.is_here(fact) {
            self.add_instead(fact, LOOK_AT);
        }
        self.add(fact.text.clone(), false, None);
    }

    fn is_here(&self, fact: &Fact) -> bool {
        let object = fact.object.as_ref();
        object.is_some()
            && (object == self.beat.view.here.as_ref() || object == fact.place.as_ref())
    }

    /// A sentence of the pool about the fact, and the fact's own where none fits.
    fn add_instead(&mut self, fact: &Fact, pool: &[&'static str]) {
        let slots = slots_of(fact, self.beat.view);
        let text = choose(pool, &slots, self.told, self.rng);
        self.add(text.unwrap_or_else(|| fact.text.clone()), false, None);
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
