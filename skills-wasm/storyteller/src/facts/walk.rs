//! Walks through the worlds of the `world` skill: what is possible, and what people type, becomes facts.

use std::fs;

use narratoria_sdk::{Rng, Value, json};
use serde::Deserialize;
use understanding::understand;
use world_model::{
    act::{Dice, act},
    action::{Action, Verb},
    definition::{DIRECTIONS, WorldDefinition},
    possible::possibilities,
    premise::make,
    world::World,
};

/// The worlds, and the sentences over them.
const WORLDS: &[&str] = &["lighthouse", "garden", "train"];
const FOLDER: &str = "../understanding/tests";

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

/// Sentences that mean nothing in these worlds.
const JUNK: &[&str] = &[
    "take , , and",
    "give",
    "put in on under",
    "all all all but all",
    "\u{1b}[31m",
    "draw my sword and slay the dragon",
    "ask Gandalf about the Ring of Power",
    "tell everybody that Excalibur lies in the Atlantic",
    "go to Camelot with Lancelot",
];

/// A walk through one of the worlds.
pub(super) struct Walk {
    world: World,
    typed: Vec<String>,
    rng: Rng,
    /// True if half of the actions take a random verb and random names, possible or not.
    is_wild: bool,
}

impl Walk {
    pub(super) fn new(seed: u64) -> Walk {
        let name = WORLDS[seed as usize % WORLDS.len()];
        let text = fs::read_to_string(format!("{FOLDER}/worlds/{name}.json")).unwrap();
        let value: Value = text.parse().unwrap();
        let world = World::begin(WorldDefinition::deserialize(value).unwrap());
        Walk { world, typed: typed_in(name), rng: Rng::new(seed ^ 0x5eed), is_wild: false }
    }

    /// A walk with random actions between the possible ones. Odd seeds walk through a world made from a premise.
    pub(super) fn wild(seed: u64) -> Walk {
        let mut walk = Walk { is_wild: true, ..Walk::new(seed) };
        if seed % 2 == 1 {
            walk.world = World::begin(make("a miller and a locked tower", seed));
        }
        walk.typed.extend(JUNK.iter().map(|text| (*text).to_owned()));
        walk
    }

    /// Plays something that is possible, or something that somebody typed once.
    pub(super) fn turn(&mut self) -> WalkTurn {
        for _ in 0..TRIES_MAX {
            let Some((prompt, actions)) = self.next() else { continue };
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

    /// The next sentence and what it means.
    fn next(&mut self) -> Option<(String, Vec<Action>)> {
        if self.is_wild && self.rng.range(0..=1) == 0 {
            let action = self.any_action();
            return Some((format!("{action:?}"), vec![action]));
        }
        if self.rng.range(0..=4) > 0 {
            let possible = possibilities(&self.world);
            let one = self.rng.pick(&possible)?;
            return Some((one.sentence.clone(), vec![one.to_action()]));
        }
        let typed = self.rng.pick(&self.typed)?;
        Some((typed.clone(), understand(&self.world, typed).actions))
    }

    /// Any verb with any names of this world, wherever they are.
    fn any_action(&mut self) -> Action {
        let names: Vec<String> =
            self.world.ids().map(|id| self.world.name(id).to_owned()).collect();
        let rng = &mut self.rng;
        let verb = rng.pick(Verb::ALL).copied().unwrap_or_default();
        let is_rare = |rng: &mut Rng| rng.range(0..=2) == 0;
        Action {
            target: rng.pick(&names).cloned(),
            with: if is_rare(rng) { rng.pick(&names).cloned() } else { None },
            topic: if is_rare(rng) { rng.pick(&names).cloned() } else { None },
            direction: if is_rare(rng) {
                rng.pick(DIRECTIONS).map(|it| (*it).to_owned())
            } else {
                None
            },
            ..Action::new(verb)
        }
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

/// The sentences that people have written over one of the worlds.
fn typed_in(world: &str) -> Vec<String> {
    let sentences = fs::read_to_string(format!("{FOLDER}/sentences/{world}.txt")).unwrap();
    let typed = sentences.lines().filter_map(|line| line.split_once(" => "));
    typed.map(|(sentence, _)| sentence.to_owned()).collect()
}
