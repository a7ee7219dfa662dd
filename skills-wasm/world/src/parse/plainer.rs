//! The rules that say a clause in plainer words, by the deed that they tell: the tables of `wordings`, with functions for what no
//! pattern can say.

mod by_way;
mod going;
mod looking;
mod rule;
mod taking;
mod unknown_verbs;
mod using;

#[cfg(test)]
pub(super) mod tests;

use crate::{
    parse::{described, gifts, recording, telegraphic, tokens::Token},
    world::World,
};
use rule::{PlainerRule, pattern};

include!(concat!(env!("OUT_DIR"), "/wordings.rs"));

/// The rules by the deed that they tell, in the order in which they are tried.
const RULES: &[&[PlainerRule]] = &[
    LOOKING,
    OPENING,
    USING,
    TALKING,
    GIVING,
    PUTTING,
    DRESSING,
    TAKING,
    SEARCHING,
    GOING,
    &[PlainerRule::Function(unknown_verbs::framed)],
];

/// The clause in plainer words, if one of the rules fits. It begins with its verb.
pub(super) fn plainer(world: &World, clause: &[Token], is_asked: bool) -> Option<Vec<Token>> {
    let orders = if is_asked { &[] } else { ORDERS };
    let mut rules = orders.iter().chain(RULES.iter().copied().flatten());
    rules.find_map(|rule| match rule {
        PlainerRule::Function(rule) => rule(world, clause),
        PlainerRule::Pattern(construction) => {
            let plain = construction.plainer(world, clause)?;
            let again = construction.is_read_again().then(|| plainer(world, &plain, false));
            Some(again.flatten().unwrap_or(plain))
        }
    })
}
