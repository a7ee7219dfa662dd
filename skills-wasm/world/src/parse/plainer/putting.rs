//! Wordings that drop a thing or put it somewhere.

use english::WordClass;

use super::rule::{PlainerRule, pattern};
use crate::{
    entity::NamedId,
    parse::{
        nouns::{Want, entities, first_meant, suited, suits},
        orders,
        plain_clause::{name_tokens, verb_on, with_verb},
        tokens::{Token, has, is_any, word_at},
    },
    world::{Holder, World},
};

include!(concat!(env!("OUT_DIR"), "/wordings_putting.rs"));

/// `into the basket goes the apple`, `off comes the hat`: the verb of what happens to the thing, and the thing behind it.
fn goes_behind(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let goes = |token: &Token| is_any(token, &["goes", "go", "comes", "come"]);
    // `in the case the permit goes`.
    if clause.len() > 2
        && clause.last().is_some_and(goes)
        && is_any(&clause[0], &["in", "on", "under"])
    {
        let put = orders::fronted(world, Token::of("put"), &clause[..clause.len() - 1], &[]);
        return (word_at(&put, 1) != word_at(clause, 0)).then_some(put);
    }
    let at = clause.iter().position(goes).filter(|at| *at > 0 && *at + 1 < clause.len())?;
    let (lead, object) = (&clause[..at], &clause[at + 1..]);
    let suits_all = |want| suited(world, object, want).is_some();
    let verb = match lead {
        [way] => match way.word() {
            "on" if suits_all(Want::Unlit) => "light",
            "on" if suits_all(Want::Wearable) => "wear",
            "off" if suits_all(Want::Worn) => "remove",
            "off" | "out" if suits_all(Want::Lit) => "extinguish",
            "out" if suits_all(Want::Takable) => "take",
            "up" if suits_all(Want::Takable) => "take",
            "down" if suits_all(Want::Drinkable) => "drink",
            "down" if suits_all(Want::Edible) => "eat",
            "down" if suits_all(Want::Carried) => "drop",
            "open" if suits_all(Want::Closed) => "open",
            "shut" if suits_all(Want::Open) => "close",
            _ => return None,
        },
        [into, holder @ ..] if is_any(into, &["in", "on", "under", "to", "around", "over"]) => {
            let is_free =
                |id: &NamedId| suits(world, *id, Want::Takable) || world.is_with_player(*id);
            let ids = entities(world, object, Want::Carried)?;
            let is_put = ids.iter().all(is_free)
                && !holder.is_empty()
                && !holder.iter().any(|token| is_any(token, &["i", "we", "he", "she"]));
            return is_put.then(|| [&with_verb("put", object), lead].concat());
        }
        _ => return None,
    };
    Some(with_verb(verb, object))
}

/// `the ticket goes in the case`, `the dress goes on`.
fn goes_where(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    if let Some(turned) = goes_behind(world, clause) {
        return Some(turned);
    }
    let at = clause
        .iter()
        .position(|token| is_any(token, &["goes", "go"]))
        .filter(|at| *at > 0 && *at + 1 < clause.len())?;
    let (object, rest) = (&clause[..at], &clause[at + 1..]);
    let is_thing = |ids: &[NamedId]| {
        ids.iter().all(|id| suits(world, *id, Want::Takable) || world.is_with_player(*id))
    };
    let is_named = entities(world, object, Want::Carried).is_some_and(|ids| is_thing(&ids));
    if !is_named && !has(object, "everything") {
        return None;
    }
    let rest = match rest {
        [back, rest @ ..] if is_any(back, &["back", "straight", "right"]) && !rest.is_empty() => {
            rest
        }
        rest => rest,
    };
    match rest {
        [on] if on.word() == "on" => Some([&[Token::of("put"), Token::of("on")], object].concat()),
        [off] if off.word() == "off" => {
            Some([&[Token::of("take"), Token::of("off")], object].concat())
        }
        [lead, ..] if is_any(lead, &["in", "on", "under", "to", "behind", "over", "around"]) => {
            Some([&with_verb("put", object), rest].concat())
        }
        _ => None,
    }
}

/// `everything I have got, into the barrow`.
fn all_into(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let first = word_at(clause, 0);
    if !["everything", "all"].contains(&first) {
        return None;
    }
    let at = clause.iter().position(|token| is_any(token, &["in", "on"])).filter(|at| *at > 0)?;
    // `everything on the table I take`.
    if clause.last().is_some_and(|last| english::is_verb(last.word())) {
        return None;
    }
    let is_holder = suited(world, clause.get(at + 1..)?, Want::Holder).is_some();
    let owns =
        clause[..at].iter().any(|token| is_any(token, &["got", "own", "have", "carry", "mine"]));
    (is_holder && (owns || at < 3))
        .then(|| [&[Token::of("put"), Token::of("everything")], &clause[at..]].concat())
}

/// `lay the leaflet down next to the bun` puts it where the bun lies.
fn beside(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let at = clause
        .iter()
        .position(|token| is_any(token, &["next", "beside", "near", "by", "alongside", "with"]))?;
    let to = at + 1 + usize::from(word_at(clause, at) == "next" && word_at(clause, at + 1) == "to");
    if !WordClass::Laying.has(word_at(clause, 0)) || (word_at(clause, at) == "next" && to == at + 1)
    {
        return None;
    }
    let object = match clause.get(1..at)? {
        [down, object @ ..] | [object @ .., down] if down.word() == "down" => object,
        object => object,
    };
    let neighbour =
        first_meant(world, clause.get(to..)?, Want::Any).filter(|id| world.is_seen(*id))?;
    let moved = first_meant(world, object, Want::Carried).filter(|id| *id != neighbour)?;
    let (lead, holder) = match world.holders[neighbour.0] {
        Holder::On(holder) => ("on", holder),
        Holder::In(holder) => ("in", holder),
        _ => return None,
    };
    let is_free = world.is_with_player(moved) || suits(world, moved, Want::Takable);
    let there = [Token::of(lead)].into_iter().chain(name_tokens(world, holder));
    is_free.then(|| with_verb("put", object).into_iter().chain(there).collect())
}

/// `put everything on the desk in my bag` names the things on the desk.
fn all_moved(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [verb, all, rest @ ..] = clause else { return None };
    let lead = rest.iter().position(|token| is_any(token, &["on", "in", "from"]))?;
    let is_link = |token: &Token| is_any(token, &["that", "is", "which", "lies", "there"]);
    let from = &rest[lead + 1..];
    let to = from.iter().rposition(|token| is_any(token, &["in", "on"])).filter(|at| *at > 0)?;
    let is_it = verb.is(WordClass::PuttingInPlainClause)
        && is_any(all, &["everything", "all"])
        && rest[..lead].iter().all(is_link);
    let holder =
        first_meant(world, &from[..to], Want::Holder).filter(|id| is_it && world.is_seen(*id))?;
    let held = [Holder::On(holder), Holder::In(holder)].map(|it| world.held_by(it)).concat();
    let target = first_meant(world, &from[to + 1..], Want::Holder).filter(|id| *id != holder)?;
    let mut named = Vec::new();
    for id in held.into_iter().filter(|id| world.is_seen(*id) && *id != target) {
        if !named.is_empty() {
            named.push(Token::of("and"));
        }
        named.extend(name_tokens(world, id));
    }
    (!named.is_empty()).then(|| [&with_verb("put", &named), &from[to..]].concat())
}

/// `clear the table of everything that is not screwed down`.
fn cleared(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [clear, rest @ ..] = clause else { return None };
    if !is_any(clear, &["clear", "strip", "empty", "sweep"]) {
        return None;
    }
    let holder = match rest {
        [off, holder @ ..] if is_any(off, &["off", "up"]) => holder,
        [all, from, holder @ ..]
            if is_any(all, &["everything", "all"]) && is_any(from, &["from", "off"]) =>
        {
            holder
        }
        holder => holder,
    };
    let end = holder.iter().position(|token| is_any(token, &["of", "on", "in", "over"]));
    let end = end.unwrap_or(holder.len());
    // `empty my bag onto the bar`
    if holder.get(end).is_some_and(|next| next.word() != "of") && end + 1 < holder.len() {
        let emptied = first_meant(world, &holder[..end], Want::Holder);
        let emptied = emptied.filter(|id| world.container(*id).is_some())?;
        let within = world.held_by(Holder::In(emptied));
        let put =
            ["put", "all", "from"].map(Token::of).into_iter().chain(name_tokens(world, emptied));
        return Some(if within.is_empty() {
            verb_on(world, "search", emptied)
        } else {
            put.chain(holder[end..].iter().cloned()).collect()
        });
    }
    let id = first_meant(world, &holder[..end], Want::Holder).filter(|id| world.is_seen(*id))?;
    let holds = [Holder::On(id), Holder::In(id)].iter().any(|it| !world.held_by(*it).is_empty());
    let from = ["take", "all", "from"].map(Token::of).into_iter();
    holds.then(|| from.chain(name_tokens(world, id)).collect())
}
