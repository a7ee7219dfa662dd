//! Findings that need no walk: exits without a way back, nouns that mean nothing, sentences that occur twice, and names
//! that are nearly those of another person.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_protocol::nearest::nearest;
use serde::Serialize;

use super::nouns::{told_nouns, unknown_nouns};
use crate::compile::CampaignParts;

/// Entries of one list of a report: an author corrects a few at a time.
pub(super) const REPORTED_MAX: usize = 60;

/// Shortest sentence that counts as standing twice, in letters.
const DOUBLE_CHARS_MIN: usize = 24;

/// Shortest word that may be another spelling of a name.
const SPELLING_CHARS_MIN: usize = 5;

/// Words of five letters and more that begin sentences: no names, even where their letters are near to one.
const COMMON_WORDS: [&str; 48] = [
    "about",
    "above",
    "after",
    "again",
    "against",
    "along",
    "although",
    "among",
    "another",
    "around",
    "because",
    "before",
    "behind",
    "below",
    "beneath",
    "beside",
    "between",
    "beyond",
    "could",
    "during",
    "either",
    "every",
    "everything",
    "first",
    "might",
    "neither",
    "never",
    "nobody",
    "nothing",
    "other",
    "perhaps",
    "shall",
    "should",
    "since",
    "somebody",
    "something",
    "still",
    "their",
    "there",
    "these",
    "those",
    "three",
    "through",
    "under",
    "until",
    "where",
    "which",
    "while",
];

/// The findings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CampaignSurvey {
    /// Exits without one that leads back and that are not meant to be so, such as `quay, north to mill`.
    pub one_way: Vec<String>,
    /// Nouns of the opening and of descriptions that cannot be examined, such as `quay: crane`.
    pub unknown_nouns: Vec<String>,
    /// Things that a storylet or a greeting gives to the player and that are nowhere, such as `the-cut-rope: knot`. The
    /// sentence may take them away again, so they are no fault.
    pub told_nouns: Vec<String>,
    /// Sentences of storylets that stand in more than one of them, refrains aside.
    pub doubles: Vec<String>,
    /// Words that are nearly a name.
    pub spellings: Vec<String>,
}

impl CampaignSurvey {
    /// Returns true if nothing was found that its author should look at.
    pub(super) fn is_clean(&self) -> bool {
        let faults = [&self.one_way, &self.unknown_nouns, &self.doubles, &self.spellings];
        faults.into_iter().all(Vec::is_empty)
    }
}

/// Looks at a campaign.
pub(super) fn survey(parts: &CampaignParts) -> CampaignSurvey {
    let mut found = CampaignSurvey {
        one_way: one_way(parts),
        unknown_nouns: unknown_nouns(parts),
        told_nouns: told_nouns(parts),
        doubles: doubles(parts),
        spellings: spellings(parts),
    };
    let lists = [
        &mut found.one_way,
        &mut found.unknown_nouns,
        &mut found.told_nouns,
        &mut found.doubles,
        &mut found.spellings,
    ];
    lists.into_iter().for_each(|list| list.truncate(REPORTED_MAX));
    found
}

fn one_way(parts: &CampaignParts) -> Vec<String> {
    let places = &parts.world.places;
    let leads = |from: &str, to: &str| {
        let place = places.iter().find(|place| place.name == from);
        place.is_some_and(|place| place.exits.iter().any(|exit| exit.to == to))
    };
    let exits = places.iter().flat_map(|place| place.exits.iter().map(move |exit| (place, exit)));
    exits
        .filter(|(place, exit)| !exit.one_way && !leads(&exit.to, &place.name))
        .map(|(place, exit)| format!("{}, {} to {}", place.name, exit.direction, exit.to))
        .collect()
}

/// Sentences of storylets by where they stand.
fn doubles(parts: &CampaignParts) -> Vec<String> {
    let mut places: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let storylets = parts.plot.decks.iter().flat_map(|(_, deck)| &deck.storylet);
    for storylet in storylets.filter(|storylet| !storylet.refrain) {
        let own = storylet.text.iter().chain(&storylet.texts);
        let chosen = storylet.choices.iter().filter_map(|choice| choice.text.as_ref());
        for sentence in own.chain(chosen).flat_map(|text| sentences(text)) {
            if sentence.chars().count() >= DOUBLE_CHARS_MIN {
                places.entry(sentence.to_owned()).or_default().insert(&storylet.id);
            }
        }
    }
    let twice = places.into_iter().filter(|(_, ids)| ids.len() > 1);
    twice
        .map(|(sentence, ids)| format!("{sentence} ({})", Vec::from_iter(ids).join(", ")))
        .collect()
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['.', '!', '?']).map(str::trim).filter(|sentence| !sentence.is_empty())
}

/// Capitalised words in the middle of sentences that are nearly a part of a name and no part of one.
fn spellings(parts: &CampaignParts) -> Vec<String> {
    let world = &parts.world;
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut add = |name: &str| {
        let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| {
            word.chars().count() >= SPELLING_CHARS_MIN
                && word.chars().next().is_some_and(char::is_uppercase)
        });
        names.extend(words.map(str::to_owned));
    };
    add(&world.player.name);
    world.people.iter().for_each(|person| {
        add(&person.name);
        person.aliases.iter().for_each(|alias| add(alias));
    });
    world.places.iter().for_each(|place| add(&place.name));
    world.things.iter().for_each(|thing| add(&thing.name));
    parts.plot.factions.faction.iter().for_each(|faction| add(&faction.name));
    let texts = texts(parts);
    let common: BTreeSet<String> = texts
        .iter()
        .flat_map(|text| words(text))
        .filter(|word| word.chars().next().is_some_and(char::is_lowercase))
        .map(str::to_owned)
        .collect();
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for word in texts.iter().flat_map(|text| capitalised_words(text)) {
        let lower = word.to_lowercase();
        let is_common = common.contains(&lower) || COMMON_WORDS.contains(&lower.as_str());
        if !is_common && !names.contains(word) {
            *counts.entry(word.to_owned()).or_default() += 1;
        }
    }
    let near = |word: &String| {
        let near = nearest(word, &names)?;
        // A plural and a word that is only longer is another word.
        let is_form = near.starts_with(word.as_str()) || word.starts_with(near.as_str());
        let same_start = near.chars().next() == word.chars().next();
        (same_start && !is_form && slips(word, &near) <= 2).then_some(near)
    };
    let found = counts.iter().filter_map(|(word, count)| {
        let near = near(word)?;
        Some(format!("{word} ({count}\u{d7}), like {near}"))
    });
    found.collect()
}

/// Words with a capital that stand within a sentence: the first word has one anyway, in a speech and behind a dash too.
fn capitalised_words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut is_first = true;
    for token in text.split_whitespace() {
        let begins_speech = token.starts_with(['"', '\'', '“', '‘', '«', '(', '—', '–']);
        let word = words(token).next().unwrap_or_default();
        let is_name = word.chars().next().is_some_and(char::is_uppercase)
            && word.chars().count() >= SPELLING_CHARS_MIN
            && word.chars().all(char::is_alphabetic);
        if is_name && !is_first && !begins_speech {
            found.push(word);
        }
        let ends = ['.', '!', '?', ':', ';', '—', '–', '…'];
        is_first = token.trim_end_matches(['"', '\'', '”', '’', '»', ')']).ends_with(ends);
    }
    found
}

/// The words of a text without the marks around them and without the `s` of a possessive.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.trim_end_matches("'s").trim_end_matches("\u{2019}s")
    })
}

/// How many letters differ, at most: the difference in length, and letters at the same place that differ.
fn slips(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let common = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let from_end =
        one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    one.len().max(other.len()).saturating_sub(common + from_end)
}

fn texts(parts: &CampaignParts) -> Vec<&str> {
    let mut texts: Vec<&str> = Vec::new();
    let world = &parts.world;
    texts.push(&world.opening);
    texts.extend(world.places.iter().map(|place| place.description.as_str()));
    texts.extend(world.things.iter().map(|thing| thing.description.as_str()));
    for person in &world.people {
        texts.extend([person.description.as_str(), person.greeting.as_str()]);
        texts.extend(person.topics.iter().flat_map(|topic| &topic.says).map(String::as_str));
    }
    for storylet in parts.plot.decks.iter().flat_map(|(_, deck)| &deck.storylet) {
        texts.extend(storylet.text.iter().chain(&storylet.texts).map(String::as_str));
        texts.extend(storylet.choices.iter().filter_map(|choice| choice.text.as_deref()));
    }
    texts.extend(parts.plot.endings.ending.iter().filter_map(|ending| ending.text.as_deref()));
    texts
}

#[cfg(test)]
mod tests {
    use super::{capitalised_words, slips};

    #[test]
    fn the_first_word_of_a_sentence_or_a_speech_is_no_name() {
        let found = capitalised_words(
            "Three ropes. There is one. “There are two,” says Martha: “There! Where is Bridie's?” A list: Three.",
        );
        assert_eq!(found, ["Martha", "Bridie"]);
    }

    #[test]
    fn letters_that_differ_are_counted_between_what_is_equal() {
        assert_eq!(
            (slips("Holt", "Hold"), slips("Marta", "Martha"), slips("Ada", "Ada")),
            (1, 1, 0)
        );
    }
}
