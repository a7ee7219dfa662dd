//! Wordings that look, read and listen.

use english::WordClass;

use super::rule::{PlainerRule, pattern};
use crate::{
    entity::NamedId,
    parse::{
        described,
        nouns::{Meant, Want, first_meant, resolve, suits},
        people::person,
        plain_clause::{name_tokens, verb_on, with_verb},
        tokens::{Token, before, is_any, is_mark, word_at},
        want::sole,
    },
    world::{Holder, World},
};

include!(concat!(env!("OUT_DIR"), "/wordings_looking.rs"));

/// `read who was here last year` and `read once more what it says` read what was spoken of.
fn read_who(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (read, rest) = clause.split_first()?;
    let rest = match rest {
        [once, more, rest @ ..] if once.word() == "once" && more.word() == "more" => rest,
        [again, rest @ ..] if again.word() == "again" => rest,
        rest => rest,
    };
    let [asks, said @ ..] = rest else { return None };
    let is_it = read.word() == "read" && !said.is_empty() && asks.is(WordClass::ReadQuestion);
    let last = world.spoken_of();
    let last = last.filter(|id| world.is_seen(*id) && suits(world, *id, Want::Readable))?;
    // `read what is on the notice`.
    let names_other =
        first_meant(world, said, Want::Readable).is_some_and(|id| suits(world, id, Want::Readable));
    (is_it && !names_other).then(|| verb_on(world, "read", last))
}

/// `spend a moment in front of the chart`, `pause before the painting` look at it.
fn paused_before(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let verb = word_at(clause, 0);
    if !WordClass::Pause.has(verb) {
        return None;
    }
    let at = (1..clause.len()).find_map(|at| {
        let leads = [word_at(clause, at), word_at(clause, at + 1), word_at(clause, at + 2)];
        match leads {
            ["in", "front", "of"] => Some(at + 3),
            ["before" | "at", ..] => Some(at + 1),
            _ => None,
        }
    })?;
    let object = before(&clause[at..], is_mark);
    let is_seen = |id: &NamedId| world.is_seen(*id) && !world.is_door(*id);
    match resolve(world, object, Want::Any) {
        Meant::Entities(ids) if ids.iter().all(is_seen) => Some(with_verb("examine", object)),
        Meant::Mention(_) => Some(with_verb("examine", object)),
        _ => None,
    }
}

/// `look at the letter (that) she is holding` looks at the letter, `look at what she has` at what she has.
fn without_holding(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (last, rest) = clause.split_last()?;
    let first = rest.first()?.word();
    if !last.is(WordClass::Has) || !english::is_verb(first) || ["what", "who"].contains(&first) {
        return None;
    }
    let is_any = |token: &Token, words: &[&str]| words.contains(&token.word());
    let end = rest.iter().rposition(|token| !is_any(token, &["is", "are", "has", "have"]))? + 1;
    let starts = end.saturating_sub(3).max(2)..end;
    let (start, who) = starts
        .filter(|at| !is_any(&rest[*at], &["what", "that", "which", "whatever"]))
        .find_map(|at| Some((at, person(world, &rest[at..end])?)))?;
    let mut base = rest[..start].to_vec();
    while base.last().is_some_and(|token| is_any(token, &["that", "which"])) {
        base.pop();
    }
    if base.last().is_some_and(|token| is_any(token, &["what", "whatever"])) {
        base.pop();
        let held = world.seen().filter(|id| world.holders[id.0] == Holder::Person(who));
        let one = sole(held);
        base.extend(name_tokens(world, one.unwrap_or(who)));
    }
    Some(base)
}

/// `see if there is any bread left`: looks at it, or looks for it in vain.
fn whether_any(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [see, r#if, there, is, rest @ ..] = clause else { return None };
    let asks = is_any(see, &["see", "check", "look"])
        && is_any(r#if, &["if", "whether"])
        && there.word() == "there"
        && is_any(is, &["is", "are"]);
    let is_tail = |token: &Token| is_any(token, &["left", "here", "there", "around", "still"]);
    let end = rest.iter().rposition(|token| !is_tail(token)).map_or(0, |at| at + 1);
    let sought = match &rest[..end] {
        [any, sought @ ..] if is_any(any, &["any", "some", "a", "an", "more"]) => sought,
        sought => sought,
    };
    let is_vague = matches!(sought, [] | [_])
        && sought.iter().all(|it| is_any(it, &["anything", "something"]));
    if !asks
        || is_vague
        || sought.iter().any(|token| is_any(token, &["in", "on", "under", "behind"]))
    {
        return None;
    }
    let seen = first_meant(world, sought, Want::Any).is_some_and(|id| world.is_seen(id));
    Some(with_verb(if seen { "examine" } else { "find" }, sought))
}
