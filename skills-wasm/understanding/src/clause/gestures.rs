//! What changes nothing and is told in the player's own words, where another verb was read.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    world::World,
};

use crate::{
    grammar::chart,
    words::{leads::strip, own_words::in_words, tokens::Token},
};

/// Verbs that seek something: what they do not find is missed.
const SEEKING: &[Verb] = &[
    Verb::Search,
    Verb::Find,
    Verb::Go,
    Verb::Ask,
    Verb::Tell,
    Verb::Talk,
    Verb::Request,
    Verb::Read,
];

/// What is done to a part of a body that no world names is a gesture: `tucks a strand of hair under her scarf`.
pub(crate) fn instead_of_missing(
    world: &World,
    clause: &[Token],
    actions: Vec<Action>,
) -> Vec<Action> {
    let names_body = |words: &str| {
        let mut words = words.split(' ');
        words.any(|word| {
            WordClass::Body.has(word)
                || ["sleeve", "lapel", "pocket", "lap"].contains(&word)
                || WordClass::Abstract.has(word)
        })
    };
    let is_bodily = |action: &Action| {
        !SEEKING.contains(&action.action) && action.missing.as_deref().is_some_and(names_body)
    };
    if !actions.iter().any(is_bodily) {
        return actions;
    }
    let stripped = strip(clause);
    let Some((first, rest)) = stripped.split_first() else { return actions };
    let known = english::inflected(first.word()).filter(|_| !english::is_verb(first.word()));
    let first = known.unwrap_or(first.word());
    let verb = in_words(first, rest);
    chart::built(world, &verb).unwrap_or(actions)
}
