//! What is answered where words name nothing, nobody who is here, or half a sentence: strings in, texts out.

use std::{fmt::Write as _, fs};

use narratoria_sdk::Value;
use serde::Deserialize as _;
use understanding::understand;
use world_model::{
    act::{Dice, act},
    definition::WorldDefinition,
    world::World,
};

fn begin(name: &str, place: &str) -> World {
    let text = fs::read_to_string(format!("../understanding/tests/worlds/{name}.json")).unwrap();
    let value: Value = text.parse().unwrap();
    let mut world = World::begin(WorldDefinition::deserialize(value).unwrap());
    world.here = world.find(place).unwrap();
    world
}

/// Plays the sentences one after the other, and returns each with what it led to.
fn play(name: &str, place: &str, sentences: &[&str]) -> String {
    play_in(&mut begin(name, place), sentences)
}

fn play_in(world: &mut World, sentences: &[&str]) -> String {
    let mut told = String::new();
    for sentence in sentences {
        writeln!(told, "> {sentence}").unwrap();
        for action in understand(world, sentence).actions {
            let outcome = act(world, &action, &mut Dice::new(Some(20), 1));
            for fact in outcome.facts {
                writeln!(told, "{}", fact.text).unwrap();
            }
        }
    }
    told
}

#[test]
fn what_is_told_and_asked_is_written_as_good_english() {
    insta::assert_snapshot!(play(
        "castle",
        "moss bridge",
        &[
            "good evening, Grumbold",
            "tell grumbold i love her",
            "tell grumbold to come out",
            "tell grumbold that the king is a fool",
            "tell grumbold that my sister is missing",
            "tell grumbold about the war",
            "tell grumbold about the wizard",
            "ask grumbold what is wrong",
            "ask grumbold about taxes",
            "ask grumbold about the theft",
            "I say to Grumbold that the king is a fool",
        ]
    ));
}

#[test]
fn what_is_said_spends_nothing_that_somebody_might_tell() {
    insta::assert_snapshot!(play(
        "castle",
        "moss bridge",
        &[
            "good evening, Grumbold",
            "\"thank you, that is all,\" I say",
            "say goodbye to Grumbold",
            "talk to Grumbold",
        ]
    ));
}

#[test]
fn nobody_stands_in_for_somebody_who_is_not_here() {
    insta::assert_snapshot!(play(
        "castle",
        "moss bridge",
        &[
            "accuse petronella",
            "threaten the policeman",
            "ask the policeman about the toll",
            "help petronella",
            "count the spoons",
        ]
    ));
}

#[test]
fn a_word_that_names_nothing_is_found_in_no_description() {
    insta::assert_snapshot!(play(
        "castle",
        "moss bridge",
        &["open everything", "x was", "x arches"]
    ));
}

#[test]
fn a_gesture_pretends_nothing() {
    insta::assert_snapshot!(play(
        "weather",
        "parlour",
        &[
            "I nod, button up my coat",
            "thank minnie",
            "thanks for your hospitality",
            "search the dish",
            "eat the bun",
            "squeeze the horn",
            "write the readings in the book",
            "north",
            "I sit down at my desk",
            "measure the rain",
            "measure the temperature",
            "write down the rain",
            "down",
            "search the shelves",
            "search the cupboards",
        ]
    ));
}

/// A gesture changes nothing, so the player is not told that it has.
#[test]
fn what_a_gesture_would_change_is_told_as_not_done() {
    let told = |sentence: &str| play("garden", "vegetable plot", &[sentence]);
    for sentence in ["mend the wheelbarrow", "polish the wheelbarrow", "paint the scarecrow"] {
        assert!(told(sentence).contains("Nothing comes of that."), "{}", told(sentence));
    }
    for (sentence, done) in [
        ("lean on the wheelbarrow", "You lean on the wheelbarrow."),
        ("bow to the scarecrow", "You bow to the scarecrow."),
        ("smell the scarecrow", "You smell the scarecrow."),
        ("scratch my chin", "You scratch your chin."),
    ] {
        assert!(told(sentence).contains(done), "{}", told(sentence));
    }
}

#[test]
fn who_has_given_what_they_give_no_longer_asks_for_the_price() {
    insta::assert_snapshot!(play(
        "quarry",
        "yard",
        &[
            "ask Wim about the gate",
            "talk Wim into opening the gate",
            "what do you want for the key?",
            "give the pipe to Wim",
        ]
    ));
}

#[test]
fn what_does_not_exist_yet_is_meant_by_no_words() {
    insta::assert_snapshot!(play(
        "quarry",
        "yard",
        &["show Wim the stamped permit", "where is the stamped permit?", "x permit"]
    ));
}

#[test]
fn a_thread_says_how_it_stands_now() {
    let mut world = begin("quarry", "yard");
    let mut told = String::new();
    for sentence in
        ["look", "talk Wim into opening the gate", "unlock the gate, open it", "go down"]
    {
        play_in(&mut world, &[sentence]);
        writeln!(told, "{sentence}: {:?}", world.view().stages).unwrap();
    }
    insta::assert_snapshot!(told, @r#"
    look: {}
    talk Wim into opening the gate: {"Down": "The gate to the pit is locked, and you have the key."}
    unlock the gate, open it: {"Down": "The gate to the pit is open."}
    go down: {}
    "#);
}

#[test]
fn nobody_is_asked_about_a_place_that_they_have_not_heard_of() {
    insta::assert_snapshot!(play("station", "ring corridor", &["go to the room"]));
}
