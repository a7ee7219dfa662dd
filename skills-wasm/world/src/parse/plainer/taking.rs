//! Wordings that take something.

use english::WordClass;

use super::rule::{PlainerRule, pattern};
use crate::{
    entity::NamedId,
    parse::{
        nouns::{Want, entities, suited, suits},
        plain_clause::{name_tokens, verb_on, with_verb},
        tokens::{Token, is_any, word_at},
        want::sole,
    },
    world::{Holder, World},
};

include!(concat!(env!("OUT_DIR"), "/wordings_taking.rs"));

fn one_thing(world: &World, tokens: &[Token], want: Want) -> Option<NamedId> {
    sole(entities(world, tokens, want)?.into_iter()).filter(|id| world.entity(*id).is_thing())
}

/// `lug the chest down the ladder` takes it first, if it can be taken.
fn lugged(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (verb, rest) = clause.split_first()?;
    let at = rest.iter().position(|token| token.is(WordClass::LuggingWay)).filter(|at| *at > 0)?;
    // `heave the dinghy up by its keel`, `haul the lever down`.
    if rest.get(at + 1).is_none_or(|next| ["by", "and", "with"].contains(&next.word())) {
        return None;
    }
    // `carry the bun out to the boy` is an errand.
    if word_at(rest, at + 1) == "to" && verb.is(WordClass::LuggingErrand) {
        return None;
    }
    let id = one_thing(world, &rest[..at], Want::Any).filter(|_| verb.is(WordClass::Lugging))?;
    let is_here = world.is_seen(id) && !world.is_with_player(id);
    is_here.then(|| verb_on(world, "take", id))
}

/// `take both of them`: the two that were spoken of, else the only two that lie here for the taking.
fn both_taken(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let words: Vec<&str> = clause.iter().map(Token::word).collect();
    match words.as_slice() {
        ["take" | "get" | "grab" | "have", "both"]
        | ["take" | "get" | "grab", "both", "things" | "items"]
        | ["take" | "get" | "grab" | "have", "both", "of", "them" | "those" | "these"]
        | ["pick", "both", "up"]
        | ["pick", "both", "of", "them" | "those" | "these", "up"]
        | ["pick", "up", "both"]
        | ["pick", "up", "both", "of", "them" | "those" | "these"] => {}
        _ => return None,
    }
    let is_free = |id: &NamedId| suits(world, *id, Want::Takable) && !world.is_with_player(*id);
    let named = world.last.them.iter().filter_map(|name| world.find(name));
    let spoken: Vec<NamedId> = named.filter(|id| world.is_seen(*id) && is_free(id)).collect();
    let lying: Vec<NamedId> = world.seen().filter(is_free).collect();
    let loose = Holder::Place(world.here);
    let here = lying.iter().copied().filter(|id| world.holders[id.0] == loose).collect();
    let pair = [spoken, lying, here].into_iter().find(|ids| ids.len() == 2)?;
    let first = [Token::of("take")].into_iter().chain(name_tokens(world, pair[0]));
    Some(first.chain([Token::of("and")]).chain(name_tokens(world, pair[1])).collect())
}

/// `stick my arm down the drain` searches it, `put the ticket between my teeth` keeps it.
fn with_body(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let verb = word_at(clause, 0);
    // The arm that goes in.
    if WordClass::StickingBody.has(verb)
        && let [_, my, arm, way, object @ ..] = clause
        && ["my", "an", "a", "one", "both"].contains(&my.word())
        && ["arm", "arms", "hand", "hands", "head"].contains(&arm.word())
        && way.is(WordClass::BodyPreposition)
        && !object.is_empty()
        && !object.iter().any(|token| ["pocket", "pockets"].contains(&token.word()))
    {
        return Some(with_verb("search", object));
    }
    let at = clause
        .iter()
        .position(|token| {
            ["between", "behind", "in", "under", "to", "against"].contains(&token.word())
        })
        .filter(|at| *at > 1)?;
    let [my, body] = &clause[at + 1..] else { return None };
    if my.word() != "my" || !body.is(WordClass::Body) || !WordClass::HoldingWithBody.has(verb) {
        return None;
    }
    let object = &clause[1..at];
    let ids = entities(world, object, Want::Takable)?;
    if ids.iter().all(|id| suits(world, *id, Want::Takable) && !world.is_with_player(*id)) {
        return Some(with_verb("take", object));
    }
    let is_held = ids.iter().all(|id| world.is_with_player(*id));
    (is_held && body.word() != "mouth").then(|| with_verb("keep", &clause[1..]))
}

/// `my hand closes around the key` takes the key; a hand that moves in secret steals it.
fn reached_for(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let rest = own(clause, WordClass::HandOfPlayer.words())?;
    let (verb, rest) = rest.split_first()?;
    let object = match rest {
        [lead, object @ ..] if lead.is(WordClass::BehindSlyHand) => object,
        [out, lead, object @ ..] if out.word() == "out" && lead.is(WordClass::BehindSlyHand) => {
            object
        }
        object => object,
    };
    let stem = verb.word().strip_suffix('s').unwrap_or(verb.word());
    let fits = |want: Want| {
        suited(world, object, want).is_some_and(|ids| ids.iter().all(|id| world.is_seen(*id)))
    };
    if WordClass::SlyHand.has(stem) || fits(Want::Owned) {
        return (fits(Want::Owned) || fits(Want::Takable)).then(|| with_verb("steal", object));
    }
    fits(Want::Takable).then(|| with_verb("take", object))
}

/// The words behind `my hand` or `my left hand`, if the clause begins so.
fn own<'t>(clause: &'t [Token], parts: &[&str]) -> Option<&'t [Token]> {
    match clause {
        [my, part, rest @ ..] if my.word() == "my" && is_any(part, parts) => Some(rest),
        [my, _, part, rest @ ..] if my.word() == "my" && is_any(part, parts) => Some(rest),
        _ => None,
    }
}
