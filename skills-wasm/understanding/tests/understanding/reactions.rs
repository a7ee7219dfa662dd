//! What each deed stirs in whoever feels it.

use narratoria_sdk::Value;
use serde::Deserialize as _;

use understanding::understand;
use world_model::{
    act::{Dice, act},
    action::{Action, Verb},
    definition::WorldDefinition,
    world::World,
};

const BRIDGE: &str = r#"{ "title": "Bridge", "opening": "A bridge.",
    "player": { "name": "Robin Ashe", "place": "bridge" },
    "places": [
        { "name": "bridge", "description": "Three arches.", "exits": [{ "direction": "north", "to": "yard" }] },
        { "name": "yard", "description": "Mud.", "exits": [{ "direction": "in", "to": "vault" }] },
        { "name": "vault", "description": "Cold." } ],
    "things": [ { "name": "brass key", "description": "Small.", "place": "vault" },
        { "name": "wax matches", "plural": true, "description": "Nine.", "place": "vault" },
        { "name": "oil lamp", "description": "Cold.", "place": "bridge", "light": { "needs": "wax matches" } },
        { "name": "grey ewe", "description": "Woolly.", "place": "bridge", "fixed": true } ],
    "people": [
        { "name": "Grumbold", "pronoun": "he", "description": "A troll.", "place": "bridge",
          "greeting": "Toll.", "topics": [{ "about": ["toll"], "says": "One cake." }] },
        { "name": "Petronella", "pronoun": "she", "description": "A cook.", "place": "vault" } ],
    "verbs": [ { "name": "tag", "aliases": ["label"], "says": "You reach for a tag" } ] }"#;

fn world(change: impl FnOnce(&mut WorldDefinition)) -> World {
    let map: Value = BRIDGE.parse().unwrap();
    let mut definition = WorldDefinition::deserialize(map).unwrap();
    change(&mut definition);
    world_model::check::check(&definition).unwrap();
    World::begin(definition)
}

/// The texts of what the actions lead to, with what was felt.
fn done(world: &mut World, actions: &[Action]) -> Vec<String> {
    let mut told = Vec::new();
    for action in actions {
        let outcome = act(world, action, &mut Dice::new(Some(20), 1));
        told.extend(outcome.facts.into_iter().map(|fact| fact.text));
        told.extend(outcome.feelings.into_iter().map(|felt| format!("{:+}", felt.by)));
    }
    told
}

fn told(world: &mut World, sentence: &str) -> Vec<String> {
    let actions = understand(world, sentence).actions;
    done(world, &actions)
}

fn said(words: &str) -> Action {
    Action::on(Verb::Say, "Grumbold").text(words)
}

#[test]
fn a_question_gets_its_topic_or_a_fallback_or_an_honest_answer_and_none_twice_running() {
    let asked = |world: &mut World, topic: &str| {
        done(world, &[Action::on(Verb::Ask, "Grumbold").topic(topic)]).concat()
    };
    let mut plain = world(|_| {});
    assert_eq!(asked(&mut plain, "the toll"), "Grumbold says: \u{201c}One cake.\u{201d}");
    assert_eq!(asked(&mut plain, "taxes"), "Grumbold knows nothing about taxes.");
    assert_eq!(asked(&mut plain, "taxes"), "Grumbold cannot tell you anything about taxes.");
    let mut one = world(|map| map.people[0].fallback = vec!["Bah.".to_owned()]);
    let answers: Vec<String> = (0..3).map(|_| asked(&mut one, "taxes")).collect();
    assert_eq!(answers[0], "Grumbold says: \u{201c}Bah.\u{201d}");
    assert_eq!(answers[1], "Grumbold knows nothing about taxes.");
    assert_eq!(answers[2], answers[0]);
}

/// How the words reach somebody does not matter: said, told, or done.
#[test]
fn speech_has_the_same_reaction_with_quotation_marks_and_without() {
    for same in [
        ["\"Thank you,\" I say to Grumbold", "thank Grumbold"],
        ["\"I love you\", I say to Grumbold", "tell Grumbold I love you"],
        ["\"What is the toll?\" I ask Grumbold", "ask Grumbold about the toll"],
        ["I say \"sorry\" to Grumbold", "apologise to Grumbold"],
    ] {
        let last = same.map(|sentence| {
            let told = told(&mut world(|_| {}), sentence);
            told.into_iter().filter(|line| line.starts_with("Grumbold")).collect::<Vec<_>>()
        });
        assert!(!last[0].is_empty(), "{}", same[0]);
        assert_eq!(last[0], last[1], "{}", same[1]);
    }
}

#[test]
fn what_is_made_of_speech_depends_on_the_feeling_and_moves_it_a_few_times() {
    let mut world = world(|_| {});
    let insult = [said("You are a fool.")];
    assert_eq!(done(&mut world, &insult)[1..], ["Grumbold narrows his eyes.", "-6"]);
    assert_eq!(
        done(&mut world, &insult)[1..],
        ["Grumbold takes that in, and will not forget it.", "-6"]
    );
    world.opinions.insert("Grumbold".to_owned(), -20);
    assert_eq!(done(&mut world, &insult)[1..], ["Grumbold expected nothing else of you.", "-6"]);
    assert_eq!(done(&mut world, &insult)[1..], ["Grumbold smiles thinly."]);
    world.opinions.insert("Grumbold".to_owned(), 20);
    let thanks = done(&mut world, &[said("Thank you.")]);
    assert_eq!(thanks[1..], ["Grumbold waves it away, and is pleased.", "+1"]);
}

#[test]
fn an_authors_reaction_and_answers_come_before_those_of_the_kind() {
    let reaction: Value =
        r#"{ "action": "insult", "says": ["Ha.", "Again?"], "does": "He spits", "feeling": -9 }"#
            .parse()
            .unwrap();
    let mut world = world(|map| {
        let own = world_model::definition::PersonReactionDefinition::deserialize(reaction).unwrap();
        map.people[0].reactions.push(own);
        map.people[0].listens = vec!["So, so.".to_owned()];
    });
    let insult = [said("You fool, about that toll!")];
    assert_eq!(
        done(&mut world, &insult)[1..],
        ["He spits.", "Grumbold says: \u{201c}Ha.\u{201d}", "-9"]
    );
    assert_eq!(done(&mut world, &insult)[2], "Grumbold says: \u{201c}Again?\u{201d}");
    assert_eq!(
        done(&mut world, &[said("My sister is missing.")])[1],
        "Grumbold says: \u{201c}So, so.\u{201d}"
    );
}

#[test]
fn nobody_repeats_a_topic_or_a_line_to_a_remark_while_there_is_another() {
    let mut world = world(|map| map.people[0].listens = vec!["So, so.".to_owned()]);
    let answers: Vec<String> = ["I paid the toll.", "The toll is high.", "It rains.", "So it is."]
        .map(|words| done(&mut world, &[said(words)]).remove(1))
        .into();
    assert_eq!(
        answers,
        [
            "Grumbold says: \u{201c}One cake.\u{201d}",
            "Grumbold says: \u{201c}So, so.\u{201d}",
            "Grumbold hears you out.",
            "Grumbold thinks about that.",
        ]
    );
    let asked = done(&mut world, &[said("What is the toll?")]);
    assert_eq!(asked[1], "Grumbold says: \u{201c}One cake.\u{201d}");
}

/// What is done to a part of somebody's body is a touch; what keeps a distance is seen, and a thought is not.
#[test]
fn a_gesture_towards_somebody_is_answered() {
    let mut world = world(|_| {});
    let mut answered = |text: &str| {
        let gesture = Action::on(Verb::Gesture, "Grumbold").text(text);
        done(&mut world, &[gesture])[1..].join(" ")
    };
    for (gesture, expect) in [
        ("smile at Grumbold", "Grumbold looks up."),
        ("stare at his nose", "Grumbold sees it, and says nothing."),
        ("think about Grumbold", ""),
        ("lay your hand on his arm", "Grumbold stiffens, and waits until it is over. -1"),
        ("ruffle his hair", "Grumbold steps out of your reach, not unkindly. -1"),
    ] {
        assert_eq!(answered(gesture), expect, "{gesture}");
    }
    let read = |sentence: &str| understand(&world, sentence).actions.remove(0).target;
    let to = Some("Grumbold".to_owned());
    assert_eq!(read("I sit down beside Grumbold"), to);
    assert_eq!(read("I hold out my hand to Grumbold"), to);
}

#[test]
fn who_lies_down_sleeps_only_where_the_words_say_so() {
    let world = world(|_| {});
    let last = |sentence: &str| understand(&world, sentence).actions.pop();
    for sentence in
        ["I lie down to sleep", "go to bed", "curl up for a nap", "I lie down and sleep"]
    {
        let verb = last(sentence).map(|action| action.action);
        assert_eq!(verb, Some(Verb::Sleep), "{sentence}");
    }
    for sentence in ["I lie down on my back", "curl up", "lie down"] {
        let verb = last(sentence).map(|action| action.action);
        assert_eq!(verb, Some(Verb::Gesture), "{sentence}");
    }
}

/// The player types a word that is no deed, and does not read it back.
#[test]
fn a_deed_without_effect_is_refused_or_answered_and_never_echoed() {
    let mut world = world(|_| {});
    let gesture = |text: &str| Action::new(Verb::Gesture).text(text);
    assert_eq!(done(&mut world, &[gesture("vibe")]), ["Nothing comes of that."]);
    assert_eq!(done(&mut world, &[gesture("lol")]), ["You laugh."]);
    let to = Action { target: Some("Grumbold".to_owned()), ..gesture("vibe with Grumbold") };
    assert_eq!(done(&mut world, &[to]), ["Grumbold does not see what you mean to do."]);
    assert_eq!(done(&mut world, &[gesture("scratch your chin")]), ["You scratch your chin."]);
    assert_eq!(
        done(&mut world, &[gesture("say nothing")]),
        ["You say nothing.", "Grumbold waits for you to say something."]
    );
    let hug = Action { target: Some("Grumbold".to_owned()), ..gesture("hug Grumbold") };
    assert_eq!(done(&mut world, &[hug])[0], "You hug Grumbold.");
}

/// Whatever is done to it: a guess at a name finds out nothing.
#[test]
fn no_refusal_names_what_the_player_has_not_met() {
    let mut world = world(|_| {});
    let names = |text: &str| text.contains("brass") || text.contains("Petronella");
    for verb in Verb::ALL {
        for target in ["brass key", "Petronella"] {
            for with in [None, Some("Grumbold"), Some("brass key")] {
                let mut action = Action::on(*verb, target);
                action.with = with.map(str::to_owned);
                let mut tried = world.clone();
                let outcome = act(&mut tried, &action, &mut Dice::new(Some(20), 1));
                let refused = outcome
                    .facts
                    .iter()
                    .filter(|fact| fact.fact == world_model::fact::FactKind::Refused);
                for fact in refused {
                    assert!(!names(&fact.text), "{verb:?}: {}", fact.text);
                    assert!(!fact.object.as_deref().is_some_and(names), "{verb:?}");
                }
            }
        }
    }
    let request = Action::on(Verb::Request, "Grumbold").with("brass key");
    assert!(!done(&mut world, &[request]).iter().any(|text| names(text)));
    let light = [Action::on(Verb::Light, "oil lamp")];
    assert_eq!(done(&mut world.clone(), &light), ["You have nothing to light the oil lamp with."]);
    // What was met may be named.
    let key = world.find("brass key").unwrap();
    let vault = world.find("vault").unwrap();
    world.conditions[vault.0].known = true;
    let take = done(&mut world, &[Action::on(Verb::Take, "brass key")]);
    assert_eq!(take, ["You do not see the brass key here."]);
    assert!(world.is_known_of(key));
    assert_eq!(done(&mut world, &light), ["You would need wax matches to light the oil lamp."]);
}

#[test]
fn an_authors_verb_is_read_by_its_names_and_tells_its_line() {
    let mut world = world(|_| {});
    for sentence in ["tag the grey ewe", "I label the ewe"] {
        let actions = understand(&world, sentence).actions;
        assert_eq!(actions, [Action::on(Verb::Own, "grey ewe").text("tag")], "{sentence}");
        assert_eq!(done(&mut world, &actions), ["You reach for a tag."]);
    }
    let faults = |verb: &str| {
        let map: Value = BRIDGE.replace("\"tag\"", &format!("\"{verb}\"")).parse().unwrap();
        let faults = world_model::check::check(&WorldDefinition::deserialize(map).unwrap());
        faults.err().unwrap_or_default().pop().map(|fault| fault.message)
    };
    assert_eq!(faults("tag"), None);
    assert_eq!(
        faults("take").as_deref(),
        Some("the verb `take` is one of the world: give it another name")
    );
}
