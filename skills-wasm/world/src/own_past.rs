//! What the player remembers: whom they have talked to, what they were told, where they have been. The world keeps all this;
//! nobody who stands by is asked for it.

use english::WordClass;
use understanding::{
    names::nouns::{Meant, resolve},
    words::tokens::tokens,
};
use world_model::{
    entity::NamedId,
    fact::{FactKind, WorldFact},
    want::Want,
    words,
    world::{Holder, World},
};

/// Most names or topics that are told at once.
const TOLD_MAX: usize = 8;

/// What a question about the player's own past asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum AskedPast {
    /// `who have I talked to`.
    People,
    /// `what do I know`, `what clues do I have`.
    Knowledge,
    /// `where have I been`.
    Places,
    /// `have I met Yusuf`: the name.
    Met(String),
    /// `what did Dot give me`: the name.
    Gifts(String),
    /// `who gave me the torch`: the thing.
    Giver(String),
}

/// The answer to a question about the player's own past; none for another sentence.
pub(super) fn own_past(world: &World, sentence: &str) -> Option<WorldFact> {
    match asked_past(sentence)? {
        AskedPast::People => {
            let met: Vec<NamedId> = world.person_ids().filter(|id| is_met(world, *id)).collect();
            Some(recalled(world, &met, "You have talked to", "You have talked to nobody yet."))
        }
        AskedPast::Places => {
            let is_seen = |id: &NamedId| world.conditions[id.0].known;
            let seen: Vec<NamedId> = world.place_ids().filter(is_seen).collect();
            Some(recalled(world, &seen, "You have been to", "You have been nowhere else."))
        }
        AskedPast::Knowledge => Some(knowledge(world)),
        AskedPast::Met(name) => {
            let id = person_named(world, &name)?;
            let the = world.the(id);
            let text = match is_met(world, id) {
                true => format!("You have talked to {the}."),
                false => format!("You have not talked to {the} yet."),
            };
            Some(WorldFact::you(FactKind::Recalled, text).object(world.name(id)))
        }
        AskedPast::Gifts(name) => Some(gifts(world, person_named(world, &name)?)),
        AskedPast::Giver(thing) => giver(world, &thing),
    }
}

/// What the sentence asks for: its words, without those that say nothing about it.
fn asked_past(sentence: &str) -> Option<AskedPast> {
    let said: Vec<String> = words::split(sentence);
    let said: Vec<&str> = said
        .iter()
        .map(String::as_str)
        .filter(|word| !WordClass::HollowInPastQuestion.has(word))
        .collect();
    let said: Vec<&str> =
        said.into_iter().map(|word| if word == "we" { "i" } else { word }).collect();
    match said.as_slice() {
        [
            "who" | "whom",
            "have" | "did" | "do",
            "i",
            "talked" | "talk" | "spoken" | "speak",
            "to" | "with",
        ]
        | [
            "who" | "whom",
            "have" | "did" | "do",
            "i",
            "met" | "meet" | "know" | "interviewed" | "questioned",
        ]
        | [
            "which" | "what",
            "people" | "characters",
            "have" | "do" | "did",
            "i",
            "met" | "meet" | "know",
        ] => Some(AskedPast::People),
        [
            "what",
            "do" | "did" | "have",
            "i",
            "know" | "remember" | "recall" | "learn" | "learned" | "learnt" | "discovered"
            | "heard" | "hear" | "known",
        ]
        | ["what", "have" | "did", "i", "found" | "find" | "figured", "out"]
        | [
            "what" | "which",
            "clues" | "evidence" | "leads" | "proof" | "facts" | "information",
            "do" | "have",
            "i",
            ..,
        ]
        | ["what", "have", "i", "been", "told"]
        | ["who" | "whom", "do" | "should" | "could", "i", "suspect"] => Some(AskedPast::Knowledge),
        ["where", "have", "i", "been"]
        | ["where", "did", "i", "go"]
        | ["what" | "which", "places" | "rooms", "have", "i", "seen" | "visited" | "been", ..] => {
            Some(AskedPast::Places)
        }
        ["have" | "did", "i", "met" | "meet", name @ ..] if !name.is_empty() => {
            Some(AskedPast::Met(name.join(" ")))
        }
        ["have" | "did", "i", "talked" | "talk" | "spoken" | "speak", "to" | "with", name @ ..]
            if !name.is_empty() =>
        {
            Some(AskedPast::Met(name.join(" ")))
        }
        ["what", "did" | "has", name @ .., "give" | "given" | "gave", "me"] if !name.is_empty() => {
            Some(AskedPast::Gifts(name.join(" ")))
        }
        said => asked_giver(said),
    }
}

/// `who gave me the torch`.
fn asked_giver(said: &[&str]) -> Option<AskedPast> {
    match said {
        ["who", "gave" | "handed" | "lent" | "sold", "me", thing @ ..]
        | ["who", "did" | "have", "i", "get" | "got", thing @ .., "from"]
            if !thing.is_empty() =>
        {
            Some(AskedPast::Giver(thing.join(" ")))
        }
        _ => None,
    }
}

/// A fact that names these behind the words; other words where there are none.
fn recalled(world: &World, ids: &[NamedId], before: &str, nothing: &str) -> WorldFact {
    let shown: Vec<String> = ids.iter().take(TOLD_MAX).map(|id| world.the(*id)).collect();
    let text = match shown.is_empty() {
        true => nothing.to_owned(),
        false => format!("{before} {}.", english::list(&shown)),
    };
    let names = ids.iter().take(TOLD_MAX).map(|id| world.name(*id).to_owned()).collect();
    WorldFact::you(FactKind::Recalled, text).details(names)
}

/// What people have told, and how to hear it again: `Dot Kranz has told you about the foreman.`
fn knowledge(world: &World) -> WorldFact {
    let mut told: Vec<(NamedId, Vec<String>)> = Vec::new();
    for person in world.person_ids() {
        let definition = world.person(person);
        let topics = definition.map(|one| one.topics.as_slice()).unwrap_or_default();
        let is_told = |idx: &usize| world.told.contains_key(&world.told_key(person, *idx));
        let mut about: Vec<String> = (0..topics.len())
            .filter(is_told)
            .filter_map(|idx| topics[idx].about.first())
            .map(|about| words::topic_in_words(about))
            .collect();
        about.dedup();
        if !about.is_empty() {
            about.truncate(TOLD_MAX);
            told.push((person, about));
        }
    }
    let line = |(person, about): &(NamedId, Vec<String>)| {
        let who = words::capitalised(&world.the(*person));
        format!("{who} has told you about {}.", english::list(about))
    };
    let mut text: Vec<String> = told.iter().take(TOLD_MAX).map(line).collect();
    match told.first() {
        Some((person, _)) => text.push(format!(
            "Ask \u{201c}what did {} say\u{201d} to hear it again.",
            world.the(*person)
        )),
        None => text.push("Nobody has told you anything yet.".to_owned()),
    }
    let names = told.iter().map(|(person, _)| world.name(*person).to_owned()).collect();
    WorldFact::you(FactKind::Recalled, text.join(" ")).details(names)
}

/// What the player still has of this person's things.
fn gifts(world: &World, person: NamedId) -> WorldFact {
    let is_gift = |id: &NamedId| {
        world.holder_at_start(*id) == Holder::Person(person) && world.is_with_player(*id)
    };
    let given: Vec<NamedId> = world.thing_ids().filter(is_gift).collect();
    let the = words::capitalised(&world.the(person));
    let nothing = format!("You carry nothing that was {}.", of_person(&world.the(person)));
    recalled(world, &given, &format!("{the} had what you carry now:"), &nothing)
}

/// From whom the player has the thing.
fn giver(world: &World, thing: &str) -> Option<WorldFact> {
    let Meant::Entities(ids) = resolve(world, &tokens(thing, world), Want::Carried) else {
        return None;
    };
    let id = ids.first().copied().filter(|id| world.thing(*id).is_some())?;
    let text = match world.holder_at_start(id) {
        Holder::Person(giver) if world.is_with_player(id) => {
            format!("{} had {} before you.", words::capitalised(&world.the(giver)), world.the(id))
        }
        _ => format!("Nobody gave you {}.", world.the(id)),
    };
    Some(WorldFact::you(FactKind::Recalled, text).object(world.name(id)))
}

/// `Dot's`, `James'`.
fn of_person(the: &str) -> String {
    if the.ends_with('s') { format!("{the}'") } else { format!("{the}'s") }
}

fn is_met(world: &World, person: NamedId) -> bool {
    world.conditions[person.0].known
}

fn person_named(world: &World, name: &str) -> Option<NamedId> {
    match resolve(world, &tokens(name, world), Want::Person) {
        Meant::Entities(ids) if ids.len() == 1 => Some(ids[0]),
        _ => None,
    }
    .filter(|id| world.entity(*id).is_person())
}

#[cfg(test)]
mod tests {
    use narratoria_sdk::json;
    use serde::Deserialize as _;

    use super::own_past;
    use world_model::{
        act::{Dice, act},
        action::{Action, Verb},
        definition::WorldDefinition,
        world::{Holder, World},
    };

    fn yard() -> World {
        let map = json!({
            "title": "The Yard", "player": { "name": "Ida", "place": "yard" },
            "places": [
                { "name": "yard", "description": "Wet.", "exits": [{ "direction": "north", "to": "shed" }] },
                { "name": "shed", "description": "Dry.", "exits": [{ "direction": "south", "to": "yard" }] },
            ],
            "people": [
                { "name": "Tam", "pronoun": "he", "description": "A boy.", "place": "yard",
                  "topics": [{ "about": ["goat"], "says": ["She bites."] }] },
                { "name": "Olive", "pronoun": "she", "description": "A girl.", "place": "shed" },
            ],
            "things": [
                { "name": "torch", "description": "Tin.", "with": "Tam" },
                { "name": "rake", "description": "Rusty.", "place": "yard" },
            ],
        });
        World::begin(WorldDefinition::deserialize(map).unwrap())
    }

    fn answer(world: &World, sentence: &str) -> String {
        own_past(world, sentence).map(|fact| fact.text).unwrap_or_default()
    }

    #[test]
    fn what_the_player_remembers_is_what_the_world_has_kept() {
        let mut world = yard();
        for (sentence, expect) in [
            ("who have I talked to?", "You have talked to nobody yet."),
            ("what do i know", "Nobody has told you anything yet."),
            ("where have I been?", "You have been to the yard."),
            ("have i met olive?", "You have not talked to Olive yet."),
            ("what did tam give me?", "You carry nothing that was Tam's."),
            ("what do I know about the goat?", ""),
            ("what do you know", ""),
        ] {
            assert_eq!(answer(&world, sentence), expect, "{sentence}");
        }
        act(&mut world, &Action::on(Verb::Ask, "Tam").topic("goat"), &mut Dice::new(None, 1));
        let known = "Tam has told you about the goat. Ask \u{201c}what did Tam say\u{201d} to hear it again.";
        for (sentence, expect) in [
            ("who do I know", "You have talked to Tam."),
            ("what do i remember so far?", known),
            ("what clues do I have", known),
            ("who do i suspect?", known),
            ("did i meet tam", "You have talked to Tam."),
            ("who gave me the rake?", "Nobody gave you the rake."),
        ] {
            assert_eq!(answer(&world, sentence), expect, "{sentence}");
        }
        let torch = world.find("torch").unwrap();
        world.holders[torch.0] = Holder::Carried;
        assert_eq!(answer(&world, "who gave me the torch?"), "Tam had the torch before you.");
    }
}
