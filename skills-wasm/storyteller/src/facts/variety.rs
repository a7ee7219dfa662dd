//! One fact → the sentences that can tell it, of which one is chosen. Knows a fact, the place and what was told lately;
//! does not know the other facts of the beat.

use english::WordClass;
use narratoria_facts::Fact;
use narratoria_sdk::Rng;

use super::{
    known::{WorldView, nothing_happened},
    noun_phrase::{NounPhrase, phrase_in},
    pools,
    told::{ToldLately, sentences},
};
use crate::{
    slots::Slots,
    story::Style,
    variants::{variant, variant_count},
};

/// How the world begins to tell the player what an order has left out.
const UNSAID: &str = "You would have to say ";

/// One in so many deeds and refusals gets a word of the style, and one in so many seen deeds its witness: more often it
/// would be a tic.
const TOUCHED_ONE_IN: i64 = 6;

/// The places of a fact's templates, filled.
pub(super) fn slots_of(fact: &Fact, view: &WorldView) -> Slots {
    let mut values: Vec<(&'static str, String)> = Vec::new();
    let mut put = |place: &'static str, value: String| values.push((place, value));
    if let Some(noun) = object_of(fact) {
        put("o_s", noun.pick("s", "").to_owned());
        put("o", noun.the);
    }
    if let Some(other) = &fact.other {
        put("w", NounPhrase::of(other, &fact.text).the);
    }
    if fact.subject != "you" {
        let noun = NounPhrase::of(&fact.subject, &fact.text);
        put("subj_s", noun.pick("s", "").to_owned());
        put("subj_has", noun.pick("has", "have").to_owned());
        put("subj", noun.the);
    }
    if let Some(place) = &fact.place {
        put("in_p", NounPhrase::of(place, "").within());
    }
    if let Some(here) = &view.here {
        put("in_here", NounPhrase::of(here, "").within());
    }
    if let Some(witness) = witness(fact, view) {
        put("witness", NounPhrase::of(witness, "").the);
    }
    put_sentence(fact, view, &mut put);
    let holder = put_holder(fact, &mut put);
    put_details(fact, &holder, &mut put);
    Slots::from_values(values)
}

/// The noun phrase of the fact's object. The player may have asked half a sentence: the fact's text then says `that`, and
/// there is no phrase.
fn object_of(fact: &Fact) -> Option<NounPhrase> {
    let noun = NounPhrase::of(fact.object.as_ref()?, &fact.text);
    if fact.fact != "silent" {
        return Some(noun);
    }
    let about = fact.text.rsplit_once(" about ")?.1.trim_end_matches('.');
    (about != "that").then(|| NounPhrase { the: about.to_owned(), ..noun })
}

/// A person who sees the deed and has no part in it. The view lists only the people at the place where the beat ends, so
/// deeds on the way there have no witness.
fn witness<'a>(fact: &Fact, view: &'a WorldView) -> Option<&'a str> {
    let takes_part = |name: &String| {
        [Some(&fact.subject), fact.object.as_ref(), fact.other.as_ref()].contains(&Some(name))
            || fact.text.contains(name.as_str())
    };
    let is_here = match &fact.place {
        Some(place) => view.here.as_ref() == Some(place),
        None => !view.has_moved,
    };
    let sees = |name: &String| is_here && !view.is_dark && !view.unseeing.contains(name);
    view.people.iter().find(|name| sees(name) && !takes_part(name)).map(String::as_str)
}

/// Where the contents are, as `in the sack`; empty where the fact lists none.
fn put_holder(fact: &Fact, put: &mut impl FnMut(&'static str, String)) -> String {
    let named = fact.object.as_ref().zip(fact.because.as_ref());
    let Some((name, word)) = named.filter(|_| fact.fact == "contents") else {
        return String::new();
    };
    let holder = format!("{word} {}", NounPhrase::of(name, "").the);
    put("in_o", holder.clone());
    holder
}

/// The fact's own sentence in the forms that a frame needs. What is more than one sentence stays as it is.
fn put_sentence(fact: &Fact, view: &WorldView, put: &mut impl FnMut(&'static str, String)) {
    let text = fact.text.as_str();
    if sentences(text).count() != 1 || !text.ends_with('.') || text.contains(['“', '”', '"']) {
        return;
    }
    // A clause more after a comma would hang in the air.
    if !text.contains([',', ';']) {
        put("s", text.trim_end_matches('.').to_owned());
    }
    if let Some(lowered) = lowered(text, fact, view) {
        put("t", lowered);
    }
}

/// The names of the details as the sentence has them.
fn put_details(fact: &Fact, holder: &str, put: &mut impl FnMut(&'static str, String)) {
    let Some(first) = fact.details.first() else { return };
    // The sentence says nothing else than these names; else a list would leave out how they lie there.
    let phrases: Option<Vec<String>> =
        fact.details.iter().map(|name| phrase_in(&fact.text, name)).collect();
    let Some(phrases) = phrases else { return };
    let words = |text: &str| text.split_whitespace().count();
    let in_list: usize = phrases.iter().map(|phrase| words(phrase)).sum();
    let ands = usize::from(phrases.len() > 1);
    if words(&fact.text) <= in_list + ands + words(holder) + 4 && sentences(&fact.text).count() == 1
    {
        let several = phrases.len() > 1 || NounPhrase::of(first, &fact.text).plural;
        put("list", english::list(&phrases));
        put("list_is", if several { "are" } else { "is" }.to_owned());
    }
}

/// The text with a small first letter; `None` where its first word may be a name that nobody has listed.
fn lowered(text: &str, fact: &Fact, view: &WorldView) -> Option<String> {
    let first = text.split(|c: char| !c.is_alphanumeric() && c != '\'').next()?;
    let lower = first.to_lowercase();
    if WordClass::SmallLetterWithin.has(lower.as_str()) {
        return Some(format!("{lower}{}", &text[first.len()..]));
    }
    let is_name = |name: &String| name.split(' ').next() == Some(first);
    let own = [Some(&fact.subject), fact.object.as_ref(), fact.other.as_ref()];
    let known = view.names.iter().chain(&view.people).chain(own.into_iter().flatten()).any(is_name);
    known.then(|| text.to_owned())
}

/// How a fact is told, beside its own templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FactClass {
    /// The player has done it.
    Deed,
    /// The player has not.
    Refusal,
    /// Words that stay as they are: a question, or what the game did not understand.
    Fixed,
    Other,
}

pub(super) fn class_of(fact: &Fact) -> FactClass {
    match fact.fact.as_str() {
        _ if fact.text.starts_with(UNSAID) => FactClass::Fixed,
        // The player's own words.
        "spoken" => FactClass::Fixed,
        "not_understood" | "question" | "time_told" | "identity" | "read" => FactClass::Fixed,
        // An author has written them.
        "thread_opened" | "thread_done" => FactClass::Fixed,
        "used" if !nothing_happened(fact) => FactClass::Fixed,
        "refused" | "nothing_found" => FactClass::Refusal,
        "carrying" | "wearing" | "whereabouts" | "exits" | "things_here" | "people_here"
        | "contents" => FactClass::Other,
        // A deed that has failed is not told as one that is done.
        _ if fact.because.as_deref() == Some("failure") => FactClass::Other,
        _ if fact.subject == "you" && fact.text.starts_with("You ") => FactClass::Deed,
        _ => FactClass::Other,
    }
}

/// Returns true if the fact lists what can be seen.
pub(super) fn is_seen(fact: &Fact) -> bool {
    let kinds = ["described", "things_here", "people_here", "contents", "exits"];
    kinds.contains(&fact.fact.as_str())
}

/// How a fact is told: in its own sentence, or in another plain one.
pub(super) fn tell(
    fact: &Fact,
    view: &WorldView,
    style: Style,
    told: &mut ToldLately,
    rng: &mut Rng,
) -> String {
    let class = class_of(fact);
    if style == Style::Terse || class == FactClass::Fixed {
        return fact.text.clone();
    }
    let slots = slots_of(fact, view);
    let mut pools: Vec<&[&'static str]> = Vec::new();
    if !told.has_fact(&key_of(fact)) && rng.range(1..=TOUCHED_ONE_IN) == 1 {
        pools.extend(touches_of(fact, class, style));
    }
    if fact.fact == "contents" {
        // A list after a list reads better with its place first: "You see a desk here. On the desk is a lamp."
        pools.push(pools::CONTENTS);
    } else if rng.range(1..=2) == 1 {
        pools.push(pools::of_kind(&fact.fact, fact.because.as_deref()));
    }
    let other = pools.iter().find_map(|pool| choose(pool, &slots, told, rng));
    other.unwrap_or_else(|| fact.text.clone())
}

/// What may be added to a deed or a refusal that is told for the first time.
fn touches_of(fact: &Fact, class: FactClass, style: Style) -> Vec<&'static [&'static str]> {
    match class {
        FactClass::Deed if fact.fact == "moved" => Vec::new(),
        FactClass::Deed if fact.object.is_none() => vec![pools::WITNESSED],
        FactClass::Deed => vec![pools::touch_of_deed(style), pools::WITNESSED],
        FactClass::Refusal => vec![pools::touch_of_refusal(style)],
        FactClass::Fixed | FactClass::Other => Vec::new(),
    }
}

/// A text of the pool that can be filled; one that was not told lately, of a template that rests, where there is one.
pub(super) fn choose(
    pool: &[&'static str],
    slots: &Slots,
    told: &mut ToldLately,
    rng: &mut Rng,
) -> Option<String> {
    let mut open: Vec<(&'static str, String)> = Vec::new();
    for template in pool {
        let texts = (0..variant_count(template)).map(|number| variant(template, number));
        let filled = texts.filter(|text| slots.fit(text)).map(|text| slots.fill(&text));
        // A colon within a colon does not read well.
        let plain = filled.filter(|text| text.matches(": ").count() < 2);
        open.extend(plain.map(|text| (*template, text)));
    }
    let mut best: Vec<usize> = (0..open.len()).collect();
    let is_new = |at: &usize| !told.has_sentence_of(&open[*at].1);
    let is_rested = |at: &usize| !told.has_template(open[*at].0);
    for better in [&is_new as &dyn Fn(&usize) -> bool, &is_rested] {
        let kept: Vec<usize> = best.iter().copied().filter(better).collect();
        if !kept.is_empty() {
            best = kept;
        }
    }
    let (template, text) = open.swap_remove(*rng.pick(&best)?);
    told.add_template(template);
    Some(text)
}

/// What makes two facts the same for the memory of what was told.
pub(super) fn key_of(fact: &Fact) -> String {
    format!("{}|{}|{}", fact.fact, fact.subject, fact.text)
}
