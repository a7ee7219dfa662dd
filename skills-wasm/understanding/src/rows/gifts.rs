//! Gifts in words that name no giving: `a cheese roll for you`.

use world_model::{want::Want, world::World};

use crate::{
    names::{
        handed,
        nouns::{carried, is_wholly_named},
        people::person,
    },
    words::{plain_clause::hand_to, tokens::Token},
};

/// `a cheese roll for you, Dora`.
pub(crate) fn gift_for(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
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
