//! The words of a premise: people, places, objects.

use crate::{
    check::NAME_CHARS_MAX,
    premise::{
        blocks::{KINDS, PremiseSetting},
        names,
    },
    words,
};

/// Most words of a premise that are read.
const WORDS_MAX: usize = 80;

/// Words that end a noun.
const STOPS: &[&str] = &[
    "who",
    "whose",
    "whom",
    "which",
    "that",
    "has",
    "have",
    "had",
    "is",
    "are",
    "was",
    "were",
    "not",
    "in",
    "on",
    "at",
    "with",
    "without",
    "of",
    "for",
    "from",
    "to",
    "and",
    "or",
    "but",
    "by",
    "under",
    "over",
    "after",
    "before",
    "into",
    "must",
    "can",
    "will",
    "would",
    "where",
    "when",
    "while",
    "as",
    "about",
    "finds",
    "wants",
    "loses",
    "wakes",
    "comes",
    "goes",
    "lives",
    "keeps",
    "hides",
    "steals",
    "looking",
    "looks",
    "searching",
    "hunting",
    "meets",
    "inherits",
    "returns",
    "arrives",
    "stuck",
    "alone",
    "during",
    "between",
    "behind",
    "beneath",
    "against",
    "through",
    "every",
    "discovers",
    "receives",
    "hears",
    "sees",
    "knows",
    "owes",
    "carries",
    "buries",
    "opens",
    "guards",
    "seeks",
    "needs",
    "never",
    "always",
    "no",
    "only",
    "again",
    "nobody",
    "nothing",
    "until",
    "since",
    "because",
    "if",
    "so",
    "than",
    "waits",
    "waiting",
    "hiding",
    "carrying",
    "running",
    "full",
    "left",
    "gone",
    "inside",
    "outside",
    "near",
    "aboard",
    "off",
    "down",
    "up",
    "out",
    "around",
    "across",
    "along",
    "within",
    "be",
    "been",
    "being",
    "do",
    "does",
    "did",
    "slept",
    "sleeps",
    "tries",
    "trying",
    "gets",
    "takes",
    "it",
    "he",
    "she",
    "they",
    "him",
    "them",
    "you",
    "i",
    "me",
    "we",
    "us",
    "somebody",
    "someone",
    "everybody",
    "everyone",
];

/// Words that begin a noun.
const STARTS: &[&str] = &[
    "a", "an", "the", "his", "her", "their", "my", "our", "its", "your", "one", "two", "three",
    "last", "this",
];

/// Words that can be neither met nor carried.
const ABSTRACT: &[&str] = &[
    "day",
    "days",
    "night",
    "nights",
    "year",
    "years",
    "time",
    "way",
    "war",
    "love",
    "life",
    "death",
    "morning",
    "evening",
    "week",
    "weeks",
    "month",
    "months",
    "hour",
    "hours",
    "dream",
    "dreams",
    "secret",
    "secrets",
    "past",
    "end",
    "world",
    "truth",
    "storm",
    "winter",
    "summer",
    "autumn",
    "spring",
    "murder",
    "crime",
    "job",
    "memory",
    "memories",
    "name",
    "rain",
    "snow",
    "fog",
    "mystery",
    "revenge",
    "debt",
    "eve",
    "edge",
    "middle",
    "heart",
    "sea",
    "sky",
    "moon",
    "sun",
    "voice",
    "voices",
    "sleep",
    "darkness",
    "silence",
    "story",
    "stories",
    "party",
    "strike",
    "plague",
    "trial",
    "wedding",
    "funeral",
    "something",
    "front",
    "top",
    "bottom",
    "side",
    "wrong",
    "dead",
    "living",
    "truce",
    "curse",
    "idea",
    "plan",
    "game",
    "fair",
    "festival",
    "feast",
    "race",
    "contest",
    "competition",
    "birthday",
    "century",
    "future",
];

/// What a premise speaks of.
#[derive(Debug, Clone, Default)]
pub(super) struct PremiseWords {
    /// The setting that one of its words belongs to.
    pub(super) setting: Option<&'static PremiseSetting>,
    /// People, by trade or kin; the first is the player.
    pub(super) people: Vec<String>,
    /// Places.
    pub(super) places: Vec<String>,
    /// Objects.
    pub(super) objects: Vec<String>,
}

impl PremiseWords {
    pub(super) fn of(premise: &str) -> PremiseWords {
        let mut found = PremiseWords::default();
        let text: String = premise.chars().take(1000).collect();
        // A comma ends a noun as a preposition does.
        let text = text.replace([',', '.', ';', ':', '!', '?'], " and ");
        let words: Vec<String> = words::split(&text).into_iter().take(WORDS_MAX).collect();
        found.setting = words.iter().find_map(|word| {
            KINDS
                .iter()
                .find(|kind| kind.words.iter().any(|known| words::stem(word) == words::stem(known)))
        });
        for noun in nouns(&words) {
            found.sort(&noun);
        }
        found
    }

    fn sort(&mut self, noun: &[String]) {
        let name = noun.join(" ");
        let head = noun.last().map(String::as_str).unwrap_or_default();
        let is_usable =
            name.chars().count() <= NAME_CHARS_MAX && name.chars().any(char::is_alphabetic);
        let is_pronoun = ["you", "your", "yours", "mine", "ours"].contains(&head);
        if !is_usable || is_pronoun || head.len() < 3 || ABSTRACT.contains(&head) {
            return;
        }
        let list = if is_person(head) {
            &mut self.people
        } else if names::PLACE_WORDS.contains(&words::stem(head))
            || names::PLACE_WORDS.contains(&head)
        {
            &mut self.places
        } else {
            &mut self.objects
        };
        if !list.contains(&name) {
            list.push(name);
        }
    }
}

/// Returns true if the word is somebody: a trade, kin, or an ending of trades.
fn is_person(head: &str) -> bool {
    let one = words::stem(head);
    let is_known = names::PERSON_WORDS.contains(&head) || names::PERSON_WORDS.contains(&one);
    let endings = [
        "keeper", "maker", "smith", "monger", "wright", "man", "woman", "men", "herd", "ist",
        "eer", "ician",
    ];
    let thing_like = [
        "letter", "paper", "water", "tower", "river", "cellar", "door", "mirror", "lantern",
        "locket", "human",
    ];
    is_known || (endings.iter().any(|ending| head.ends_with(ending)) && !thing_like.contains(&head))
}

/// Participles: adjectives before a noun, and the end of one.
const PARTICIPLES: &[&str] = &[
    "stolen", "lost", "sealed", "buried", "hidden", "haunted", "trapped", "called", "named", "made",
];

/// Returns true if the word begins what is said of the noun: `a detective searches`, `a house haunted by`.
fn ends_noun(word: &str, noun: Option<&[String]>) -> bool {
    let Some(head) = noun.and_then(|noun| noun.last()) else { return false };
    let is_verb = is_person(head) && word.ends_with('s') && !word.ends_with("ss");
    is_verb || word.ends_with("ing") || PARTICIPLES.contains(&word)
}

/// The noun phrases: after an article or possessive up to the next word that is no part of it.
fn nouns(words: &[String]) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut current: Option<Vec<String>> = Some(Vec::new());
    for word in words {
        if STARTS.contains(&word.as_str()) {
            found.extend(current.take().filter(|noun| !noun.is_empty()));
            current = Some(Vec::new());
        } else if STOPS.contains(&word.as_str()) || ends_noun(word, current.as_deref()) {
            found.extend(current.take().filter(|noun| !noun.is_empty()));
        } else if let Some(noun) = current.as_mut().filter(|_| word != "own") {
            noun.push(word.clone());
        }
    }
    found.extend(current.filter(|noun| !noun.is_empty()));
    // Three words are a noun; more are a sentence.
    found.into_iter().map(|noun| noun[noun.len().saturating_sub(3)..].to_vec()).collect()
}
