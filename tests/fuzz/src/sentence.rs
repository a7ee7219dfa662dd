//! What a player types: sentences in a world, and the premise that a world is made of.

use understanding::{ACTIONS_MAX, understand};
use world_model::{
    act::{Dice, act},
    action::{ACTION_TEXT_CHARS_MAX, ACTION_WORDS_CHARS_MAX, Action},
    check,
    definition::WorldDefinition,
    premise,
    scope::scope,
    world::World,
};

/// Longest sentence, in characters, as `world/understand` takes it.
const SENTENCE_CHARS_MAX: usize = 4000;

/// Longest premise, in characters, as `world/create` takes it.
const PREMISE_CHARS_MAX: usize = 2000;

/// The worlds, of which the first byte chooses one and a place in it.
const WORLDS: [&str; 3] = [
    include_str!("../../../skills-wasm/understanding/tests/worlds/storehouse.json"),
    include_str!("../../../skills-wasm/understanding/tests/worlds/lighthouse.json"),
    include_str!("../../../skills-wasm/understanding/tests/worlds/castle.json"),
];

/// The first byte chooses the world and the place; each line behind it is said in the world that the earlier ones leave.
pub(crate) fn check(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let choice = usize::from(*choice);
    let definition: WorldDefinition =
        serde_json::from_str(WORLDS[choice % WORLDS.len()]).expect("a world of the tests");
    let mut world = World::begin(definition);
    let places: Vec<_> = world.place_ids().collect();
    world.here = places[choice / WORLDS.len() % places.len()];
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines().take(8) {
        let sentence: String = line.chars().take(SENTENCE_CHARS_MAX).collect();
        say(&mut world, &sentence);
    }
}

/// Reads a sentence twice, and does what it says.
fn say(world: &mut World, sentence: &str) {
    let meaning = understand(world, sentence);
    assert_eq!(meaning.actions, understand(world, sentence).actions, "read twice: {sentence:?}");
    assert!(meaning.actions.len() <= ACTIONS_MAX, "{sentence:?}");
    for action in &meaning.actions {
        check_sizes(action, sentence);
        let told = act(world, action, &mut Dice::new(Some(20), 1));
        assert!(!told.facts.is_empty(), "{sentence:?}: nothing is told of {action:?}");
    }
    let _ = scope(world);
}

fn check_sizes(action: &Action, sentence: &str) {
    let words = [&action.target, &action.with, &action.topic, &action.direction, &action.missing];
    for words in words.into_iter().flatten() {
        assert!(words.chars().count() <= ACTION_WORDS_CHARS_MAX, "{sentence:?}: {words:?}");
    }
    let text = action.text.as_deref().unwrap_or_default();
    assert!(text.chars().count() <= ACTION_TEXT_CHARS_MAX, "{sentence:?}: {text:?}");
}

/// A premise becomes a world that its own check accepts, and the same one again from the same seed.
pub(crate) fn check_premise(bytes: &[u8]) {
    let Some((seed, bytes)) = bytes.split_first() else { return };
    let premise: String = String::from_utf8_lossy(bytes).chars().take(PREMISE_CHARS_MAX).collect();
    let made: WorldDefinition = premise::make(&premise, u64::from(*seed));
    assert_eq!(check::check(&made), Ok(()), "{premise:?}");
    let again = premise::make(&premise, u64::from(*seed));
    assert_eq!(serde_json::to_value(&made).ok(), serde_json::to_value(again).ok(), "{premise:?}");
    let mut world = World::begin(made);
    say(&mut world, "look around");
    let _ = scope(&world);
}
