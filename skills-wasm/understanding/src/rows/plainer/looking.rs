//! Wordings that look, read and listen.

use english::WordClass;
use world_model::world::{Holder, World};

use crate::{
    names::{people::person, want::sole},
    words::{plain_clause::name_tokens, tokens::Token},
};

/// `look at the letter (that) she is holding` looks at the letter, `look at what she has` at what she has.
pub(super) fn without_holding(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
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
