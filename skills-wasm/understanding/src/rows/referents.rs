//! What the meaning of a row names without words of the player's own: `{lock:key}` is what the key of the clause unlocks; and the
//! conditions on what its phrases name: `if wants person gift`.

use english::WordClass;
use world_model::{
    definition::ExitDefinition,
    entity::NamedId,
    want::{Want, suits},
    words,
    world::{Holder, World},
};

use crate::{
    forms::row_form::{Feature, PhraseCondition, Referent},
    names::{hiding, want::sole},
    rows::phrase_kinds::is_lit_with,
    words::{
        plain_clause::{name_tokens, verb_on},
        tokens::Token,
    },
};

/// What the phrases of a row name, by their labels.
pub(crate) type PhraseIds<'p> = &'p dyn Fn(&str) -> Option<&'p [NamedId]>;

/// Whether a row says what it says: `wants person gift`. Somebody listens, or nobody.
pub(crate) fn holds<'l>(
    world: &World,
    condition: PhraseCondition,
    labels: impl Iterator<Item = &'l str>,
    phrases: PhraseIds,
    listener: Option<NamedId>,
) -> bool {
    let mut named = labels.map(|label| phrases(label).unwrap_or_default());
    match (condition, named.next(), named.next()) {
        (PhraseCondition::Listened, ..) => listener.is_some(),
        (PhraseCondition::Unshown, Some(things), None) => {
            let is_light = |id: &NamedId| Feature::Light.is_of(world, *id);
            world.people_here().is_empty() || things.iter().all(is_light)
        }
        (PhraseCondition::Wants, Some([who, ..]), Some(things)) => {
            things.iter().all(|id| world.is_gift_for(*id, *who))
        }
        (PhraseCondition::Opens, Some([key, ..]), Some([lock, ..])) => {
            world.key_of(*lock) == Some(*key) && suits(world, *lock, Want::Locked)
        }
        (PhraseCondition::Inside, Some(things), Some([holder, ..])) => {
            things.iter().all(|id| world.holders[id.0] == Holder::In(*holder))
        }
        (PhraseCondition::Takes, Some([one, ..]), Some([tool, ..])) => {
            world.is_needed_by(*tool, *one)
        }
        (PhraseCondition::Alike, Some(one), Some(other)) => {
            let is_person = |id: &NamedId| world.entity(*id).is_person();
            one.first().map(is_person) == other.first().map(is_person)
        }
        (PhraseCondition::Differs, Some(one), Some(other)) => {
            one.iter().all(|id| !other.contains(id))
        }
        _ => false,
    }
}

/// The words for what no words of the clause name.
pub(crate) fn words_for(
    world: &World,
    referent: Referent,
    argument: &str,
    phrases: PhraseIds,
) -> Option<Vec<Token>> {
    let first = || phrases(argument)?.first().copied();
    match referent {
        Referent::Around => match world.holders[first()?.0] {
            Holder::On(holder) => Some(verb_on(world, "on", holder)),
            Holder::In(holder) => Some(verb_on(world, "in", holder)),
            _ => None,
        },
        Referent::Beyond => Some(vec![Token::of(&other_end(world)?.direction)]),
        Referent::Both => {
            let is_it = |id: &NamedId| world.is_seen(*id) && has_all(world, argument, *id);
            both(world, is_it).map(|ids| listed(world, &ids))
        }
        Referent::Contents => {
            let held = hiding::held_by(world, first()?);
            let seen: Vec<NamedId> = held.filter(|id| world.is_seen(*id)).collect();
            (!seen.is_empty()).then(|| listed(world, &seen))
        }
        Referent::Name => phrases(argument).map(|ids| listed(world, ids)),
        _ => Some(name_tokens(world, one_for(world, referent, argument, phrases)?).collect()),
    }
}

/// The one person or thing that no words of the clause name.
pub(crate) fn one_for(
    world: &World,
    referent: Referent,
    argument: &str,
    phrases: PhraseIds,
) -> Option<NamedId> {
    let first = || phrases(argument)?.first().copied();
    let held = || world.thing_ids().filter(|id| world.is_with_player(*id));
    let fits = |id: &NamedId| has_all(world, argument, *id);
    Some(match referent {
        Referent::Partner => world.partner()?,
        Referent::Pet => {
            let is_it = |id: &NamedId| world.is_creature(*id) || world.entity(*id).pronoun == "it";
            world.partner().filter(is_it)?
        }
        Referent::It => world.spoken_of().filter(fits)?,
        Referent::Near => near(world, fits)?,
        Referent::Here => {
            let is_it = |id: &NamedId| argument.split('|').any(|it| world.has_name_with(*id, it));
            world.seen().find(is_it)?
        }
        Referent::Lock => {
            let key = first()?;
            let takes = |id: &NamedId| world.key_of(*id) == Some(key);
            world.seen().find(|id| takes(id) && suits(world, *id, Want::Locked))?
        }
        Referent::Horn => {
            let is_horn = |id: &NamedId| {
                WordClass::Horn.words().iter().any(|horn| world.is_named_by(*id, horn))
            };
            world.seen().find(|id| Feature::Used.is_of(world, *id) && is_horn(id))?
        }
        Referent::Source => {
            let vessel = first()?;
            sole(world.seen().filter(|id| world.is_needed_by(vessel, *id)))?
        }
        Referent::Lamp => {
            let flame = first()?;
            let is_it =
                |id: &NamedId| is_lit_with(world, *id, flame) && !world.conditions[id.0].lit;
            world.seen().find(is_it)?
        }
        Referent::Gift => {
            let who = first()?;
            held().find(|id| world.is_gift_for(*id, who))?
        }
        Referent::Wish => {
            let who = first()?;
            held().find(|id| world.wishes_for(who, *id))?
        }
        Referent::Wisher => {
            let things = phrases(argument)?;
            let wishes = |who: &NamedId| things.iter().all(|id| world.is_gift_for(*id, *who));
            world.people_here().into_iter().find(wishes)?
        }
        Referent::Behind => world.place_behind(first()?)?,
        Referent::First => first()?,
        Referent::Belonging => world.held_by(Holder::Person(first()?)).first().copied()?,
        Referent::Sole => takable_within(world, first()?)?,
        Referent::Drink => {
            let held = world.held_by(Holder::In(first()?));
            held.into_iter().find(|id| suits(world, *id, Want::Drinkable))?
        }
        Referent::Owner => match world.holders[first()?.0] {
            Holder::Person(owner) => owner,
            _ => world.partner()?,
        },
        _ => return None,
    })
}

/// The only thing in or on something that the player can take.
fn takable_within(world: &World, holder: NamedId) -> Option<NamedId> {
    let is_it = |id: &NamedId| world.is_seen(*id) && suits(world, *id, Want::Takable);
    sole(hiding::held_by(world, holder).filter(is_it))
}

/// Whether an entity has all these features: `container.!open`.
fn has_all(world: &World, features: &str, id: NamedId) -> bool {
    features.split('.').all(|name| {
        let (name, is_wanted) = match name.strip_prefix('!') {
            Some(name) => (name, false),
            None => (name, true),
        };
        Feature::called(name).is_some_and(|feature| feature.is_of(world, id) == is_wanted)
    })
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
