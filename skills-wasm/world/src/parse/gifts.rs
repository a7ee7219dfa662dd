//! Gifts in words that name no giving: `a cheese roll for you`, `I have brought you a bottle`, `trade the roll for the key`.

use crate::{
    parse::{
        handed,
        nouns::{Want, carried, entities, is_wholly_named},
        people::person,
        plain_clause::hand_to,
        tokens::Token,
    },
    world::{Holder, World},
};

/// `a cheese roll for you, Dora`.
pub(super) fn gift_for(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let got = handed::got_for(clause);
    let clause = got.as_deref().unwrap_or(clause);
    let at = clause.iter().position(|token| token.word() == "for").filter(|at| *at > 0)?;
    let who = clause.get(at + 1)?;
    let rest: Vec<Token> = clause[at + 1..]
        .iter()
        .filter(|token| token.word() != "you" && **token != Token::Comma)
        .cloned()
        .collect();
    let person = if rest.is_empty() { world.partner()? } else { person(world, &rest)? };
    // `roll for you`, where a roll is at hand.
    let is_thing = who.word() == "you" && is_wholly_named(world, &clause[..at], Want::Carried);
    if (english::is_verb(clause[0].word()) && !is_thing) || (who.word() != "you" && rest.len() > 3)
    {
        return None;
    }
    carried(world, &clause[..at])?;
    Some(hand_to(world, "give", &clause[..at], person))
}

/// `trade the roll for the key` gives it to the one who has the key.
pub(super) fn traded(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [verb, rest @ ..] = clause else {
        return None;
    };
    let at = rest.iter().position(|token| token.word() == "for")?;
    if !["trade", "swap", "exchange", "barter"].contains(&verb.word()) {
        return None;
    }
    let ids = entities(world, &rest[at + 1..], Want::Owned)?;
    let owner = match world.holders[ids[0].0] {
        Holder::Person(owner) => owner,
        // `swap the nameplate for my leaflet` leaves mine in its place.
        _ if world.is_with_player(ids[0]) => return None,
        _ => world.partner()?,
    };
    Some(hand_to(world, "give", &rest[..at], owner))
}

/// `I have brought you a bottle, Mr Ostrow` gives it.
pub(super) fn brought_you(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let rest = match clause {
        [have, rest @ ..] if have.word() == "have" => rest,
        rest => rest,
    };
    let (brought, rest) = rest.split_first()?;
    let rest = rest.strip_prefix(&[Token::of("for")]).unwrap_or(rest);
    let (you, object) = rest.split_first()?;
    if !["brought", "bring", "got", "get", "made", "make"].contains(&brought.word())
        || !["you", "him", "her", "them"].contains(&you.word())
    {
        return None;
    }
    let comma = object.iter().position(|token| *token == Token::Comma).unwrap_or(object.len());
    let named = object.get(comma + 1..).and_then(|name| person(world, name));
    let receiver =
        named.or_else(|| person(world, std::slice::from_ref(you))).or_else(|| world.partner())?;
    carried(world, &object[..comma])?;
    Some(hand_to(world, "give", &object[..comma], receiver))
}
