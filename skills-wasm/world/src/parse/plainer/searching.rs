//! Wordings that search something.

use english::WordClass;

use super::rule::{
    PlainerRule::{self, Function},
    pattern,
};
use crate::{
    parse::{
        nouns::{Meant, Want, entities, first_meant, resolve, suits},
        plain_clause::{verb_on, with_verb, word},
        tokens::{Token, is_any, word_at},
    },
    world::World,
};

/// The rules in the order in which they are tried.
pub(super) const RULES: &[PlainerRule] = &[
    pattern(
        "have|take _? _? @poking about|around|round? @within|on|around|near @within? {text}",
        "search {text}",
        "have a good rummage between the cushions",
    ),
    pattern(
        "feel|grope|fumble|poke|rummage|dig about|around|round? between|under|behind|beneath|among {text}",
        "search {text}",
        "feel between the cushions",
    ),
    pattern(
        "look|looking|hunt|search for {unseen} in|under|behind|among|around {spot}",
        "search {spot}",
        "look for the thing in the crate",
    ),
    Function(searched_through),
    Function(traces_sought),
    Function(got_out_of_it),
    pattern(
        "@groping my|her|his|a|an|one|the|both ^@limb ... @within @within? {spot}",
        "search {spot}",
        "dig my hand down between the cushions",
    ),
    pattern(
        "reach|feel|grope|look|peer|peek|search|fumble|rummage|root|dig up|down|around|round|back|out|over|about \
         up|down|around|round|back|out|over|about* behind|under|in|between {text}",
        "search {text}",
        "reach up behind the crate",
    ),
    pattern(
        "see|check|look if|whether there is|are ... in|under|behind|inside {text}",
        "search {text}",
        "see if there is a safe behind the crate",
    ),
    pattern(
        "reach|feel|grope|look|peer|search|poke|check|stick|put|fumble|dig|rummage|peek|slide|slip|run \
         ... the|a|that|dark|little ^@gap @behind {named}",
        "search {named}",
        "reach into the hole behind the crate",
    ),
];

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
        _ => Some(vec![word("search")]),
    }
}
