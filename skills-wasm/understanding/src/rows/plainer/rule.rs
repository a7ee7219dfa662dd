//! A rule of plainer words: a pattern, or a function for what no pattern can say.

use world_model::world::World;

use crate::{
    rows::patterns::Construction,
    words::{needed_words::NeededWords, tokens::Token},
};

/// A rule that says a clause in plainer words, where it fits.
#[derive(Debug, Clone, Copy)]
pub(super) enum PlainerRule {
    /// A pattern with its plain words.
    Pattern(Construction<'static>),
    /// A function with its name, for what a pattern cannot say.
    Function(&'static str, fn(&World, &[Token]) -> Option<Vec<Token>>),
}

/// A pattern, the plain clause, and a clause that it fits.
pub(super) const fn pattern(
    pattern: &'static str,
    plain: &'static str,
    example: &'static str,
    needed: NeededWords,
) -> PlainerRule {
    PlainerRule::Pattern(Construction { pattern, plain, example, needed })
}
