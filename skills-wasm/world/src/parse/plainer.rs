//! The rules that say a clause in plainer words: tables of patterns by the deed that they tell, and functions for what no pattern
//! can say.

mod by_way;
mod dressing;
mod giving;
mod going;
mod looking;
mod opening;
mod orders;
mod putting;
mod searching;
mod taking;
mod talking;
mod unknown_verbs;
mod using;

#[cfg(test)]
mod tests;

use crate::{
    parse::{patterns::Construction, tokens::Token},
    world::World,
};

/// A rule that says a clause in plainer words, where it fits.
#[derive(Debug, Clone, Copy)]
pub(super) enum PlainerRule {
    /// A pattern with its plain words.
    Pattern(Construction),
    /// A function, for what a pattern cannot say.
    Function(fn(&World, &[Token]) -> Option<Vec<Token>>),
}

use PlainerRule::Function;

/// A pattern, the plain clause, and a clause that it fits.
const fn pattern(pattern: &'static str, plain: &'static str, example: &'static str) -> PlainerRule {
    PlainerRule::Pattern(Construction { pattern, plain, example })
}

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
    &[Function(unknown_verbs::framed)],
];

/// The clause in plainer words, if one of the rules fits. It begins with its verb.
pub(super) fn plainer(world: &World, clause: &[Token], is_asked: bool) -> Option<Vec<Token>> {
    let orders = if is_asked { &[] } else { orders::RULES };
    let mut rules = orders.iter().chain(RULES.iter().copied().flatten());
    rules.find_map(|rule| match rule {
        PlainerRule::Pattern(construction) => construction.plainer(world, clause),
        Function(rule) => rule(world, clause),
    })
}

/// Where the first of these words stands behind a verb and what it is done to.
fn position(clause: &[Token], known: &[&str]) -> Option<usize> {
    clause.iter().position(|token| known.contains(&token.word())).filter(|at| *at > 1)
}
