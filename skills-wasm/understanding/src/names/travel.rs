//! Ways to say where to go: directions, stairs, names of places.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    want::Want,
    world::World,
};

use crate::{
    names::nouns::{Meant, resolve},
    words::{
        lexicon::ClauseVerb,
        tokens::{Token, is_hollow},
    },
};

/// The only direction among the words.
pub(crate) fn direction(tokens: &[Token]) -> Option<&'static str> {
    let mut found = None;
    for token in tokens {
        let word = token.word();
        match WordClass::Direction.find(word) {
            // `go back down` goes down.
            Some(known) if found.is_none() || found == Some("back") => found = Some(known),
            Some(_) => {}
            None if word.is_empty()
                || WordClass::HollowInDirection.has(word)
                || ["to", "toward", "back", "go"].contains(&word) => {}
            None => return None,
        }
    }
    found
}

/// A way to go: `north`, `f`, `down to the pit`.
pub(crate) fn read_way(world: &World, stripped: &[Token]) -> Option<Action> {
    if let Some(direction) = direction(stripped)
        && (stripped.len() == 1
            || stripped.iter().all(|token| !["in", "out"].contains(&token.word())))
    {
        return Some(Action::toward(direction));
    }
    match stripped {
        [one] if one.word() == "f" => Some(Action::toward("forward")),
        [one] if one.word() == "b" => Some(Action::toward("back")),
        [way, to, rest @ ..] if way.is(WordClass::Direction) && to.word() == "to" => {
            match resolve(world, rest, Want::Place) {
                Meant::Entities(ids) if world.is_place(ids[0]) => {
                    Some(Action::on(Verb::Go, world.name(ids[0])))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns true if the words are the name of a place, word for word: `signal cabin`.
pub(crate) fn is_place_name(world: &World, clause: &[Token]) -> bool {
    is_name_of_any(world, clause, world.place_ids())
}

/// Returns true if one of these has the words as a name.
fn is_name_of_any(world: &World, words: &[Token], mut ids: impl Iterator<Item = NamedId>) -> bool {
    let is_it =
        |name: &Vec<String>| name.iter().map(String::as_str).eq(words.iter().map(Token::word));
    ids.any(|id| world.names(id).iter().any(is_it))
}

/// `the room`: this one or the next, which only a direction can say.
fn is_generic(noun: &[Token]) -> bool {
    noun.iter().all(|token| ["room", "place", "building", "area", "house"].contains(&token.word()))
}

/// Where one place of several is meant, it is not the one where the player is.
fn elsewhere(world: &World, noun: &[Token], meant: Meant) -> Meant {
    match meant {
        Meant::Unclear(mut ids) => {
            ids.retain(|id| *id != world.here);
            // Of `office` and `post office` the first is meant.
            let exact = |id: &NamedId| {
                world.names(*id).iter().any(|name| {
                    name.len() == noun.len() && name.iter().zip(noun).all(|(a, b)| a == b.word())
                })
            };
            if ids.iter().filter(|id| exact(id)).count() == 1 {
                ids.retain(exact);
            }
            if ids.len() == 1 { Meant::Entities(ids) } else { Meant::Unclear(ids) }
        }
        other => other,
    }
}

/// What the words mean where somebody goes.
pub(crate) fn goal_meant(world: &World, tokens: &[Token]) -> Meant {
    let content: Vec<Token> = tokens.iter().filter(|token| !is_hollow(token)).cloned().collect();
    if !content.is_empty() && is_generic(&content) {
        return Meant::Missing("room".to_owned());
    }
    elsewhere(world, &content, resolve(world, tokens, Want::Place))
}

/// The words of a phrase behind its first: `over to` of `wander over to`.
pub(crate) fn tail_of(phrase: &str) -> impl Iterator<Item = Token> {
    let said = phrase.split(' ').skip(1).filter(|word| !["myself", "way"].contains(word));
    said.map(Token::of)
}

/// The only direction that a clause says, or that of the stairs that it names.
pub(crate) fn way(world: &World, verb: &ClauseVerb) -> Option<&'static str> {
    if verb.rest.is_empty() {
        return None;
    }
    let noun = noun_of(&verb.rest);
    let stop = verb.rest.iter().position(|token| token.word() == "with");
    let rest = &verb.rest[..stop.unwrap_or(verb.rest.len())];
    let tail = tail_of(&verb.phrase).filter(|token| token.is(WordClass::Direction));
    let said: Vec<Token> = tail.chain(rest.iter().cloned()).collect();
    match noun.is_empty() {
        true => direction(&said),
        false => stairs(world, &noun, &said),
    }
}

/// A direction among the words of a clause, rather one that leads somewhere. What is `in` something does not say so.
pub(crate) fn some_way(world: &World, verb: &ClauseVerb) -> Option<&'static str> {
    let said = || verb.rest.iter().filter_map(|token| WordClass::Direction.find(token.word()));
    let ways = || said().filter(|way| *way != "in");
    ways().find(|way| world.has_way(way)).or_else(|| ways().next())
}

/// The words that may name a place: without prepositions and directions.
pub(crate) fn noun_of(rest: &[Token]) -> Vec<Token> {
    let stop = rest.iter().position(|token| token.word() == "with").unwrap_or(rest.len());
    let kept = rest[..stop].iter().filter(|token| {
        let word = token.word();
        !word.is_empty()
            && !WordClass::BeforePlaceName.has(word)
            && !WordClass::Direction.has(word)
            && !world_model::words::is_hollow(word)
    });
    kept.cloned().collect()
}

/// Stairs lead where the only exit up or down leads.
pub(crate) fn stairs(world: &World, noun: &[Token], rest: &[Token]) -> Option<&'static str> {
    let is_stairs = noun.last().is_none_or(|token| token.is(WordClass::StairsWord));
    if !is_stairs {
        return None;
    }
    let said = rest.iter().find_map(|token| WordClass::UpOrDown.find(token.word()));
    // `go to the opera steps` goes to the place of that name.
    let is_there = || {
        let named: Vec<Token> = noun.iter().filter(|token| !is_hollow(token)).cloned().collect();
        is_name_of_any(world, &named, world.place_ids().filter(|id| *id != world.here))
    };
    let only = || ["up", "down"].into_iter().find(|way| world.has_way(way)).filter(|_| !is_there());
    said.or_else(only)
}
