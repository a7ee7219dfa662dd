//! The rules that say a clause in plainer words, by the deed that they tell: the tables of `wordings`, with functions for what no
//! pattern can say.

mod by_way;
mod dressing;
mod giving;
mod going;
mod looking;
mod opening;
mod orders;
mod putting;
mod rule;
mod searching;
mod taking;
mod talking;
mod unknown_verbs;
mod using;

#[cfg(test)]
mod tests;

use crate::{parse::tokens::Token, world::World};
use rule::PlainerRule;

/// The rules by the deed that they tell, in the order in which they are tried.
const RULES: &[&[PlainerRule]] = &[
    looking::RULES,
    opening::RULES,
    using::RULES,
    talking::RULES,
    giving::RULES,
    putting::RULES,
    dressing::RULES,
    taking::RULES,
    searching::RULES,
    going::RULES,
    &[PlainerRule::Function(unknown_verbs::framed)],
];

/// The clause in plainer words, if one of the rules fits. It begins with its verb.
pub(super) fn plainer(world: &World, clause: &[Token], is_asked: bool) -> Option<Vec<Token>> {
    let orders = if is_asked { &[] } else { orders::RULES };
    let mut rules = orders.iter().chain(RULES.iter().copied().flatten());
    rules.find_map(|rule| match rule {
        PlainerRule::Pattern(construction) => construction.plainer(world, clause),
        PlainerRule::Function(rule) => rule(world, clause),
        PlainerRule::Led(rule) => {
            rule(clause).map(|rest| plainer(world, rest, false).unwrap_or_else(|| rest.to_vec()))
        }
    })
}
