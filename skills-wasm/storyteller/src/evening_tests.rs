//! Whole evenings: no sentence comes back soon, and what the player says is quoted as what it is.
//!
//! `cargo test -p storyteller evening -- --nocapture` prints the shares of repeated sentences.

use std::collections::BTreeSet;

use narratoria_sdk::{Rng, testing};
use proptest::prelude::*;

use super::{tests::d20, *};
use crate::variants::variant_count;

/// The sentences of an evening, as a player who has never seen a manual types them. `?` stands for a roll of dice.
const EVENING: &[&str] = &[
    "I look around",
    "I look closely at the gate",
    "I open the gate ?",
    "I go north",
    "who is here?",
    "talk to the innkeeper",
    "ask the innkeeper about the missing key",
    "I look closely at the key",
    "take the key",
    "I go upstairs",
    "listen at the door",
    "I pick the lock ?",
    "open the door",
    "I search the room ?",
    "read the letter",
    "I wait",
    "I sneak past the guard ?",
    "I attack the guard with my sword ?",
    "tell him my name",
    "I run away",
    "I climb the wall ?",
    "knock twice",
    "I rest",
    "I look at what I am carrying",
    "go east",
    "I light the lamp",
    "persuade the miller to help me ?",
    "drink the ale",
    "I sing a song",
    "cast light",
];

/// Shares of an evening's sentences that came before: within the last 20 turns, and within the last 50.
fn repeated(seed: u64, style: &str, deeds: &[&str], turns: usize) -> (f64, f64) {
    let mut rng = Rng::new(seed);
    let mut state = json!({});
    let mut evening: Vec<Vec<String>> = Vec::new();
    let (mut all, mut within_20, mut within_50) = (0.0, 0.0, 0.0);
    for turn in 0..turns {
        let deed = deeds[rng.range(0..=deeds.len() as i64 - 1) as usize];
        let inputs = if deed.ends_with('?') && deed.contains(" ?") {
            d20(rng.range(1..=20))
        } else {
            json!({})
        };
        let input = json!({ "prompt": deed.trim_end_matches(" ?"), "style": style });
        let seed = seed.wrapping_mul(1_000).wrapping_add(turn as u64);
        let told = testing::call(narrate, input).state(&state).inputs(inputs).seed(seed).run();
        state = told.patch();
        let text = told.output["text"].as_str().unwrap_or_default().to_owned();
        let sentences: Vec<String> =
            text.split_inclusive(['.', '?', '!']).map(|it| it.trim().to_owned()).collect();
        for sentence in sentences.iter().filter(|it| it.len() > 1) {
            let was_told = |within: usize| {
                evening.iter().rev().take(within).flatten().any(|told| told == sentence)
            };
            all += 1.0;
            within_20 += f64::from(u8::from(was_told(20)));
            within_50 += f64::from(u8::from(was_told(50)));
        }
        evening.push(sentences);
    }
    (within_20 / all, within_50 / all)
}

/// Different deeds are told in different sentences: few come back within 20 turns.
#[test]
fn an_evening_seldom_repeats_its_sentences() {
    for style in ["classic", "noir", "whimsical"] {
        let mut worst = (0.0_f64, 0.0_f64);
        for seed in 1..=8 {
            let (soon, later) = repeated(seed, style, EVENING, 60);
            worst = (worst.0.max(soon), worst.1.max(later));
        }
        println!(
            "{style}: {:.1} % within 20 turns, {:.1} % within 50",
            worst.0 * 100.0,
            worst.1 * 100.0
        );
        assert!(worst.0 < 0.10 && worst.1 < 0.25, "{style}: {worst:?}");
    }
}

/// Each kind of deed has a choice of sentences, whatever of it can be named. More would be the same in other words.
#[test]
fn every_pool_has_a_choice() {
    for verb in Verb::ALL {
        let pool = prose::deed(verb);
        let texts = |places: &[&str]| -> usize {
            let fits = |template: &&&str| {
                let named = template.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
                let named: BTreeSet<&str> = named.map(|(place, _)| place).collect();
                named.iter().all(|place| places.contains(place))
                    && (places.is_empty() == named.is_empty())
            };
            pool.full.iter().filter(fits).map(|template| variant_count(template)).sum()
        };
        let the = ["the", "is", "has", "s", "es", "it", "they", "they_is", "its"];
        if verb != Verb::Examine {
            assert!(texts(&[]) >= 3, "{verb:?} alone: {}", texts(&[]));
        }
        if !matches!(verb, Verb::Look | Verb::Roll | Verb::Reflect) {
            assert!(texts(&the) >= 2, "{verb:?} with an object: {}", texts(&the));
        }
    }
    for outcome in DiceOutcome::ALL {
        let texts: usize = prose::result(outcome).full.iter().map(|it| variant_count(it)).sum();
        assert!(texts >= 6, "{outcome:?}: {texts}");
    }
}

/// Words that no article can stand before.
const NO_NOUNS: &[&str] = &[
    "twice",
    "again",
    "quickly",
    "hard",
    "aloud",
    "him",
    "her",
    "it",
    "them",
    "me",
    "myself",
    "that",
    "two",
    "if",
    "why",
    "yesterday",
    "not",
    "yes",
    "together",
    "alone",
];

fn verb() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "open", "knock", "tell", "ask", "say", "take", "put", "give", "hit", "push", "look",
        "wait", "stay", "go", "run", "follow", "drink", "read", "sing", "climb", "hide", "use",
        "throw", "polish", "examine", "search", "whisper", "persuade", "rest", "light", "break",
        "show", "leave", "attack",
    ])
}

/// A complement of a verb, of any kind.
fn complement() -> impl Strategy<Value = String> {
    let thing = || {
        prop::sample::select(vec![
            "the door",
            "my name",
            "an old coin",
            "the two guards",
            "her sword",
            "3 apples",
            "Mira",
            "the well",
            "all my torches",
            "the gates of the city",
            "every book",
            "a lonely inn",
            "the open window",
        ])
    };
    let adverb = || prop::sample::select(NO_NOUNS.to_vec());
    let person = || prop::sample::select(vec!["him", "her", "them", "the guard", "everyone"]);
    let preposition = || {
        prop::sample::select(vec![
            "to", "at", "with", "on", "under", "from", "about", "for", "past",
        ])
    };
    let a_clause = || {
        prop::sample::select(vec![
            "that I am sorry",
            "why the door is shut",
            "to leave",
            "what I saw",
            "if it is true",
            "until the rain stops",
            "how to open the chest",
        ])
    };
    prop_oneof![
        Just(String::new()),
        thing().prop_map(str::to_owned),
        adverb().prop_map(str::to_owned),
        (person(), thing()).prop_map(|(who, what)| format!("{who} {what}")),
        (person(), a_clause()).prop_map(|(who, clause)| format!("{who} {clause}")),
        (preposition(), thing()).prop_map(|(at, what)| format!("{at} {what}")),
        (thing(), preposition(), thing()).prop_map(|(a, at, b)| format!("{a} {at} {b}")),
        (thing(), adverb()).prop_map(|(what, how)| format!("{what} {how}")),
        a_clause().prop_map(str::to_owned),
    ]
}

/// Faults that no text may have: two articles, an article before what is no noun, and the wrong one of
/// "a" and "an".
fn faults(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for sentence in text.split(['.', '!', '?', '”', ':', ';', ',']) {
        let words: Vec<String> = sentence
            .split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let is_article = |word: &str| matches!(word, "the" | "a" | "an");
        for pair in words.windows(2) {
            let [first, second] = pair else { continue };
            let bad = is_article(first)
                && (is_article(second)
                    || matches!(
                        second.as_str(),
                        "my" | "your" | "his" | "her" | "their" | "every"
                    )
                    || (first == "the"
                        && NO_NOUNS.contains(&second.as_str())
                        && second != "two"
                        && second != "hard"));
            let starts_with_vowel = second.starts_with(['a', 'e', 'i', 'o']);
            let wrong_an = (first == "a" && starts_with_vowel && second != "one")
                || (first == "an" && !second.starts_with(['a', 'e', 'i', 'o', 'u', 'h']));
            if bad || wrong_an || (first == second && first != "that" && first != "had") {
                faults.push(format!("{first} {second}"));
            }
        }
    }
    let lower = text.to_lowercase();
    for bad in ["to your name", "[", "]", "|", "{", "}", " ,", " .", ",,", ", ,"] {
        if lower.contains(bad) {
            faults.push(bad.to_owned());
        }
    }
    faults
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_quotation_is_what_it_is(
        subject in prop::sample::select(vec!["", "I "]),
        verb in verb(),
        complement in complement(),
        roll in prop::option::of(1..=20_i64),
        seed in any::<u64>(),
    ) {
        let prompt = format!("{subject}{verb} {complement}");
        let inputs = roll.map_or(json!({}), d20);
        let told = testing::call(narrate, json!({ "prompt": prompt })).inputs(inputs).seed(seed).run();
        let text = told.output["text"].as_str().unwrap_or_default();
        // The player's own clause may say "tell him to your name", if the player did.
        let found: Vec<String> =
            faults(text).into_iter().filter(|fault| !prompt.replace("my", "your").contains(fault.as_str())).collect();
        prop_assert!(found.is_empty(), "{prompt}: {found:?}: {text}");
        // The object that the story goes on with is a noun phrase.
        let focus = told.patch()["story"]["focus"].as_str().unwrap_or_default().to_owned();
        let named: Vec<&str> = focus.split(' ').collect();
        prop_assert!(!named.iter().any(|word| NO_NOUNS.contains(word) && !matches!(*word, "two" | "her")), "{prompt}: {focus}");
    }
}
