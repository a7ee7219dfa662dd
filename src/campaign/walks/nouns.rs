//! Nouns that a player reads and cannot examine.

use std::collections::BTreeSet;

use plot_skill::definition::StoryletDefinition;
use understanding::understand;
use world_model::{
    act::{Dice, act},
    definition::{LookDefinition, WorldDefinition},
    words::is_function_word,
    world::World,
};

use crate::compile::CampaignParts;

/// Words before a noun.
const ARTICLES: [&str; 3] = ["a", "an", "the"];

/// Verbs of a person who gives the player something.
const GIVING: [&str; 9] =
    ["hands", "gives", "lends", "passes", "offers", "throws", "tosses", "slides", "brings"];

/// Verbs by which the player gets something.
const TAKING: [&str; 8] = ["take", "find", "pocket", "keep", "get", "catch", "hold", "carry"];

/// Words that end a noun.
const AFTER_NOUNS: [&str; 43] = [
    "of",
    "in",
    "on",
    "at",
    "with",
    "and",
    "or",
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "to",
    "from",
    "that",
    "which",
    "who",
    "by",
    "for",
    "over",
    "under",
    "into",
    "where",
    "as",
    "but",
    "than",
    "like",
    "stands",
    "hangs",
    "smells",
    "sounds",
    "lies",
    "runs",
    "goes",
    "leads",
    "looks",
    "seems",
    "somebody",
    "nobody",
    "something",
    "somewhere",
    "still",
];

/// The thing that a text describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DescribedPart {
    /// The moment in which the story begins.
    Opening,
    Player,
    /// The place with this index.
    Place(usize),
    /// The part of a place, both by index.
    Scenery(usize, usize),
    /// The thing with this index.
    Thing(usize),
    /// The person with this index.
    Person(usize),
}

/// A text of the map that describes something.
struct DescribingText<'d> {
    part: DescribedPart,
    /// The name of the described thing in a report.
    owner: String,
    text: &'d str,
}

/// All texts of the map that describe something, in the order of its files.
fn describing_texts(world: &WorldDefinition) -> Vec<DescribingText<'_>> {
    use DescribedPart::{Opening, Person, Place, Player, Scenery, Thing};
    let mut found = Vec::new();
    found.extend(texts_of(Opening, "opening", &world.opening, &[]));
    found.extend(texts_of(Player, "player", &world.player.description, &[]));
    for (at, place) in world.places.iter().enumerate() {
        found.extend(texts_of(Place(at), &place.name, &place.description, &place.looks));
        for (part_at, part) in place.scenery.iter().enumerate() {
            let owner = format!("{}, {}", place.name, part.name);
            found.extend(texts_of(Scenery(at, part_at), &owner, &part.description, &part.looks));
        }
    }
    for (at, thing) in world.things.iter().enumerate() {
        found.extend(texts_of(Thing(at), &thing.name, &thing.description, &thing.looks));
    }
    for (at, person) in world.people.iter().enumerate() {
        found.extend(texts_of(Person(at), &person.name, &person.description, &person.looks));
    }
    found
}

/// The description of something, and the others that it can have.
fn texts_of<'d>(
    part: DescribedPart,
    owner: &str,
    description: &'d str,
    looks: &'d [LookDefinition],
) -> Vec<DescribingText<'d>> {
    let others = looks.iter().map(|look| look.description.as_str());
    let texts = std::iter::once(description).chain(others);
    texts.map(|text| DescribingText { part, owner: owner.to_owned(), text }).collect()
}

impl DescribingText<'_> {
    /// The world with the player before what the text describes, and with no other description of that.
    fn shown_in(&self, world: &WorldDefinition) -> World {
        let mut seen = world.clone();
        let here = world.player.place.clone();
        let (description, looks) = match self.part {
            DescribedPart::Opening | DescribedPart::Player => return World::begin(seen),
            DescribedPart::Place(at) => {
                let place = &mut seen.places[at];
                (&mut place.description, &mut place.looks)
            }
            DescribedPart::Scenery(at, part_at) => {
                let part = &mut seen.places[at].scenery[part_at];
                (&mut part.description, &mut part.looks)
            }
            DescribedPart::Thing(at) => {
                let thing = &mut seen.things[at];
                (thing.inside, thing.on, thing.with, thing.hidden) = (None, None, None, None);
                (thing.carried, thing.worn, thing.later) = (false, false, false);
                thing.place = Some(here);
                (&mut thing.description, &mut thing.looks)
            }
            DescribedPart::Person(at) => {
                let person = &mut seen.people[at];
                person.place = here;
                person.schedule.clear();
                (&mut person.description, &mut person.looks)
            }
        };
        self.text.clone_into(description);
        looks.clear();
        match self.part {
            DescribedPart::Place(at) | DescribedPart::Scenery(at, _) => {
                standing_in(&World::begin(seen), &world.places[at].name)
            }
            _ => World::begin(seen),
        }
    }
}

/// Asks the world about each noun of its descriptions, as a player would who reads them on the spot: descriptions of
/// places, parts of places, things, people and the player, and the opening.
pub(super) fn unknown_nouns(parts: &CampaignParts) -> Vec<String> {
    let definition = lit(&parts.world);
    let begin = World::begin(definition.clone());
    let (mut found, mut listed) = (Vec::new(), BTreeSet::new());
    for told in describing_texts(&definition) {
        // The player reads the description of a place on the spot. Other texts may name things that are elsewhere.
        let is_of_place = matches!(told.part, DescribedPart::Place(_));
        for noun in unknown_nouns_of(&told.shown_in(&definition), nouns(told.text)) {
            let line = format!("{}: {noun}", told.owner);
            if (is_of_place || !is_named(&begin, &noun)) && listed.insert(line.clone()) {
                found.push(line);
            }
        }
    }
    found
}

/// Returns true if something has this word in its name.
fn is_named(world: &World, noun: &str) -> bool {
    world.ids().any(|id| world.has_name_with(id, noun))
}

/// Returns the nouns of storylets and greetings that the player is given or takes, and that no thing of the world is
/// named. Other nouns are not checked, because most of them matter only within their storylet.
pub(super) fn told_nouns(parts: &CampaignParts) -> Vec<String> {
    let begin = World::begin(lit(&parts.world));
    let mut found = BTreeSet::new();
    let mut add = |world: &World, owner: &str, text: &String| {
        let told = without_speech(text);
        let handed = sentences(&told).flat_map(|words| handed_nouns(&words)).collect();
        for noun in unknown_nouns_of(world, handed) {
            if !is_named(&begin, &noun) {
                found.insert(format!("{owner}: {noun}"));
            }
        }
    };
    for storylet in parts.plot.decks.iter().flat_map(|(_, deck)| &deck.storylet) {
        let world = where_told(&begin, storylet);
        let chosen = storylet.choices.iter().filter_map(|choice| choice.text.as_ref());
        for text in storylet.text.iter().chain(&storylet.texts).chain(chosen) {
            add(&world, &storylet.id, text);
        }
    }
    for person in &parts.world.people {
        let world = standing_in(&begin, &person.place);
        let greetings = person.greetings.iter().flat_map(|greeting| &greeting.says);
        for text in greetings.chain([&person.greeting]) {
            add(&world, &person.name, text);
        }
    }
    Vec::from_iter(found)
}

/// Nouns of things that come to the player in a sentence: `hands you a slip`, `you pick up the shell`.
fn handed_nouns(words: &[&str]) -> Vec<String> {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let is_article = |at: usize| lower.get(at).is_some_and(|it| ARTICLES.contains(&it.as_str()));
    let mut found = Vec::new();
    for (at, word) in lower.iter().enumerate() {
        let next = lower.get(at + 1).map_or("", String::as_str);
        let article = match (word.as_str(), next) {
            (giving, "you") if GIVING.contains(&giving) => at + 2,
            ("you", taking) if TAKING.contains(&taking) => at + 2,
            ("you", "pick") if lower.get(at + 2).is_some_and(|it| it == "up") => at + 3,
            _ => continue,
        };
        if is_article(article) {
            found.extend(noun_after(words, article).map(str::to_owned));
        }
    }
    found
}

/// The world in a place.
fn standing_in(begin: &World, place: &str) -> World {
    let mut world = begin.clone();
    if let Some(id) = world.find(place) {
        world.here = id;
    }
    world
}

/// The world in the first place of a storylet.
fn where_told(begin: &World, storylet: &StoryletDefinition) -> World {
    match storylet.at.first() {
        Some(place) => standing_in(begin, place),
        None => begin.clone(),
    }
}

/// A dark place is looked at with a light.
fn lit(world: &WorldDefinition) -> WorldDefinition {
    let mut lit = world.clone();
    lit.places.iter_mut().for_each(|place| place.dark = false);
    lit
}

/// Returns the nouns that a player cannot examine in this world. Words that name nothing are no nouns: `the other`.
fn unknown_nouns_of(world: &World, nouns: BTreeSet<String>) -> Vec<String> {
    let is_unknown = |noun: &String| {
        let mut tried = world.clone();
        let meaning = understand(&tried, &format!("examine the {noun}"));
        match meaning.actions.first() {
            None => meaning.unclear.is_empty(),
            Some(action) => act(&mut tried, action, &mut Dice::new(None, 0)).refused.is_some(),
        }
    };
    let named = nouns.into_iter().filter(|noun| !is_function_word(noun));
    named.filter(is_unknown).collect()
}

/// Returns a text without the speech between quotation marks.
fn without_speech(text: &str) -> String {
    let mut told = String::new();
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '\u{201c}' => depth += 1,
            '\u{201d}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => told.push(c),
            _ => {}
        }
    }
    told
}

/// The last word of each phrase that begins with an article.
fn nouns(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for words in sentences(text) {
        for (at, word) in words.iter().enumerate() {
            if ARTICLES.contains(&word.to_lowercase().as_str()) {
                found.extend(noun_after(&words, at).map(str::to_owned));
            }
        }
    }
    found
}

/// The words of each part of a text that its marks separate.
fn sentences(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.split(['.', '!', '?', ';', ':', ',', '(', ')', '—', '–'])
        .map(|part| part.split_whitespace().collect())
}

/// The last word of the phrase whose article stands at an index.
fn noun_after<'t>(words: &[&'t str], article: usize) -> Option<&'t str> {
    let is_plain =
        |word: &&&str| word.chars().all(|c| c.is_lowercase()) && !AFTER_NOUNS.contains(&**word);
    let phrase: Vec<&&str> = words[article + 1..].iter().take_while(is_plain).take(3).collect();
    // With more than three words the noun is uncertain.
    let is_certain = phrase.len() < 3 || article + 1 + phrase.len() == words.len();
    phrase.last().map(|noun| **noun).filter(|noun| is_certain && noun.len() > 2)
}

#[cfg(test)]
mod tests {
    use super::{nouns, without_speech};

    #[test]
    fn a_noun_ends_its_phrase() {
        let found =
            nouns("A rusty crane stands over the quay, and the black water of the basin smells.");
        assert_eq!(Vec::from_iter(found), ["basin", "crane", "quay", "water"]);
    }

    #[test]
    fn what_somebody_says_is_left_out() {
        let told =
            without_speech("She takes the slip. \u{201c}Mind the gap!\u{201d} The door closes.");
        assert_eq!(told, "She takes the slip.  The door closes.");
    }
}
