//! Sentences that claim or make a thing, such as `build a boat` or `I have a gun`. The world decides whether the thing exists,
//! so a sentence cannot add it.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    want::Want,
    world::World,
};

use crate::{
    names::nouns::{Meant, first_meant, resolve},
    words::{leads::strip, parts::ClauseParts, tokens::Token},
};

/// What nobody can make here, or say that they have: `build a boat`, `I have a gun`. The world has it or it does not.
pub(crate) fn made_of_nothing(
    world: &World,
    clause: &[Token],
    actions: Vec<Action>,
) -> Vec<Action> {
    let words = strip(clause);
    let Some((verb, rest)) = words.split_first() else { return actions };
    let verb = english::inflected(verb.word()).unwrap_or(verb.word());
    let is_gesture =
        matches!(actions.as_slice(), [one] if one.action == Verb::Gesture && one.text.is_some());
    if !is_gesture || !WordClass::MakingVerb.has(verb) {
        return actions;
    }
    let object = ClauseParts::of(rest).object;
    // `I have bought the bun`, which lies where it lay.
    if verb == "have"
        && let [done, thing @ ..] = object.as_slice()
        && english::irregular(done.word()).is_some()
        && let Some(id) = first_meant(world, thing, Want::Any)
    {
        return vec![Action::on(Verb::Find, world.name(id))];
    }
    let is_known = |token: &Token| token.is(WordClass::ArticleOfMadeThing);
    let Some(head) = object.last().map(Token::word).filter(|head| !head.is_empty()) else {
        return actions;
    };
    let is_free = WordClass::NounOfAct.has(head)
        || WordClass::Abstract.has(head)
        || WordClass::Body.has(head)
        || world_model::words::is_hollow(head);
    let is_there = object.first().is_some_and(is_known)
        && !matches!(resolve(world, &object, Want::Any), Meant::Missing(_));
    if is_free || is_there {
        return actions;
    }
    let named: Vec<&str> = object
        .iter()
        .map(Token::word)
        .filter(|word| !world_model::words::is_hollow(word))
        .collect();
    vec![Action { missing: Some(named.join(" ")), ..Action::new(Verb::Use) }]
}
