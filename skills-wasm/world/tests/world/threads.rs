//! Threads that begin after others and close others.

use std::fmt::Write as _;

use narratoria_sdk::json;
use serde::Deserialize as _;
use understanding::understand;
use world_model::{
    act::{Dice, act},
    check::check,
    definition::WorldDefinition,
    fact::FactKind,
    world::{ThreadState, World},
};

fn hut() -> WorldDefinition {
    let hut = json!({
        "title": "The Hut", "player": { "name": "Ada", "place": "hut" },
        "places": [
            { "name": "hut", "description": "A stove.", "exits": [{ "direction": "out", "to": "yard" }] },
            { "name": "yard", "description": "Mud.", "exits": [{ "direction": "in", "to": "hut" }] },
        ],
        "things": [
            { "name": "bell", "description": "Brass.", "place": "hut" },
            { "name": "note", "description": "Paper.", "place": "hut", "text": "Stay." },
        ],
        "people": [{
            "name": "Tam", "pronoun": "he", "description": "Old.", "place": "hut",
            "topics": [{ "about": ["rain"], "says": "It will last." }],
        }],
        "threads": [
            { "name": "Rain", "opening": "It rains.", "goal": { "kind": "learned", "target": "rain", "to": "Tam" },
              "ending": "It will last.", "closes": ["Bell"], "unresolved": "Nobody speaks of the rain." },
            { "name": "Bell", "opening": "There is a bell.", "goal": { "kind": "held", "target": "bell" },
              "ending": "It rings.", "unresolved": "It does not ring." },
            { "name": "Out", "opening": "You can go.", "goal": { "kind": "reached", "target": "yard" }, "ending": "You go.",
              "after": ["Rain"], "closes": ["Stay"], "unresolved": "You do not go." },
            { "name": "Stay", "opening": "You can stay.", "goal": { "kind": "read", "target": "note" }, "ending": "You stay.",
              "after": ["Rain"], "closes": ["Out"], "unresolved": "You do not stay." },
        ],
    });
    WorldDefinition::deserialize(hut).unwrap()
}

/// What is told of threads when these sentences are said.
fn told(sentences: &[&str]) -> String {
    let mut world = World::begin(hut());
    let mut told = String::new();
    for sentence in sentences {
        for action in understand(&world, sentence).actions {
            for fact in act(&mut world, &action, &mut Dice::new(Some(1), 0)).facts {
                let kinds = [FactKind::ThreadDone, FactKind::ThreadOpened, FactKind::Told];
                if kinds.contains(&fact.fact) {
                    let _ = writeln!(told, "{}", fact.text);
                }
            }
        }
    }
    told
}

#[test]
fn a_thread_begins_when_another_ends_and_closes_the_one_that_it_excludes() {
    assert_eq!(check(&hut()), Ok(()));
    assert_eq!(
        told(&["ask Tam about the rain", "take the bell", "go out", "go in", "read the note"]),
        "It will last.\nIt does not ring.\nYou can go.\nYou can stay.\nYou go.\nYou do not stay.\n"
    );
}

#[test]
fn what_has_not_begun_does_not_end() {
    assert_eq!(told(&["read the note", "go out"]), "");
    assert_eq!(
        told(&["go out", "go in", "ask Tam about the rain", "read the note"]),
        "It will last.\nIt does not ring.\nYou can go.\nYou can stay.\nYou stay.\nYou do not go.\n"
    );
}

#[test]
fn what_is_neither_open_nor_ended_is_named_in_the_view() {
    let mut world = World::begin(hut());
    assert_eq!(world.view().idle, ["Out", "Stay"]);
    let meaning = understand(&world, "ask Tam about the rain");
    act(&mut world, &meaning.actions[0], &mut Dice::new(Some(1), 0));
    assert_eq!(world.view().idle, ["Bell"]);
    let mut again = World::begin(hut());
    again.restore(&world.now());
    assert!(again.thread_states() == world.thread_states());
    assert_eq!(again.thread_state(1), ThreadState::Closed);
}

#[test]
fn a_thread_that_names_no_other_thread_is_refused() {
    for (after, closes) in [("Nothing", "Bell"), ("Rain", "Nothing"), ("Out", "Bell")] {
        let mut world = hut();
        world.threads[2].after = vec![after.to_owned()];
        world.threads[2].closes = vec![closes.to_owned()];
        let faults = check(&world).unwrap_err();
        let text = format!("{faults:?}");
        assert!(faults.len() == 1 && text.contains("which is no other thread"), "{text}");
    }
}
