//! A premise is enough: every world that is made of one is whole, and can be brought to an end.

use std::fmt::Write as _;

use narratoria_sdk::Rng;
use understanding::understand;
use world_model::{
    act::{Dice, act},
    check::check,
    definition::WorldDefinition,
    premise::{make, make_without_beings},
    world::{Holder, World},
};

use super::play_out::{has_ended, play_out};

const PREMISES: &[&str] = &[
    "a lighthouse keeper who has not slept for nine days",
    "A widow returns to the house where her sister vanished.",
    "the last robot on a space station finds a locket",
    "a thief, a knight and a sleeping dragon",
    "A detective searches for a stolen violin in a grand hotel",
    "the cook of a pirate ship",
    "an archaeologist opens a tomb in the desert",
    "a baker in a small village whose oven has gone cold",
    "Two brothers inherit a mill and a debt",
    "a clockmaker must repair the clock of the cathedral before midnight",
    "snow, a lodge, eleven guests",
    "my grandmother's cottage",
    "a librarian who finds a letter in a book",
    "",
    "!!!",
    "ein Leuchtturm im Sturm",
    "a very very very very very very very very very long and winding premise about a nurse and a silver whistle and a garden",
    "the brass key",
    "a kitchen table and a storm lantern",
    "you",
    "A TOLL BRIDGE AND A WOMAN WHO WILL NOT PAY",
    "you are a ghost who must get to the harbour",
    "Anna has lost her ring in the tide pools of Brill",
    "Captain Mara Voss keeps a diary on the ship Halcyon",
    "a blorf who eats the zang",
    "un phare dans la temp\u{ea}te",
    "\u{706f}\u{53f0}\u{5b88}\u{3068}\u{5d50}",
    "the lost lost missing stolen of the of",
    "{place} <b>\"thing\"</b> and a \u{201c}man\u{201d}",
];

/// Premises that anybody might type.
const TYPED: [&str; 10] = [
    "a toll bridge and a woman who will not pay",
    "a night train with a missing conductor",
    "a bakery at four in the morning",
    "an old submarine",
    "my grandmother's house after the funeral",
    "a school play that goes wrong",
    "a desert inn",
    "a space station that lost its cook",
    "detective in Vienna 1910",
    "a dragon who collects teapots",
];

#[test]
fn every_premise_makes_a_world_that_is_whole_and_can_be_played_to_its_end() {
    for premise in PREMISES.iter().chain(&TYPED) {
        for seed in 0..12 {
            let definition = make(premise, seed);
            assert_eq!(check(&definition), Ok(()), "{premise} {seed}");
            let count = definition.places.len();
            assert!((6..=10).contains(&count), "{premise} {seed}: {count} places");
            assert!(definition.people.len() >= 3 && definition.threads.len() >= 4);
            let mut world = World::begin(definition);
            for id in world.ids().filter(|id| world.is_place(*id)) {
                assert!(
                    world.route_to(id).is_some(),
                    "{premise} {seed}: no way to {}",
                    world.name(id)
                );
            }
            play_out(&mut world);
            let seen = world
                .ids()
                .filter(|id| world.is_place(*id) && world.conditions[id.0].known)
                .count();
            assert_eq!(seen, count, "{premise} {seed}");
            assert!(has_ended(&world), "{premise} {seed}: {:?}", world.definition.threads);
        }
    }
}

/// The places of a world, its people, things, threads and what they say: what a person reads before it is accepted.
fn render(premise: &str, world: &WorldDefinition) -> String {
    let mut text = format!("== {premise}\n{} ({})\n{}\n", world.title, world.time, world.opening);
    for place in &world.places {
        let exits = place.exits.iter().map(|exit| {
            let door = exit.door.as_ref().map(|door| format!(" through the {door}"));
            format!("{} to {}{}", exit.direction, exit.to, door.unwrap_or_default())
        });
        let parts = place.scenery.iter().map(|part| part.name.as_str()).collect::<Vec<_>>();
        let _ = writeln!(
            text,
            "- {}: {} [{}]",
            place.name,
            exits.collect::<Vec<_>>().join(", "),
            parts.join(", ")
        );
    }
    for thing in &world.things {
        let held = [&thing.place, &thing.on, &thing.inside, &thing.with];
        let at = held.into_iter().flatten().next().map_or("you", String::as_str);
        let _ = writeln!(text, "* {} ({at}): {}", thing.name, thing.description);
    }
    for person in &world.people {
        let _ = writeln!(text, "@ {} ({}): {}", person.name, person.place, person.description);
        for topic in &person.topics {
            let _ = writeln!(text, "    {}: {}", topic.about.join(", "), topic.says.join(" / "));
        }
    }
    for thread in &world.threads {
        let _ = writeln!(
            text,
            "> {}: {} ({}) {}",
            thread.name, thread.opening, thread.goal.kind, thread.ending
        );
    }
    text
}

#[test]
fn ten_premises_become_these_worlds() {
    let worlds = TYPED.map(|premise| render(premise, &make(premise, 3)));
    insta::assert_snapshot!(worlds.join("\n"));
}

/// Stands where a thing, a person or a part is, and examines it by this name. Returns what is wrong.
fn fault_of(definition: &WorldDefinition, name: &str) -> Option<String> {
    let mut world = World::begin(definition.clone());
    let part_of = definition.places.iter().find(|place| {
        let names = |part: &world_model::definition::SceneryDefinition| {
            part.name.eq_ignore_ascii_case(name) || part.aliases.iter().any(|alias| alias == name)
        };
        place.name.eq_ignore_ascii_case(name)
            || place.name.ends_with(&format!(" {name}"))
            || place.scenery.iter().any(names)
    });
    if let Some(place) = part_of {
        world.here = world.find(&place.name).unwrap();
    } else {
        let people = definition.people.iter().map(|person| (&person.name, &person.aliases));
        let things = definition.things.iter().map(|thing| (&thing.name, &thing.aliases));
        let is_meant = |known: &str| known.eq_ignore_ascii_case(name);
        let mut all = people.chain(things);
        let found =
            all.find(|(known, others)| is_meant(known) || others.iter().any(|it| is_meant(it)));
        let Some((known, _)) = found else { return Some(format!("there is no {name}")) };
        let id = world.find(known).unwrap();
        let mut at = id;
        while let Holder::Place(of) | Holder::In(of) | Holder::On(of) | Holder::Person(of) =
            world.holders[at.0]
        {
            at = of;
        }
        world.here = at;
    }
    let sentence = format!("examine the {name}");
    let meaning = understand(&world, &sentence);
    let Some(action) = meaning.actions.first() else {
        return Some(format!("`{sentence}` means nothing"));
    };
    let outcome = act(&mut world, action, &mut Dice::new(Some(1), 0));
    outcome.refused.map(|refused| format!("`{sentence}`: {}", refused.text))
}

#[test]
fn what_the_premise_names_can_be_examined() {
    for (premise, names) in [
        (TYPED[0], &["toll bridge", "bridge", "toll", "woman"][..]),
        (TYPED[1], &["night train", "train", "conductor"]),
        (TYPED[2], &["bakery"]),
        (TYPED[3], &["old submarine", "submarine"]),
        (TYPED[4], &["house", "grandmother", "funeral"]),
        (TYPED[5], &["school play", "play", "school"]),
        (TYPED[6], &["desert inn", "inn"]),
        (TYPED[7], &["space station", "station", "cook"]),
        (TYPED[8], &["Vienna"]),
        (TYPED[9], &["dragon", "teapots"]),
        ("the last robot on a space station finds a locket", &["station", "locket"]),
        ("A detective searches for a stolen violin in a grand hotel", &["violin", "grand hotel"]),
        ("a widow and a gravedigger argue over a music box", &["gravedigger", "music box"]),
        ("Two brothers inherit a mill and a debt", &["brother", "mill"]),
        ("snow, a lodge, eleven guests", &["snow", "lodge", "guest", "guests"]),
        ("ein Leuchtturm im Sturm", &["leuchtturm", "sturm"]),
        ("a clockmaker must repair the clock of the cathedral", &["clock", "cathedral"]),
    ] {
        for seed in 0..20 {
            let definition = make(premise, seed);
            let faults: Vec<String> =
                names.iter().filter_map(|name| fault_of(&definition, name)).collect();
            assert!(
                faults.is_empty(),
                "{premise} {seed}: {faults:?}\n{}",
                render(premise, &definition)
            );
        }
    }
}

#[test]
fn an_adverb_behind_a_noun_is_no_part_of_its_name() {
    for (premise, name) in [
        ("a shepherd who counts the same sheep twice and finds one too many", "sheep"),
        ("a girl who found a diary upstairs", "diary"),
    ] {
        let world = make(premise, 3);
        let people = world.people.iter().map(|one| one.name.as_str());
        let names: Vec<&str> =
            world.things.iter().map(|one| one.name.as_str()).chain(people).collect();
        assert!(names.contains(&name), "{premise}: {names:?}");
    }
}

#[test]
fn what_somebody_never_does_is_nothing_to_ask_about() {
    let world = make("a night nurse in a hospital where one patient never sleeps", 3);
    let topics = world.people.iter().flat_map(|one| &one.topics).flat_map(|topic| &topic.about);
    assert!(topics.clone().all(|about| about != "sleeps"), "{:?}", topics.collect::<Vec<_>>());
    assert!(world.people.iter().any(|one| one.name == "patient"));
}

/// Of two sisters the player is one; the other one must not sound like the player.
#[test]
fn the_other_one_of_two_is_called_by_what_she_is_to_the_player() {
    for (premise, name) in [
        ("two sisters inherit a haunted bakery", "your sister"),
        ("Two brothers inherit a mill and a debt", "your brother"),
        ("three pilots share one plane", "your fellow pilot"),
    ] {
        for seed in 0..5 {
            let world = make(premise, seed);
            let people: Vec<&str> = world.people.iter().map(|one| one.name.as_str()).collect();
            assert!(people.contains(&name), "{premise} {seed}: {people:?}");
            assert!(!world.opening.contains("the sister has"), "{}", world.opening);
        }
    }
}

const PLACES: [&str; 14] = [
    "toll bridge",
    "night train",
    "ferry",
    "glass factory",
    "bakery",
    "castle",
    "village school",
    "lighthouse",
    "oasis",
    "moon base",
    "museum",
    "weather station",
    "tide pools",
    "zeppelin",
];

const BEINGS: [&str; 10] = [
    "woman",
    "conductor",
    "dragon",
    "blind organist",
    "old fisherman",
    "robot",
    "tax collector",
    "talking cat",
    "bride",
    "astronaut",
];

const THINGS: [&str; 10] = [
    "letter",
    "teapots",
    "music box",
    "brass bell",
    "green umbrella",
    "map",
    "loaf of bread",
    "piano",
    "crown",
    "zang",
];

/// A premise, and whether its being is the player.
fn put_together(n: u64, place: &str, being: &str, thing: &str) -> (String, bool) {
    let is_beast = ["dragon", "talking cat"].contains(&being);
    match n % 6 {
        0 => (format!("a {place} and a {being} who will not sell the {thing}"), false),
        1 => (format!("a {place} with a missing {being} and a {thing}"), false),
        2 => (format!("a {being} must bring a {thing} to the {place}"), !is_beast),
        3 => (format!("My {being} has lost a {thing} in the {place}."), false),
        4 => (format!("In the {place} a {thing} is gone. The {being} wants it."), false),
        _ => (format!("A {place}, a {being}, a {thing}"), false),
    }
}

/// Nothing of a premise is lost, and all that it asks for can be brought to an end.
#[test]
fn whatever_a_premise_is_put_together_from_is_there() {
    let mut rng = Rng::new(17);
    for seed in 0..300 {
        let mut pick = |words: &[&'static str]| *rng.pick(words).unwrap();
        let (place, being, thing) = (pick(&PLACES), pick(&BEINGS), pick(&THINGS));
        let (premise, is_player) = put_together(seed, place, being, thing);
        let definition = make(&premise, seed);
        assert_eq!(check(&definition), Ok(()), "{premise} {seed}");
        let names = [place, thing.split(" of ").next().unwrap(), being];
        let names = &names[..if is_player { 2 } else { 3 }];
        let faults: Vec<String> =
            names.iter().filter_map(|name| fault_of(&definition, name)).collect();
        assert!(
            faults.is_empty(),
            "{premise} {seed}: {faults:?}\n{}",
            render(&premise, &definition)
        );
        let mut world = World::begin(definition);
        play_out(&mut world);
        assert!(has_ended(&world), "{premise} {seed}: {:?}", world.definition.threads);
    }
}

/// A campaign with people of its own gets none from the words of its premise.
#[test]
fn a_story_with_its_own_people_has_no_others_of_the_premise() {
    let definition = make_without_beings(TYPED[0], 3, &[]);
    assert_eq!(check(&definition), Ok(()));
    assert!(definition.people.iter().all(|person| person.name.starts_with(char::is_uppercase)));
    assert!(definition.places.iter().any(|place| place.name == "toll bridge"));
}

#[test]
fn a_premise_as_long_as_anybody_types_makes_a_world() {
    for word in [
        "lighthouse ",
        "a lamp, ",
        "who must find ",
        "Mara ",
        "\u{1f4a1}\u{301} ",
        "keeper's ",
        "aaaaaaaa",
    ] {
        let premise = word.repeat(8000 / word.len());
        assert_eq!(check(&make(&premise, 1)), Ok(()), "{word}");
    }
}

#[test]
fn who_is_missing_is_sought_with_and_without_an_article() {
    for premise in ["a night train with a missing conductor", "missing conductor on a night train"]
    {
        let threads = make(premise, 3).threads;
        let is_sought = threads.iter().any(|thread| thread.name == "Find the conductor");
        assert!(is_sought, "{premise}: {threads:?}");
    }
}

/// A premise may speak to the player: then its first words are no thing.
#[test]
fn who_a_premise_speaks_of_without_a_noun_is_nothing_to_be_found() {
    let premises = ["You wait for the ferry with a glass bell.", "I lost it.", "Somebody knocks"];
    for premise in premises {
        for seed in 0..20 {
            let definition = make(premise, seed);
            let spoken = |name: &str| {
                let mut words = name.split(' ');
                words.any(|word| ["you", "i", "somebody", "wait", "knocks"].contains(&word))
            };
            let found = definition.things.iter().find(|thing| spoken(&thing.name));
            assert_eq!(found, None, "{premise} {seed}");
        }
    }
    let things = make(premises[0], 1).things;
    assert!(things.iter().any(|thing| thing.name == "glass bell"), "{things:?}");
}

#[test]
fn equal_seeds_make_equal_worlds_and_others_differ() {
    assert_eq!(make("a ferry", 3), make("a ferry", 3));
    assert_ne!(make("a ferry", 3), make("a ferry", 4));
}

/// What the player is, where the premise is about the player.
#[test]
fn the_player_is_told_the_whole_clause_of_the_premise() {
    for (premise, description) in [
        (
            "the cook of a starship who finds a stowaway in the pantry",
            "The cook of a starship who finds a stowaway in the pantry.",
        ),
        (
            "a monk who has lost his faith and keeps bees",
            "A monk who has lost his faith and keeps bees.",
        ),
        (
            "an astronaut wakes alone on a silent station",
            "An astronaut who wakes alone on a silent station.",
        ),
        (
            "A knight must return a sword to the lake.",
            "A knight who must return a sword to the lake.",
        ),
        (
            "a baker who cannot sleep because the oven sings",
            "A baker who cannot sleep because the oven sings.",
        ),
        ("a smuggler whose ship is sinking", "A smuggler whose ship is sinking."),
        ("You are a nurse who has lost my keys. It rains.", "A nurse who has lost your keys."),
        ("a thief, a knight and a sleeping dragon", "A thief."),
        ("a gardener and a ghost", "A gardener."),
        ("a captain who cannot swim and a ferry that will not start", "A captain who cannot swim."),
        ("Two brothers inherit a mill", "One of the two brothers who inherit a mill."),
        // There are searches and dreams too.
        ("a detective searches for a lost violin", "A detective who searches for a lost violin."),
        ("a baker dreams of the sea", "A baker who dreams of the sea."),
    ] {
        let world = make(premise, 2);
        assert_eq!(world.player.description, description, "{premise}");
        // A sentence stands for itself in the opening, and is nothing that the player is called.
        let sentence = premise.split(' ').skip(1).collect::<Vec<_>>().join(" ");
        let called = format!("You are {}, a {sentence}", world.player.name);
        let is_noun = premise.contains(" who ") || premise.contains(" whose ");
        assert!(is_noun || !world.opening.starts_with(&called), "{}", world.opening);
    }
}

/// A grave may be made of the dead, but nobody who walks about and holds a key.
#[test]
fn who_is_dead_in_a_premise_is_nobody_alive() {
    for (premise, dead) in [
        ("an old gunslinger who comes home to bury his brother", "brother"),
        ("a widow who mourns her husband in a lighthouse", "husband"),
        ("a detective and a dead mayor", "mayor"),
        ("a farmer whose late uncle left him a mill", "uncle"),
        ("a knight whose sister was murdered", "sister"),
        ("a nurse at the funeral of a general", "general"),
        ("a sailor whose captain has drowned", "captain"),
        ("a butler finds the duke murdered in the library", "duke"),
        ("a hunter who wants to avenge her father", "father"),
        ("a painter at his teacher's grave", "teacher"),
        ("the queen is dead and the baker knows why", "queen"),
    ] {
        for seed in 0..6 {
            let world = make(premise, seed);
            assert_eq!(check(&world), Ok(()), "{premise}");
            let lives = |person: &&world_model::definition::PersonDefinition| {
                person.name.contains(dead) || person.aliases.iter().any(|alias| alias == dead)
            };
            assert_eq!(world.people.iter().find(lives), None, "{premise} {seed}");
        }
    }
}

#[test]
fn who_is_to_die_or_goes_about_after_death_is_somebody() {
    for (premise, lives) in [
        ("a thief who wants to kill the king", "king"),
        ("a bridge and a knight who killed the wolf", "knight"),
        ("an inn with the ghost of a bride", "ghost"),
        ("a surgeon whose brother will not die", "brother"),
        ("a hotel with a dead ghost", "ghost"),
    ] {
        let world = make(premise, 4);
        let found = world.people.iter().any(|person| person.name.contains(lives));
        assert!(found, "{premise}: {:?}", world.people);
    }
}
