//! Lists the words of a sentence with their classes, and the entities that they may name, for `world/read`.

use english::WordClass;
use schemars::JsonSchema;
use serde::Serialize;
use world_model::{
    entity::{NamedId, NamedKind},
    words,
    world::{Holder, World},
};

use crate::{
    names::spans::spans,
    words::tokens::{Token, tokens},
};

/// A word of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadWord {
    /// As it was typed, in small letters.
    pub word: String,
    /// Its plain form, if it is another one: `take` for `took`, `key` for `keys`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lemma: Option<String>,
    /// The words that it is read as, if others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub respelled: Option<String>,
    /// Whether a phrase of a verb begins with it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub verb: bool,
    /// The classes of `words.tsv` that it is of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
}

/// Something that words of a sentence may mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadName {
    /// The words.
    pub words: String,
    /// The name of what they may mean.
    pub name: String,
    /// `place`, `door`, `thing`, `person` or `scenery`.
    pub kind: String,
    /// Whether the player can see it now.
    pub seen: bool,
    /// Where it is, and why it is not seen.
    pub why: String,
}

/// The words of a sentence, one by one.
pub fn read_words(sentence: &str) -> Vec<ReadWord> {
    words::split(sentence).into_iter().map(read_word).collect()
}

fn read_word(word: String) -> ReadWord {
    let respelled = english::respelled(&word).or_else(|| english::verb_by_ear(&word));
    ReadWord {
        respelled: respelled.map(|row| row.meant.to_owned()),
        lemma: english::plain_form(&word),
        verb: english::is_verb(&word),
        classes: WordClass::names_of(&word).map(str::to_owned).collect(),
        word,
    }
}

/// The names that runs of the words may mean, from left to right.
pub fn read_names(world: &World, sentence: &str) -> Vec<ReadName> {
    let tokens = tokens(sentence, world);
    let words: Vec<&str> = tokens.iter().map(Token::word).collect();
    let pool: Vec<NamedId> = world.ids().collect();
    let mut found = Vec::new();
    for span in spans(world, &words, &pool) {
        for id in span.ids {
            let kind = match world.entity(id).kind {
                NamedKind::Place(_) => "place",
                NamedKind::Door(_) => "door",
                NamedKind::Thing(_) => "thing",
                NamedKind::Person(_) => "person",
                NamedKind::Scenery(..) => "scenery",
            };
            found.push(ReadName {
                words: words[span.start..span.end].join(" "),
                name: world.name(id).to_owned(),
                kind: kind.to_owned(),
                seen: world.is_seen(id),
                why: whereabouts(world, id),
            });
        }
    }
    found
}

/// Where something is, and why it is not seen.
fn whereabouts(world: &World, id: NamedId) -> String {
    if world.is_place(id) {
        return place_whereabouts(world, id);
    }
    if let NamedKind::Scenery(place, _) = world.entity(id).kind {
        return match world.here == NamedId(place) {
            true => "a part of this place".to_owned(),
            false => format!("a part of {}", world.the(NamedId(place))),
        };
    }
    if world.is_door(id) {
        let is_here = world.doors_here().contains(&id);
        return if is_here { "a door of this place" } else { "a door of another place" }.to_owned();
    }
    let holder = match world.holders[id.0] {
        Holder::Gone if world.is_to_come(id) => return "it comes later in the story".to_owned(),
        Holder::Gone => return "gone".to_owned(),
        Holder::Carried => return "you carry it".to_owned(),
        Holder::Worn => return "you wear it".to_owned(),
        Holder::Place(place) if place == world.here => "here".to_owned(),
        Holder::Place(place) => format!("in {}", world.the(place)),
        Holder::In(other) => format!("in {}", world.the(other)),
        Holder::On(other) => format!("on {}", world.the(other)),
        Holder::Person(other) => format!("with {}", world.the(other)),
    };
    match hindrance(world, id) {
        Some(hindrance) => format!("{holder}, {hindrance}"),
        None => holder,
    }
}

fn place_whereabouts(world: &World, id: NamedId) -> String {
    if id == world.here {
        return "you are here".to_owned();
    }
    let name = world.name(id);
    match world.exits().iter().find(|exit| exit.to == name) {
        Some(exit) => format!("a way leads there: {}", exit.direction),
        None => "another place".to_owned(),
    }
}

/// Why something is not seen.
fn hindrance(world: &World, id: NamedId) -> Option<String> {
    if world.is_seen(id) {
        return None;
    }
    if world.conditions[id.0].hidden {
        return Some("hidden until it is found".to_owned());
    }
    if world.is_present(id) {
        return Some("too dark to see".to_owned());
    }
    if world.place_of(id).is_some_and(|place| place != world.here) {
        let place = world.place_of(id).map(|place| world.the(place)).unwrap_or_default();
        return match world.holders[id.0] {
            Holder::Place(_) => Some("which is elsewhere".to_owned()),
            _ => Some(format!("in {place}, which is elsewhere")),
        };
    }
    match world.holders[id.0] {
        Holder::In(_) => Some("which is shut".to_owned()),
        _ => Some("out of sight".to_owned()),
    }
}
