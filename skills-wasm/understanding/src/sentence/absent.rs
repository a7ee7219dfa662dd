//! Finds whom the player speaks to who is in another place: `how is your shoulder, captain?`, while the captain is away.

use english::WordClass;
use world_model::{entity::NamedId, world::World};

use crate::words::tokens::{Token, is_mark, word_at};

/// Most words of a name.
const NAME_WORDS_MAX: usize = 4;

/// Returns true if the next word, `that`, introduces reported speech: `Tansy told me that you know everything`.
pub(crate) fn reports(current: &[Token]) -> bool {
    let Some((last, before)) = current.split_last() else { return false };
    let is_listener = ["me", "us", "him", "her", "them", "everyone"].contains(&last.word());
    let verb = if is_listener { before.last() } else { Some(last) };
    let is_told = word_at(current, 1) == "told" || is_listener;
    is_told && current.len() > 1 && verb.is_some_and(|verb| verb.is(WordClass::Reporting))
}

/// The person elsewhere of whom the words are one whole name, and no more.
fn named_away(world: &World, tokens: &[Token]) -> Option<NamedId> {
    let words: Vec<&str> = tokens
        .iter()
        .map(Token::word)
        .filter(|word| !world_model::words::is_hollow(word))
        .collect();
    let words = match words.as_slice() {
        [name @ .., dear] if !name.is_empty() && WordClass::Endearment.has(dear) => name,
        words => words,
    };
    if words.is_empty() || words.len() > NAME_WORDS_MAX {
        return None;
    }
    let is_it = |id: NamedId| {
        world.names(id).iter().any(|name| name.iter().map(String::as_str).eq(words.iter().copied()))
    };
    if world.person_ids().any(|id| world.is_present(id) && is_it(id)) {
        return None;
    }
    world.person_ids().find(|id| is_it(*id) && !world.conditions[id.0].dead)
}

/// The person elsewhere whom the clause does nothing but call: `Petronella,`.
pub(crate) fn called(world: &World, clause: &[Token]) -> Option<NamedId> {
    named_away(world, clause)
        .filter(|_| !clause.first().is_some_and(crate::words::tokens::is_hollow))
}

/// The person elsewhere whose name ends the clause, and what stands before it: `does anyone have a key, Dot?`.
pub(crate) fn named_last<'t>(world: &World, clause: &'t [Token]) -> Option<(NamedId, &'t [Token])> {
    let comma = clause.iter().rposition(|token| *token == Token::Comma).filter(|at| *at > 1)?;
    Some((named_away(world, &clause[comma + 1..])?, &clause[..comma]))
}

/// The person elsewhere whose name begins the clause, and what follows: `marta hun, does anybody go up there`.
pub(crate) fn named_first<'t>(
    world: &World,
    clause: &'t [Token],
) -> Option<(NamedId, &'t [Token])> {
    let comma = clause.iter().position(|token| *token == Token::Comma)?;
    let rest = &clause[comma + 1..];
    Some((called(world, &clause[..comma])?, rest)).filter(|_| !rest.is_empty())
}

/// Returns true if what follows the comma of a question is only the name of the person who is asked: `how is it, cook?`.
pub(crate) fn ends_with_call(world: &World, next: &[Token]) -> bool {
    let end = next.iter().position(is_mark);
    let name = &next[..end.unwrap_or(next.len())];
    let is_end = end.is_none_or(|end| matches!(next[end], Token::Stop(_)));
    let is_verb = name.first().is_some_and(|first| english::is_verb(first.word()));
    is_end && is_verb && named_away(world, name).is_some()
}

/// The person elsewhere to whom something is said aloud: `I say to the captain`.
pub(crate) fn spoken_to(world: &World, others: &[Token]) -> Option<NamedId> {
    let to = others.iter().rposition(|token| ["to", "at"].contains(&token.word()))?;
    named_away(world, &others[to + 1..])
}
