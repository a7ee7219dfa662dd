//! Everyday wordings that only an order has: a question in the same words asks for something else.

use english::WordClass;

use super::rule::{PlainerRule, pattern};
use crate::{
    definition::ExitDefinition,
    entity::NamedId,
    parse::{
        nouns::{Meant, Want, carried, is_headed_by, resolve},
        plain_clause::{name_tokens, verb_on, with_verb},
        tokens::{Token, is_any, word_at},
    },
    words,
    world::{Holder, World},
};

include!(concat!(env!("OUT_DIR"), "/wordings_orders.rs"));

/// `cross the bridge`, said on it, goes to its other end: the only way, or the only one but that by which the player came.
fn crossed(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let over = ["over", "across"];
    let object = match clause {
        [cross, over_, object @ ..] if cross.word() == "cross" && over.contains(&over_.word()) => {
            object
        }
        [cross, object @ ..] if cross.word() == "cross" => object,
        [go, over_, object @ ..]
            if ["go", "walk"].contains(&go.word()) && over.contains(&over_.word()) =>
        {
            object
        }
        _ => return None,
    };
    match resolve(world, object, Want::Place) {
        Meant::Entities(ids) if ids.as_slice() == [world.here] => {}
        _ => return None,
    }
    let exit = other_end(world)?;
    Some(vec![Token::of("go"), Token::of(&exit.direction)])
}

/// `cross over to the other side`, `walk over to the far side of the river`: to the other end, where this place has one.
fn to_far_side(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (verb, rest) = clause.split_first()?;
    let is_far = |two: &[Token]| {
        ["other", "far", "opposite"].contains(&two[0].word())
            && ["side", "end", "bank", "shore"].contains(&two[1].word())
    };
    let at = rest.windows(2).position(is_far)?;
    let leads = ["over", "across", "to", "the", "on"];
    let is_led = rest[..at].iter().all(|token| leads.contains(&token.word()));
    let ends = rest.get(at + 2).is_none_or(|next| next.word() == "of");
    let far = &rest[at..at + 2];
    let is_named =
        world.place_ids().any(|id| far.iter().all(|token| world.has_name_with(id, token.word())));
    if !verb.is(WordClass::Crossing) || !is_led || !ends || is_named {
        return None;
    }
    let exit = other_end(world)?;
    Some(vec![Token::of("go"), Token::of(&exit.direction)])
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

/// `turn it over` looks at its other side, unless something may lie under it.
fn turned_over(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    if !["turn", "flip"].contains(&word_at(clause, 0)) || clause.len() < 3 {
        return None;
    }
    let object = match clause {
        [_, over, object @ ..] if over.word() == "over" => object,
        [_, object @ .., over] if over.word() == "over" => object,
        _ => return None,
    };
    let hides = |name: &str| {
        world.definition.things.iter().any(|thing| thing.hidden.as_deref() == Some(name))
    };
    match resolve(world, object, Want::Any) {
        Meant::Entities(ids) => {
            let is_light = world.thing(ids[0]).is_some_and(|thing| thing.reactions.is_empty())
                && !hides(world.name(ids[0]));
            is_light.then(|| with_verb("examine", object))
        }
        Meant::Missing(_) if word_at(object, 0) == "it" => Some(with_verb("examine", object)),
        _ => None,
    }
}

/// `ring for service` rings the bell that is here.
fn rung_for(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [ring, r#for, _, ..] = clause else { return None };
    let rings = ring.word() == "ring" && r#for.word() == "for";
    let bell = world.seen().find(|id| world.has_name_with(*id, "bell")).filter(|_| rings)?;
    Some(verb_on(world, "ring", bell))
}

/// `take a biscuit`, where there is a biscuit tin that is shut, takes it out of the tin.
fn out_of_its_box(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (verb, object) = clause.split_first()?;
    let noun = object.last().map(Token::word).filter(|noun| !noun.is_empty())?;
    if !verb.is(WordClass::HelpingOneself)
        || object.len() > 3
        || world.seen().any(|id| is_headed_by(world, id, noun))
    {
        return None;
    }
    let within = |id: &NamedId| {
        let names = world.names(*id).iter();
        let is_for = names.clone().any(|name| name.len() > 1 && name[0] == noun);
        let mut held = world.held_by(Holder::In(*id)).into_iter();
        is_for.then(|| held.find(|thing| is_headed_by(world, *thing, noun))).flatten()
    };
    let (holder, thing) = world.seen().find_map(|id| Some((id, within(&id)?)))?;
    let from = [Token::of("from")].into_iter().chain(name_tokens(world, holder));
    Some(verb_on(world, "take", thing).into_iter().chain(from).collect())
}

/// `reach in and feel about` searches what was spoken of.
fn felt_about(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [feel, about] = clause else { return None };
    let is_it = is_any(feel, &["feel", "grope", "fumble", "rummage", "poke", "root"])
        && is_any(about, &["about", "around", "round"]);
    world
        .spoken_of()
        .filter(|id| is_it && world.is_seen(*id))
        .map(|id| verb_on(world, "search", id))
}

/// `hold the lighter to the wick` lights what it is for.
fn flame_held_to(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (hold, rest) = clause.split_first()?;
    let to = rest.iter().position(|token| token.word() == "to").filter(|at| *at > 0)?;
    let holds = is_any(hold, &["hold", "touch", "put", "set", "apply", "bring"]);
    let flame = *carried(world, &rest[..to]).filter(|_| holds)?.first()?;
    let is_lit_by = |id: &NamedId| {
        let light = world.thing(*id).and_then(|thing| thing.light.as_ref());
        light.and_then(|light| light.needs.as_deref()) == Some(world.name(flame))
            && !world.conditions[id.0].lit
    };
    let light = world.seen().find(is_lit_by)?;
    Some([verb_on(world, "light", light), verb_on(world, "with", flame)].concat())
}
