//! What the player can do now, as sentences.

use serde::Serialize;

use crate::{
    act::{SkillCheck, check_for},
    action::{Action, Verb},
    entity::NamedId,
    want::{Want, suits},
    words,
    world::{Holder, World},
};

/// Most possibilities that are listed.
pub const POSSIBLE_MAX: usize = 24;

/// Something that the player can do now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Possibility {
    /// A sentence that means it.
    pub sentence: String,
    /// What the player does.
    pub action: Verb,
    /// To what or whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The second thing or person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// What a conversation is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// Where to go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<String>,
    /// The check that it needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<SkillCheck>,
}

impl Possibility {
    /// The possibility as an action.
    pub fn to_action(&self) -> Action {
        Action {
            action: self.action,
            target: self.target.clone(),
            with: self.with.clone(),
            topic: self.topic.clone(),
            direction: self.direction.clone(),
            ..Action::default()
        }
    }
}

/// What can be done now, what matters most first.
pub fn possibilities(world: &World) -> Vec<Possibility> {
    let mut found = Vec::new();
    let mut add = |sentence: String, action: Action| {
        if found.len() < POSSIBLE_MAX {
            let check = check_for(world, &action);
            let Action { action, target, with, topic, direction, .. } = action;
            found.push(Possibility { sentence, action, target, with, topic, direction, check });
        }
    };
    gifts(world, &mut add);
    things(world, &mut add);
    people(world, &mut add);
    for exit in world.exits() {
        if let Some(to) = world.find(&exit.to).filter(|_| world.allows(exit.when.as_deref())) {
            let action =
                Action { direction: Some(exit.direction.clone()), ..Action::new(Verb::Go) };
            add(format!("go {} to {}", exit.direction, world.the(to)), action);
        }
    }
    add("look around".to_owned(), Action::new(Verb::Look));
    add("wait".to_owned(), Action::new(Verb::Wait));
    found
}

fn gifts(world: &World, add: &mut impl FnMut(String, Action)) {
    for person in world.people_here() {
        let wants = world.person(person).and_then(|person| person.wants.as_deref());
        if let Some(thing) =
            wants.and_then(|wants| world.find(wants)).filter(|id| world.is_with_player(*id))
        {
            let sentence = format!("give {} to {}", world.the(thing), world.the(person));
            add(sentence, Action::on(Verb::Give, world.name(thing)).with(world.name(person)));
        }
    }
}

fn things(world: &World, add: &mut impl FnMut(String, Action)) {
    for id in world.seen() {
        let (the, name) = (world.the(id), world.name(id));
        let condition = world.conditions[id.0];
        let mut one = |verb: Verb, sentence: String| add(sentence, Action::on(verb, name));
        if condition.locked {
            match world.key_of(id).filter(|key| world.is_with_player(*key)) {
                Some(_) => one(Verb::Unlock, format!("unlock {the}")),
                None => one(Verb::PickLock, format!("pick the lock of {the}")),
            }
        } else if suits(world, id, Want::Closed) {
            one(Verb::Open, format!("open {the}"));
        }
        if suits(world, id, Want::Unlit) && has_fire(world, id) {
            one(Verb::Light, format!("light {the}"));
        }
        if suits(world, id, Want::Takable) && !world.is_with_player(id) {
            one(Verb::Take, format!("take {the}"));
        }
        let is_new = !condition.known && suits(world, id, Want::Readable);
        if is_new && !matches!(world.holders[id.0], Holder::Person(_)) {
            one(Verb::Read, format!("read {the}"));
        }
        if world.thing(id).is_some_and(|thing| thing.fixed && !thing.reactions.is_empty()) {
            one(Verb::Use, format!("use {the}"));
        } else if world.thing(id).is_some_and(|thing| thing.fixed && thing.container.is_none()) {
            one(Verb::Search, format!("search {the}"));
        }
    }
}

/// Returns true if what the light is lit with can be seen.
fn has_fire(world: &World, light: NamedId) -> bool {
    let light = world.thing(light).and_then(|thing| thing.light.as_ref());
    let needed = light.and_then(|light| light.needs.as_deref()).and_then(|it| world.find(it));
    needed.is_none_or(|needed| world.is_seen(needed))
}

fn people(world: &World, add: &mut impl FnMut(String, Action)) {
    for id in world.people_here().into_iter().filter(|id| !world.conditions[id.0].dead) {
        let (the, name) = (world.the(id), world.name(id));
        if !world.conditions[id.0].known {
            add(format!("talk to {the}"), Action::on(Verb::Talk, name));
        }
        for topic in world.topic_names(id).take(4) {
            let about =
                world.find(topic).map_or_else(|| words::topic_in_words(topic), |id| world.the(id));
            add(format!("ask {the} about {about}"), Action::on(Verb::Ask, name).topic(topic));
        }
    }
}

/// Most sentences that a player is offered who was not understood.
const NEAREST_MAX: usize = 3;

/// The three possibilities whose sentences are nearest to what the player said.
pub fn nearest(world: &World, sentence: &str) -> Vec<String> {
    let found = by_nearness(world, sentence).into_iter();
    found.take(NEAREST_MAX).map(|possible| possible.sentence).collect()
}

/// The three possibilities that are nearest, those with this thing first.
pub fn nearest_with(world: &World, sentence: &str, id: NamedId) -> Vec<String> {
    let name = Some(world.name(id));
    let mut found = by_nearness(world, sentence);
    found.sort_by_key(|it| it.target.as_deref() != name && it.with.as_deref() != name);
    found.into_iter().take(NEAREST_MAX).map(|possible| possible.sentence).collect()
}

/// All possibilities, the nearest to what the player said first.
fn by_nearness(world: &World, sentence: &str) -> Vec<Possibility> {
    let said = words::split(&sentence.chars().take(200).collect::<String>());
    let mut scored: Vec<(u32, usize, Possibility)> = possibilities(world)
        .into_iter()
        .enumerate()
        .map(|(n, possible)| {
            let known = words::split(&possible.sentence);
            let like = |word: &String| {
                known.iter().map(|k| u32::from(english::likeness(word, k))).max().unwrap_or(0)
            };
            let said = said.iter().filter(|word| !words::is_hollow(word));
            (said.map(like).sum::<u32>(), n, possible)
        })
        .collect();
    scored.sort_by_key(|(score, n, _)| (std::cmp::Reverse(*score), *n));
    scored.into_iter().map(|(_, _, possible)| possible).collect()
}

/// The name of the world that is nearest to a wrong one.
pub fn nearest_name(world: &World, name: &str) -> Option<String> {
    let said = words::split(name);
    let score = |known: &str| -> u32 {
        let known = words::split(known);
        said.iter()
            .map(|word| {
                known.iter().map(|k| u32::from(english::likeness(word, k))).max().unwrap_or(0)
            })
            .sum()
    };
    let best = world
        .entities
        .iter()
        .map(|entity| entity.name.as_str())
        .max_by_key(|known| score(known))?;
    (score(best) > 0).then(|| best.to_owned())
}
