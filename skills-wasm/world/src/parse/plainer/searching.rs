//! Wordings that search something.

use english::WordClass;

use super::rule::{PlainerRule, pattern};
use crate::{
    parse::{
        nouns::{Meant, Want, entities, first_meant, resolve, suits},
        plain_clause::{verb_on, with_verb},
        tokens::{Token, is_any, word_at},
    },
    world::World,
};

include!(concat!(env!("OUT_DIR"), "/wordings_searching.rs"));

/// `get it out`, where `it` stays where it is: what is in it is searched for.
fn got_out_of_it(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [verb, it, out, ..] = clause else { return None };
    let is_it = verb.is(WordClass::GettingContents) && it.word() == "it" && out.word() == "out";
    let last = world.spoken_of().filter(|_| is_it)?;
    let stays = world.entity(last).is_thing() && !suits(world, last, Want::Takable);
    let is_empty_handed = stays && !world.is_with_player(last) && world.is_seen(last);
    is_empty_handed.then(|| verb_on(world, "search", last))
}

/// `poke through the rags`.
fn searched_through(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [verb, through, object @ ..] = clause else { return None };
    let seeks = ["poke", "nose", "go", "pick", "paw", "feel"].contains(&verb.word());
    let end = object.iter().position(|token| token.word() == "for").unwrap_or(object.len());
    let object = &object[..end];
    let is_heap = object.last().is_some_and(|last| last.is(WordClass::SearchedGoods));
    let holds = || {
        first_meant(world, object, Want::Holder)
            .is_some_and(|id| world.is_seen(id) && world.container(id).is_some())
    };
    (seeks && through.word() == "through" && (is_heap || holds()))
        .then(|| with_verb("search", object))
}

/// `look for tracks in the snow`, `search the yard for clues`: a search of the place, or of what the words name.
fn traces_sought(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let seeks = ["look", "search", "hunt", "check", "scan"].contains(&word_at(clause, 0));
    let r#for = clause.iter().position(|token| token.word() == "for").filter(|_| seeks)?;
    let sought = clause.get(r#for + 1..)?;
    let at = sought.iter().position(|token| token.is(WordClass::Trace)).filter(|at| *at < 3)?;
    if entities(world, &sought[..=at], Want::Any).is_some() {
        return None;
    }
    let within = match sought.get(at + 1..)? {
        [r#in, place @ ..] if is_any(r#in, &["in", "on", "under", "around", "near", "at"]) => place,
        _ => &clause[1..r#for],
    };
    match resolve(world, within, Want::Any) {
        Meant::Entities(_) if !within.is_empty() => Some(with_verb("search", within)),
        _ => Some(vec![Token::of("search")]),
    }
}
