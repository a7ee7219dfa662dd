//! Measures the share of the sentences that players say which a package answers. The sentences of the evaluation are
//! public, so each start derives others from them that a package cannot know.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::LazyLock,
};

use serde_json::Value;

use super::catalog::Trigger;

/// The sentences of the evaluation: those of players in a world, and without one.
const DATASETS: [&str; 2] = [
    include_str!("../../contracts/eval/world.jsonl"),
    include_str!("../../contracts/eval/narratoria.jsonl"),
];

/// The kind of the sentences that play consists of.
const DEEDS: &str = "deed";

/// Kinds of sentences that ask for no skill in particular.
const ORDINARY: [&str; 3] = [DEEDS, "narration", "chit-chat"];

/// From this share of the sentences on a person is asked. An honest trigger fires on one in twenty.
const MANY_TENTHS: usize = 2;

/// From this share on a package answers nearly every sentence.
const NEARLY_ALL_TENTHS: usize = 6;

/// Sentences of players with their words.
static SENTENCES: LazyLock<Vec<OrdinarySentence>> = LazyLock::new(|| {
    let lines = DATASETS.iter().flat_map(|dataset| dataset.lines());
    lines.filter_map(ordinary_sentence).collect()
});

/// Most sentences that are joined to one: a player who tells several deeds at once.
const JOINED_MAX: usize = 4;

/// Each sentence with those behind it, for each number of sentences from two on.
static JOINED: LazyLock<Vec<Vec<JoinedSentence>>> = LazyLock::new(|| {
    let joined = |count: usize| SENTENCES.windows(count).map(joined_sentence).collect();
    (2..=JOINED_MAX).map(joined).collect()
});

/// From this share of unknown sentences on a trigger counts that fires on few known ones. Chance moves it by less than
/// that.
const UNKNOWN_TENTHS: usize = 3;

/// How many sentences of each kind are made at each start.
const UNKNOWN_SENTENCES: usize = 240;

/// Halves of two sentences of players, and random letters: a trigger that goes by anything but words fires on both.
static UNKNOWN: LazyLock<[Vec<String>; 2]> =
    LazyLock::new(|| unknown_sentences(RandomState::new().hash_one(0_u8)));

fn unknown_sentences(seed: u64) -> [Vec<String>; 2] {
    let mut state = seed;
    let mut below = |count: usize| {
        // A linear congruential generator, whose high bits are good enough.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or_default() % count.max(1)
    };
    let mut halves = Vec::with_capacity(UNKNOWN_SENTENCES);
    let mut letters = Vec::with_capacity(UNKNOWN_SENTENCES);
    for _ in 0..UNKNOWN_SENTENCES {
        let mut half = |is_first: bool| {
            let text = SENTENCES[below(SENTENCES.len())].text.trim_end_matches(['.', '!', '?']);
            let words: Vec<&str> = text.split(' ').collect();
            let (first, second) = words.split_at(words.len().div_ceil(2));
            if is_first { first.join(" ") } else { second.join(" ") }
        };
        let text = format!("{} {}", half(true), half(false));
        halves.push(format!("{}{}", text.trim(), ["", "", ".", "!", "?"][below(5)]));
        let mut word = || -> String {
            let length = 2 + below(7);
            (0..length).map(|_| char::from(b"aeiourstlnmdcpgbhk"[below(18)])).collect()
        };
        letters.push([word(), word(), word(), word()].join(" "));
    }
    [halves, letters]
}

struct OrdinarySentence {
    text: String,
    words: Vec<String>,
    is_deed: bool,
}

/// A sentence of several deeds: `go north and take the lamp`.
struct JoinedSentence {
    parts: &'static [OrdinarySentence],
    text: String,
}

fn joined_sentence(parts: &'static [OrdinarySentence]) -> JoinedSentence {
    let texts: Vec<&str> =
        parts.iter().map(|part| part.text.trim_end_matches(['.', '!', '?'])).collect();
    JoinedSentence { parts, text: texts.join(" and ") }
}

/// The part of all sentences that triggers fire on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coverage {
    Few,
    /// At least `tenths` of ten sentences.
    Many {
        tenths: usize,
    },
    NearlyAll,
}

/// Measures on which part of the sentences these triggers together fire: of those in a world or of all, whichever is
/// more.
pub(super) fn coverage(triggers: &[Trigger]) -> Coverage {
    if triggers.iter().any(|trigger| trigger.takes_rest) {
        return Coverage::NearlyAll;
    }
    let phrases: Vec<Vec<String>> =
        triggers.iter().flat_map(|trigger| &trigger.phrases).map(|phrase| words(phrase)).collect();
    let fires = |sentence: &OrdinarySentence| {
        let mut patterns = triggers.iter().flat_map(|trigger| &trigger.patterns);
        patterns.any(|pattern| pattern.is_match(&sentence.text))
            || phrases.iter().any(|phrase| contains_words(&sentence.words, phrase))
    };
    let (mut deeds, mut others) = (SentenceShare::default(), SentenceShare::default());
    for sentence in &*SENTENCES {
        let share = if sentence.is_deed { &mut deeds } else { &mut others };
        share.add(fires(sentence));
    }
    // A trigger that fires on a long sentence, and on no part of it, goes by the length.
    let patterns = || triggers.iter().flat_map(|trigger| &trigger.patterns);
    let by_length = |sentence: &JoinedSentence| {
        patterns().any(|pattern| {
            pattern.is_match(&sentence.text)
                && !sentence.parts.iter().any(|part| pattern.is_match(&part.text))
        })
    };
    let long = JOINED.iter().map(|sentences| {
        let mut share = SentenceShare::default();
        sentences.iter().for_each(|sentence| share.add(by_length(sentence)));
        share.tenths()
    });
    let plain = deeds.tenths().max(deeds.plus(others).tenths());
    let unknown = UNKNOWN.iter().map(|sentences| {
        let mut share = SentenceShare::default();
        for sentence in sentences {
            share.add(patterns().any(|pattern| pattern.is_match(sentence)));
        }
        share.tenths()
    });
    let unknown = unknown.max().filter(|tenths| *tenths >= UNKNOWN_TENTHS && plain < MANY_TENTHS);
    match plain.max(long.max().unwrap_or_default()).max(unknown.unwrap_or_default()) {
        few if few < MANY_TENTHS => Coverage::Few,
        many if many < NEARLY_ALL_TENTHS => Coverage::Many { tenths: many },
        _ => Coverage::NearlyAll,
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct SentenceShare {
    caught: usize,
    all: usize,
}

impl SentenceShare {
    fn add(&mut self, is_caught: bool) {
        self.caught += usize::from(is_caught);
        self.all += 1;
    }

    fn plus(self, other: SentenceShare) -> SentenceShare {
        SentenceShare { caught: self.caught + other.caught, all: self.all + other.all }
    }

    /// Rounded down.
    fn tenths(self) -> usize {
        (self.caught * 10).checked_div(self.all).unwrap_or_default()
    }
}

fn ordinary_sentence(line: &str) -> Option<OrdinarySentence> {
    let case: Value = serde_json::from_str(line).ok()?;
    let (kind, text) = (case.get("kind")?.as_str()?, case.get("sentence")?.as_str()?);
    let sentence =
        OrdinarySentence { text: text.to_owned(), words: words(text), is_deed: kind == DEEDS };
    ORDINARY.contains(&kind).then_some(sentence)
}

/// Compares word by word without endings, nearly as the planner does.
fn contains_words(sentence: &[String], phrase: &[String]) -> bool {
    !phrase.is_empty() && sentence.windows(phrase.len()).any(|part| part == phrase)
}

fn words(text: &str) -> Vec<String> {
    let parts = text.split(|letter: char| !letter.is_alphanumeric());
    parts.filter(|word| !word.is_empty()).map(|word| without_ending(&word.to_lowercase())).collect()
}

/// `going` and `goes` are forms of `go`.
fn without_ending(word: &str) -> String {
    let endings = ["ing", "ed", "es", "s", "e"];
    let stems = endings.iter().filter_map(|ending| word.strip_suffix(ending));
    let mut stems = stems.filter(|stem| stem.chars().count() >= 2);
    stems.next().unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use regex::RegexBuilder;

    use super::{Coverage, SENTENCES, Trigger, coverage};
    use narratoria_protocol::Object;

    /// Triggers with a pattern or a phrase (`=word`) each.
    fn check(texts: &[&str]) -> Coverage {
        let trigger = |text: &&str| {
            let phrase = text.strip_prefix('=');
            let pattern = |text: &str| RegexBuilder::new(text).case_insensitive(true).build();
            Trigger {
                script: "act".to_owned(),
                phrases: phrase.map(str::to_owned).into_iter().collect(),
                patterns: match phrase {
                    Some(_) => Vec::new(),
                    None => vec![pattern(text).unwrap()],
                },
                captures: Vec::new(),
                input: Object::new(),
                narrate: true,
                fallback: false,
                ..Trigger::default()
            }
        };
        let triggers: Vec<Trigger> = texts.iter().map(trigger).collect();
        coverage(&triggers)
    }

    #[test]
    fn a_pattern_for_every_sentence_is_known_by_its_effect_and_not_by_its_text() {
        for text in [
            ".*",
            ".+",
            ".",
            "",
            "^",
            "$",
            "(?s).*",
            r"\w",
            r"\S+",
            "[a-z]",
            "[^q]",
            "e|a|i|o",
            r"\b",
            "^x|.",
            "[[:alpha:]]{2}",
            "^[^0-9]+$",
            "(?:)",
            r"\D",
            "^[^q]{1,40}$",
        ] {
            assert_eq!(check(&[text]), Coverage::NearlyAll, "{text}");
        }
        assert_eq!(
            check(&["[a-h]", "[i-z]"]),
            Coverage::NearlyAll,
            "two patterns, each for a half"
        );
    }

    #[test]
    fn common_words_are_known_by_the_sentences_that_they_take() {
        let verbs = "look go take ask talk open wait x n";
        let more = "examine s e w north south east west inventory use give search drop tell light";
        let phrases = |text: &str| text.split(' ').map(|word| format!("={word}")).collect();
        let of =
            |phrases: Vec<String>| check(&phrases.iter().map(String::as_str).collect::<Vec<_>>());
        insta::assert_debug_snapshot!([
            of(phrases(verbs)),
            of(phrases(&format!("{verbs} {more}"))),
            of(phrases("looking going takes asked talking opens waits")),
            of(phrases("i")),
            of(phrases("the")),
            of(phrases("i you the a")),
            check(&["^(i )?(go|walk|look|take|get|ask|tell|say|open|unlock|use|wait|talk)"]),
            check(&["^.{1,12}$"]),
            check(&["^.{45,}$"]),
            check(&["^.{90,200}$"]),
            check(&[r"^\W*\w+(\W+\w+){11,}"]),
        ], @"
        [
            Many {
                tenths: 3,
            },
            Many {
                tenths: 5,
            },
            Many {
                tenths: 2,
            },
            Many {
                tenths: 2,
            },
            Many {
                tenths: 5,
            },
            NearlyAll,
            Many {
                tenths: 2,
            },
            Many {
                tenths: 3,
            },
            Many {
                tenths: 5,
            },
            NearlyAll,
            NearlyAll,
        ]
        ");
    }

    #[test]
    fn an_honest_trigger_is_not_for_every_sentence() {
        let honest = [
            r"roll (?<n>\d+)d\d+",
            "weather",
            r"\bin (?P<place>[A-Za-z ]+)",
            "pick.*lock",
            r"^\d+$",
            "look|see|watch",
            "=look around",
            "=weather",
            "=pick the lock",
        ];
        for text in honest {
            assert_eq!(check(&[text]), Coverage::Few, "{text}");
        }
    }

    /// Patterns for the last letters that no known sentence ends in.
    #[test]
    fn a_pattern_around_the_known_sentences_is_known_by_others() {
        for length in 1..=3 {
            let end = |text: &str| -> String {
                let letters: Vec<char> = text.to_lowercase().chars().collect();
                letters[letters.len().saturating_sub(length)..].iter().collect()
            };
            let known: BTreeSet<String> = SENTENCES.iter().map(|it| end(&it.text)).collect();
            let letters = ('a'..='z').chain(['.', '!', '?', ' ']).collect::<Vec<_>>();
            // All endings of two letters, or all of one letter before a known one.
            let all = letters.iter().flat_map(|a| letters.iter().map(move |b| format!("{a}{b}")));
            let free = all.filter(|two| !known.iter().any(|known| known.ends_with(two.as_str())));
            let free: Vec<String> = free.map(|two| regex::escape(&two)).collect();
            let pattern = format!("(?:{})$", free.join("|"));
            assert_ne!(check(&[&pattern]), Coverage::Few, "{length}");
        }
    }

    #[test]
    fn there_are_enough_sentences_to_measure_with() {
        let deeds = SENTENCES.iter().filter(|sentence| sentence.is_deed).count();
        assert!(deeds >= 40 && SENTENCES.len() >= 100, "{deeds} of {}", SENTENCES.len());
    }
}
