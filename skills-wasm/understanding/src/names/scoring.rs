//! How well words fit a name.

use english::WordClass;
use world_model::{
    entity::{NamedId, NamedKind},
    words,
    world::World,
};

/// Returns true if a word that is like a name by a mistake is spelt right: `stole` is no mistake for `stone`.
pub(crate) fn is_known_word(world: &World, word: &str, known: &str) -> bool {
    let is_other_verb =
        || english::is_verb(word) || english::inflected(word).is_some_and(|verb| verb != known);
    // A pie that is elsewhere is no mistake for a pike.
    let is_other_name = || world.existing().any(|id| world.has_name_with(id, word));
    WordClass::NoNoun.has(word) || english::is_kind(word) || is_other_verb() || is_other_name()
}

/// Returns true if the adjective may be added to any name.
pub(crate) fn is_harmless(word: &str) -> bool {
    WordClass::Harmless.has(word)
}

/// How well the words fit an entity; 0 for not at all.
pub(crate) fn score(world: &World, id: NamedId, content: &[&str]) -> u32 {
    let entity = world.entity(id);
    let description = world.first_description(id);
    let names = world.names(id).iter();
    let mut best =
        names.map(|name| name_score(world, name, description, content)).max().unwrap_or(0);
    if let ([word], NamedKind::Person(_)) = (content, entity.kind) {
        let fits = match entity.pronoun {
            "he" => WordClass::Man.has(word),
            "she" => WordClass::Woman.has(word),
            _ => false,
        };
        // Where there is a cloaked figure of wood, a figure is nobody.
        let is_thing = || world.thing_ids().any(|thing| world.has_name_with(thing, word));
        if best == 0 && (fits || (WordClass::Anybody.has(word) && !is_thing())) {
            best = 4;
        }
    } else if best == 0
        && entity.is_person()
        && let Some((noun, before)) = content.split_last()
        && !before.is_empty()
    {
        // `the sunburnt young woman`, of whose nose it is said.
        let looks = words::split(description);
        let fits =
            |word: &&str| WordClass::Harmless.has(word) || looks.iter().any(|known| known == word);
        best = if before.iter().all(fits) { score(world, id, &[noun]) } else { 0 };
    }
    best
}

/// Returns true if the words are the name written as one word, or as several: `lamp room` for `lamproom`.
fn is_joined(content: &[&str], name: &[String]) -> bool {
    // Two that are alike begin with the same letter, or with two that have changed places.
    let [typed, known] = [content.first().copied(), name.first().map(String::as_str)]
        .map(|word| word.unwrap_or_default().as_bytes());
    let is_start = typed.first() == known.first()
        || typed.get(1).is_none_or(|second| known.first() == Some(second));
    is_start && {
        let (joined, whole) = (content.concat(), name.concat());
        joined.len() > 4 && (joined == whole || english::is_typo(&joined, &whole))
    }
}

fn name_score(world: &World, name: &[String], description: &str, content: &[&str]) -> u32 {
    let likeness = |word: &str| {
        let alike = |known: &String| match english::likeness(word, known) {
            2 if is_known_word(world, word, known) => 0,
            like => like,
        };
        let like = name.iter().map(alike).max().unwrap_or(0);
        if (1..3).contains(&like) && english::irregular(word).is_some() { 0 } else { like }
    };
    if content.len() != name.len() && is_joined(content, name) {
        return 20;
    }
    let mut sum = 0;
    let mut any = false;
    for (n, word) in content.iter().enumerate() {
        let is_head = n + 1 == content.len();
        let like = u32::from(likeness(word));
        if like >= 1 {
            any = any || like >= 2 || is_head;
            sum += like * 2;
        } else if is_head && *word == "one" && any {
            sum += 1;
        } else if WordClass::Harmless.has(word) {
            sum += 0;
        } else if !is_head
            && words::has_letters(description, word)
            && words::split(description).iter().any(|known| known == word)
        {
            sum += 1;
        } else {
            return 0;
        }
    }
    if !any {
        return 0;
    }
    let covered =
        name.iter().all(|known| content.iter().any(|word| english::likeness(word, known) >= 2));
    let is_last = content
        .last()
        .zip(name.last())
        .is_some_and(|(word, known)| english::likeness(word, known) >= 2);
    // One word names both `tomato` and `green tomato`.
    let is_whole = covered && (content.len() > 1 || !is_last);
    sum + if is_whole { 3 } else { 0 } + if is_last { 2 } else { 0 }
}

/// Returns true if the word may be any person.
pub(crate) fn is_person_word(word: &str) -> bool {
    WordClass::Man.has(word) || WordClass::Woman.has(word) || WordClass::Anybody.has(word)
}
