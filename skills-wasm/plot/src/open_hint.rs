//! The hint of a story whose campaign has none: the open threads, and one step towards them. Pure.

use std::collections::BTreeMap;

use serde::Deserialize;

use narratoria_facts::{the, topic_in_words};

/// Most open threads that one hint repeats.
const THREADS_TOLD_MAX: usize = 2;

/// The world as its author wrote it, as far as the journal and a hint read it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct KnownWorld {
    /// What there is to find out or to bring about.
    pub threads: Vec<KnownThread>,
    /// Everybody.
    pub people: Vec<KnownPerson>,
    /// All places.
    pub places: Vec<KnownPlace>,
}

/// A thread of the world.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct KnownThread {
    /// Its title.
    pub name: String,
    /// The sentence that begins it.
    pub opening: String,
    /// The sentence that ends it.
    pub ending: String,
}

/// A person, and the topics that they answer.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct KnownPerson {
    name: String,
    topics: Vec<KnownTopic>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct KnownTopic {
    about: Vec<String>,
    when: Option<String>,
}

/// A place, and where one can go from it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct KnownPlace {
    name: String,
    exits: Vec<KnownExit>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct KnownExit {
    to: String,
    door: Option<String>,
    when: Option<String>,
}

/// What the player has seen and heard: `/world/view`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct PlayerKnowledge {
    /// The place where the player is.
    pub place: String,
    /// Titles of the threads that have ended.
    pub done: Vec<String>,
    /// People whom the player has spoken to.
    pub met: Vec<String>,
    /// The dead.
    pub dead: Vec<String>,
    /// What people have told, as `PERSON: TOPIC`.
    pub learned: Vec<String>,
    /// Places that the player has seen.
    pub visited: Vec<String>,
    /// How threads stand, by their titles, if it is no longer as their openings say.
    pub stages: BTreeMap<String, String>,
    /// Titles of threads that have not begun, or that another one has closed.
    pub idle: Vec<String>,
}

impl PlayerKnowledge {
    /// How an open thread stands.
    pub fn standing<'t>(&'t self, thread: &'t KnownThread) -> &'t str {
        self.stages.get(&thread.name).unwrap_or(&thread.opening)
    }

    /// Returns true if the thread has begun, and neither it nor one that closes it has ended.
    pub fn is_open(&self, thread: &KnownThread) -> bool {
        !self.done.contains(&thread.name) && !self.idle.contains(&thread.name)
    }
}

/// The openings of open threads, and the nearest step that the player has not taken. It names only what the player has read:
/// people of the openings or met before, and places next to those that were seen. None where nothing is left.
pub fn open_hint(world: &KnownWorld, known: &PlayerKnowledge) -> Option<String> {
    let open = world.threads.iter().filter(|thread| known.is_open(thread));
    let openings: Vec<&str> =
        open.map(|thread| known.standing(thread)).filter(|text| !text.is_empty()).collect();
    let step = person_to_meet(world, known, &openings)
        .or_else(|| question_to_ask(world, known, &openings))
        .or_else(|| place_to_see(world, known));
    let told = openings.into_iter().take(THREADS_TOLD_MAX).map(str::to_owned);
    let sentences: Vec<String> = told.chain(step).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// The living, those of whom an open thread speaks first.
fn people<'w>(
    world: &'w KnownWorld,
    known: &PlayerKnowledge,
    openings: &[&str],
) -> Vec<(bool, &'w KnownPerson)> {
    let is_named =
        |person: &KnownPerson| openings.iter().any(|text| text.contains(person.name.as_str()));
    let living = world
        .people
        .iter()
        .filter(|person| !person.name.is_empty() && !known.dead.contains(&person.name));
    let mut people: Vec<_> = living.map(|person| (is_named(person), person)).collect();
    people.sort_by_key(|(is_named, _)| !is_named);
    people
}

fn person_to_meet(
    world: &KnownWorld,
    known: &PlayerKnowledge,
    openings: &[&str],
) -> Option<String> {
    let (_, person) = people(world, known, openings)
        .into_iter()
        .find(|(is_named, person)| *is_named && !known.met.contains(&person.name))?;
    Some(format!("You have not spoken to {} yet.", the(&person.name)))
}

fn question_to_ask(
    world: &KnownWorld,
    known: &PlayerKnowledge,
    openings: &[&str],
) -> Option<String> {
    let met = people(world, known, openings)
        .into_iter()
        .filter(|(_, person)| known.met.contains(&person.name));
    for (_, person) in met {
        let untold = |topic: &&str| !known.learned.contains(&format!("{}: {topic}", person.name));
        let always = person.topics.iter().filter(|topic| topic.when.is_none());
        let mut topics = always.filter_map(|topic| topic.about.first().map(String::as_str));
        if let Some(topic) = topics.find(untold) {
            return Some(format!(
                "You could ask {} about {}.",
                the(&person.name),
                topic_in_words(topic)
            ));
        }
    }
    None
}

fn place_to_see(world: &KnownWorld, known: &PlayerKnowledge) -> Option<String> {
    let mut seen: Vec<&KnownPlace> =
        world.places.iter().filter(|place| known.visited.contains(&place.name)).collect();
    seen.sort_by_key(|place| place.name != known.place);
    let mut ways = seen.into_iter().flat_map(|place| &place.exits);
    let way = ways.find(|exit| {
        exit.door.is_none() && exit.when.is_none() && !known.visited.contains(&exit.to)
    })?;
    Some(format!("You have not been to {} yet.", the(&way.to)))
}
