//! Prose against facts: what it names must exist, and what it says must not contradict what has happened. Pure: knows
//! the text, the facts and the names in scope, and a list of words, but neither the model nor the story.
//!
//! The check reads words, not meaning. It is strict where a mistake would harm the world (a thing that is not there, a
//! door that is not open), and lets pass what it does not know.

use std::{collections::BTreeSet, fmt};

use narratoria_facts::Fact;

use super::{
    known::{KnownFacts, WorldView},
    told::{letters, sentences},
};
use words::{
    BOUNDARIES, CONCRETE_NOUNS, DIRECTIONS, FAILS, LEAVES, LIVES, OPENS, SAFE_NOUNS, SUCCEEDS,
    TAKES,
};

/// The lists of `text/truth.md`, each a constant with the name of its heading. The build script has checked them.
// A list that no code asks for is a mistake of the page; the compiler shows its line.
#[deny(dead_code)]
mod words {
    include!(concat!(env!("OUT_DIR"), "/truth.rs"));
}

/// Longest phrase of a noun that is looked at, in words.
const PHRASE_WORDS_MAX: usize = 4;
/// Of the words of a fact without a name, one in this many must be told.
const TOLD_WORDS_ONE_IN: usize = 2;
/// Most untruths that are listed.
const UNTRUTHS_MAX: usize = 8;

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Untruth {
    /// It names something that no fact and no name in scope has.
    Unknown(String),
    /// It says something that a fact denies.
    Contradiction { said: String, fact: String },
}

impl fmt::Display for Untruth {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Untruth::Unknown(name) => write!(out, "names `{name}`, which is not there"),
            Untruth::Contradiction { said, fact } => {
                write!(out, "says `{said}`, and the fact is: {fact}")
            }
        }
    }
}

/// Everything that is wrong with the text, at most a few; empty where nothing is.
pub(crate) fn untruths(text: &str, known: &KnownFacts, view: &WorldView) -> Vec<Untruth> {
    let words = KnownWords::of(known, view);
    let mut found = Vec::new();
    for sentence in sentences(text) {
        found.extend(unknown_names(sentence, &words).into_iter().map(Untruth::Unknown));
    }
    // An author's own words, which a fact quotes, deny nothing.
    let is_quoted = |sentence: &&str| known.facts.iter().any(|fact| fact.text.contains(*sentence));
    let own: Vec<&str> = sentences(text).filter(|sentence| !is_quoted(sentence)).collect();
    let own = plain(&own.join(" "));
    let is_alone = known.facts.iter().filter(|fact| is_event(fact)).count() == 1;
    for fact in known.facts.iter().filter(|fact| !is_undone(fact, known)) {
        if let Some(said) = denied_by(fact, &own, is_alone) {
            found.push(Untruth::Contradiction { said, fact: fact.text.clone() });
        }
    }
    let lower = plain(text);
    found.extend(wrong_ways(&lower, &words, view));
    found.dedup();
    found.truncate(UNTRUTHS_MAX);
    found
}

/// All words that stand for something that exists.
struct KnownWords {
    words: BTreeSet<String>,
}

impl KnownWords {
    fn of(known: &KnownFacts, view: &WorldView) -> KnownWords {
        let mut words = BTreeSet::new();
        let mut add = |text: &str| words.extend(words_of(text).map(|word| stem(&word)));
        for fact in &known.facts {
            add(&fact.text);
            // What a refusal is about, the player may not have met: only its sentence says how much of it is named.
            if fact.fact == "refused" {
                continue;
            }
            names_of(fact).for_each(|name| add(name));
        }
        view.names.iter().chain(&view.people).chain(&view.directions).for_each(|name| add(name));
        KnownWords { words }
    }

    fn has(&self, word: &str) -> bool {
        self.words.contains(&stem(word))
    }
}

/// The names of a fact, and its details.
fn names_of(fact: &Fact) -> impl Iterator<Item = &String> {
    let others = [fact.object.as_ref(), fact.other.as_ref(), fact.place.as_ref()];
    std::iter::once(&fact.subject).chain(others.into_iter().flatten()).chain(&fact.details)
}

/// The facts that the text does not tell, at most a few. The grammar's own sentences may leave out what the player knows; a
/// model's text has to say everything.
pub(crate) fn left_out<'k>(text: &str, known: &'k KnownFacts) -> Vec<&'k Fact> {
    let told = ToldWords::of(text);
    known.facts.iter().filter(|fact| !told.has(fact)).take(UNTRUTHS_MAX).collect()
}

/// What a text tells.
struct ToldWords {
    words: BTreeSet<String>,
    letters: String,
}

impl ToldWords {
    fn of(text: &str) -> ToldWords {
        ToldWords {
            words: words_of(text).map(|word| stem(&word)).collect(),
            letters: letters(text),
        }
    }

    /// Returns true if the text tells the fact: what is quoted in it word for word, the things and people that it names by
    /// the last word of their names, and of what is seen, and of a fact without names, half of its words.
    fn has(&self, fact: &Fact) -> bool {
        let stems: BTreeSet<String> = words_of(&fact.text)
            .filter(|word| !BOUNDARIES.contains(&word.as_str()))
            .map(|word| stem(&word))
            .collect();
        let is_told = |word: &String| self.words.contains(word);
        let heads: Vec<String> = names_of(fact)
            .filter_map(|name| words_of(name).last())
            .map(|word| stem(&word))
            .filter(|head| stems.contains(head))
            .collect();
        let needs_words = heads.is_empty() || !is_event(fact);
        let of_words = stems.iter().filter(|word| is_told(word)).count() * TOLD_WORDS_ONE_IN;
        quotations(&fact.text).all(|quoted| self.letters.contains(&letters(quoted)))
            && heads.iter().all(is_told)
            && (!needs_words || of_words >= stems.len())
    }
}

/// The parts of a text between quotation marks and those outside, in turns; the first is outside.
fn by_quotation(text: &str) -> impl Iterator<Item = &str> {
    text.split(['“', '”', '"'])
}

/// What a text quotes.
fn quotations(text: &str) -> impl Iterator<Item = &str> {
    by_quotation(text).skip(1).step_by(2)
}

/// The text without what it quotes; `None` where a quotation mark has no other one.
pub(crate) fn outside_quotation(text: &str) -> Option<String> {
    let count = |mark: char| text.matches(mark).count();
    let is_paired = count('“') == count('”') && count('"') % 2 == 0;
    is_paired.then(|| by_quotation(text).step_by(2).collect::<Vec<_>>().join(" "))
}

/// The words in lower case, without marks.
fn words_of(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .map(|word| word.trim_matches(['\'', '’']).to_lowercase().replace('’', "'"))
        .map(|word| word.trim_end_matches("'s").to_owned())
        .filter(|word| !word.is_empty())
}

/// The word without the ending of its plural, so that `doors` and `door` are one.
fn stem(word: &str) -> String {
    let lower = word.to_lowercase();
    let lower = lower.trim_end_matches("'s");
    if let Some(root) = lower.strip_suffix("ies").filter(|root| root.len() > 2) {
        return format!("{root}y");
    }
    if let Some(root) = lower.strip_suffix("ves").filter(|root| root.len() > 2) {
        return format!("{root}f");
    }
    for ending in ["ches", "shes", "xes", "sses"] {
        if lower.ends_with(ending) {
            return lower[..lower.len() - 2].to_owned();
        }
    }
    let is_plural =
        lower.len() > 3 && lower.ends_with('s') && !lower.ends_with("ss") && !lower.ends_with("us");
    if is_plural { lower[..lower.len() - 1].to_owned() } else { lower.to_owned() }
}

/// Returns true if the word, or its singular, stands in the list.
fn is_one_of(list: &[&str], word: &str) -> bool {
    list.contains(&word) || list.contains(&stem(word).as_str())
}

/// Names and nouns of the sentence that stand for nothing that is there.
fn unknown_names(sentence: &str, known: &KnownWords) -> Vec<String> {
    let mut found = Vec::new();
    let shown: Vec<&str> = sentence.split_whitespace().collect();
    let starts_phrase = |at: usize| {
        at == 0
            || shown[at - 1].ends_with(['“', '”', '"', ':'])
            || shown[at].starts_with(['“', '"'])
    };
    for (at, raw) in shown.iter().enumerate() {
        let Some(word) = words_of(raw).next() else { continue };
        let is_capital = raw.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_uppercase);
        let is_name = is_capital && !starts_phrase(at) && word != "i" && !word.starts_with("i'");
        let is_thing = is_one_of(CONCRETE_NOUNS, &word);
        if (is_name || is_thing) && !known.has(&word) && !is_one_of(SAFE_NOUNS, &word) {
            found.push(word);
        }
    }
    found.extend(unknown_phrases(sentence, known));
    found
}

/// Phrases after an article of which no word is known.
fn unknown_phrases(sentence: &str, known: &KnownWords) -> Vec<String> {
    let mut found = Vec::new();
    for clause in sentence.split([',', ';', ':', '.', '!', '?', '—', '“', '”', '"']) {
        let words: Vec<String> = words_of(clause).collect();
        for (at, article) in words.iter().enumerate() {
            if !matches!(article.as_str(), "the" | "a" | "an") {
                continue;
            }
            let phrase: Vec<&String> = words[at + 1..]
                .iter()
                .take(PHRASE_WORDS_MAX)
                .take_while(|word| !BOUNDARIES.contains(&word.as_str()))
                .collect();
            let is_there = |word: &&String| known.has(word) || is_one_of(SAFE_NOUNS, word);
            // "the older", "a single": without a noun there is nothing to judge.
            if !phrase.is_empty() && !phrase.iter().any(is_there) {
                let shown: Vec<&str> = phrase.iter().map(|word| word.as_str()).collect();
                found.push(shown.join(" "));
            }
        }
    }
    found
}

/// The text in lower case and single spaces, with plain apostrophes, between spaces.
fn plain(text: &str) -> String {
    let lower = text.to_lowercase().replace('’', "'");
    format!(" {} ", lower.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns true if the fact is something that happens, and not something that is seen or said.
fn is_event(fact: &Fact) -> bool {
    !matches!(
        fact.fact.as_str(),
        "described"
            | "things_here"
            | "people_here"
            | "exits"
            | "contents"
            | "said"
            | "perception"
            | "standing"
            | "gate"
            | "carrying"
            | "wearing"
            | "received"
            | "thread_opened"
            | "thread_done"
    )
}

/// Returns true if something else of the turn bears out what the fact would deny: a door that is opened and closed again, a door
/// that is open already before it is closed, a person who gives in and then has no answer.
fn is_undone(fact: &Fact, known: &KnownFacts) -> bool {
    let opposites: &[&str] = match fact.fact.as_str() {
        "closed" | "locked" => &["opened", "unlocked", "already_open", "not_locked"],
        "refused" => &["opened", "unlocked", "persuaded"],
        "opened" | "unlocked" => &["closed", "locked", "refused"],
        "persuaded" | "stolen" | "taken" | "lit" => &["refused", "silent", "unmoved"],
        "dropped" | "given" | "put_in" | "put_on" => &["taken"],
        _ => &[],
    };
    let is_opposite = |other: &Fact| {
        let because = other.because.as_deref().unwrap_or_default();
        opposites.contains(&other.fact.as_str()) || opposites.contains(&because)
    };
    let is_about_it = |other: &Fact| {
        other.object == fact.object || fact.object.as_ref().is_some_and(|it| *it == other.subject)
    };
    fact.object.is_some() && known.facts.iter().any(|it| is_opposite(it) && is_about_it(it))
}

/// The words of the text that the fact denies. Where something else happens as well, only words near its own thing count:
/// what works here may have failed there.
fn denied_by(fact: &Fact, lower: &str, is_alone: bool) -> Option<String> {
    let because = fact.because.as_deref().unwrap_or_default();
    let object = fact.object.as_deref().unwrap_or_default();
    let own = |phrases: &[&str]| {
        if is_alone { said(lower, phrases) } else { said_near(lower, phrases, object) }
    };
    match fact.fact.as_str() {
        "refused" => match because {
            "locked" | "closed" | "barred" | "no_key" | "wrong_key" => {
                own(OPENS).or_else(|| own(LEAVES).filter(|_| is_alone))
            }
            "no_way" => own(LEAVES).filter(|_| is_alone),
            "fixed" | "not_here" => own(TAKES),
            _ => own(SUCCEEDS),
        },
        "unmoved" | "noticed" => own(SUCCEEDS),
        "attempted" | "attacked" if because == "failure" => own(SUCCEEDS),
        "attempted" | "attacked" if because == "success" => own(FAILS),
        "opened" | "unlocked" | "taken" | "persuaded" | "stolen" | "lit" => own(FAILS),
        "closed" | "locked" => own(OPENS),
        "dropped" | "given" | "put_in" | "put_on" if is_alone => said_near(lower, TAKES, object),
        "died" => said_after(lower, LIVES, &fact.subject),
        "dark" => said(lower, &["you can see everything", "brightly lit", "in the light"])
            .or_else(|| said(lower, &["you see"]).filter(|_| is_alone)),
        "silent" => said_after(
            lower,
            &["says", "answers", "replies", "tells you", "explains"],
            &fact.subject,
        ),
        "nothing_found" => own(&["you find a", "you find the", "you discover"]),
        _ => None,
    }
}

/// The first of the phrases that the text has as whole words.
fn said(lower: &str, phrases: &[&str]) -> Option<String> {
    phrases
        .iter()
        .find(|phrase| places_of(lower, phrase).next().is_some())
        .map(|phrase| (*phrase).to_owned())
}

/// The same, where the name, or its last word, stands in the same sentence.
fn said_near(lower: &str, phrases: &[&str], name: &str) -> Option<String> {
    let lower_name = name.to_lowercase();
    let last = lower_name.rsplit(' ').next().unwrap_or_default();
    let is_near = |at: usize| {
        let start = lower[..at].rfind(['.', '!', '?', ';']).map_or(0, |end| end + 1);
        let end = lower[at..].find(['.', '!', '?', ';']).map_or(lower.len(), |end| at + end);
        let sentence = &lower[start..end];
        // "the door" may be this one; "the glass door" is not the shed door.
        sentence.contains(&lower_name) || sentence.contains(&format!("the {last}"))
    };
    let near = |phrase: &&&str| !last.is_empty() && places_of(lower, phrase).any(is_near);
    phrases.iter().find(near).map(|phrase| (*phrase).to_owned())
}

/// The same, where it follows the name directly.
fn said_after(lower: &str, phrases: &[&str], name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let says = |phrase: &&&str| {
        let wanted = format!("{name} {phrase}");
        lower.split_once(&wanted).is_some_and(|(_, rest)| !rest.trim_start().starts_with("nothing"))
    };
    let found = phrases.iter().find(says);
    found.filter(|_| !name.is_empty()).map(|phrase| format!("{name} {phrase}"))
}

/// Where the phrase stands in the text, as whole words and not denied just before.
fn places_of<'a>(lower: &'a str, phrase: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_letter = |c: char| c.is_alphanumeric();
    lower.match_indices(phrase).map(|(at, _)| at).filter(move |at| {
        let before = &lower[..*at];
        let after = &lower[at + phrase.len()..];
        let is_whole = !before.chars().next_back().is_some_and(is_letter)
            && !after.chars().next().is_some_and(is_letter);
        let denied = ["not ", "never ", "no longer ", "n't ", "if ", "before ", "without "];
        // "You take in the room" and "you take a look" take nothing.
        let looks = ["in ", "a look", "your time", "stock", "another look", "no "];
        let rest = after.trim_start();
        let takes_nothing =
            phrase.ends_with("take") && looks.iter().any(|word| rest.starts_with(word));
        is_whole && !takes_nothing && !denied.iter().any(|word| before.ends_with(word))
    })
}

/// Points of the compass that no fact names and that lead nowhere.
fn wrong_ways(lower: &str, known: &KnownWords, view: &WorldView) -> Vec<Untruth> {
    if view.directions.is_empty() {
        return Vec::new();
    }
    let is_named = |way: &&&str| places_of(lower, way).next().is_some();
    let wrong = DIRECTIONS.iter().filter(is_named).filter(|way| !known.has(way));
    wrong.map(|way| Untruth::Unknown((*way).to_owned())).collect()
}
