//! One fact → the sentences that can tell it, of which one is chosen. Knows a fact, the place and what was told lately;
//! does not know the other facts of the beat.

use narratoria_facts::{Fact, capitalised};
use narratoria_sdk::Rng;

use super::{
    known::WorldView,
    noun_phrase::{NounPhrase, list_of, phrase_in},
    pools,
    told::{ToldLately, sentences},
};
use crate::{
    slots::Slots,
    story::Style,
    variants::{variant, variant_count},
};

/// Most texts of a template that are tried.
const TRIES_MAX: usize = 48;

/// Words at the start of a sentence that can have a small letter in the middle of one.
const STARTERS: &[&str] = &[
    "a",
    "an",
    "the",
    "you",
    "your",
    "it",
    "its",
    "there",
    "he",
    "she",
    "they",
    "his",
    "her",
    "their",
    "this",
    "that",
    "these",
    "those",
    "nothing",
    "nobody",
    "no",
    "not",
    "some",
    "somebody",
    "someone",
    "something",
    "one",
    "two",
    "three",
    "in",
    "on",
    "at",
    "under",
    "from",
    "with",
    "without",
    "behind",
    "above",
    "below",
    "beside",
    "here",
    "now",
    "then",
    "what",
    "where",
    "when",
    "if",
    "as",
    "all",
    "both",
    "each",
    "every",
    "only",
    "half",
    "of",
    "for",
    "by",
    "to",
    "and",
    "but",
    "after",
    "before",
    "between",
    "through",
    "neither",
    "none",
    "most",
    "many",
    "several",
    "old",
    "time",
    "even",
];

/// How the world begins to tell the player what an order has left out.
pub(super) const UNSAID: &str = "You would have to say ";

/// The places of a fact's templates, filled.
pub(super) fn slots_of(fact: &Fact, view: &WorldView) -> Slots {
    let mut values: Vec<(&'static str, String)> = Vec::new();
    let mut put = |place: &'static str, value: String| values.push((place, value));
    if let Some((object, noun)) = fact.object.as_ref().zip(object_of(fact)) {
        put("o", noun.the.clone());
        put("o_is", noun.pick("is", "are").to_owned());
        put("o_has", noun.pick("has", "have").to_owned());
        put("o_s", noun.pick("s", "").to_owned());
        put("o_es", noun.pick("es", "").to_owned());
        put("o_it", noun.pick("it", "them").to_owned());
        put("o_they", noun.pick("it", "they").to_owned());
        put("o_they_was", noun.pick("it was", "they were").to_owned());
        if matches!(
            object.as_str(),
            "north"
                | "south"
                | "east"
                | "west"
                | "northeast"
                | "northwest"
                | "southeast"
                | "southwest"
                | "up"
                | "down"
        ) {
            put("dir", object.clone());
            put("dir_cap", capitalised(object));
        }
    }
    if let Some(other) = &fact.other {
        let noun = NounPhrase::of(other, &fact.text);
        put("w", noun.the.clone());
        put("w_s", noun.pick("s", "").to_owned());
        put("w_ies", noun.pick("ies", "y").to_owned());
    }
    if fact.subject != "you" {
        let noun = NounPhrase::of(&fact.subject, &fact.text);
        put("subj", noun.the.clone());
        put("subj_s", noun.pick("s", "").to_owned());
        put("subj_is", noun.pick("is", "are").to_owned());
        put("subj_has", noun.pick("has", "have").to_owned());
    }
    if let Some(place) = &fact.place {
        let noun = NounPhrase::of(place, "");
        put("in_p", noun.within());
        put("p", noun.the);
    }
    if let Some(here) = &view.here {
        let noun = NounPhrase::of(here, "");
        // Who has just come there does not do so there.
        if fact.fact != "moved" {
            put("in_here", noun.within());
        }
        put("here", noun.the);
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
    let the = NounPhrase::of(name, "").the;
    let holder = format!("{word} {the}");
    if word == "in" {
        put("c", the);
    }
    put("in_o", holder.clone());
    holder
}

/// The fact's own words in their forms: a single sentence, or several joined into one.
fn put_sentence(fact: &Fact, view: &WorldView, put: &mut impl FnMut(&'static str, String)) {
    let text = fact.text.as_str();
    if let Some(unsaid) = text.strip_prefix(UNSAID).and_then(|rest| rest.strip_suffix('.')) {
        put("q", unsaid.to_owned());
    }
    let all: Vec<&str> = sentences(text).collect();
    let [first, rest @ ..] = all.as_slice() else { return };
    // Of somebody's words, or a question, only a single sentence keeps its sense in a frame.
    if text.starts_with(['"', '“']) || (!rest.is_empty() && text.contains(['"', '“', '?', '!']))
    {
        return;
    }
    let is_plain = text.ends_with('.') && !text.contains(['“', '"']);
    let open = |sentence: &str| sentence.trim_end_matches('.').to_owned();
    let rest: Option<Vec<String>> =
        rest.iter().map(|sentence| lowered(sentence, fact, view).map(|it| open(&it))).collect();
    let Some(rest) = rest else { return };
    // A clause more after a comma would hang in the air.
    if is_plain && rest.is_empty() && !text.contains([',', ';']) {
        put("s", open(first));
    }
    let Some(lowered) = lowered(first, fact, view) else { return };
    if rest.is_empty() {
        put("t", lowered.clone());
    } else {
        let joined = rest.iter().fold(open(&lowered), |text, part| format!("{text}; {part}"));
        put("t", format!("{joined}."));
    }
    if is_plain && rest.is_empty() {
        put("st", open(&lowered));
    }
}

/// The names of the details as the sentence has them.
fn put_details(fact: &Fact, holder: &str, put: &mut impl FnMut(&'static str, String)) {
    let Some(first) = fact.details.first() else { return };
    if fact.fact == "exits" {
        if let Some(ways) = ways_of(fact) {
            put(if fact.details.len() > 2 { "ways" } else { "way" }, ways);
        }
        return;
    }
    put("d", first.clone());
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
        put("list", list_of(&phrases));
        put("list_is", if several { "are" } else { "is" }.to_owned());
        put("d_is", if several { "are" } else { "is" }.to_owned());
    }
}

/// `north to the kitchen and up to the loft`; `None` where the sentence says more than that.
fn ways_of(fact: &Fact) -> Option<String> {
    let lower = fact.text.to_lowercase();
    if !fact.details.len().is_multiple_of(2)
        || ["door", "lock", "clos", "shut", "gate", "hatch"].iter().any(|word| lower.contains(word))
    {
        return None;
    }
    let way = |pair: &[String]| match pair {
        [direction, place] if direction == "in" => {
            format!("into {}", NounPhrase::of(place, "").the)
        }
        [direction, place] => format!("{direction} to {}", NounPhrase::of(place, "").the),
        _ => String::new(),
    };
    let ways: Vec<String> = fact.details.chunks(2).map(way).collect();
    Some(list_of(&ways))
}

/// The text with a small first letter; `None` where its first word may be a name that nobody has listed.
fn lowered(text: &str, fact: &Fact, view: &WorldView) -> Option<String> {
    let first = text.split(|c: char| !c.is_alphanumeric() && c != '\'').next()?;
    let lower = first.to_lowercase();
    if STARTERS.contains(&lower.as_str()) {
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
        "used" if !fact.text.ends_with("nothing happens.") => FactClass::Fixed,
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

/// Chooses how a fact is told. The result was not told in the last turns, if there is any such way and the fact may not come
/// again.
pub(super) fn tell(
    fact: &Fact,
    view: &WorldView,
    style: Style,
    told: &mut ToldLately,
    rng: &mut Rng,
) -> String {
    let slots = slots_of(fact, view);
    let class = class_of(fact);
    let again = told.has_fact(&key_of(fact));
    let is_new = !told.has_sentence_of(&fact.text);
    if class == FactClass::Fixed {
        let is_asked = matches!(fact.fact.as_str(), "not_understood" | "question");
        let again = if fact.fact == "used" { pools::USED_AGAIN } else { pools::FIXED_AGAIN };
        let again = [pools::UNSAID, again];
        let otherwise = (!is_new && !is_asked).then(|| choose_first(&again, &slots, told, rng));
        return otherwise.flatten().unwrap_or_else(|| fact.text.clone());
    }
    let plainly = style == Style::Terse;
    let because = fact.because.as_deref();
    let kind = [own_pool(fact), pools::of_kind(&fact.fact, because)];
    // Now and then something is added to a plain deed; more often it would be a tic.
    let is_adorned = class == FactClass::Deed && rng.range(1..=5) == 1;
    let has_own_ways = kind.iter().any(|pool| !pool.is_empty()) || is_adorned;
    if is_new && (plainly || !has_own_ways || rng.range(1..=3) == 1) {
        return fact.text.clone();
    }
    let touches = match class {
        FactClass::Deed if fact.object.is_some() && fact.fact != "moved" => {
            pools::touch_of_deed(style)
        }
        FactClass::Refusal => pools::touch_of_refusal(style),
        FactClass::Deed | FactClass::Fixed | FactClass::Other => &[],
    };
    let around = match class {
        FactClass::Deed => pools::AROUND_DEED,
        FactClass::Refusal => &[],
        FactClass::Fixed | FactClass::Other => pools::AROUND_ANY,
    };
    let (once_more, ever) = match class {
        FactClass::Deed => (pools::DEED_AGAIN, pools::DEED_EVER),
        FactClass::Refusal if pools::is_tried(because, &fact.text) => {
            (pools::REFUSED_AGAIN, pools::REFUSED_EVER)
        }
        FactClass::Refusal => (pools::REFUSED_AGAIN, pools::UNHEARD_EVER),
        FactClass::Fixed | FactClass::Other => (pools::AROUND_AGAIN, pools::ANY_EVER),
    };
    let mut pools: Vec<&[&'static str]> = Vec::new();
    if !again && rng.range(1..=4) == 1 {
        pools.push(touches);
    }
    if again && !is_seen(fact) && fact.fact != "moved" && rng.range(1..=2) == 1 {
        pools.push(once_more);
    }
    pools.extend(kind);
    if is_new && (class != FactClass::Deed || is_seen(fact)) {
        return choose_first(&pools, &slots, told, rng).unwrap_or_else(|| fact.text.clone());
    }
    if !is_seen(fact) {
        pools.push(if again { once_more } else { around });
        pools.extend([touches, around]);
    }
    pools.extend([once_more, ever]);
    choose_first(&pools, &slots, told, rng).unwrap_or_else(|| fact.text.clone())
}

/// A text of the first pool that has one.
fn choose_first(
    pools: &[&[&'static str]],
    slots: &Slots,
    told: &mut ToldLately,
    rng: &mut Rng,
) -> Option<String> {
    pools.iter().find_map(|pool| choose(pool, slots, told, rng))
}

/// The pool for what the details say: the way that an opinion has moved, whether there is anything in a thing.
fn own_pool(fact: &Fact) -> &'static [&'static str] {
    let moved = |way: &str| fact.details.first().is_some_and(|first| first == way);
    match fact.fact.as_str() {
        "perception" if moved("up") => pools::PERCEPTION_UP,
        "perception" if moved("down") => pools::PERCEPTION_DOWN,
        "contents" if fact.details.is_empty() => pools::NO_CONTENTS,
        "contents" => pools::CONTENTS,
        "refused" => pools::of_refusal(fact.because.as_deref(), &fact.text),
        _ => &[],
    }
}

/// One text of the pool that can be filled and was not told lately, of a template that rests where there is one.
pub(super) fn choose(
    pool: &[&'static str],
    slots: &Slots,
    told: &mut ToldLately,
    rng: &mut Rng,
) -> Option<String> {
    let mut open: Vec<(&'static str, Vec<String>)> = Vec::new();
    for template in pool {
        let count = variant_count(template);
        let mut texts: Vec<String> = (0..count.min(TRIES_MAX))
            .map(|number| variant(template, number))
            .filter(|text| slots.fit(text))
            .map(|text| slots.fill(&text))
            .collect();
        // A colon within a colon does not read well.
        texts.retain(|text| text.matches(": ").count() < 2 && !repeats_itself(text));
        texts.retain(|text| !told.has_sentence_of(text));
        if !texts.is_empty() {
            open.push((template, texts));
        }
    }
    let rested: Vec<usize> = (0..open.len()).filter(|at| !told.has_template(open[*at].0)).collect();
    let all: Vec<usize> = (0..open.len()).collect();
    let at = *rng.pick(if rested.is_empty() { &all } else { &rested })?;
    let (template, texts) = &open[at];
    told.add_template(template);
    rng.pick(texts).cloned()
}

/// Returns true if a lead or an ending says what the sentence says too: `As it is, you had better leave it as it is`.
fn repeats_itself(text: &str) -> bool {
    const ALIKE: &[&[&str]] = &[
        &["as it is", "as they are", "as things stand", "as things are"],
        &["again", "once more", "as before", "not for the first time"],
        &["for now", "at the moment", "just now"],
        &["already", "by now"],
        &["let it be", "leave it at that"],
    ];
    let lower = text.to_lowercase();
    ALIKE.iter().any(|alike| alike.iter().map(|it| lower.matches(it).count()).sum::<usize>() > 1)
}

/// What makes two facts the same for the memory of what was told.
pub(super) fn key_of(fact: &Fact) -> String {
    format!("{}|{}|{}", fact.fact, fact.subject, fact.text)
}
