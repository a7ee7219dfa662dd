//! Prose against facts: what it names must exist, and what it says must not contradict what has happened. Pure: knows
//! the text, the facts and the names in scope, and a list of words, but neither the model nor the story.
//!
//! The check reads words, not meaning. It is strict where a mistake would harm the world (a thing that is not there, a
//! door that is not open), and lets pass what it does not know.

use std::{collections::BTreeSet, fmt};

use narratoria_facts::Fact;

use super::{
    known::{KnownFacts, WorldView},
    told::sentences,
    truth_words::{
        BOUNDARIES, CONCRETE_NOUNS, DIRECTIONS, FAILS, LEAVES, LIVES, OPENS, SAFE_NOUNS, SUCCEEDS,
        TAKES,
    },
};

/// Longest phrase of a noun that is looked at, in words.
const PHRASE_WORDS_MAX: usize = 4;
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
    let lower = plain(text);
    for fact in &known.facts {
        if let Some(said) = denied_by(fact, &lower) {
            found.push(Untruth::Contradiction { said, fact: fact.text.clone() });
        }
    }
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
            let names = [
                Some(&fact.subject),
                fact.object.as_ref(),
                fact.other.as_ref(),
                fact.place.as_ref(),
            ];
            names.into_iter().flatten().chain(&fact.details).for_each(|name| add(name));
        }
        view.names.iter().chain(&view.people).chain(&view.directions).for_each(|name| add(name));
        KnownWords { words }
    }

    fn has(&self, word: &str) -> bool {
        self.words.contains(&stem(word))
    }
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

/// Whether the word, or its singular, stands in the list.
fn is_one_of(list: &str, word: &str) -> bool {
    let root = stem(word);
    list.split(' ').any(|one| one == word || one == root)
}

/// Names and nouns of the sentence that stand for nothing that is there.
fn unknown_names(sentence: &str, known: &KnownWords) -> Vec<String> {
    let mut found = Vec::new();
    let shown: Vec<&str> = sentence.split_whitespace().collect();
    let starts_phrase = |at: usize| {
        at == 0 || shown[at - 1].ends_with(['“', '"', ':']) || shown[at].starts_with(['“', '"'])
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
                .take_while(|word| !BOUNDARIES.split(' ').any(|end| end == word.as_str()))
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

/// The words of the text that the fact denies.
fn denied_by(fact: &Fact, lower: &str) -> Option<String> {
    let because = fact.because.as_deref().unwrap_or_default();
    let object = fact.object.as_deref().unwrap_or_default();
    match fact.fact.as_str() {
        "refused" => match because {
            "locked" | "closed" | "barred" | "no_key" | "wrong_key" => {
                said(lower, OPENS).or_else(|| said(lower, LEAVES))
            }
            "no_way" => said(lower, LEAVES),
            "fixed" | "not_here" | "full_hands" => said(lower, TAKES),
            _ => said(lower, SUCCEEDS),
        },
        "unmoved" | "noticed" => said(lower, SUCCEEDS),
        "attempted" | "attacked" if because == "failure" => said(lower, SUCCEEDS),
        "attempted" | "attacked" if because == "success" => said(lower, FAILS),
        "opened" | "unlocked" | "taken" | "persuaded" | "stolen" | "received" | "lit" => {
            said(lower, FAILS)
        }
        "closed" | "locked" => said(lower, OPENS),
        "dropped" | "given" | "put_in" | "put_on" => said_of(lower, TAKES, object),
        "died" => said_after(lower, LIVES, &fact.subject),
        "dark" => said(lower, &["you see", "you can see", "brightly lit", "in the light"]),
        "silent" => said_after(
            lower,
            &["says", "answers", "replies", "tells you", "explains"],
            &fact.subject,
        ),
        "nothing_found" => {
            said(lower, &["you find a", "you find the", "you discover", "comes to light"])
        }
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

/// The same, where the name follows soon.
fn said_of(lower: &str, phrases: &[&str], name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let near = |phrase: &&&str| {
        let follows = |at: usize| lower[at..].chars().take(40).collect::<String>().contains(&name);
        !name.is_empty() && places_of(lower, phrase).any(follows)
    };
    phrases.iter().find(near).map(|phrase| (*phrase).to_owned())
}

/// The same, where it follows the name directly.
fn said_after(lower: &str, phrases: &[&str], name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let found = phrases.iter().find(|phrase| lower.contains(&format!("{name} {phrase}")));
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
        is_whole && !denied.iter().any(|word| before.ends_with(word))
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
