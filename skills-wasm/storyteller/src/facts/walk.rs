//! Walks through the worlds of the `world` skill: what is possible, and what people type, becomes facts.

use std::fs;

use narratoria_sdk::{Rng, Value, json};
use serde::Deserialize;
use world::{
    act::{Dice, act},
    action::{Action, Verb},
    definition::WorldDefinition,
    parse::understand,
    possible::possibilities,
    world::World,
};

/// The worlds, and the sentences over them.
const WORLDS: &[&str] = &["lighthouse", "garden", "train"];
const FOLDER: &str = "../world/tests";

/// Sentences that are tried before the world counts as dead.
const TRIES_MAX: usize = 200;

/// What asks for an answer, of the world or of a person.
const ASKS: &[Verb] = &[
    Verb::Look,
    Verb::Examine,
    Verb::Search,
    Verb::Read,
    Verb::Inventory,
    Verb::Talk,
    Verb::Ask,
    Verb::Tell,
    Verb::Say,
    Verb::Request,
    Verb::Persuade,
];

/// One turn: what the player typed, the facts of each step, and the state that goes with them.
pub(super) struct WalkTurn {
    pub(super) prompt: String,
    /// The action, as a text that is equal for equal actions in other wordings.
    pub(super) deed: String,
    /// Whether the player has looked, or has spoken to somebody.
    pub(super) asks: bool,
    /// Whether the story repeats a question of its own until the player answers it.
    pub(super) is_asked: bool,
    pub(super) facts: Vec<Value>,
    pub(super) world: Value,
}

/// A text that is equal for actions that may have the same answer: the name of the target, or else the whole action.
pub(super) fn deed_of(action: &Action) -> String {
    action.target.clone().unwrap_or_else(|| format!("{action:?}"))
}

/// Returns true if an action asks for an answer.
pub(super) fn asks(action: &Action) -> bool {
    ASKS.contains(&action.action)
}

/// A walk through one of the worlds.
pub(super) struct Walk {
    world: World,
    typed: Vec<String>,
    rng: Rng,
}

impl Walk {
    pub(super) fn new(seed: u64) -> Walk {
        let name = WORLDS[seed as usize % WORLDS.len()];
        let text = fs::read_to_string(format!("{FOLDER}/worlds/{name}.json")).unwrap();
        let value: Value = text.parse().unwrap();
        let world = World::begin(WorldDefinition::deserialize(value).unwrap());
        let sentences = fs::read_to_string(format!("{FOLDER}/sentences/{name}.txt")).unwrap();
        let typed = sentences.lines().filter_map(|line| line.split_once(" => "));
        let typed = typed.map(|(sentence, _)| sentence.to_owned()).collect();
        Walk { world, typed, rng: Rng::new(seed ^ 0x5eed) }
    }

    /// Plays something that is possible, or something that somebody typed once.
    pub(super) fn turn(&mut self) -> WalkTurn {
        for _ in 0..TRIES_MAX {
            let (prompt, actions) = if self.rng.range(0..=4) > 0 {
                let possible = possibilities(&self.world);
                let Some(one) = self.rng.pick(&possible) else { continue };
                let action = Action {
                    target: one.target.clone(),
                    with: one.with.clone(),
                    topic: one.topic.clone(),
                    direction: one.direction.clone(),
                    ..Action::new(one.action)
                };
                (one.sentence.clone(), vec![action])
            } else {
                let Some(typed) = self.rng.pick(&self.typed) else { continue };
                (typed.clone(), understand(&self.world, typed).actions)
            };
            let mut facts = Vec::new();
            for action in &actions {
                let mut dice = Dice::new(None, self.rng.next_u64());
                facts.extend(act(&mut self.world, action, &mut dice).facts);
            }
            if !facts.is_empty() {
                let asks = actions.iter().any(asks);
                let facts = vec![json!(facts)];
                let deed: Vec<String> = actions.iter().map(deed_of).collect();
                let deed = deed.join(", ");
                let world = self.state();
                return WalkTurn { prompt, deed, asks, is_asked: false, facts, world };
            }
        }
        panic!("nothing happens in this world any more")
    }

    /// The slices of the state that the storyteller reads.
    fn state(&self) -> Value {
        let world = &self.world;
        let seen: Vec<_> = world.present().into_iter().filter(|id| world.is_seen(*id)).collect();
        let alive = world.people_here().into_iter().filter(|id| !world.conditions[id.0].dead);
        let people: Vec<&str> = alive.map(|id| world.name(id)).collect();
        let names: Vec<&str> = seen.iter().map(|id| world.name(*id)).collect();
        let exits: Vec<&str> = world.exits().iter().map(|exit| exit.to.as_str()).collect();
        let directions: Vec<&str> =
            world.exits().iter().map(|exit| exit.direction.as_str()).collect();
        json!({
            "now": { "minutes": world.clock(), "time": world.time_of_day(), "light": world.light() },
            "scope": {
                "here": world.name(world.here), "people": people, "things": names,
                "exits": exits, "directions": directions,
            },
        })
    }
}
