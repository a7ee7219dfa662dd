//! What a plain clause names without words of the player's own: `{lock:key}` is what the key of the clause unlocks; and the
//! conditions of rows: `if wants person gift`.
//!
//! | words | what they name |
//! |---|---|
//! | `{partner}` | who is spoken to |
//! | `{pet}` | the same, if it is an animal |
//! | `{beyond}` | the way to the other end of this place |
//! | `{it:seen}` | what was spoken of, if it has these [`features`](phrase_kinds) |
//! | `{near:open}` | what was spoken of, what that is in, or the only thing here that has these features |
//! | `{here:bell\|gong}` | what is here and has one of these words in its name |
//! | `{both:free}` | the two things with these features that were spoken of, or the only two here |
//! | `{lock:key}`, `{lamp:flame}` | what is here and locked, or unlit, and takes this |
//! | `{horn}` | what is here and sounds when it is used |
//! | `{source:thing}` | the only thing here that this is used on |
//! | `{gift:person}`, `{wish:person}` | what the player has that moves this person, or that they want |
//! | `{wisher:thing}`, `{owner:thing}` | who is here and wants it; who has it, or would trade it |
//! | `{behind:gate}` | the place that a part of this one leads to, which has one of its names |
//! | `{belonging:person}` | the first that they have |
//! | `{first:thing}` | the first of what the words mean |
//! | `{name:thing}` | the thing by its name, whatever the words describe it by |
//! | `{around:thing}` | where it lies: `on the table` |
//! | `{contents:holder}` | all that is seen in it or on it |
//! | `{sole:holder}` | the only thing in it or on it that the player can take |
//! | `{drink:vessel}` | what there is to drink in it |

use english::WordClass;
use world_model::{
    definition::ExitDefinition,
    entity::NamedId,
    want::{Want, suits},
    words,
    world::{Holder, World},
};

use crate::{
    phrase_kinds::{MeantPhrase, feature},
    plain_clause::{name_tokens, verb_on},
    tokens::Token,
    want::sole,
};

/// What stands behind the name of a referent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReferentArgument {
    /// Nothing: `{partner}`.
    Nothing,
    /// Features of what is looked for: `{near:container.open}`.
    Features,
    /// Words, one of which is in its name: `{here:bell}`.
    Word,
    /// The label of a phrase of the pattern: `{lock:key}`.
    Phrase,
}

/// What a plain clause may name without a phrase of its pattern.
pub(super) const REFERENTS: &[(&str, ReferentArgument)] = &[
    ("partner", ReferentArgument::Nothing),
    ("pet", ReferentArgument::Nothing),
    ("beyond", ReferentArgument::Nothing),
    ("horn", ReferentArgument::Nothing),
    ("it", ReferentArgument::Features),
    ("near", ReferentArgument::Features),
    ("both", ReferentArgument::Features),
    ("here", ReferentArgument::Word),
    ("lock", ReferentArgument::Phrase),
    ("lamp", ReferentArgument::Phrase),
    ("source", ReferentArgument::Phrase),
    ("gift", ReferentArgument::Phrase),
    ("wish", ReferentArgument::Phrase),
    ("wisher", ReferentArgument::Phrase),
    ("owner", ReferentArgument::Phrase),
    ("behind", ReferentArgument::Phrase),
    ("belonging", ReferentArgument::Phrase),
    ("first", ReferentArgument::Phrase),
    ("name", ReferentArgument::Phrase),
    ("around", ReferentArgument::Phrase),
    ("contents", ReferentArgument::Phrase),
    ("sole", ReferentArgument::Phrase),
    ("drink", ReferentArgument::Phrase),
];

/// The conditions of rows, and of how many phrases each is.
pub(super) const CONDITIONS: &[(&str, usize)] = &[
    ("alike", 2),
    ("unshown", 1),
    ("wants", 2),
    ("opens", 2),
    ("differs", 2),
    ("inside", 2),
    ("takes", 2),
    ("listened", 0),
];

/// Whether a row says what it says: `wants person gift`.
pub(super) fn holds(world: &World, condition: &str, phrases: &[MeantPhrase]) -> bool {
    let mut words = condition.split(' ');
    let name = words.next().unwrap_or_default();
    let mut named = words.map(|label| named(phrases, label).unwrap_or_default());
    match (name, named.next(), named.next()) {
        ("unshown", Some(things), None) => {
            let is_light = |id: &NamedId| feature(world, "light", *id) == Some(true);
            world.people_here().is_empty() || things.iter().all(is_light)
        }
        ("wants", Some([who, ..]), Some(things)) => {
            things.iter().all(|id| world.is_gift_for(*id, *who))
        }
        ("opens", Some([key, ..]), Some([lock, ..])) => {
            world.key_of(*lock) == Some(*key) && suits(world, *lock, Want::Locked)
        }
        ("listened", None, None) => world.talker().is_some(),
        ("inside", Some(things), Some([holder, ..])) => {
            things.iter().all(|id| world.holders[id.0] == Holder::In(*holder))
        }
        ("takes", Some([one, ..]), Some([tool, ..])) => world.is_needed_by(*tool, *one),
        ("alike", Some(one), Some(other)) => {
            let is_person = |id: &NamedId| world.entity(*id).is_person();
            one.first().map(is_person) == other.first().map(is_person)
        }
        ("differs", Some(one), Some(other)) => one.iter().all(|id| !other.contains(id)),
        _ => false,
    }
}

/// What the phrase of this label names.
fn named<'p>(phrases: &'p [MeantPhrase], label: &str) -> Option<&'p [NamedId]> {
    phrases.iter().find(|phrase| phrase.label == label).map(|phrase| phrase.ids.as_slice())
}

/// The words for what no words of the clause name.
pub(super) fn words_for(world: &World, name: &str, phrases: &[MeantPhrase]) -> Option<Vec<Token>> {
    let (name, argument) = name.split_once(':').unwrap_or((name, ""));
    let first = || named(phrases, argument)?.first().copied();
    match name {
        "around" => match world.holders[first()?.0] {
            Holder::On(holder) => Some(verb_on(world, "on", holder)),
            Holder::In(holder) => Some(verb_on(world, "in", holder)),
            _ => None,
        },
        "beyond" => Some(vec![Token::of(&other_end(world)?.direction)]),
        "both" => {
            let is_it = |id: &NamedId| {
                world.is_seen(*id) && argument.split('.').all(|it| has(world, it, *id))
            };
            both(world, is_it).map(|ids| listed(world, &ids))
        }
        "contents" => {
            let holder = first()?;
            let held = [Holder::On(holder), Holder::In(holder)].map(|it| world.held_by(it));
            let seen: Vec<NamedId> =
                held.concat().into_iter().filter(|id| world.is_seen(*id)).collect();
            (!seen.is_empty()).then(|| listed(world, &seen))
        }
        "name" => named(phrases, argument).map(|ids| listed(world, ids)),
        name => Some(name_tokens(world, one_for(world, name, argument, phrases)?).collect()),
    }
}

/// The one person or thing that no words of the clause name.
fn one_for(world: &World, name: &str, argument: &str, phrases: &[MeantPhrase]) -> Option<NamedId> {
    let first = || named(phrases, argument)?.first().copied();
    let held = || world.thing_ids().filter(|id| world.is_with_player(*id));
    let fits = |id: &NamedId| argument.split('.').all(|it| has(world, it, *id));
    Some(match name {
        "partner" => world.partner()?,
        "pet" => {
            let is_animal =
                |id: &NamedId| world.is_creature(*id) || world.entity(*id).pronoun == "it";
            world.partner().filter(is_animal)?
        }
        "it" => world.spoken_of().filter(fits)?,
        "near" => near(world, fits)?,
        "here" => {
            let is_it = |id: &NamedId| argument.split('|').any(|it| world.has_name_with(*id, it));
            world.seen().find(is_it)?
        }
        "lock" => {
            let key = first()?;
            let takes = |id: &NamedId| world.key_of(*id) == Some(key);
            world.seen().find(|id| takes(id) && suits(world, *id, Want::Locked))?
        }
        "horn" => {
            let is_horn = |id: &NamedId| {
                WordClass::Horn.words().iter().any(|horn| world.is_named_by(*id, horn))
            };
            world.seen().find(|id| has(world, "used", *id) && is_horn(id))?
        }
        "source" => {
            let vessel = first()?;
            sole(world.seen().filter(|id| world.is_needed_by(vessel, *id)))?
        }
        "lamp" => {
            let flame = world.name(first()?);
            let needs = |id: &NamedId| {
                let light = world.thing(*id).and_then(|thing| thing.light.as_ref());
                light.and_then(|light| light.needs.as_deref()) == Some(flame)
            };
            world.seen().find(|id| needs(id) && !world.conditions[id.0].lit)?
        }
        "gift" => {
            let who = first()?;
            held().find(|id| world.is_gift_for(*id, who))?
        }
        "wish" => {
            let who = first()?;
            held().find(|id| world.wishes_for(who, *id))?
        }
        "wisher" => {
            let things = named(phrases, argument)?;
            let wishes = |who: &NamedId| things.iter().all(|id| world.is_gift_for(*id, *who));
            world.people_here().into_iter().find(wishes)?
        }
        "behind" => world.place_behind(first()?)?,
        "first" => first()?,
        "belonging" => world.held_by(Holder::Person(first()?)).first().copied()?,
        "sole" => takable_within(world, first()?)?,
        "drink" => {
            let held = world.held_by(Holder::In(first()?));
            held.into_iter().find(|id| suits(world, *id, Want::Drinkable))?
        }
        "owner" => match world.holders[first()?.0] {
            Holder::Person(owner) => owner,
            _ => world.partner()?,
        },
        _ => return None,
    })
}

/// The only thing in or on something that the player can take.
fn takable_within(world: &World, holder: NamedId) -> Option<NamedId> {
    let holds = [Holder::In(holder), Holder::On(holder)];
    let is_there =
        |id: &NamedId| holds.contains(&world.holders[id.0]) && suits(world, *id, Want::Takable);
    sole(world.seen().filter(is_there))
}

/// Whether an entity has a feature, or has it not: `!fixed`.
fn has(world: &World, name: &str, id: NamedId) -> bool {
    match name.strip_prefix('!') {
        Some(name) => feature(world, name, id) == Some(false),
        None => feature(world, name, id) == Some(true),
    }
}

/// What was spoken of, what that is in, or the only thing here, rather one that the player does not carry.
fn near(world: &World, fits: impl Fn(&NamedId) -> bool) -> Option<NamedId> {
    let spoken = world.spoken_of();
    let around = spoken.and_then(|id| match world.holders[id.0] {
        Holder::In(container) => Some(container),
        _ => None,
    });
    let only = |is_left: bool| {
        sole(world.seen().filter(|id| fits(id) && !(is_left && world.is_with_player(*id))))
    };
    spoken
        .into_iter()
        .chain(around)
        .find(|id| fits(id))
        .or_else(|| only(true))
        .or_else(|| only(false))
}

/// The two that were spoken of, or the only two here, or of those the two that lie loose.
fn both(world: &World, fits: impl Fn(&NamedId) -> bool) -> Option<Vec<NamedId>> {
    let named = world.last.them.iter().filter_map(|name| world.find(name));
    let spoken: Vec<NamedId> = named.filter(|id| fits(id)).collect();
    let here: Vec<NamedId> = world.seen().filter(|id| fits(id)).collect();
    let loose = Holder::Place(world.here);
    let lying = here.iter().copied().filter(|id| world.holders[id.0] == loose).collect();
    [spoken, here, lying].into_iter().find(|ids| ids.len() == 2)
}

/// The names with `and` between them.
fn listed(world: &World, ids: &[NamedId]) -> Vec<Token> {
    let names = ids.iter().map(|id| name_tokens(world, *id).collect::<Vec<_>>());
    let and = [Token::of("and")];
    names.reduce(|all, name| [all.as_slice(), &and, &name].concat()).unwrap_or_default()
}

/// The exit at the other end of a bridge: the only one, or the only one but that by which the player came, or the one that
/// leads straight on, or the one to a far bank.
fn other_end(world: &World) -> Option<&ExitDefinition> {
    let came_from = world.last.there.as_deref();
    let exits = world.exits();
    let others: Vec<&ExitDefinition> = exits
        .iter()
        .filter(|exit| exits.len() == 1 || Some(exit.to.as_str()) != came_from)
        .collect();
    if let [one] = others.as_slice() {
        return Some(*one);
    }
    let is_beyond = |exit: &&&ExitDefinition| {
        let place = world.find(&exit.to);
        place.is_some_and(|id| {
            WordClass::Beyond.words().iter().any(|word| world.has_name_with(id, word))
        })
    };
    let mut beyond = others.iter().filter(is_beyond);
    if let (Some(exit), None) = (beyond.next(), beyond.next()) {
        return Some(*exit);
    }
    let crosses = ["bridge", "footbridge", "ford", "causeway", "crossing"];
    if !crosses.iter().any(|word| world.has_name_with(world.here, word)) {
        return None;
    }
    let back = exits.iter().find(|exit| Some(exit.to.as_str()) == came_from)?;
    let on = words::opposite_way(&back.direction)?;
    others.into_iter().find(|exit| exit.direction == on)
}
